/**
 * Ids of rules in a text: an error, a refusal, a note.
 *
 * What a newcomer gets wrong: what looks like an id need not be one. Text of a
 * tool can hold anything, so whoever counts asks the table whether there is such
 * a rule.
 */
import { ruleOf } from "./table.js";

const idPattern = /(?<![\w-])R-[A-Z0-9][A-Z0-9_-]*[A-Z0-9](?![\w])/g;

/** Everything that is written like an id, each once, in order. */
export function extractRuleIds(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(idPattern), ([id]) => id))];
}

/** Those that are rules of ours. */
export function namedRulesIn(text: string): string[] {
  return extractRuleIds(text).filter((id) => ruleOf(id) !== undefined);
}
