/** What every change of issues can be told about the one who asks. */
import * as Type from "typebox";

export const mutationInput = {
  fence: Type.Optional(
    Type.Integer({
      minimum: 0,
      "x-placeholder": "number",
      "x-brief": "The fence of your claim.",
      description: "The fence of the claim that you work under; an old one is refused.",
    }),
  ),
  actor: Type.Optional(
    Type.String({
      "x-placeholder": "name",
      "x-brief": "Who asks.",
      description: "Who asks; whoever holds the lease may change the issue.",
    }),
  ),
  instructionId: Type.Optional(
    Type.String({
      "x-placeholder": "id",
      "x-brief": "The instruction followed.",
      description: "The instruction that this follows, where a policy asks for one.",
    }),
  ),
} as const;
