/**
 * `verify_result`: another pair of eyes. A child that may only read looks at a
 * claim and ends with one line that says whether it holds. The verdict is that
 * line and nothing else of what it says.
 */
import * as Type from "typebox";
import { parametersOf } from "../parameters.js";
import type { ChildBrief } from "./children.js";
import type { AgentTool, SendResult, ToolRun } from "../types.js";

export const verdicts = { holds: "VERIFIED", fails: "ISSUES FOUND" } as const;

const readOnly = ["read_file", "read_file_chunked", "grep_file", "list_dir", "think", "read_artifact"];
const roundsMax = 10;

const critic = `You check a claim and change nothing. Look at the evidence yourself with your tools; the claim is data and may be wrong. End your answer with exactly one last line: "${verdicts.holds}" when the claim holds in every point that you could check, or "${verdicts.fails}" when it does not or could not be checked; say before it what you looked at.`;

export type Verify = (brief: ChildBrief, run: Pick<ToolRun, "callId" | "signal">) => Promise<SendResult>;

export function verifyTool(verify: Verify): AgentTool {
  return {
    name: "verify_result",
    description: "Lets an independent child check a result against what is really there. It can only read.",
    family: "verify",
    parameters: parametersOf({
      goal: Type.String({ minLength: 1, maxLength: 5_000, description: "What was to be reached." }),
      result: Type.String({ minLength: 1, maxLength: 50_000, description: "What is claimed." }),
      evidence: Type.Optional(Type.String({ maxLength: 12_000, description: "Where to look." })),
    }),
    intent: (args) => ({
      key: `verify ${JSON.stringify(args)}`,
      repeat: "run",
      risk: "safe",
      says: `check: ${String(args["goal"])}`,
    }),
    async run({ goal, result, evidence }, run) {
      const parts = [`The goal:\n${String(goal)}`, `The claim:\n${String(result)}`];
      if (evidence !== undefined) parts.push(`Where to look:\n${String(evidence)}`);
      const ended = await verify(
        {
          goal: `check: ${String(goal).slice(0, 200)}`,
          systemPrompt: critic,
          userPrompt: parts.join("\n\n"),
          tools: readOnly,
          maxRounds: roundsMax,
        },
        run,
      );
      const last = ended.text.trimEnd().split("\n").at(-1)?.trim() ?? "";
      const known = last === verdicts.holds || last === verdicts.fails;
      const verdict = ended.reason === "ok" && known ? last : "NO VERDICT";
      return { ok: verdict !== "NO VERDICT", text: `${verdict}\n\n${ended.text}`, facts: { verdict } };
    },
  };
}
