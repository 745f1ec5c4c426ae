/**
 * Whether a send is to stop: because somebody says so, or because its time is up.
 *
 * What a newcomer gets wrong: a send does not stop when it is told to, it stops at
 * the next point where it looks (`at`). The first look that finds it told writes a
 * row with the name of the point, so the log says what was still done and what was
 * not, and a replay, which is told by the log, stops at the same look.
 *
 * A send that ran out of time has a second course, its closing answer, with a
 * bound of its own. What had stopped the first does not stop that one.
 */
import type { Outside } from "../outside/outside.js";
import type { RowOf, StopPoint, StopWhy } from "../session/rows.js";
import type { SendLog } from "./send-log.js";

export interface StopsOptions {
  readonly log: Pick<SendLog, "at" | "emit">;
  readonly outside: Pick<Outside, "stop" | "timer">;
  /** Whoever started the send says with it that it is to stop. */
  readonly signal: AbortSignal;
}

/** Later ones outrank earlier ones. */
const order: readonly StopWhy[] = ["timeout", "late", "user", "broken"];

export class Stops {
  private readonly work = new AbortController();
  private late: AbortController | undefined;
  /** Of the course that runs now: the send itself, or its closing answer. */
  private heeded: AbortSignal = this.work.signal;
  private told = false;
  private timedOut = false;
  /** The strongest stop that a row states. */
  private seen: StopWhy | undefined;
  /** How the harness broke down. */
  brokenBy = "";

  constructor(private readonly options: StopsOptions) {}

  /** Aborted when no tool may begin or go on any more. */
  get signal(): AbortSignal {
    return this.work.signal;
  }
  /** Aborted when the model is not to speak any more. */
  get speaking(): AbortSignal {
    return this.heeded;
  }
  /** The stop that the log states already, for a send that is resumed. */
  get before(): StopWhy | undefined {
    return this.seen;
  }

  /** `leftMs`: until its time is up; without a bound when left out. */
  begin(leftMs: number | undefined): void {
    const { signal, outside } = this.options;
    const stop = () => this.stop();
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true, signal: this.work.signal });
    if (leftMs === undefined) return;
    void outside.timer(leftMs, this.work.signal).then(() => {
      if (this.work.signal.aborted) return;
      this.timedOut = true;
      this.work.abort();
    });
  }

  /** A person, or whoever started the send, wants it to stop. */
  stop(): void {
    this.told = true;
    this.work.abort();
    this.late?.abort();
  }

  /** The closing answer begins. Returns what ends the watch over it. */
  close(msMax: number): () => void {
    const late = new AbortController();
    const over = new AbortController();
    this.late = late;
    this.heeded = late.signal;
    const { signal, outside } = this.options;
    signal.addEventListener("abort", () => this.stop(), { once: true, signal: over.signal });
    if (this.told || signal.aborted) this.stop();
    void outside.timer(msMax, over.signal).then(() => {
      if (!over.signal.aborted) late.abort();
    });
    return () => over.abort();
  }

  /** The send has ended: whatever still goes on is to stop. */
  end(): void {
    this.work.abort();
  }

  /** Looks whether the send is to stop, and writes a row the first time that it is. Returns the stop in force. */
  at(point: StopPoint, callId?: string): StopWhy | undefined {
    const why = this.options.outside.stop(point, callId, () => this.noticed());
    if (why !== undefined && isMore(why, this.seen))
      this.write({ why, point, ...(callId === undefined ? {} : { callId }) });
    return this.late !== undefined && this.seen === "timeout" ? undefined : this.seen;
  }

  /** The harness broke down. */
  broke(message: string): void {
    this.write({ why: "broken", message });
  }

  apply({ why, message = "" }: RowOf<"stop">): void {
    this.seen = why;
    this.brokenBy = message;
    this.work.abort();
    if (why !== "timeout") this.late?.abort();
  }

  private write(stop: Omit<RowOf<"stop">, "type" | "send" | "round">): void {
    const row: RowOf<"stop"> = { type: "stop", ...this.options.log.at, ...stop };
    this.options.log.emit(row);
    this.apply(row);
  }

  /** By the signals of this process. */
  private noticed(): StopWhy | undefined {
    if (!this.heeded.aborted) return undefined;
    if (this.told || this.options.signal.aborted) return "user";
    return this.late === undefined ? (this.timedOut ? "timeout" : undefined) : "late";
  }
}

function isMore(why: StopWhy, than: StopWhy | undefined): boolean {
  return than === undefined || order.indexOf(why) > order.indexOf(than);
}
