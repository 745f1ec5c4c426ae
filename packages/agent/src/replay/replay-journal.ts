/**
 * Where the rows of a replay go, and how it is ended where the session was.
 *
 * A process that was killed wrote its last row and then nothing; a send that broke
 * down did so instead of its next row. Neither can be asked for from inside, so
 * this journal throws at that row, and whoever drives the replay goes on as the
 * next process did.
 *
 * A strict one ends the replay at the first row that comes out otherwise: where the
 * log itself is the model, what stands behind that row does not follow from it.
 */
import { asRecorded, type Journal } from "../session/journal.js";
import type { RecordedOutside } from "./recorded.js";
import type { SessionRow } from "../session/rows.js";

/** Here the process was killed. */
export class Killed extends Error {}

/** Here the send broke down. */
export class BrokenAgain extends Error {}

/** The last row is not the one of the log. */
export class Differs extends Error {}

export class ReplayJournal implements Journal {
  readonly rows: SessionRow[] = [];
  readonly waiting = 0;
  /** Whether the process that wrote here is gone. */
  killed = false;
  private differs = false;

  constructor(
    private readonly recorded: RecordedOutside,
    private readonly strict: boolean,
  ) {}

  add(row: SessionRow): void {
    if (this.differs) throw new Differs();
    if (this.killed) throw new Killed();
    const { next } = this.recorded;
    const breaks = next?.type === "stop" && next.why === "broken";
    if (breaks && row.type !== "stop") throw new BrokenAgain(next.message);
    // What went wrong is told by who threw it: the log knows nothing of it.
    if (!breaks && row.type === "stop" && row.why === "broken") throw new Killed();
    this.push(row);
    if (this.strict && !isSame(row, next)) {
      this.differs = true;
      throw new Differs();
    }
    // What the user said came when it came; what follows from it is heard from the rows.
    while (this.recorded.next !== undefined && isSaid(this.recorded.next)) this.push(this.recorded.next);
    if (this.endsHere()) {
      this.killed = true;
      throw new Killed();
    }
  }

  /** The next process begins, with what is there. */
  goOn(): void {
    this.killed = false;
  }

  async flush(): Promise<void> {}
  async close(): Promise<void> {}

  private push(row: SessionRow): void {
    this.rows.push(row);
    this.recorded.written = this.rows.length;
  }

  private endsHere(): boolean {
    const { rows, next } = this.recorded;
    if (next !== undefined) return next.type === "resume";
    const last = rows.findLast((row) => !isSaid(row));
    return last?.type !== "end" && last?.type !== "session";
  }
}

function isSaid({ type }: SessionRow): boolean {
  return type === "steer" || type === "commitment";
}

function isSame(row: SessionRow, recorded: SessionRow | undefined): boolean {
  return recorded !== undefined && JSON.stringify(asRecorded(row)) === JSON.stringify(recorded);
}
