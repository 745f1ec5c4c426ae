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
  const coded = /^\s*(?:exit=-?\d+\s+)?(?:ERROR|Error|error)?:?\s*\[([\w.-]+)\]\s*/.exec(text);
  const code = coded?.[1] ?? "";
  if (coded !== null && !vague.test(code)) return code;
  const exit = /^\s*exit(?:=|\s+code\s+)(-?\d+)/.exec(text);
  const body = text.slice((coded ?? exit)?.[0].length ?? 0);
  const line = tellingLine(body);
  const known = kinds.find(([, said]) => said.test(line))?.[0];
  if (known !== undefined) return known;
  // Behind a pipe the same failure ends with another code; it tells only where nothing else does.
  const ended = telling.test(line) ? "" : (exit?.[1] ?? "");
  return `${code}${ended} ${firstWords(line)}`.trim();
}

/** Whether two failures are of one class: the same, or told in nearly the same words. */
export function sameFailure(one: string, other: string): boolean {
  if (one === other) return true;
  const [left, right] = [one, other].map((text) => text.split(" "));
  if (left === undefined || right === undefined || Math.min(left.length, right.length) < 5) return false;
  const shared = left.filter((word) => right.includes(word)).length;
  return shared / Math.max(left.length, right.length) >= 0.8 && codesOf(one) === codesOf(other);
}

const codesOf = (failure: string) => (failure.match(/\b[a-z]{1,4}\d{3,5}\b|\b[45]\d\d\b/g) ?? []).join(" ");

/** Causes that every program words its own way. */
const kinds: readonly (readonly [name: string, said: RegExp])[] = [
  [
    "connection refused",
    /\bECONNREFUSED\b|connection refused|failed to connect to|couldn't connect to server/i,
  ],
  ["connection reset", /\bECONNRESET\b|connection reset|socket hang up|broken pipe|\bEPIPE\b/i],
  [
    "name not resolved",
    /\bENOTFOUND\b|\bEAI_AGAIN\b|could not resolve|name or service not known|no such host/i,
  ],
  [
    "timed out",
    /\bETIMEDOUT\b|\bESOCKETTIMEDOUT\b|timed out|deadline exceeded|\btimeout (?:of|after|exceeded)\b/i,
  ],
  ["address in use", /\bEADDRINUSE\b|address already in use|port is already allocated/i],
  ["no space", /\bENOSPC\b|no space left/i],
];

/** Codes that say nothing of the cause. */
const vague =
  /^(?:error|failed|failure|invalid|bad_args|invalid_args|input_invalid|missing|tool_error|exit|exit_\w+|unknown|command_failed|nonzero\w*)$/;
const telling =
  /\b(?:error|err!|fail(?:ed|ure|s)?|cannot|can't|could not|couldn't|not found|no such|denied|refused|rejected|missing|exception|unknown|unable|fatal|invalid|timed? ?out|E[A-Z]{4,}|Fehler|konnte nicht|erreur|échec|error de|no se pudo|impossibile)\b|エラー|失敗|错误|失败/i;

function tellingLine(text: string): string {
  const lines = text.split("\n").filter((line) => /[\p{L}]/u.test(line) && !noted.test(line));
  return lines.find((line) => telling.test(line)) ?? lines[0] ?? "";
}

/** What more talk puts before the error itself. */
const noted =
  /^\s*(?:\[?(?:debug|verbose|trace|info|notice|warn(?:ing)?)\b|npm (?:verb|sill|info|timing|http|warn)\b|\* |> |< |\+ )/i;

const wordsCompared = 8;

function firstWords(line: string): string {
  return line
    .toLowerCase()
    .replaceAll(/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, "0")
    .replaceAll(/\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)?/g, "0")
    .replaceAll(/(["'`“‘]).*?["'`”’]/g, "…")
    .replaceAll(/(?:[\w.@~-]*\/)+[\w.@-]*(?::\d+)*|\b[\w-]+\.[a-z]{1,5}\b(?::\d+)*/g, "…")
    .replaceAll(/\b0x[\da-f]+\b|\b(?=[\da-f]*\d)[\da-f]{7,}\b/g, "0")
    .replaceAll(/(?<![\w.:])(?!(?:[45]\d\d)(?![\w:.]\d))\d+(?:[.,:]\d+)*/g, "0")
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
    .replaceAll(/(?:\/(?:tmp|var\/tmp|var\/folders|private\/tmp)|\btmp)\/\S+/g, "tmp")
    .replaceAll(/:\d+(?::\d+)?\b|\bline \d+/gi, ":")
    .replaceAll(/\b(?=[\da-f-]*\d)[\da-f]{6,}(?:-[\da-f]{4,})*\b/gi, "id")
    .trim();
}

/** It is on its way to something, and tells so in another way than before. */
export function movedOn(before: string, now: string): boolean {
  const [one, other] = [settled(before), settled(now)];
  return one !== other && looksLikeProgress(other);
}

function looksLikeProgress(output: string): boolean {
  return /\d\s?%|\b\d+\s?(?:of|\/)\s?\d+\b|\b(?:pending|starting|progress|remaining|left|queued|running|waiting|building|pushing|rolling|deploying|provisioning|processing|migrat\w*|warming|retry(?:ing)? in)\b/i.test(
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
  return (
    ofTheTarget(failure) ||
    /^(?:no_match|exists|ambiguous|not_unique|multiple_matches|file_exists|busy|locked|limit|quota\w*|disk_full|no_space|unavailable|timeout|timed out|provider_\w+|no_capacity|rate_limit\w*|http_\d+|stale\w*)$/.test(
      failure,
    )
  );
}

/** The thing that it was aimed at is not there or not to be had, whichever part of it is wanted. */
export function ofTheTarget(failure: string): boolean {
  return (
    /^(?:not_found|no_such_\w+|file_missing|missing_file|path_\w+|denied|permission\w*|access_denied|forbidden|outside_workspace|is_directory|is_a_directory|not_a_file|not_a_directory|read_?only\w*|protected|binary\w*|ENOENT|EACCES|EPERM|EISDIR|EROFS)$/.test(
      failure,
    ) ||
    /\b(?:enoent|eacces|erofs|permission denied|no such file|does not exist|read-only file system)\b/.test(
      failure,
    )
  );
}

/** More time or room would have helped. */
export function wantsRoom(failure: string, output: string): boolean {
  return /\btim(?:ed?|eout|ed out|e[ -]?out)\b|timeout|deadline|too (?:large|long|big|many)|truncat|limit|cut off|exceed|max_/i.test(
    `${failure} ${output.slice(0, 400)}`,
  );
}

/** Numbers, hosts and names by which a change can be seen to be about the failure. */
export function tokensOf(output: string): readonly string[] {
  const found =
    output.slice(0, 2_000).match(/\b\d{3,5}\b|\b[\w-]+(?:\.[\w-]+)+\b|(?<=["'`])[\w./@-]{3,60}(?=["'`])/g) ??
    [];
  return [...new Set(found)].slice(0, 20);
}
