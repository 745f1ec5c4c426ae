/**
 * A lock between two installs, for the time before any package is there.
 *
 * As in packages/record, the lock is a symbolic link whose target says who holds
 * it: made in one step, never seen without its content. It is taken over only
 * from a process that is gone. An id alone does not prove that, because ids are
 * given out again; on Linux the start time is compared as well.
 */
import { readFileSync, readlinkSync, symlinkSync, unlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const pollMs = 100;

export class InstallLock {
  #path;
  #me = `${process.pid}@${startTime(process.pid)}`;

  constructor(path) {
    this.#path = path;
  }

  /** Waits as long as it takes; `waiting` is told once for whom. */
  async acquire(waiting) {
    let told = false;
    while (!link(this.#me, this.#path)) {
      const holder = holderOf(this.#path);
      if (holder === undefined) continue;
      if (isGone(holder)) {
        this.#clear(holder);
        continue;
      }
      if (!told) waiting(holder.split("@")[0]);
      told = true;
      await sleep(pollMs);
    }
  }

  release() {
    if (holderOf(this.#path) === this.#me) unlinkSync(this.#path);
  }

  /** One waiter at a time removes a dead holder's lock, so that none removes a living one's. */
  #clear(dead) {
    const right = `${this.#path}.clearing`;
    if (!link(this.#me, right)) {
      const other = holderOf(right);
      if (other !== undefined && isGone(other)) unlink(right);
      return;
    }
    try {
      if (holderOf(this.#path) === dead) unlink(this.#path);
    } finally {
      unlink(right);
    }
  }
}

function link(target, path) {
  try {
    symlinkSync(target, path);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function holderOf(path) {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

function unlink(path) {
  try {
    unlinkSync(path);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}

function isGone(holder) {
  const [pid, started] = holder.split("@");
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // Not being allowed to signal it means that it lives.
    if (error.code === "ESRCH") return true;
  }
  const now = startTime(Number(pid));
  return now !== "" && started !== "" && now !== started;
}

/** In the machine's own units; empty where it cannot be known. */
function startTime(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
