/**
 * What stood in a file before a tool replaced it, so that a person can have it back:
 * `<state folder>/before/<first 2>/<sha256>`, named by its content.
 *
 * What a newcomer gets wrong: the bytes are there before the file is replaced, and
 * only if exactly these bytes are replaced is their digest named in the report. So
 * a commit that expects nothing in particular is made to expect what was kept.
 */
import { join } from "node:path";
import { Failure, failureAt, type Ports, putFile, readStart, sha256Hex } from "@bridle/record";
import type { Change, Committed, Expected, Workspace, WorkspacePath } from "../types.js";
import { attemptsMax, isOvertaken } from "./commit.js";

/** Larger files are replaced without being kept, and cannot be had back. */
const keptBytesMax = 64 << 20;

export class BeforeStore {
  private readonly folder: string;

  constructor(private readonly options: { readonly stateFolder: string; readonly ports: Ports }) {
    this.folder = join(options.stateFolder, "before");
  }

  async put(bytes: Uint8Array): Promise<string> {
    const { ports } = this.options;
    const sha256 = sha256Hex(bytes);
    const path = this.pathOf(sha256);
    try {
      if ((await ports.files.stat(path))?.size === bytes.length) return sha256;
      await ports.files.makeDirectory(join(this.folder, sha256.slice(0, 2)));
      // It may be a copy of something that only its owner may read.
      await putFile(path, bytes, ports, { permissions: 0o600 });
    } catch (error) {
      throw failureAt(path, error);
    }
    return sha256;
  }

  /** Undefined when it is not there, or is not what its name says. */
  async get(sha256: string): Promise<Uint8Array | undefined> {
    if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    const { files } = this.options.ports;
    const path = this.pathOf(sha256);
    if ((await files.stat(path))?.kind !== "file") return undefined;
    const bytes = await readStart(path, files, keptBytesMax + 1);
    return sha256Hex(bytes) === sha256 ? bytes : undefined;
  }

  private pathOf(sha256: string): string {
    return join(this.folder, sha256.slice(0, 2), sha256);
  }
}

/** The same workspace; every commit keeps what it replaces and says which bytes these were. */
export function keepingBefore(workspace: Workspace, store: BeforeStore): Workspace {
  return { ...workspace, commit: (change) => commitKeeping(workspace, store, change) };
}

async function commitKeeping(workspace: Workspace, store: BeforeStore, change: Change): Promise<Committed> {
  for (let attempt = 1; ; attempt++) {
    const found = await standing(workspace, change.path);
    if (found === "not kept") return workspace.commit(change);
    const before = found === undefined ? null : await store.put(found);
    const expected = change.expected.is === "any" ? expecting(before) : change.expected;
    try {
      return { ...(await workspace.commit({ ...change, expected })), before };
    } catch (error) {
      if (change.expected.is !== "any" || !isOvertaken(error) || attempt === attemptsMax) throw error;
    }
  }
}

function expecting(before: string | null): Expected {
  return before === null ? { is: "absent" } : { is: "content", sha256: before };
}

async function standing(
  workspace: Workspace,
  path: WorkspacePath,
): Promise<Uint8Array | "not kept" | undefined> {
  const facts = await workspace.facts(path);
  if (facts === undefined) return undefined;
  if (facts.kind !== "file" || facts.bytes > keptBytesMax) return "not kept";
  try {
    return await workspace.read(path);
  } catch (error) {
    // The commit says what is wrong with it.
    if (error instanceof Failure) return "not kept";
    throw error;
  }
}
