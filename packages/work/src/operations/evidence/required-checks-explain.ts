/** `premath required-checks explain`: which checks a path needs, and why. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { projectChecks } from "../../evidence/required/project-checks.js";
import { protectionOf } from "../../evidence/required/protection.js";
import { readMap } from "../../evidence/required/read-map.js";
import { repoRootInput, topOf } from "./repository.js";

export const requiredChecksExplain = defineOperation({
  names: {
    id: "op/ci.required_checks_explain",
    action: "required.checks.explain",
    command: ["required-checks", "explain"],
    tool: "required_checks_explain",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "scheme", "http"],
  summary: "Say which checks a change of some paths needs.",
  description:
    "Each path for itself, by the map in the work tree; and whether a change of it waits for a person.",
  examples: [{ command: "premath required-checks explain src/upload.ts package.json", says: "two paths" }],
  input: Type.Object(
    {
      paths: Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        "x-position": 0,
        "x-placeholder": "path",
        description: "Paths from the top of the repository; they need not be there.",
      }),
      ...repoRootInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("required.checks.explain"),
    policyDigest: Type.String(),
    items: Type.Array(
      Type.Object({
        path: Type.String(),
        requiredChecks: Type.Array(Type.String()),
        reasons: Type.Array(Type.String()),
        protectedBy: Type.Union([Type.String(), Type.Null()]),
        isTest: Type.Boolean(),
      }),
    ),
  }),
  async run(input, call) {
    const map = await readMap(await topOf(input, call), call.ports.files);
    if (isRefusal(map)) return map;
    return {
      action: "required.checks.explain" as const,
      policyDigest: map.policyDigest,
      items: input.paths.map((given) => {
        const { changedPaths, requiredChecks, reasons } = projectChecks(map, [given]);
        const path = changedPaths[0] ?? given;
        return { path, requiredChecks, reasons, ...protectionOf(map, path) };
      }),
    };
  },
  present({ items }, paint) {
    return items
      .map(({ path, requiredChecks, reasons, protectedBy, isTest }) => {
        const checks = requiredChecks.length === 0 ? paint.bad("no check") : requiredChecks.join(", ");
        const kept =
          protectedBy !== null
            ? paint.note(`  a change waits for a person (${protectedBy})`)
            : isTest
              ? paint.note("  a test: new ones are welcome, a change waits for a person")
              : "";
        return `  ${paint.strong(path)}  ${checks}  ${paint.dim(reasons.join(", "))}${kept}`;
      })
      .join("\n");
  },
});
