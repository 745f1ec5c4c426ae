/**
 * Finds and ends every process of a command that runs without a wall.
 *
 * What a newcomer gets wrong: nothing is ended but what bears a mark of this run, is
 * in its group or session, or below one of those. A number of a process is given out
 * again, so nobody is remembered from one look to the next.
 */
import { execFileSync } from "node:child_process";
import { entriesOf, textOf } from "../disk.js";
import { pause } from "../waiting.js";
import { signalAll } from "./tree.js";

interface Seen {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** On Linux. */
  readonly started: number;
  readonly ended: boolean;
}

const pollMs = 20;
/** Rounds of ending what is there; a process that starts others faster than it is ended loses sooner or later. */
const roundsMax = 250;

export class ProcessHunt {
  private leader: number | undefined;
  /** When the run began; nobody older bears its marks. */
  private began = 0;

  constructor(private readonly mark: { readonly token: string; readonly fileBlocks: number }) {}

  /** The first process of the run; its number is that of its group and session as well. */
  follow(pid: number): void {
    this.leader = pid;
    this.began = processes().find((each) => each.pid === pid)?.started ?? 0;
  }

  /** Asks everybody to end, then ends them; resolves when nobody is left. */
  async end(graceMs: number): Promise<{ leftovers: number; survivors: number }> {
    const left = this.find();
    if (left.length > 0) {
      // All stand still first, or a shell whose command was just ended would go on to its next one.
      for (const each of ["SIGSTOP", "SIGTERM", "SIGCONT"] as const) signalAll(pidsOf(left), each);
      const grace = AbortSignal.timeout(graceMs);
      while (!grace.aborted && this.find().length > 0) await pause(pollMs);
    }
    // Twice nobody: one that starts another and ends may be missed by a single look.
    let nobody = 0;
    for (let round = 0; round < roundsMax && nobody < 2; round += 1) {
      const still = this.find();
      nobody = still.length === 0 ? nobody + 1 : 0;
      for (const each of ["SIGSTOP", "SIGKILL"] as const) signalAll(pidsOf(still), each);
      if (round > 2) await pause(pollMs);
    }
    return { leftovers: left.length, survivors: nobody < 2 ? this.find().length : 0 };
  }

  private find(): Seen[] {
    const all = processes();
    const children = new Map<number, Seen[]>();
    for (const each of all) {
      const siblings = children.get(each.parent);
      if (siblings === undefined) children.set(each.parent, [each]);
      else siblings.push(each);
    }
    const found = new Set<Seen>();
    const queue = all.filter((each) => this.isOurs(each));
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      queue.push(...(children.get(next.pid) ?? []));
    }
    return [...found].filter((each) => !each.ended);
  }

  private isOurs(seen: Seen): boolean {
    if (seen.pid === process.pid || seen.pid <= 1) return false;
    if (seen.group === this.leader || seen.session === this.leader) return true;
    if (process.platform !== "linux" || seen.ended || seen.started < this.began) return false;
    return this.hasToken(seen.pid) || this.hasLimit(seen.pid);
  }

  private hasToken(pid: number): boolean {
    return textOf(`/proc/${pid}/environ`).includes(this.mark.token);
  }

  private hasLimit(pid: number): boolean {
    const bytes = this.mark.fileBlocks * 1_024;
    const limit = /^Max file size\s+(\d+)\s+(\d+)/m.exec(textOf(`/proc/${pid}/limits`));
    return limit?.[2] === String(bytes);
  }
}

function pidsOf(found: readonly Seen[]): number[] {
  return found.map(({ pid }) => pid);
}

function processes(): Seen[] {
  if (process.platform !== "linux") return fromPs();
  return entriesOf("/proc").flatMap(({ name }) => (/^\d+$/.test(name) ? fromProc(Number(name)) : []));
}

function fromProc(pid: number): Seen[] {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name stands in parentheses and may itself hold spaces and parentheses.
  const [state = "", ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [parent = 0, group = 0, session = 0] = rest.map(Number);
  if (stat === "") return [];
  return [{ pid, parent, group, session, started: Number(rest[18]), ended: "ZXx".includes(state) }];
}

function fromPs(): Seen[] {
  const text = execFileSync("ps", ["-A", "-o", "pid=,ppid=,pgid=,sess=,stat="], {
    encoding: "utf8",
    env: { LC_ALL: "C", PATH: "/bin:/usr/bin" },
  });
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const [pid = 0, parent = 0, group = 0, session = 0] = line.trim().split(/\s+/).map(Number);
      return { pid, parent, group, session, started: 0, ended: /\sZ\S*$/.test(line.trim()) };
    });
}
