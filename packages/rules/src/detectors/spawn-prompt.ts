/**
 * R-SPAWN-PROMPT: an agent is started with a role and a task that say something.
 *
 * What a newcomer gets wrong: length is no substance. A prompt that only points
 * elsewhere ("see the goal above") or is a form nobody filled in says nothing to
 * an agent that sees neither the goal's background nor the conversation.
 */
import { looksLikePath } from "../reading/paths.js";
import { overlap, words } from "../reading/words.js";
import type { Detector, Finding } from "../types.js";

const wordsMin = 5;
const sameAsGoal = 0.9;

export const spawnPrompt: Detector = {
  begin() {
    return {
      proposed(call): Finding | undefined {
        if (call.tool !== "spawn_agent") return undefined;
        const goal = textOf(call.args["goal"]);
        for (const name of ["system_prompt", "user_prompt"] as const) {
          const wrong = emptiness(textOf(call.args[name]), goal);
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

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** Why a prompt says nothing. */
function emptiness(prompt: string, goal: string): string | undefined {
  if (prompt === "") return "is missing";
  const all = words(prompt);
  if (all.length < wordsMin) return `has fewer than ${wordsMin} words`;
  if (new Set(all).size < 3) return "repeats one word";
  if (isForm(prompt)) return "is a form that was not filled in";
  if (onlyPoints(prompt, all)) return "only points elsewhere";
  if (repeats(all, words(goal))) return "repeats the goal";
  return undefined;
}

/** Words around a goal that add nothing to it. */
const frame = wordSet(`
  please kindly now you your are is am an a the and to must should will shall need needs have has agent assistant helper subagent
  goal task job objective mission following whose who that this be do here
  bitte du sie bist ist dein deine ihre aufgabe ziel ein eine der die das und
  por favor eres tu tarea objetivo es un una el la y
  s'il te vous plaît tu es ton ta votre tâche objectif est un une le la et`);

function repeats(prompt: readonly string[], goal: readonly string[]): boolean {
  const said = new Set(prompt.filter((word) => !frame.has(word)));
  const asked = new Set(goal.filter((word) => !frame.has(word)));
  return asked.size > 0 && overlap(said, asked) >= sameAsGoal;
}

function isForm(prompt: string): boolean {
  const blanks = /\{\{[^{}]*\}\}|\$\{[^{}]*\}|<[a-z][\w ,.'-]*>|\[[a-z][\w ,.'-]*\]/gi;
  const left = words(prompt.replace(blanks, " ")).filter((word) => !pointing.has(word));
  if (left.length < 2 && prompt.search(blanks) !== -1) return true;
  if (
    /^\W*(?:todo|tbd|fixme|xxx)\b\W*(?:[:\-–—]|$)/i.test(prompt) &&
    /prompt|later|fill|write|add|role|instruct/i.test(prompt)
  ) {
    return true;
  }
  return (
    /\b(?:insert|put|enter|fill in|paste|type|write|add)\b[^.]{0,40}\b(?:prompt|instructions?|role|text|task|details)\b[^.]{0,20}\bhere\b/i.test(
      prompt,
    ) ||
    /\b(?:prompt|instructions?|role|task) (?:goes|go|comes) here\b|^\W*(?:this is (?:just )?a )?placeholder\b|\blorem ipsum\b|\bhier (?:den |die )?(?:prompt|text|anweisung\w*) (?:einfügen|einsetzen)/i.test(
      prompt,
    )
  );
}

/** Words that point at a text, or only say that something is to be done. */
const pointing = wordSet(`
  see refer look read check at as per like described stated written given mentioned defined specified explained outlined listed noted told said set
  above below before previous previously earlier prior same again goal goals task tasks title brief description request message
  conversation context instructions instruction prompt details detail information info
  do does doing done it its this that these those what whatever which how the a an is are was were be been in on of to for from with and or then so
  by up out off please kindly just simply only your you my me our we us i now here there everything anything something thing things all every each
  needed necessary required asked wanted want wants need needs must should shall will can could would
  carry follow complete accomplish achieve perform execute fulfil fulfill finish handle work go ahead start begin proceed continue get make sure try help
  job work agent helper user parent whole full exactly well properly carefully best ability quickly report back result results when if not more
  role system
  siehe oben unten ziel aufgabe wie dort hier beschrieben angegeben genannt mach mache machen tu tue es das die der den dem ein eine bitte einfach genau so
  und oder dann nun jetzt was zu tun ist im in für alles nötige erledige erledigen führe durch aus gleiche wie vorher du sollst dein deine anweisungen
  ver véase objetivo tarea arriba abajo como se lo la los las el de del en por favor haz hazlo que hay hacer según indicado descrito anterior mismo y a tu
  voir objectif tâche ci-dessus ci-dessous comme le la les de du des en fais faire fais-le ce qui que est décrit indiqué demandé s'il te plaît vous et tout
  上記 目標 目的 参照 通り とおり ください して の を に は が で と し お願い します ゴール タスク 前 同じ これ それ やっ て`);

function onlyPoints(prompt: string, all: readonly string[]): boolean {
  if (prompt.split(/\s+/).some((token) => looksLikePath(token.replace(/^[("'`]+|[)"'`.,;:!?]+$/g, ""))))
    return false;
  if (/`[^`]+`|\d/.test(prompt)) return false;
  return all.filter((word) => !pointing.has(word)).length === 0;
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
