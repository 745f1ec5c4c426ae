/**
 * Of which class a failure is, and what its words say about trying again.
 *
 * What a newcomer gets wrong: two failures of one class seldom have the same text.
 * Times, process numbers, paths and quoted names differ from run to run, so they are
 * set aside; the code and the first words stay.
 */

/** Equal for two failures that have the same cause as far as their text tells. */
export function failureClass(output: string): string {
  const text = output.slice(0, 4_000);
  const coded = /^\s*(?:ERROR|Error|error)?:?\s*\[([\w.-]+)\]\s*/.exec(text);
  const code = coded?.[1] ?? "";
  if (coded !== null && !vague.test(code)) return code;
  const exit = /^\s*exit(?:=|\s+code\s+)(-?\d+)/.exec(text);
  const body = text.slice((coded ?? exit)?.[0].length ?? 0);
  return `${code}${exit?.[1] ?? ""} ${firstWords(tellingLine(body))}`.trim();
}

/** Codes that say nothing of the cause. */
const vague =
  /^(?:error|failed|failure|invalid|bad_args|invalid_args|input_invalid|missing|tool_error|exit|unknown)$/;
const telling =
  /\b(?:error|err!|fail(?:ed|ure|s)?|cannot|can't|could not|not found|no such|denied|refused|missing|exception|unknown|unable|fatal|invalid|timed? ?out|E[A-Z]{4,})\b/i;

function tellingLine(text: string): string {
  const lines = text.split("\n").filter((line) => /[\p{L}]/u.test(line));
  return lines.find((line) => telling.test(line)) ?? lines[0] ?? "";
}

const wordsCompared = 8;

function firstWords(line: string): string {
  return line
    .toLowerCase()
    .replaceAll(/(["'`“‘]).*?["'`”’]/g, "…")
    .replaceAll(/(?:[\w.@-]*\/)+[\w.@-]*|\b[\w-]+\.[a-z]{1,5}\b(?::\d+)*/g, "…")
    .replaceAll(/\b0x[\da-f]+\b|\b[\da-f]{7,}\b/g, "0")
    .replaceAll(/\d+(?:[.,:]\d+)*/g, "0")
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, wordsCompared)
    .join(" ");
}

/** The text without times, dates and the like: what differs then differs in substance. */
export function settled(output: string): string {
  return output
    .slice(0, 4_000)
    .replaceAll(
      /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g,
      "T",
    )
    .replaceAll(/\b\d+(?:[.,]\d+)?\s?(?:ms|s|sec|secs|seconds?|min|minutes?|µs|ns)\b/gi, "T")
    .replaceAll(
      /\b(?:pid|request(?: id)?|req|trace(?: id)?|correlation id|attempt|try|retry|port)[ =:#]*[\w-]*\d[\w-]*(?: ?(?:of|\/) ?\d+)?/gi,
      "id",
    )
    .replaceAll(/\b(?=[\da-f-]*\d)[\da-f]{6,}(?:-[\da-f]{4,})*\b/gi, "id")
    .trim();
}

/** It counts up or down on its way to something. */
export function looksLikeProgress(output: string): boolean {
  return /\d\s?%|\b\d+\s?(?:of|\/)\s?\d+\b|\b(?:pending|starting|progress|remaining|left|queued|running|waiting|building|processing|migrat|warming|retry(?:ing)? in)\b/i.test(
    output,
  );
}

/** The answer itself asks for patience. */
export function toldToWait(output: string): boolean {
  return /\b(?:429|503|busy|locked|wait|try again|later|too many|overloaded|rate.?limit\w*|limit|pending|in progress|queued|starting|not (?:yet )?ready|not yet|still|warming|retry.after)\b/i.test(
    output.replaceAll("_", " "),
  );
}

/** It may well succeed later, with nothing changed here. */
export function passing(output: string): boolean {
  return /\b(?:429|502|503|504|busy|locked|timed? ?out|timeout|refused|unreachable|reset|ECONN\w+|EAGAIN|starting|not (?:yet )?ready|not yet|temporar\w*|try again|too many|overloaded|rate.?limit\w*|limit|pending|in progress|still|unavailable|wait|later)\b/i.test(
    output.replaceAll("_", " "),
  );
}

/** What was waited for is over, or was never there: waiting on changes nothing. */
export function over(output: string): boolean {
  return /\b(?:exited|killed|terminated|finished|completed|crashed|aborted|stopped|ended|no such process|not running|no such job|process (?:is )?(?:gone|dead|done)|exit(?:ed)? (?:code|status)|unknown[ _]\w+|no task|command not found|permission denied|usage:|40[134]|forbidden|unauthorized)\b/i.test(
    output.length > 800 ? `${output.slice(0, 400)} ${output.slice(-400)}` : output,
  );
}

/** It failed for something other than the content that it carried. */
export function asideFromPayload(failure: string): boolean {
  return /^(?:no_match|not_found|exists|ambiguous|not_unique|multiple_matches|file_missing|file_exists|path_\w+|denied|permission\w*|busy|locked|limit|outside_workspace)$/.test(
    failure,
  );
}
