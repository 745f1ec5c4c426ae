/** The three lists of refs as inputs: one flag per ref. */
import * as Type from "typebox";

/** `brief` is what a model is told. */
export const refsFlag = (flag: string, description: string, brief = `${description}.`) =>
  Type.Optional(
    Type.Array(Type.String(), {
      "x-flag": flag,
      "x-placeholder": "ref",
      "x-brief": brief,
      description: `${description}; repeatable.`,
    }),
  );

export const refsInput = {
  instructionRefs: refsFlag("instruction-ref", "Instruction that the work follows", "Instructions followed."),
  witnessRefs: refsFlag("witness-ref", "Witness of what was done or verified", "Witnesses of the work."),
  lineageRefs: refsFlag(
    "lineage-ref",
    "Site lineage such as ctx://…, cover://…, refinement://…",
    "Site lineage.",
  ),
};
