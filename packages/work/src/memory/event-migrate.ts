/** Issue memory made into a stream that is proven to give the same issues again. */
import { isRefusal, type JsonObject, type Refusal, refuse } from "@bridle/record";
import { eventsOf } from "./event.js";
import { type EventLine, replayEvents } from "./event-replay.js";
import type { IssueGraph } from "./graph.js";
import { eventStreamRef } from "./refs.js";
import { sameRow } from "./same-row.js";
import { snapshotRefOf } from "./snapshot.js";

export interface Migration {
  readonly lines: readonly string[];
  readonly eventStreamRef: string;
  readonly snapshotRef: string;
}

/** `shown` is how the stream is called in messages. */
export function migrate(graph: IssueGraph, shown: string): Migration | Refusal {
  const lines = eventsOf(graph);
  if (isRefusal(lines)) return lines;
  const replayed = replayEvents(lines.map(eventLine), shown);
  if (isRefusal(replayed)) {
    return { ...replayed, message: `the issues cannot be replayed from events; ${replayed.message}` };
  }
  const snapshotRef = snapshotRefOf(graph);
  const lost = graph.sorted().find(({ id, text }) => !sameRow(replayed.get(id)?.text ?? "{}", text));
  if (lost !== undefined || typeof snapshotRef !== "string" || snapshotRefOf(replayed) !== snapshotRef) {
    const { id = "", line = 0 } = lost ?? {};
    return refuse("event_replay_not_equivalent", {
      message: `the events of ${id} (line ${line}) would not give the same issue again`,
      hint: "Does it list the same dependency twice? A stream has each once. Nothing was written.",
      detail: { issueId: id, line },
    });
  }
  return { lines, eventStreamRef: eventStreamRef(lines), snapshotRef };
}

function eventLine(text: string, i: number): EventLine {
  return { row: JSON.parse(text) as JsonObject, text, line: i + 1 };
}
