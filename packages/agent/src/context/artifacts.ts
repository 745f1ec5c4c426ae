/**
 * Full texts that the context has only a piece of: outputs of tools, and rounds
 * that were taken out. Each is a file named by its content,
 * `artifacts/<first 2>/<sha256>.txt`, and known to the model as `art_<16 hex>`.
 *
 * What a newcomer gets wrong: an id is worked out from the text alone, so it can
 * be written into a message before the file is there. Put the text first all the
 * same: an id that leads nowhere is a memory that was lost.
 */
import { join } from "node:path";
import { Failure, failureAt, type Ports, putFile, readStart, sha256Hex } from "@bridle/record";
import { contextLimits } from "./limits.js";

export interface Artifact {
  readonly id: string;
  readonly text: string;
}

/** Where texts are put that the model is shown a piece of. */
export interface Artifacts {
  /** The id under which the text can be read again. */
  put(text: string): Promise<string>;
}

export const artifactIdPattern = /\bart_[0-9a-f]{16}\b/g;

/** The id under which the store will keep this text. */
export function artifactId(text: string): string {
  return `art_${sha256Hex(kept(text)).slice(0, 16)}`;
}

export class ArtifactStore implements Artifacts {
  private readonly folder: string;

  constructor(private readonly options: { readonly stateFolder: string; readonly ports: Ports }) {
    this.folder = join(options.stateFolder, "artifacts");
  }

  /** Fine when it is there already. */
  async put(text: string): Promise<string> {
    const { files } = this.options.ports;
    const bytes = Buffer.from(kept(text));
    const hash = sha256Hex(bytes);
    const folder = join(this.folder, hash.slice(0, 2));
    const path = join(folder, `${hash}.txt`);
    try {
      const there = await files.stat(path);
      if (there === undefined || there.size !== bytes.length) {
        await files.makeDirectory(folder);
        await putFile(path, bytes, this.options.ports);
      }
    } catch (error) {
      throw failureAt(path, error);
    }
    return `art_${hash.slice(0, 16)}`;
  }

  /** A `Failure` when there is none, or when it is not what was put there. */
  async get(id: string): Promise<string> {
    const [, start] = /^art_([0-9a-f]{16})$/.exec(id) ?? [];
    if (start === undefined) throw missing(id);
    const folder = join(this.folder, start.slice(0, 2));
    const { files } = this.options.ports;
    try {
      const names = (await files.stat(folder)) === undefined ? [] : await files.list(folder);
      const [name, another] = names.filter((each) => each.startsWith(start) && each.endsWith(".txt"));
      if (name === undefined) throw missing(id);
      const path = join(folder, name);
      if (another !== undefined) throw damaged(id, path, `another one, ${another}, has the same id`);
      return await this.read(id, path, name.slice(0, -".txt".length));
    } catch (error) {
      throw failureAt(folder, error);
    }
  }

  private async read(id: string, path: string, hash: string): Promise<string> {
    const { files } = this.options.ports;
    if ((await files.stat(path))?.kind !== "file") throw damaged(id, path, "it is no file");
    const bytes = await readStart(path, files, contextLimits.artifactBytesMax + 1);
    if (sha256Hex(bytes) !== hash) throw damaged(id, path, "its content is not what its name says");
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  }
}

/** Well-formed and within the limit; what is cut is said in the text itself. */
function kept(text: string): string {
  const { artifactBytesMax } = contextLimits;
  const whole = text.toWellFormed();
  if (whole.length * 3 <= artifactBytesMax) return whole;
  const bytes = Buffer.from(whole);
  if (bytes.length <= artifactBytesMax) return whole;
  const end = `\n[the rest was not kept: the text had ${bytes.length} bytes]`;
  let cut = artifactBytesMax - end.length;
  while (((bytes[cut] ?? 0) & 0xc0) === 0x80) cut--;
  return bytes.toString("utf8", 0, cut) + end;
}

function missing(id: string): Failure {
  return new Failure("artifact_missing", {
    message: `there is no artifact ${JSON.stringify(id.slice(0, 40))}`,
    hint: "An id is art_ and 16 hexadecimal digits, as it stands in a result or a summary.",
  });
}

function damaged(id: string, path: string, what: string): Failure {
  return new Failure("artifact_damaged", {
    message: `artifact ${id} (${path}) cannot be trusted: ${what}`,
    hint: "Do what gave that result again.",
  });
}
