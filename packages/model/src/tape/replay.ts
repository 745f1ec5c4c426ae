/**
 * Replay: answers from a tape, and from nothing else.
 *
 * Calls of a session are answered in the order of the tape. One that asks for
 * something else than the tape has next is thrown as a `Failure` that names the
 * first field that differs: never an event, which a caller might take for a
 * provider that is down, and never a live call.
 */
import { digest, Failure, type Log } from "@bridle/record";
import { eventsOf } from "../answer.js";
import {
  RequestWriter,
  requestDifference,
  requestDigest,
  type WrittenMessage,
  type WrittenRequest,
} from "../request.js";
import { Secrets } from "../secrets.js";
import type { CallOptions, ModelCall, ModelEvent, ModelRequest } from "../types.js";
import { openTapeLog, readTape, type TapePlace, type TapeSession } from "./read.js";
import { usualSession } from "./record.js";
import { voidCalls } from "./void.js";
import type { CallRow, Outcome } from "./row.js";

export interface ReplayOptions extends TapePlace {
  /** Those that were hidden when the tape was recorded are hidden before it is compared. */
  readonly secrets?: Secrets;
  /** Heads that were written down elsewhere, by session: a tape that lost its tail does not have them. */
  readonly heads?: Readonly<Record<string, string>>;
}

interface Cursor {
  readonly tape: TapeSession;
  /** Calls that were asked again after a crash, by their index. */
  readonly void: ReadonlySet<number>;
  next: number;
  requestDigest: string | null;
  recorded: WrittenRequest;
}

export class TapeReplay {
  private readonly cursors = new Map<string, Cursor>();
  private readonly writer: RequestWriter;

  private constructor(
    private readonly path: string,
    options: ReplayOptions,
    sessions: ReadonlyMap<string, TapeSession>,
  ) {
    this.writer = new RequestWriter(options.secrets ?? new Secrets());
    for (const [session, tape] of sessions) {
      this.cursors.set(session, {
        tape,
        void: voidCalls(tape),
        next: 0,
        requestDigest: null,
        recorded: { settings: {}, messages: [] },
      });
    }
  }

  static async open(options: ReplayOptions): Promise<TapeReplay> {
    const log: Log = await openTapeLog(options);
    try {
      const sessions = await readTape(log);
      if (sessions === undefined) throw missing(options.path);
      for (const [session, head] of Object.entries(options.heads ?? {}))
        requireHead(options.path, session, head, sessions);
      return new TapeReplay(options.path, options, sessions);
    } finally {
      await log.close();
    }
  }

  /** Sessions on the tape, in the order in which they began. */
  get sessions(): readonly string[] {
    return [...this.cursors.keys()];
  }

  readonly call: ModelCall = (request, options) => this.answered(request, options);

  /** Throws unless the session was recorded to its end and every call of it was asked for. */
  finish(session: string = usualSession): void {
    const cursor = this.cursor(session);
    this.due(cursor);
    const { tape, next } = cursor;
    if (!tape.ended) throw noEnd(this.path, session, tape.calls.length);
    if (next === tape.calls.length) return;
    throw new Failure("tape_unused", {
      message: `session ${JSON.stringify(session)} on ${this.path} has ${tape.calls.length} calls, and ${next} were asked for`,
      hint: "The run took another way than the recorded one; compare their records.",
    });
  }

  private async *answered(request: ModelRequest, { signal }: CallOptions = {}): AsyncGenerator<ModelEvent> {
    const session = request.session ?? usualSession;
    const cursor = this.cursor(session);
    const row = this.due(cursor);
    const place = `session ${JSON.stringify(session)}, call ${cursor.next + 1}`;
    if (row === undefined) throw this.beyond(session, cursor);
    const asked = this.writer.write(request);
    const recorded = recordedRequest(row, cursor.recorded);
    this.requireSame(place, asked, recorded);
    const chained = requestDigest(cursor.requestDigest, asked);
    if (chained !== row.requestDigest) throw foreign(place, this.path);
    Object.assign(cursor, { next: cursor.next + 1, requestDigest: chained, recorded });
    if (signal?.aborted === true && !wasAborted(row.outcome)) {
      yield { type: "failed", refusal: { refused: "aborted", message: "the call was given up" } };
      return;
    }
    if ("response" in row.outcome) yield* eventsOf(row.outcome.response);
    else yield { type: "failed", refusal: row.outcome.refusal };
  }

  /** The call that comes next. Those that are void count for the digests of the ones behind them, and are not answered with. */
  private due(cursor: Cursor): CallRow | undefined {
    const { tape } = cursor;
    for (;;) {
      const row = tape.calls[cursor.next];
      if (row === undefined || !cursor.void.has(cursor.next)) return row;
      const { requestDigest: chained } = row;
      const recorded = recordedRequest(row, cursor.recorded);
      Object.assign(cursor, { next: cursor.next + 1, requestDigest: chained, recorded });
    }
  }

  private requireSame(place: string, asked: WrittenRequest, recorded: WrittenRequest): void {
    const difference = requestDifference(asked, recorded);
    if (difference === undefined) return;
    const { path, asked: now, recorded: then } = difference;
    throw new Failure("tape_miss", {
      message: `${place}: ${path} is ${now}, and on the tape it is ${then} (${this.path})`,
      hint: "Something before this call came out differently, or the program changed; record again if that is meant.",
      detail: { path, asked: now, recorded: then },
    });
  }

  private cursor(session: string): Cursor {
    const cursor = this.cursors.get(session);
    if (cursor !== undefined) return cursor;
    throw new Failure("tape_missing", {
      message: `${this.path} has no session ${JSON.stringify(session)}`,
      hint: `It has ${
        this.sessions.length === 0
          ? "none"
          : this.sessions
              .slice(0, 5)
              .map((name) => JSON.stringify(name))
              .join(", ")
      }.`,
    });
  }

  private beyond(session: string, { tape }: Cursor): Failure {
    const count = tape.calls.length;
    if (!tape.ended) return noEnd(this.path, session, count);
    return new Failure("tape_miss", {
      message: `session ${JSON.stringify(session)} ended after ${count} calls, and was asked for call ${count + 1} (${this.path})`,
      hint: "The run took another way than the recorded one; record again if that is meant.",
      detail: { path: `calls[${count}]`, asked: "a call", recorded: "nothing" },
    });
  }
}

function recordedRequest(row: CallRow, before: WrittenRequest): WrittenRequest {
  const added = row.messages.map((message): WrittenMessage => ({
    message,
    digest: digest("req1_", message),
  }));
  return {
    settings: row.settings ?? before.settings,
    messages: [...before.messages.slice(0, row.shared), ...added],
  };
}

function wasAborted(outcome: Outcome): boolean {
  return "refusal" in outcome && outcome.refusal.refused === "aborted";
}

function missing(path: string): Failure {
  return new Failure("tape_missing", {
    message: `there is no tape at ${path}`,
    hint: "Record one first, or check the path.",
  });
}

/** The request is the recorded one, and its digest is not: the row's own members do not belong together. */
function foreign(place: string, path: string): Failure {
  return new Failure("tape_invalid", {
    message: `${place}: its request digest does not fit the requests before it (${path})`,
    hint: "Record it again; a tape is not edited.",
  });
}

function noEnd(path: string, session: string, calls: number): Failure {
  return new Failure("tape_incomplete", {
    message: `session ${JSON.stringify(session)} on ${path} has ${calls} calls and no end: its tail was lost, or its recording was interrupted`,
    hint: "Take up the recording and finish it, or record again.",
  });
}

function requireHead(
  path: string,
  session: string,
  head: string,
  sessions: ReadonlyMap<string, TapeSession>,
): void {
  const tape = sessions.get(session);
  if (tape?.head === head) return;
  throw new Failure("tape_incomplete", {
    message: `session ${JSON.stringify(session)} on ${path} does not end where it should: its head is ${tape?.head ?? "not there"}, expected ${head}`,
    hint: "Rows were lost from the end of the tape; get it from where it was recorded.",
  });
}
