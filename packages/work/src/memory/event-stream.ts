/**
 * The file of an event stream: read whole, and replaced whole.
 *
 * It is read without a lock, because it is only ever replaced atomically.
 */
import {
  type Damage,
  describeDamage,
  Failure,
  type JsonObject,
  Log,
  type LogState,
  type Ports,
  type Refusal,
  refuse,
  grouped,
} from "@bridle/record";
import { workLimits } from "../limits.js";
import { eventActions, eventSchema } from "./event.js";
import type { EventLine } from "./event-replay.js";
import { eventStreamRef } from "./refs.js";

export interface StreamPlace {
  readonly path: string;
  /** How the file is called in messages. */
  readonly shown: string;
  readonly ports: Ports;
  readonly signal?: AbortSignal;
  /** Contract: told in one sentence what was found or done on the way; must not throw. */
  readonly notice?: (sentence: string) => void;
}

export interface EventStream {
  readonly events: readonly EventLine[];
  readonly ref: string;
}

export async function readStream(place: StreamPlace): Promise<EventStream | Refusal> {
  const log = await open(place);
  const found = await log.look((state) => readState(state, place));
  await log.close();
  return (
    found ??
    refuse("event_stream_missing", {
      message: `there is no event stream at ${place.shown}`,
      hint: "Make it with `premath issue migrate-events`, or name the file with --events.",
    })
  );
}

export interface StreamWritten {
  /** Whether the file says something that it did not say before. */
  readonly changed: boolean;
  /** Whether it held other events before. */
  readonly replaced: boolean;
}

/**
 * Lines of JSON. A file that says the same already is left alone; comments in it
 * stay. One that holds anything but events was meant for something else: refused.
 */
export async function writeStream(
  place: StreamPlace,
  lines: readonly string[],
): Promise<StreamWritten | Refusal> {
  const log = await open(place);
  try {
    const ref = eventStreamRef(lines);
    return await log.transact<StreamWritten | Refusal>(async (state) => {
      const before = await entriesOf(state, place);
      const foreign = before.find(({ row }) => !isEvent(row));
      if (foreign !== undefined) return { answer: notAStream(place, foreign.line) };
      const changed = eventStreamRef(before.map(({ text }) => text)) !== ref;
      if (!changed) return { answer: { changed, replaced: false } };
      return {
        answer: { changed, replaced: before.length > 0 },
        async *rewrite(entries) {
          for await (const entry of entries) if (entry.kind === "comment") yield entry.text;
          yield* lines;
        },
      };
    });
  } finally {
    await log.close();
  }
}

async function readState(state: LogState, place: StreamPlace): Promise<EventStream | Refusal> {
  const events: EventLine[] = [];
  const unfinished = await readEvents(state, place, events);
  if (unfinished !== undefined) return unfinished;
  return { events, ref: eventStreamRef(events.map(({ text }) => text)) };
}

async function entriesOf(state: LogState, place: StreamPlace): Promise<readonly EventLine[]> {
  const events: EventLine[] = [];
  await readEvents(state, place, events);
  return events;
}

async function readEvents(
  state: LogState,
  place: StreamPlace,
  events: EventLine[],
): Promise<Refusal | undefined> {
  const { eventsBytesMax } = workLimits;
  if (state.size > eventsBytesMax) {
    throw new Failure("issue_memory_too_large", {
      message: `${place.shown} has ${grouped(state.size)} bytes; at most ${grouped(eventsBytesMax)} are read`,
      hint: "Look whether this is the file that you mean.",
    });
  }
  const batches = state.read();
  for (;;) {
    const next = await batches.next();
    if (next.done === true) {
      const { line, unfinishedBytes } = next.value;
      return unfinishedBytes === 0 ? undefined : unfinishedLine(place, line, unfinishedBytes);
    }
    for (const entry of next.value.entries) {
      if (entry.kind === "row") events.push(entry);
      else if (entry.kind === "damage" && !entry.readable) throw damaged(place, entry);
    }
  }
}

function isEvent({ schema = eventSchema, action }: JsonObject): boolean {
  return schema === eventSchema && eventActions.some((known) => known === action);
}

function notAStream({ shown }: StreamPlace, line: number): Refusal {
  return refuse("event_invalid", {
    message: `${shown} line ${line} is no event, so the file is not replaced by a stream`,
    hint: "Name another file with --events, or move this one away.",
    detail: { line },
  });
}

function unfinishedLine({ shown }: StreamPlace, line: number, bytes: number): Refusal {
  return refuse("event_invalid", {
    message: `${shown} line ${line}: the last line has ${bytes} bytes and no end`,
    hint: "Was it still being written? If it is whole, end it with a newline; nothing was replayed.",
    detail: { line },
  });
}

function damaged({ shown }: StreamPlace, damage: Damage): Failure {
  return new Failure("log_damaged", {
    message: `${describeDamage(shown, damage)}; the stream is neither replayed nor changed`,
    hint: `Look with \`bridle log verify ${shown}\`; \`bridle log repair ${shown}\` sets the damage aside.`,
    detail: { line: damage.line, byte: damage.byte },
  });
}

function open({ path, ports, signal, notice }: StreamPlace): Promise<Log> {
  return Log.open({
    path,
    bearing: "state",
    comments: true,
    ports,
    ...(signal === undefined ? {} : { signal }),
    ...(notice === undefined ? {} : { notice }),
  });
}
