/** `premath required-checks seal`: the map's digest, written again after a person edited it. */
import { join } from "node:path";
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { checkMapForm, checkMapPath } from "../../evidence/required/check-map.js";
import { parseUnsealed } from "../../sealed-policy.js";
import { writeSealed } from "../../seal.js";
import { readMapText } from "../../evidence/required/read-map.js";
import { repoRootInput, topOf } from "./repository.js";

export const requiredChecksSeal = defineOperation({
  names: {
    id: "op/ci.required_checks_seal",
    action: "required.checks.seal",
    command: ["required-checks", "seal"],
    tool: "required_checks_seal",
  },
  family: "premath",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli"],
  summary: "Seal the map of required checks after an edit.",
  description:
    "A map that says something wrong is refused and left as it is. A map whose digest is right is not written.",
  examples: [{ command: "premath required-checks seal", says: "writes its digest" }],
  input: Type.Object({ ...repoRootInput }, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("required.checks.seal"),
    path: Type.String(),
    policyDigest: Type.String(),
    changed: Type.Boolean(),
  }),
  async run(input, call) {
    const top = await topOf(input, call);
    const path = join(top, checkMapPath);
    const source = await readMapText(top, call.ports.files);
    if (isRefusal(source)) return source;
    const map = parseUnsealed(checkMapForm, source, checkMapPath);
    if (isRefusal(map)) return map;
    const sealed = await writeSealed(path, map, call.ports);
    return { action: "required.checks.seal" as const, path: checkMapPath, ...sealed };
  },
  present: ({ path, policyDigest, changed }, paint) =>
    `  ${paint.strong(path)} ${changed ? "sealed" : "was sealed already"} ${paint.dim(policyDigest)}`,
});
