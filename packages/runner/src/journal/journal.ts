/**
 * The journal of a run, `.premath/runs/<run>/events.jsonl`: an intent before every effect, an outcome after it.
 *
 * All workers of a run append to the one file. A row is on disk before its effect begins, so that after a crash
 * nothing can have happened that no row speaks of.
 */
import {
  formatSeconds,
  isJsonObject,
  type JsonObject,
  Log,
  parseInstant,
  type Ports,
  type Position,
} from "@bridle/record";
import type { JournalRow } from "../types.js";

const journalSchema = "bridle.run.event.v1";

export type NewRow = Omit<JournalRow, "schema" | "at">;

export class Journal {
  private readonly known: JournalRow[] = [];
  private read: Position | undefined;
  /** Looks come one after the other, or two of them would take in the same rows. */
  private reading: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly log: Log,
    private readonly ports: Ports,
  ) {}

  static async open(path: string, ports: Ports, notice?: (sentence: string) => void): Promise<Journal> {
    const bearing = "trajectory";
    const log = await Log.open({ path, bearing, ports, ...(notice === undefined ? {} : { notice }) });
    return new Journal(log, ports);
  }

  /** Resolves when the row is on disk. */
  async append(row: NewRow): Promise<JournalRow> {
    const at = formatSeconds(await this.ports.clock.now());
    const whole: JournalRow = { schema: journalSchema, at, ...row };
    await this.log.append({ ...whole }, { durability: "synced" });
    return whole;
  }

  /**
   * Every row so far, in order, in a list of the caller's own that does not grow with the next look. Damaged lines are
   * passed over here, and `bridle log verify` names them.
   */
  rows(): Promise<readonly JournalRow[]> {
    const rows = this.reading.then(() => this.readOn());
    this.reading = rows.catch(() => undefined);
    return rows;
  }

  private async readOn(): Promise<readonly JournalRow[]> {
    // Only what was appended since the last look is read: nobody rewrites a journal.
    const entries = this.log.entries(this.read === undefined ? {} : { from: this.read });
    for (let next = await entries.next(); ; next = await entries.next()) {
      if (next.done === true) {
        if (next.value !== undefined) this.read = { byte: next.value.byte, line: next.value.line };
        return [...this.known];
      }
      const entry = next.value;
      if (entry.kind === "row" && isJournalRow(entry.row)) this.known.push(entry.row);
    }
  }

  async close(): Promise<void> {
    await this.log.close();
  }
}

function isJournalRow(row: JsonObject): row is JournalRow & JsonObject {
  return row["schema"] === journalSchema && typeof row["kind"] === "string" && isJsonObject(row["data"]);
}

/** When a row was written, in milliseconds since 1970; undefined where the row does not say. */
export function momentOf(at: string): number | undefined {
  const instant = parseInstant(at);
  return instant === undefined ? undefined : instant.seconds * 1_000;
}
