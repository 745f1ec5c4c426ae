/**
 * The token that an HTTP client must show.
 *
 * Where it comes from, first found: `--token`, `--token-file`, BRIDLE_MCP_TOKEN;
 * otherwise it is drawn and shown once. Flags are visible to every user of the
 * machine in the process list, hence the other two. A token is never logged, and
 * operations do not see it in their environment.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { resolve } from "node:path";
import { Failure, type Ports, type Refusal, isRefusal, refuse } from "@bridle/record";
import { mcpLimits } from "./limits.js";

export const tokenVariable = "BRIDLE_MCP_TOKEN";

export interface Token {
  readonly secret: string;
  /** A drawn one is shown to the person; one that was given is not repeated. */
  readonly origin: "flag" | "file" | "environment" | "drawn";
}

export async function findToken(options: {
  readonly flag: string | undefined;
  readonly file: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly ports: Ports;
}): Promise<Token | Refusal> {
  const { flag, file, ports } = options;
  if (flag !== undefined && file !== undefined) {
    return refuse("input_invalid", {
      message: "--token and --token-file were both given",
      hint: "Keep --token-file; a token given by flag is visible in the process list.",
    });
  }
  if (flag !== undefined) return checked(flag, "flag");
  if (file !== undefined) {
    const text = await readTokenFile(resolve(options.cwd, file), ports);
    return isRefusal(text) ? text : checked(text, "file");
  }
  const fromEnvironment = options.env[tokenVariable];
  if (fromEnvironment !== undefined && fromEnvironment !== "") return checked(fromEnvironment, "environment");
  const bytes = await ports.randomness.bytes(32);
  return { secret: Buffer.from(bytes).toString("base64url"), origin: "drawn" };
}

export function withoutToken(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const { [tokenVariable]: _, ...rest } = env;
  return rest;
}

/** In time that does not depend on where the two differ, nor on how long either is. */
export function sameToken(shown: string, secret: string): boolean {
  return timingSafeEqual(sha256(shown), sha256(secret));
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function checked(secret: string, origin: Exclude<Token["origin"], "drawn">): Token | Refusal {
  const named = { flag: "--token", file: "--token-file", environment: tokenVariable }[origin];
  const { tokenCharsMin, tokenCharsMax } = mcpLimits;
  if (secret.length < tokenCharsMin || secret.length > tokenCharsMax) {
    return refuse("input_invalid", {
      message: `the token from ${named} has ${secret.length} characters; ${tokenCharsMin} to ${tokenCharsMax} are needed`,
      hint: "Leave it out and the server draws one.",
    });
  }
  if (!/^[A-Za-z0-9._~+/-]+=*$/.test(secret)) {
    return refuse("input_invalid", {
      message: `the token from ${named} has characters that an Authorization header cannot carry`,
      hint: "Use letters, digits and ._~+/-, for example base64.",
    });
  }
  return { secret, origin };
}

async function readTokenFile(path: string, ports: Ports): Promise<string | Refusal> {
  const stat = await ports.files.stat(path);
  if (stat === undefined) return refuse("file_missing", { message: `${path}: there is no token file` });
  if (stat.kind !== "file") return refuse("file_not_regular", { message: `${path}: not a regular file` });
  if (stat.size > mcpLimits.tokenFileBytesMax) {
    return refuse("document_too_large", { message: `${path}: ${stat.size} bytes is too long for a token` });
  }
  if (process.platform !== "win32" && (stat.mode & 0o077) !== 0) {
    return refuse("input_invalid", {
      message: `${path}: other users of this machine can read the token`,
      hint: `chmod 600 ${path}`,
    });
  }
  try {
    const file = await ports.files.open(path, "read");
    try {
      return new TextDecoder().decode(await file.read(0, mcpLimits.tokenFileBytesMax)).trim();
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new Failure("file_unreadable", { message: `${path}: the token file cannot be read`, cause });
  }
}
