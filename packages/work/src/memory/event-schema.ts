/**
 * What an event of the stream holds (`issue.event.v1`), for those who write or
 * read one themselves. Our own reader is more lenient; see event-replay.ts.
 */
import * as Type from "typebox";
import { eventSchema } from "./event.js";
import { dependencyTypes } from "./types.js";

const envelope = {
  schema: Type.Literal(eventSchema),
  event_id: Type.String({ minLength: 1, description: "Names the event." }),
  issue_id: Type.String({ minLength: 1, description: "The issue that it is about." }),
  occurred_at: Type.String({
    format: "date-time",
    description: "When the issue was last changed. RFC 3339.",
  }),
  actor: Type.Optional(Type.String({ description: "Who did it." })),
};

export const UpsertIssueEvent = Type.Object({
  ...envelope,
  action: Type.Literal("upsert_issue"),
  issue: Type.Object(
    { id: Type.String({ minLength: 1 }), title: Type.String() },
    { description: "The issue's row, its dependencies emptied." },
  ),
});

export const AddDependencyEvent = Type.Object({
  ...envelope,
  action: Type.Literal("add_dependency"),
  depends_on_id: Type.String({ description: "The issue that it depends on." }),
  type: Type.Enum(dependencyTypes, { description: "How it depends." }),
  created_by: Type.Optional(Type.String({ description: "Who made the dependency." })),
  dependency: Type.Optional(
    Type.Object({}, { description: "The dependency as it stands in the row, where it says more; additive." }),
  ),
});

/** One line of `.premath/memory/events.jsonl`. */
export const IssueEvent = Type.Union([UpsertIssueEvent, AddDependencyEvent], {
  title: "Issue event",
  description: "An issue, or a dependency between two, as one step of a stream that makes issue memory.",
});
