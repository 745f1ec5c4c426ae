/** The three lists of refs as inputs: one flag per ref. */
import * as Type from "typebox";

export const refsFlag = (flag: string, description: string) =>
  Type.Optional(
    Type.Array(Type.String(), {
      "x-flag": flag,
      "x-placeholder": "ref",
      description: `${description}; repeatable.`,
    }),
  );

export const refsInput = {
  instructionRefs: refsFlag("instruction-ref", "Instruction that the work follows"),
  witnessRefs: refsFlag("witness-ref", "Witness of what was done or verified"),
  lineageRefs: refsFlag("lineage-ref", "Site lineage such as ctx://…, cover://…, refinement://…"),
};
