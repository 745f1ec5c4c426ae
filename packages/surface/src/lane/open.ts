/** `premath lane open`: a person's one command, after which a client may change issues here. */
import { defineOperation } from "@bridle/operation";
import { formatSeconds, isRefusal, nearest, refuse, type Refusal } from "@bridle/record";
import { durationMs, Lanes } from "@bridle/work";
import * as Type from "typebox";
import { loadManifest } from "../manifest/load.js";
import { laneLine, LaneRow, laneRow } from "./row.js";

const daysMax = 366;

const list = (placeholder: string, description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1 }), { "x-placeholder": placeholder, description }));

export const laneOpen = defineOperation({
  names: { id: "op/lane.open", action: "lane.open", command: ["lane", "open"], tool: "lane_open" },
  family: "premath",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli"],
  summary: "Let a client change issues in this folder, until the lane ends.",
  description:
    "A lane is what `premath mcp-serve` asks for before it changes anything. It allows adding, claiming, commenting, " +
    "labelling, the harness's own files, and, with the turn that the server keeps, updates and dependencies; closing " +
    "needs checks that passed. It stands in your settings and not in the repository. Opening one that is open sets it anew.",
  examples: [
    { command: "premath lane open editor", says: "for the client of your editor, for 30 days" },
    {
      command: "premath lane open ci --for 8h --allow issue.claim --allow 'harness.*' --workers ci.1",
      says: "for one worker, and little",
    },
  ],
  input: Type.Object(
    {
      name: Type.String({
        pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
        "x-position": 0,
        "x-placeholder": "name",
        description: "What it is called; `mcp-serve --lane` names it.",
      }),
      for: Type.Optional(
        Type.String({
          "x-placeholder": "time",
          description: "For how long, such as 8h or 30d; 30d when left out.",
        }),
      ),
      allow: list(
        "action",
        "An action, or a family such as 'dep.*', that it allows, and no other; repeatable.",
      ),
      workers: list("name", "A worker that may act under it, and no other; repeatable."),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ action: Type.Literal("lane.open"), folder: Type.String(), lane: LaneRow }),
  async run(input, call) {
    const lastsMs = durationMs(input.for ?? "30d");
    if (lastsMs === undefined || lastsMs > daysMax * 86_400_000)
      return refuse("lane_invalid", {
        message: `--for is ${JSON.stringify(input.for)}`,
        hint: `Write a number and s, m, h or d, such as 8h; ${daysMax}d at most.`,
      });
    const allow = words(input.allow);
    const unknown = allow?.map(unknownAction).find(isRefusal);
    if (unknown !== undefined) return unknown;
    const workers = words(input.workers);
    const lanes = await Lanes.open(call);
    const nowMs = await call.ports.clock.now();
    const lane = await lanes.add({
      name: input.name,
      openedAt: formatSeconds(nowMs),
      expiresAt: formatSeconds(nowMs + lastsMs),
      ...(allow === undefined ? {} : { allow }),
      ...(workers === undefined ? {} : { workers }),
    });
    return { action: "lane.open" as const, folder: lanes.folder, lane: laneRow(lane, true) };
  },
  present: ({ folder, lane }, paint) => `  ${laneLine(lane, paint)}\n  ${paint.dim(`for ${folder}`)}`,
});

/** Commas divide as well. */
function words(given: readonly string[] | undefined): string[] | undefined {
  const all = given?.flatMap((each) => each.split(",")).map((each) => each.trim());
  const found = [...new Set(all?.filter((each) => each !== ""))];
  return found.length === 0 ? undefined : found;
}

function unknownAction(word: string): Refusal | undefined {
  const actions = loadManifest()
    .operations.filter(({ needs }) =>
      ["instruction", "evidence", "verified-change", "own-envelope"].includes(needs),
    )
    .map(({ names }) => names.action);
  const family = word.endsWith(".*") ? word.slice(0, -1) : undefined;
  if (family === undefined ? actions.includes(word) : actions.some((each) => each.startsWith(family)))
    return undefined;
  const meant = nearest(word, actions);
  return refuse("lane_invalid", {
    message: `no lane can allow ${JSON.stringify(word)}`,
    hint: meant === undefined ? `A lane can allow ${actions.join(", ")}.` : `Did you mean ${meant}?`,
  });
}
