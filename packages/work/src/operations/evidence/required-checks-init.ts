/** `premath required-checks init`: a first map of required checks, from how the project is built. */
import { join } from "node:path";
import { defineOperation } from "@bridle/operation";
import { type JsonObject, refuse } from "@bridle/record";
import * as Type from "typebox";
import { checkMapPath } from "../../evidence/required/check-map.js";
import { draftChecks } from "../../evidence/required/draft-checks.js";
import { writeSealed } from "../../seal.js";
import { repoRootInput, topOf } from "./repository.js";

export const requiredChecksInit = defineOperation({
  names: {
    id: "op/ci.required_checks_init",
    action: "required.checks.init",
    command: ["required-checks", "init"],
    tool: "required_checks_init",
  },
  family: "premath",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli"],
  summary: "Draft the map of required checks for this project.",
  description:
    "From package.json, Cargo.toml, pyproject.toml or a Makefile: the set-up of a fresh worktree, a check for each " +
    "script that checks, and what those go through as protected. Look at it, edit it, seal it and commit it: the map " +
    "of the commit that a change began from is the one that judges it.",
  examples: [{ command: "premath required-checks init", says: `writes ${checkMapPath}` }],
  input: Type.Object({ ...repoRootInput }, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("required.checks.init"),
    path: Type.String(),
    policyDigest: Type.String(),
    setup: Type.Union([Type.String(), Type.Null()]),
    checks: Type.Array(Type.Object({ id: Type.String(), command: Type.String() })),
    protected: Type.Array(Type.String()),
  }),
  async run(input, call) {
    const top = await topOf(input, call);
    const path = join(top, checkMapPath);
    const { files } = call.ports;
    if ((await files.stat(path)) !== undefined) {
      return refuse("required_checks_exist", {
        message: `${checkMapPath} is there already`,
        hint: "Edit it, and seal it with `premath required-checks seal`.",
      });
    }
    const drafted = await draftChecks(top, files);
    if (drafted === undefined) {
      return refuse("required_checks_missing", {
        message: `nothing in ${top} says how it is checked`,
        hint: `Looked for scripts in package.json, a Makefile with test, check or lint, pyproject.toml and Cargo.toml. Write ${checkMapPath} by hand; docs/guides/required-checks.md shows one.`,
      });
    }
    const { draft } = drafted;
    await files.makeDirectory(join(top, "policies/control"));
    const { policyDigest } = await writeSealed(path, draft as unknown as JsonObject, call.ports);
    return {
      action: "required.checks.init" as const,
      path: checkMapPath,
      policyDigest,
      setup: draft.setup?.command ?? null,
      checks: draft.checks.map(({ id, command }) => ({ id, command })),
      protected: draft.protected,
    };
  },
  present({ path, setup, checks }, paint) {
    return [
      `  ${paint.strong(path)} written and sealed`,
      ...(setup === null ? [] : [`  ${paint.dim("set-up")}  ${setup}`]),
      ...checks.map(({ command }) => `  ${paint.dim("check ")}  ${command}`),
      `  Look at it and commit it; after an edit, \`premath required-checks seal\`.`,
    ].join("\n");
  },
});
