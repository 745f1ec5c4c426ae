/**
 * Everything below a process, as Linux shows it.
 *
 * Behind the wall nobody leaves: who loses its parent gets the first process of
 * its pid space as one. So the processes below the one that was started are all
 * that belong to a command.
 */
import { entriesOf, textOf } from "../disk.js";

export interface Taken {
  readonly pids: readonly number[];
  /** Processes and their threads. */
  readonly tasks: number;
  /** What they wrote to and share with nobody. */
  readonly bytes: number;
}

/** Looks no further than `tasksMax`: one look must not take longer than what it watches. */
export function treeBelow(pid: number, tasksMax: number): Taken {
  const pids: number[] = [];
  let tasks = 0;
  let bytes = 0;
  const queue = [pid];
  for (let next = queue.pop(); next !== undefined && tasks <= tasksMax; next = queue.pop()) {
    pids.push(next);
    for (const task of entriesOf(`/proc/${next}/task`)) {
      tasks += 1;
      const children = textOf(`/proc/${next}/task/${task.name}/children`).trim();
      if (children !== "") queue.push(...children.split(" ").map(Number));
    }
    const kilobytes = /^RssAnon:\s+(\d+)/m.exec(textOf(`/proc/${next}/status`))?.[1] ?? 0;
    bytes += Number(kilobytes) * 1_024;
  }
  return { pids, tasks, bytes };
}

export function nameOf(pid: number): string {
  return textOf(`/proc/${pid}/comm`).trimEnd();
}

export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile, or is somebody else's now.
    }
  }
}
