/** What every command that runs an agent can be told. */
import * as Type from "typebox";

export const agentInput = {
  model: Type.Optional(
    Type.String({
      minLength: 1,
      "x-placeholder": "provider/id",
      description: "The model; AGENT_MODEL or models.json without it. `bridle models` lists them.",
    }),
  ),
  yolo: Type.Optional(
    Type.Boolean({
      description:
        "Say yes to every call but those that are forbidden. An approved command is arbitrary code.",
    }),
  ),
  maxRounds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: "Rounds of one turn; then it ends with an answer.",
    }),
  ),
  maxCost: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100_000,
      "x-placeholder": "usd",
      description: "Cost of one turn in US dollars; 0 is no limit.",
    }),
  ),
} as const;
