/**
 * Credentials: one file, 0600, and one refresh at a time.
 *
 * A refresh gives a new refresh token and makes the old one void. Two processes
 * that refresh at once would lock each other out, so whoever wants to takes the
 * lock first and then reads the file again: mostly somebody else was faster, and
 * the fresh token is there already.
 */
import { dirname, join } from "node:path";
import { Failure, failureAt, isJsonObject, type JsonObject, Lock, type Ports } from "@bridle/record";
import * as Type from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { modelLimits } from "../limits.js";
import { nodeHttp, type Http } from "../outside/http.js";
import type { Secrets } from "../secrets.js";
import { codexEndpoints, refreshTokens, type CodexEndpoints, type CodexTokens } from "./codex.js";
import { readableByOthers, readSettingsFile, writePrivateFile } from "./private-file.js";

export const credentialsKind = "bridle.credentials.v1";

/** Members that a newer version wrote are kept. */
export const CredentialsSchema = Type.Object(
  {
    credentialsKind: Type.Literal(credentialsKind),
    "openai-codex": Type.Optional(
      Type.Object({
        access: Type.String(),
        refresh: Type.String(),
        expiresAt: Type.Number({ description: "Milliseconds since 1970." }),
        accountId: Type.String(),
      }),
    ),
  },
  { title: "The file of credentials" },
);

export interface CredentialsOptions {
  /** The file. */
  readonly path: string;
  readonly ports: Ports;
  /** Told every token that is read or drawn. */
  readonly secrets: Secrets;
  readonly http?: Http;
  readonly endpoints?: CodexEndpoints;
  /** Ends the wait for the lock; a refresh that has begun is finished. */
  readonly signal?: AbortSignal | undefined;
}

export class Credentials {
  constructor(private readonly options: CredentialsOptions) {}

  /** A token that is good for a while. With `rejected`, another one than that. */
  async accessToken(rejected?: string): Promise<string> {
    const found = await this.read();
    if (found !== undefined && (await this.isGood(found, rejected))) return found.access;
    return this.alone(async () => {
      const current = await this.read();
      if (current === undefined) throw notLoggedIn(this.options.path);
      if (await this.isGood(current, rejected)) return current.access;
      const { ports, http = nodeHttp, endpoints = codexEndpoints } = this.options;
      // Without the signal: an answer that nobody waits for any more would take the new refresh token with it.
      const fresh = await refreshTokens(current.refresh, { ports, http, endpoints });
      await this.write(fresh);
      return fresh.access;
    });
  }

  /** What a login brought. */
  async store(tokens: CodexTokens): Promise<void> {
    await this.alone(() => this.write(tokens));
  }

  /** Whether there is a login, and until when its token is good. Never a token. */
  async state(): Promise<{ readonly accountId: string; readonly expiresAt: number } | undefined> {
    const tokens = await this.read();
    return tokens === undefined ? undefined : { accountId: tokens.accountId, expiresAt: tokens.expiresAt };
  }

  /** Its tokens are hidden from now on, whoever uses them. Whether the file is in order is for its user to find out. */
  async hideTokens(): Promise<void> {
    const { path, ports } = this.options;
    const file = await readSettingsFile(path, ports, "credentials_invalid").catch(() => undefined);
    this.remember(file === undefined ? undefined : tokensIn(file.text));
  }

  private remember(tokens: CodexTokens | "none" | undefined): void {
    if (tokens === undefined || tokens === "none") return;
    this.options.secrets.add(tokens.access);
    this.options.secrets.add(tokens.refresh);
  }

  private async isGood({ access, expiresAt }: CodexTokens, rejected: string | undefined): Promise<boolean> {
    return (
      access !== rejected && expiresAt - (await this.options.ports.clock.now()) > modelLimits.tokenEarlyMs
    );
  }

  private async alone<Result>(act: () => Promise<Result>): Promise<Result> {
    const { path, ports, signal } = this.options;
    const folder = dirname(path);
    await ports.files.makeDirectory(folder).catch((error: unknown) => {
      throw failureAt(folder, error);
    });
    const lock = new Lock({
      path: join(folder, ".credentials.lock"),
      name: path,
      ports,
      waitMsMax: modelLimits.credentialsLockMsMax,
    });
    const held = await lock.acquire(signal);
    try {
      return await act();
    } finally {
      await held.release();
    }
  }

  private async read(): Promise<CodexTokens | undefined> {
    const { path, ports } = this.options;
    const file = await readSettingsFile(path, ports, "credentials_invalid");
    if (file === undefined) return undefined;
    if (file.shared) throw readableByOthers(path, "credentials_invalid");
    const tokens = tokensIn(file.text);
    if (tokens === undefined) {
      throw new Failure("credentials_invalid", {
        message: `${path} is no file of credentials`,
        hint: "Move it away and log in again: bridle login codex",
      });
    }
    if (tokens === "none") return undefined;
    this.remember(tokens);
    return tokens;
  }

  private async write(tokens: CodexTokens): Promise<void> {
    const { path, ports } = this.options;
    this.remember(tokens);
    // What a newer version keeps there stays as it is.
    const before = (await readSettingsFile(path, ports, "credentials_invalid"))?.text ?? "{}";
    const content = { ...objectIn(before), credentialsKind, "openai-codex": tokens };
    await writePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`, ports);
  }
}

let check: Validator<Record<never, never>, typeof CredentialsSchema> | undefined;

/** `none` where the file is sound and holds no login. */
function tokensIn(text: string): CodexTokens | "none" | undefined {
  const value = objectIn(text);
  if (!(check ??= Compile(CredentialsSchema)).Check(value)) return undefined;
  return value["openai-codex"] ?? "none";
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function notLoggedIn(path: string): Failure {
  return new Failure("login_required", {
    message: `there are no credentials for Codex in ${path}`,
    hint: "Log in: bridle login codex",
  });
}
