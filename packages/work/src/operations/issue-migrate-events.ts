/** `premath issue migrate-events`: issue memory written as a stream of events. */
import { defineOperation } from "@bridle/operation";
import { describeDamage, Failure, isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { migrate } from "../memory/event-migrate.js";
import { writeStream } from "../memory/event-stream.js";
import type { IssueMemory } from "../store/issue-file.js";
import { memoryMissing, unmergedFailure } from "../store/issue-refusals.js";
import { eventsInput, eventsPlace } from "./events-input.js";
import { withMemory } from "../calls/issues.js";
import { counted } from "./text-layout.js";

export const issueMigrateEvents = defineOperation({
  names: {
    id: "op/issue.migrate_events",
    action: "issue.migrate_events",
    command: ["issue", "migrate-events"],
    tool: "issue_migrate_events",
  },
  family: "premath",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Write the issues as a stream of events.",
  description:
    "Each issue is an event with its row, and so is each dependency. The stream is replayed in memory first and written " +
    "only if it gives the same issues again, members that this version does not know included. An older stream is " +
    "replaced atomically. Comments and rows without an id are no issues and stay in the issues file only.",
  examples: [
    { command: "premath issue migrate-events", says: "writes .premath/memory/events.jsonl" },
    {
      command: "premath issue migrate-events --events backup/events.jsonl --json",
      says: "writes it elsewhere",
    },
  ],
  input: Type.Object({ ...eventsInput }, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("issue.migrate-events"),
    issuesPath: Type.String(),
    eventsPath: Type.String(),
    issueCount: Type.Integer(),
    eventCount: Type.Integer(),
    equivalent: Type.Boolean({ description: "Replaying the stream gives the same issues." }),
    eventStreamRef: Type.String({ description: "Additive." }),
    snapshotRef: Type.String({ description: "Of the issues; additive." }),
    changed: Type.Boolean({ description: "Whether the stream says something new; additive." }),
    replaced: Type.Boolean({ description: "Whether there was another stream before; additive." }),
    notMigrated: Type.Object(
      { comments: Type.Integer(), rowsWithoutId: Type.Integer() },
      { description: "What is no issue and stays in the issues file only; additive." },
    ),
  }),
  async run(input, call) {
    const { ports, signal } = call;
    const notice = (sentence: string) => call.warn(sentence);
    const events = await eventsPlace(input, call);
    return withMemory(input, call, async (memory, { shown }) => {
      const graph = await memory.graph();
      if (graph === undefined) return memoryMissing(shown);
      if (memory.file !== undefined) await refuseUnfit(memory.file);
      const migration = migrate(graph, events.shown);
      if (isRefusal(migration)) return migration;
      const { commentCount: comments = 0, rowsWithoutId = 0 } = memory.file ?? {};
      const { lines, eventStreamRef, snapshotRef } = migration;
      const issueCount = graph.size;
      signal.throwIfAborted();
      const written = await writeStream({ ...events, ports, signal, notice }, lines);
      if (isRefusal(written)) return written;
      return {
        action: "issue.migrate-events" as const,
        issuesPath: shown,
        eventsPath: events.shown,
        issueCount,
        eventCount: lines.length,
        equivalent: true,
        eventStreamRef,
        snapshotRef,
        ...written,
        notMigrated: { comments, rowsWithoutId },
      };
    });
  },
  present({ issueCount, eventCount, eventsPath, changed, replaced, notMigrated }, paint) {
    const what = `${counted(issueCount, "issue", "issues")} as ${counted(eventCount, "event", "events")}`;
    const how = replaced ? "an older stream was replaced" : changed ? "new" : "nothing changed";
    const { comments, rowsWithoutId } = notMigrated;
    const others = [
      ...(comments === 0 ? [] : [counted(comments, "comment", "comments")]),
      ...(rowsWithoutId === 0 ? [] : [counted(rowsWithoutId, "row without an id", "rows without an id")]),
    ];
    const left =
      others.length === 0 ? [] : [`  ${others.join(" and ")} ${paint.dim("stay in the issues file only")}`];
    return [`  ${what} in ${paint.strong(eventsPath)} (${how}); replayed, and the same`, ...left].join("\n");
  },
});

/** A stream of the issues that could be read, or of one side, would pass for a stream of all of them. */
async function refuseUnfit(memory: IssueMemory): Promise<void> {
  const { unreadable, shown } = memory;
  const sides = await memory.twoSides();
  if (sides !== undefined) throw unmergedFailure(shown, sides, "no stream is made of it");
  if (unreadable === undefined) return;
  throw new Failure("log_damaged", {
    message: `${describeDamage(shown, unreadable)}; no stream is made of what is left`,
    hint: `Look with \`bridle log verify ${shown}\`; \`bridle log repair ${shown}\` sets the damage aside.`,
    detail: { line: unreadable.line, byte: unreadable.byte },
  });
}
