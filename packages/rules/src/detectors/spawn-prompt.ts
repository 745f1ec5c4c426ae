/**
 * R-SPAWN-PROMPT: an agent is started with a role and a task of their own.
 *
 * What a newcomer gets wrong: nobody reads whether a prompt is a good one. What is
 * missing, shorter than five words, a form with its blanks, or the goal once more is
 * none; everything else passes.
 */
import { textArg } from "../reading/args.js";
import { overlap } from "../reading/words.js";
import type { Detector, Finding } from "../types.js";

const wordsMin = 5;
const sameAsGoalMin = 0.9;

export const spawnPrompt: Detector = {
  begin() {
    return {
      proposed(call): Finding | undefined {
        if (call.tool !== "spawn_agent") return undefined;
        const goal = textArg(call.args, "goal")?.trim() ?? "";
        for (const name of ["system_prompt", "user_prompt"] as const) {
          const wrong = emptiness(textArg(call.args, name)?.trim() ?? "", goal);
          if (wrong !== undefined) {
            return {
              what: `spawn_agent for "${goal.slice(0, 60)}" has a ${name} that ${wrong}.`,
              remedy:
                name === "system_prompt"
                  ? "Give a system_prompt that says who the agent is and how it works, in at least five words."
                  : "Give a user_prompt that says what to do with which files and how to answer, in at least five words.",
            };
          }
        }
        return undefined;
      },
    };
  },
};

const segmenter = new Intl.Segmenter("en", { granularity: "word" });
const blanks = /\{\{[^{}]*\}\}|\$\{[^{}]*\}|<[a-z][\w ,.'-]*>|\[[a-z][\w ,.'-]*\]/gi;

/** Why a prompt says nothing. */
function emptiness(prompt: string, goal: string): string | undefined {
  if (prompt === "") return "is missing";
  const words = wordsOf(prompt);
  if (words.length < wordsMin) return `has fewer than ${wordsMin} words`;
  if (new Set(words).size < 3) return "repeats one word";
  if (wordsOf(prompt.replace(blanks, " ")).length < 2) return "is a form that was not filled in";
  if (goal !== "" && overlap(new Set(words), new Set(wordsOf(goal))) >= sameAsGoalMin)
    return "repeats the goal";
  return undefined;
}

/** Also of languages that put no spaces between words. */
function wordsOf(text: string): string[] {
  const found = [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike === true);
  return found.map(({ segment }) => segment.toLowerCase());
}
