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

interface Request {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  grant(): void;
}

export class ResourceLocks {
  readonly #held = new Set<Request>();
  /** In the order in which they came. */
  readonly #waiting = new Set<Request>();

  /** What releases it, at once or later; nothing when the signal ended the waiting. Releasing twice is the same as once. */
  acquire(wanted: Wanted, signal: AbortSignal): (() => void) | Promise<(() => void) | undefined> {
    if (!signal.aborted && this.#held.size === 0 && this.#waiting.size === 0) return this.#alone(wanted);
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined);
      const giveUp = () => {
        this.#waiting.delete(request);
        resolve(undefined);
        this.#admit();
      };
      const request: Request = {
        reads: placesOf(wanted.reads),
        writes: placesOf(wanted.writes),
        grant: () => {
          signal.removeEventListener("abort", giveUp);
          this.#waiting.delete(request);
          this.#held.add(request);
          resolve(() => {
            if (this.#held.delete(request)) this.#admit();
          });
        },
      };
      signal.addEventListener("abort", giveUp, { once: true });
      this.#waiting.add(request);
      this.#admit();
    });
  }

  /** Nobody is there: the usual case, and every call of every agent comes through here. */
  #alone({ reads, writes }: Wanted): () => void {
    const request = new Alone(reads, writes);
    this.#held.add(request);
    return () => {
      if (this.#held.delete(request)) this.#admit();
    };
  }

  #admit(): void {
    if (this.#waiting.size === 0) return;
    const before: Request[] = [...this.#held];
    for (const request of this.#waiting) {
      if (!before.some((other) => hinders(other, request))) request.grant();
      before.push(request);
    }
  }
}

/** The only request at the moment: its paths are put in order only when another one comes. */
class Alone implements Request {
  private places: Wanted | undefined;

  constructor(
    private readonly wantsReads: readonly string[],
    private readonly wantsWrites: readonly string[],
  ) {}

  get reads(): readonly string[] {
    return this.known.reads;
  }
  get writes(): readonly string[] {
    return this.known.writes;
  }
  grant(): void {}

  private get known(): Wanted {
    this.places ??= { reads: placesOf(this.wantsReads), writes: placesOf(this.wantsWrites) };
    return this.places;
  }
}

const everywhere = "*";
const nowhere: readonly string[] = [];

function placesOf(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return nowhere;
  return [...new Set(paths.map((path) => (path === everywhere ? path : plainPath(path))))].toSorted();
}

function hinders(one: Request, other: Request): boolean {
  return (
    one.writes.some((path) => touches(path, other.writes) || touches(path, other.reads)) ||
    one.reads.some((path) => touches(path, other.writes))
  );
}

function touches(path: string, others: readonly string[]): boolean {
  return others.some((other) => isWithin(path, other) || isWithin(other, path));
}

function isWithin(path: string, folder: string): boolean {
  return folder === everywhere || folder === "" || path === folder || path.startsWith(`${folder}/`);
}
