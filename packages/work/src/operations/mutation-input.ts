/** What every change of issues can be told about the one who asks. */
import * as Type from "typebox";

export const mutationInput = {
  fence: Type.Optional(
    Type.Integer({
      minimum: 0,
      "x-placeholder": "number",
      description: "The fence of the claim that you work under; an old one is refused.",
    }),
  ),
  actor: Type.Optional(
    Type.String({
      "x-placeholder": "name",
      description: "Who asks; whoever holds the lease may change the issue.",
    }),
  ),
  instructionId: Type.Optional(
    Type.String({
      "x-placeholder": "id",
      description: "The instruction that this follows, where a policy asks for one.",
    }),
  ),
} as const;
