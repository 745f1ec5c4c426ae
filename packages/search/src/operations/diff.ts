/** `hlq diff`: where two runs first part. */
import { counted } from "@bridle/record";
import { defineOperation } from "@bridle/operation";
import type { JsonValue } from "@bridle/record";
import * as Type from "typebox";
import { diffRuns } from "../run/diff.js";
import { type FieldDifference, shown } from "../run/first-difference.js";
import { folderOf, runInput } from "./run-input.js";

const field = {
  path: Type.String({ description: "As in action_args.window_id." }),
  left: Type.Unknown({ description: "null where there is nothing." }),
  right: Type.Unknown({ description: "null where there is nothing." }),
} as const;

const idsShownMax = 20;

export const diffOperation = defineOperation({
  names: { id: "op/hlq.diff", action: "hlq.diff", command: ["diff"], tool: "hlq_diff" },
  family: "hlq",
  effect: "read",
  surfaces: ["cli", "mcp"],
  summary: "Say where two runs first part.",
  description:
    "Names the first episode, step and field that differ, with both values. Digests and the name of the policy count only " +
    "where nothing else differs. As with diff, the exit code is 1 when they are not the same.",
  examples: [{ command: "hlq diff runs/a runs/b", says: "the first step that differs" }],
  input: Type.Object(
    { left: runInput("The folder of one run."), right: runInput("The folder of the other.", 1) },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("hlq.diff"),
    result: Type.Enum(["accepted", "rejected"]),
    failureClasses: Type.Array(Type.String()),
    identical: Type.Boolean(),
    damage: Type.Optional(
      Type.String({ description: "What is wrong with one of them; then only the first difference is told." }),
    ),
    manifest: Type.Array(Type.Object({ ...field })),
    first: Type.Optional(
      Type.Object({
        episodeId: Type.String(),
        stepIndex: Type.Union([Type.Integer(), Type.Null()], {
          description: "0 for the start, null for the end.",
        }),
        file: Type.String(),
        ...field,
      }),
    ),
    episodes: Type.Integer({ description: "That both have." }),
    differing: Type.Integer(),
    onlyLeft: Type.Array(Type.String(), { description: "The first of them." }),
    onlyRight: Type.Array(Type.String()),
  }),
  async run(input, call) {
    const diff = await diffRuns(folderOf(call, input.left), folderOf(call, input.right), call.ports);
    const { first, identical } = diff;
    return {
      action: "hlq.diff" as const,
      result: identical ? ("accepted" as const) : ("rejected" as const),
      failureClasses: identical ? [] : ["runs_differ"],
      identical,
      ...(diff.damage === undefined ? {} : { damage: diff.damage }),
      manifest: diff.manifest.map(sides),
      ...(first === undefined
        ? {}
        : {
            first: {
              episodeId: first.episode_id,
              stepIndex: first.step_index ?? null,
              file: first.file,
              ...sides(first),
            },
          }),
      episodes: diff.episodes,
      differing: diff.differing,
      onlyLeft: diff.onlyLeft.slice(0, idsShownMax),
      onlyRight: diff.onlyRight.slice(0, idsShownMax),
    };
  },
  present({ identical, damage, first, manifest, episodes, differing, onlyLeft, onlyRight }, paint) {
    if (identical) return `  ${paint.good("identical")}  ${counted(episodes, "episode", "episodes")}`;
    const lines = [
      damage === undefined
        ? `  ${paint.note(`${differing} of ${counted(episodes, "episode", "episodes")} differ`)}`
        : `  ${paint.bad("damaged")}  ${damage}`,
    ];
    if (first !== undefined) {
      const at =
        first.stepIndex === null
          ? "the end"
          : first.stepIndex === 0
            ? "the start"
            : `step ${first.stepIndex}`;
      lines.push(`  ${paint.strong(first.episodeId)}  ${at}  ${first.path === "" ? "the row" : first.path}`);
      lines.push(`    - ${shown(first.left as JsonValue)}`, `    + ${shown(first.right as JsonValue)}`);
    }
    for (const { path, left, right } of manifest)
      lines.push(
        paint.dim(`  run.json ${path}: ${shown(left as JsonValue)} and ${shown(right as JsonValue)}`),
      );
    for (const id of onlyLeft) lines.push(`  - ${id}`);
    for (const id of onlyRight) lines.push(`  + ${id}`);
    return lines.join("\n");
  },
});

function sides({ path, left, right }: FieldDifference) {
  return { path, left: left === undefined ? null : left, right: right === undefined ? null : right };
}
