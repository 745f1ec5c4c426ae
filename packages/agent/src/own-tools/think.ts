/** `think`: a place to reason that does nothing. */
import * as Type from "typebox";
import { parametersOf } from "../parameters.js";
import type { AgentTool } from "../types.js";

export const thinkTool: AgentTool = {
  name: "think",
  description: "A place to think something through before acting. Nothing happens.",
  family: "core",
  parameters: parametersOf(
    Type.Object(
      { thought: Type.String({ minLength: 1, maxLength: 20_000 }) },
      { additionalProperties: false },
    ),
  ),
  intent: ({ thought }) => ({ key: `think ${String(thought)}`, repeat: "run", risk: "safe", says: "think" }),
  async run() {
    return { ok: true, text: "Noted." };
  },
};
