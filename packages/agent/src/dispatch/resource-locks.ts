/**
 * Locks of one process on paths of the workspace, for calls that run at the same time
 * in an agent and its children.
 *
 * Readers share, a writer is alone. A folder and what lies in it are one place, and
 * `*` is every place. All that a call wants is granted at once or not at all, in the
 * order in which it was asked for: who came later never overtakes somebody whom it
 * would hinder, so nobody starves, and nobody holds one thing while it waits for
 * another, so nobody waits for ever.
 *
 * What a newcomer gets wrong: a lock has no end of its own. An approval may take
 * minutes, and a lock that ran out under it would protect nothing.
 */
import { plainPath } from "@bridle/rules";

export interface Wanted {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

interface Request extends Wanted {
  grant?(): void;
}

export class ResourceLocks {
  readonly #held = new Set<Request>();
  /** In the order in which they came. */
  readonly #waiting = new Set<Request>();

  /** What releases it, at once or later; nothing when the signal ended the waiting. Releasing twice is the same as once. */
  acquire(wanted: Wanted, signal: AbortSignal): (() => void) | Promise<(() => void) | undefined> {
    // Nobody is there: the usual case, and every call of every agent comes through here.
    if (!signal.aborted && this.#held.size === 0 && this.#waiting.size === 0) return this.#hold(wanted);
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined);
      const giveUp = () => {
        this.#waiting.delete(request);
        resolve(undefined);
        this.#admit();
      };
      const request: Request = {
        ...wanted,
        grant: () => {
          signal.removeEventListener("abort", giveUp);
          this.#waiting.delete(request);
          resolve(this.#hold(request));
        },
      };
      signal.addEventListener("abort", giveUp, { once: true });
      this.#waiting.add(request);
      this.#admit();
    });
  }

  #hold(request: Request): () => void {
    this.#held.add(request);
    return () => {
      if (this.#held.delete(request)) this.#admit();
    };
  }

  #admit(): void {
    if (this.#waiting.size === 0) return;
    const before: Request[] = [...this.#held];
    for (const request of this.#waiting) {
      if (!before.some((other) => hinders(other, request))) request.grant?.();
      before.push(request);
    }
  }
}

const everywhere = "*";

function hinders(one: Request, other: Request): boolean {
  return touch(one.writes, other.writes) || touch(one.writes, other.reads) || touch(one.reads, other.writes);
}

/** Asked only where somebody holds something already; then one path may be spelled in two ways. */
function touch(some: readonly string[], others: readonly string[]): boolean {
  if (some.length === 0 || others.length === 0) return false;
  const [left, right] = [some.map(placeOf), others.map(placeOf)];
  return left.some((path) => right.some((other) => isWithin(path, other) || isWithin(other, path)));
}

const placeOf = (path: string) => (path === everywhere ? path : plainPath(path));

function isWithin(path: string, folder: string): boolean {
  return folder === everywhere || folder === "" || path === folder || path.startsWith(`${folder}/`);
}
