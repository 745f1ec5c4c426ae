/**
 * Who holds a lock or waits for it, as the one short line that a link has for its target.
 *
 * It must stay below 60 bytes: up to there a disk keeps the target in the link's
 * own inode, beyond it takes a block that has to be found, journalled, freed and
 * discarded, and a hand-over takes twice as long. So what is the same for all
 * processes of a machine (boot, process-id namespace, host) is written once, into
 * a link beside the lock, and named by its digest. It is made before the first
 * lock that refers to it and in the same folder, so no power loss leaves a lock
 * whose holder cannot be judged.
 */
import { join } from "node:path";
import { sha256Hex } from "./digest.js";
import { codeOf } from "./ports/errors.js";
import type { Files, Ports, ProcessIdentity } from "./ports/types.js";

export interface Holder extends ProcessIdentity {
  /** Tells apart two holdings of one process. */
  readonly nonce: string;
}

type Machine = Pick<ProcessIdentity, "bootId" | "pidNamespace" | "host">;

const markLength = 12;

/** A machine that is named by a link, but whose description is gone: it cannot be judged, so it is left alone. */
const unknownMachine: Machine = { bootId: "unknown", pidNamespace: "unknown", host: "an unknown machine" };

export class Holders {
  private own: { readonly mark: string; readonly machine: Machine } | undefined;

  /** `folder` is where the locks are. */
  constructor(
    private readonly folder: string,
    private readonly ports: Ports,
  ) {}

  async encode({ pid, startTime, nonce, ...machine }: Holder): Promise<string> {
    const text = encoded([machine.bootId, machine.pidNamespace, machine.host.slice(0, 64)]);
    this.own ??= { mark: sha256Hex(text).slice(0, markLength), machine };
    const { mark } = this.own;
    await describe(text, this.pathOf(mark), this.ports.files);
    return encoded([String(pid), startTime, mark, nonce]);
  }

  /** Undefined for what is no holder. */
  async decode(target: string): Promise<Holder | undefined> {
    const parts = target.split(" ").map(decoded);
    const [pid = "", startTime, mark, nonce] = parts;
    if (!/^[1-9]\d*$/.test(pid) || parts.includes(undefined)) return undefined;
    if (parts.length === 6) return spelledOut(parts as string[]);
    if (parts.length !== 4 || startTime === undefined || nonce === undefined || mark === undefined)
      return undefined;
    if (mark.length !== markLength || !/^[0-9a-f]+$/.test(mark)) return undefined;
    const machine = this.own?.mark === mark ? this.own.machine : await this.machine(mark);
    return { pid: Number(pid), startTime, nonce, ...machine };
  }

  private async machine(mark: string): Promise<Machine> {
    const text = await this.ports.files.readLink(this.pathOf(mark));
    const [bootId, pidNamespace, host] = text?.split(" ").map(decoded) ?? [];
    if (bootId === undefined || pidNamespace === undefined || host === undefined) return unknownMachine;
    return { bootId, pidNamespace, host };
  }

  private pathOf(mark: string): string {
    return join(this.folder, `.machine-${mark}`);
  }
}

async function describe(text: string, path: string, files: Files): Promise<void> {
  if ((await files.readLink(path)) === text) return;
  try {
    await files.symlink(text, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/** As locks were written before their machine had a link of its own. */
function spelledOut(parts: readonly string[]): Holder {
  const [pid, startTime = "", bootId = "", pidNamespace = "", host = "", nonce = ""] = parts;
  return { pid: Number(pid), startTime, bootId, pidNamespace, host, nonce };
}

function encoded(parts: readonly string[]): string {
  return parts.map(encodeURIComponent).join(" ");
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
