/**
 * What a person's yes covers: what would be started, word by word, and the bytes of the
 * files that it names. A digest of that is what is kept, so whatever changes in it is
 * asked about again.
 *
 * What a newcomer gets wrong: it is not everything that will run. A program loads others,
 * and those are not covered; the question says so by showing what is.
 */
import { isAbsolute, join } from "node:path";
import { canonicalJson, Failure, type Files, type JsonObject, sha256Hex } from "@bridle/record";
import { extensionLimits } from "../limits.js";
import { namesIn } from "../servers/expand.js";
import type { ServerEntry } from "../types.js";

export interface Covered {
  /** By which the yes is kept. */
  readonly digest: string;
  /** What a person is shown. */
  readonly lines: readonly string[];
}

export async function coveredByServer(entry: ServerEntry, files: Files): Promise<Covered> {
  const { how, folder } = entry;
  const names = namesIn(entry);
  const given = names.length === 0 ? [] : [`given from your environment: ${names.join(", ")}`];
  if (how.kind === "http") {
    const headers = Object.entries(how.headers).map(([name, text]) => `header ${name}: ${text}`);
    return {
      digest: digestOf({ url: how.url, headers: how.headers }),
      lines: [how.url, ...headers, ...given, "What the agent tells it leaves this machine."],
    };
  }
  const words = [how.command, ...how.args];
  const bytes = await digestsOf(words, folder, files);
  return {
    digest: digestOf({ command: how.command, args: how.args, env: how.env, files: bytes }),
    lines: [
      words.map(quoted).join(" "),
      ...Object.entries(how.env).map(([name, text]) => `with ${name}=${text}`),
      ...given,
      ...Object.keys(bytes).map((path) => `the file ${path}, as it is now`),
    ],
  };
}

export function digestOf(value: JsonObject): string {
  return `sha256:${sha256Hex(canonicalJson(value))}`;
}

/** Words that name a file of the folder: what they hold decides what runs. */
async function digestsOf(words: readonly string[], folder: string, files: Files): Promise<JsonObject> {
  const found: Record<string, string> = {};
  for (const word of words) {
    if (word === "" || word.length > 1_000 || word.includes("\0")) continue;
    const path = isAbsolute(word) ? word : join(folder, word);
    const stat = await files.stat(path).catch(() => undefined);
    if (stat?.kind !== "file") continue;
    // A program of the system is not the project's, and may be large.
    if (isAbsolute(word) && stat.size > extensionLimits.coveredBytesMax) continue;
    found[word] = await fileDigest(path, files, stat.size);
  }
  return found;
}

export async function fileDigest(path: string, files: Files, size: number): Promise<string> {
  if (size > extensionLimits.coveredBytesMax)
    throw new Failure("document_too_large", {
      message: `${path} is too large to say yes to: ${size} bytes`,
      hint: `At most ${extensionLimits.coveredBytesMax} are looked at.`,
    });
  const file = await files.open(path, "read");
  try {
    return sha256Hex(await file.read(0, size));
  } finally {
    await file.close();
  }
}

/** As a shell would want it, so that a person sees where each word ends. */
function quoted(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
