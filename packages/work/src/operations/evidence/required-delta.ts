/** `premath required-delta`: which paths differ, by commits and by what is not committed. */
import { resolve } from "node:path";
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { deltaOf } from "../../evidence/checks/delta.js";
import { readJsonObject } from "../json-file.js";
import { inputFile, repositoryOf } from "./repository.js";

const orNull = Type.Union([Type.String(), Type.Null()]);

export const requiredDelta = defineOperation({
  names: {
    id: "op/ci.required_delta",
    action: "required.delta",
    command: ["required-delta"],
    tool: "required_delta",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "scheme", "http"],
  checker: true,
  invalidInput: "required_delta_invalid",
  summary: "Say which paths a change touches.",
  description:
    "Between two refs, and what the work tree holds besides: staged, changed, deleted, renamed (both names) and untracked. " +
    "Without fromRef the first of PREMATH_CI_BASE_REF, origin/main, main, origin/master, master and HEAD~1 that is there.",
  examples: [
    { command: "premath required-delta --input delta.json --json", says: "of {fromRef, toRef, repoRoot}" },
  ],
  input: Type.Object(
    { input: inputFile("A JSON file with repoRoot, fromRef and toRef, all optional.") },
    { additionalProperties: false },
  ),
  output: Type.Object({
    schema: Type.Literal(1),
    deltaKind: Type.Literal("ci.required.delta.v1"),
    changedPaths: Type.Array(Type.String()),
    source: Type.String(),
    fromRef: orNull,
    toRef: orNull,
  }),
  async run(input, call) {
    const read = await readJsonObject(input.input, call, "required_delta_invalid");
    if (isRefusal(read)) return read;
    const text = (name: string) =>
      typeof read.value[name] === "string" ? (read.value[name] as string) : undefined;
    const repoRoot = text("repoRoot");
    const repository = await repositoryOf(
      repoRoot === undefined ? {} : { repoRoot: resolve(call.cwd, repoRoot) },
      call,
    );
    if (isRefusal(repository)) return { ...repository, refused: "required_delta_invalid" as const };
    return deltaOf(repository, {
      fromRef: text("fromRef"),
      toRef: text("toRef"),
      base: call.env["PREMATH_CI_BASE_REF"],
    });
  },
});
