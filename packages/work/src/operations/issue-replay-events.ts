/** `premath issue replay-events`: issue memory from its stream of events. */
import { type Call, defineOperation, refuseOutside } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { applyReplay } from "../memory/event-apply.js";
import { replayEvents } from "../memory/event-replay.js";
import { readStream } from "../memory/event-stream.js";
import { isHit, readCache, type ReplayCache, replayCacheSchema, writeCache } from "../memory/replay-cache.js";
import { snapshotRefOf } from "../memory/snapshot.js";
import type { IssueStore } from "../store/types.js";
import { eventsInput, eventsPlace, replayCacheName, replayCachePlace } from "./events-input.js";
import { changingMemory } from "../calls/issues.js";
import type { LocatedFile } from "../calls/place.js";
import { counted } from "./text-layout.js";

const orNull = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

export const issueReplayEvents = defineOperation({
  names: {
    id: "op/issue.replay_events",
    action: "issue.replay_events",
    command: ["issue", "replay-events"],
    tool: "issue_replay_events",
  },
  family: "premath",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Make the issues from their stream of events.",
  description:
    "Issues that memory does not have are added. If memory has an issue that the stream does not have, or has " +
    "otherwise, nothing is written unless --force is given; then the issues are replaced and the file as it was is kept " +
    "beside. Comments and rows without an id stay, and a fence never becomes smaller. A stream with a self loop or a " +
    "circle of issues that wait for each other is refused with the line. When the replay cache says that this very stream " +
    "made the issues that are there, nothing is done.",
  examples: [
    { command: "premath issue replay-events", says: "restores the issues from .premath/memory/events.jsonl" },
    {
      command: "premath issue replay-events --events backup/events.jsonl --force",
      says: "goes back to that stream, and keeps the issues as they were",
    },
  ],
  input: Type.Object(
    {
      ...eventsInput,
      cachePath: Type.Optional(
        Type.String({
          minLength: 1,
          "x-flag": "cache",
          "x-placeholder": "path",
          "x-path": true,
          description: `The replay cache, ${replayCacheName} beside the issues when left out.`,
        }),
      ),
      force: Type.Optional(
        Type.Boolean({ description: "Replace issues that differ; the file as it was is kept." }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("issue.replay-events"),
    eventsPath: Type.String(),
    issuesPath: Type.String(),
    cachePath: Type.String(),
    cacheHit: Type.Boolean({ description: "Nothing was replayed, because nothing changed." }),
    eventCount: Type.Integer(),
    issueCount: Type.Integer(),
    eventStreamRef: Type.String(),
    snapshotRef: Type.String(),
    equivalentToExisting: orNull(Type.Boolean(), "Whether memory had these issues before; null without one."),
    changed: Type.Boolean({ description: "Whether anything was written; additive." }),
    setAside: orNull(Type.String(), "Where the issues as they were are kept; additive."),
  }),
  async run(input, call) {
    const { ports, signal } = call;
    const events = await eventsPlace(input, call);
    return changingMemory(input, call, async (memory, issues) => {
      const cache = await replayCachePlace(input, issues, call);
      const outside = await refuseOutside("cachePath", cache.path, call);
      if (outside !== undefined && input.issuesPath !== undefined) return outside;
      const stream = await readStream({ ...events, ports, signal });
      if (isRefusal(stream)) return stream;
      const paths = { eventsPath: events.shown, issuesPath: issues.shown };
      const answer = { action: "issue.replay-events" as const, ...paths, cachePath: cache.shown };
      const existing = await snapshotOf(memory);
      const now = {
        ...paths,
        eventStreamRef: stream.ref,
        ...(existing === undefined ? {} : { snapshotRef: existing }),
      };
      const known = await readCache({ path: cache.path, ports });
      if (isHit(known, now)) {
        const { eventCount, issueCount, eventStreamRef, snapshotRef } = known;
        const found = { eventCount, issueCount, eventStreamRef, snapshotRef };
        return {
          ...answer,
          cacheHit: true,
          ...found,
          equivalentToExisting: true,
          changed: false,
          setAside: null,
        };
      }
      const replayed = replayEvents(stream.events, events.shown);
      if (isRefusal(replayed)) return replayed;
      signal.throwIfAborted();
      const applied = await memory.change(
        applyReplay(replayed, {
          shown: issues.shown,
          existed: (await memory.graph()) !== undefined,
          force: input.force === true,
        }),
        { create: true },
      );
      if (isRefusal(applied)) return applied;
      const { replaced, ...done } = applied;
      const { snapshotRef, issueCount } = done;
      const setAside = replaced ? (memory.file?.lastAside ?? null) : null;
      const made = { eventStreamRef: stream.ref, snapshotRef, eventCount: stream.events.length, issueCount };
      await remember(cache, { schema: replayCacheSchema, ...paths, ...made }, call);
      return { ...answer, cacheHit: false, ...made, ...done, setAside };
    });
  },
  present({ issueCount, eventCount, issuesPath, cacheHit, changed, equivalentToExisting, setAside }, paint) {
    const what = `${counted(eventCount, "event", "events")} make ${counted(issueCount, "issue", "issues")}`;
    if (cacheHit) return `  ${what}; ${paint.dim("nothing changed since the last replay")}`;
    const how =
      setAside !== null
        ? "replaced"
        : !changed
          ? "already has them"
          : equivalentToExisting === null
            ? "made"
            : "was added to";
    const kept = setAside === null ? [] : [`  ${paint.dim("as it was:")} ${setAside}`];
    return [`  ${what}; ${paint.strong(issuesPath)} ${how}`, ...kept].join("\n");
  },
});

/** Undefined without memory, or where some of it cannot be digested. */
async function snapshotOf(memory: IssueStore): Promise<string | undefined> {
  const graph = await memory.graph();
  if (graph === undefined || memory.file?.unreadable !== undefined) return undefined;
  const ref = snapshotRefOf(graph);
  return typeof ref === "string" ? ref : undefined;
}

async function remember({ path, shown }: LocatedFile, cache: ReplayCache, call: Call): Promise<void> {
  const { ports, signal } = call;
  const problem = await writeCache({ path, ports, signal }, cache);
  if (problem === undefined) return;
  call.warn(
    `The replay cache ${shown} could not be written, so the next replay does the work again: ${problem}.`,
  );
}
