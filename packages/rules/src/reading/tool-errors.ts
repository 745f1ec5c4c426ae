/**
 * The fix that a tool's error names.
 *
 * What a newcomer gets wrong: most errors name what is wrong and no fix. A fix is
 * an argument with what it should be, an argument that is missing, another tool,
 * or the path that was probably meant.
 */
import type { ProposedCall } from "../types.js";
import { looksLikePath, pathOf, placed, samePath } from "./paths.js";

export interface NamedFix {
  /** Arguments to change, with the value to take where the error says it; `all` where the call as a whole is wrong. */
  readonly args: ReadonlyMap<string, string | undefined> | "all";
  /** In the error's own words. */
  readonly says: string;
}

const tools =
  /\b(?:edit_file|write_file|read_file|read_file_chunked|grep_file|list_dir|find_files|web_fetch|web_search)\b/;
const directive =
  /\b(?:use|uses?|needs?|requires?|required|missing|give|provide|pass|set|add|with|must|expects?|expected|should|specify|supply|include|at most|at least|between|max(?:imum)?|min(?:imum)?|too (?:large|high|big|small|long|many)|instead|only|exceeds|allowed|unknown|invalid)\b/i;
const meant =
  /\b(?:nearest|closest|did you mean|do you mean|you (?:may|might|probably) (?:have )?mean\w*|similar|perhaps|maybe|moved to|renamed to|is now|lives (?:at|in)|found at|try)\b/i;

/** An error says what to do at its beginning. */
const errorCharsMax = 4_000;

export function fixIn(call: ProposedCall, output: string): NamedFix | undefined {
  // What a program prints is its own; only the tool itself knows the tool's arguments.
  if (call.tool === "run_shell" && !output.startsWith("ERROR")) return undefined;
  const text = output.slice(0, errorCharsMax).replace(/^ERROR\s*\[[\w-]*\]\s*/, "");
  const named = new Map<string, string | undefined>();
  const said: string[] = [];
  let otherTool = false;
  for (const sentence of text.split(/(?<=[.;!?])\s+|\n+/)) {
    const before = named.size;
    if (meant.test(sentence) && namesOtherTarget(call, sentence)) named.set(targetName(call), undefined);
    if (directive.test(sentence)) {
      for (const [name, value] of argumentsIn(call, sentence))
        if (!named.has(name) || value !== undefined) named.set(name, value);
      if (tools.test(sentence) && !new RegExp(`^\\W*${call.tool}\\b`).test(sentence))
        otherTool ||= toolNamed(call, sentence);
    }
    if (named.size > before || otherTool) said.push(sentence.trim().replace(/[.;!?]+$/, ""));
  }
  const says = said.join("; ").slice(0, 160);
  if (named.size > 0) return { args: named, says };
  if (!otherTool) return undefined;
  return call.tool === "write_file" ? { args: new Map([["mode", undefined]]), says } : undefined;
}

function toolNamed(call: ProposedCall, sentence: string): boolean {
  return [...sentence.matchAll(new RegExp(tools, "g"))].some(([tool]) => tool !== call.tool);
}

function targetName(call: ProposedCall): string {
  if (pathOf(call.args) !== undefined)
    return ["path", "file_path", "file"].find((name) => name in call.args) ?? "path";
  return "url" in call.args ? "url" : "path";
}

/** A path or an address in the sentence that is not the one that was tried. */
function namesOtherTarget(call: ProposedCall, sentence: string): boolean {
  const own = pathOf(call.args);
  const url = call.args["url"];
  if (typeof url === "string") {
    return [...sentence.matchAll(/https?:\/\/[^\s"'`,;]+/g)].some(
      ([other]) => other.replace(/[.)]+$/, "") !== url,
    );
  }
  if (own === undefined) return false;
  const after = sentence.slice(sentence.search(meant));
  return after
    .split(/[\s,;]+/)
    .map((word) => word.replace(/^["'`(<[]+|["'`)>\]?!.:]+$/g, ""))
    .some((word) => looksLikePath(word) && !samePath(placed(word), own) && !tools.test(word));
}

function* argumentsIn(call: ProposedCall, sentence: string): Generator<[string, string | undefined]> {
  const usable = (name: string) =>
    !/^(?:error|exit|http|https|line|lines_total|status|code)$/i.test(name) && !tools.test(name);
  // `mode: overwrite`, confirm_overwrite=true, mode "append"
  for (const hit of sentence.matchAll(
    /\b([a-z][a-z0-9]*(?:_[a-z0-9]+)*)(?:\s*[:=]\s*|\s+(?=["'`]))["'`]?([\w.-]+)["'`]?/g,
  )) {
    const [, name = "", value = ""] = hit;
    if (usable(name) && isArgument(call, name)) yield [name, value.replace(/\.$/, "")];
  }
  // In quotes or with an underscore: an argument's name, with or without a value told before.
  for (const hit of sentence.matchAll(/[`'"]([a-z][a-z0-9_]*)[`'"]|\b([a-z]+(?:_[a-z0-9]+)+)\b/g)) {
    const name = hit[1] ?? hit[2] ?? "";
    if (usable(name) && (name.includes("_") || isArgument(call, name) || !(name in call.args))) {
      if (hit[1] === undefined || !isValueOf(sentence, hit.index)) yield [name, undefined];
    }
  }
  const missing =
    /\b(?:missing|required|requires|needs|without)\s+(?:the\s+|a\s+|an\s+)?(?:required\s+)?(?:arguments?|parameters?|field|property|option)\s*:?\s*["'`]?([a-z]\w*)/i.exec(
      sentence,
    )?.[1] ??
    /\b(?:argument|parameter|field|property|option)\s+["'`]?([a-z]\w*)["'`]?\s+(?:is|was)\s+(?:missing|required|not given)/i.exec(
      sentence,
    )?.[1] ??
    /^["'`]?([a-z]\w*)["'`]? (?:is required|is missing|must be given)/.exec(sentence)?.[1];
  if (missing !== undefined && usable(missing)) yield [missing, undefined];
  // An argument of the call whose value is told to be wrong: `limit must be at most 2000`.
  for (const name of Object.keys(call.args)) {
    const wrong = new RegExp(
      `\\b${name}\\b["'\`]?(?:\\s+\\S+){0,2}?\\s+(?:must|should|may|can|cannot|has to|is (?:at most|too|not allowed|invalid|limited|out of)|exceeds|needs? to|at most|between)\\b|\\b(?:invalid|unknown|unsupported|lower|raise|reduce|increase|shorten|change)\\s+(?:the\\s+)?["'\`]?${name}\\b`,
      "i",
    );
    if (wrong.test(sentence)) yield [name, undefined];
  }
}

function isArgument(call: ProposedCall, name: string): boolean {
  if (name === "path" || name === "url") return false;
  return (
    name in call.args ||
    name.includes("_") ||
    /^(?:mode|offset|limit|pattern|encoding|content|all|k|scope|diff|replacements|flags|query|timeout)$/.test(
      name,
    )
  );
}

/** Whether the quoted word at `index` is the value of what stands before it. */
function isValueOf(sentence: string, index: number): boolean {
  return (
    /\b[a-z_]+\s*[:=]?\s*$/.test(sentence.slice(0, index)) &&
    /\b(?:mode|encoding|scope|to|is|be|of)\s*[:=]?\s*$/.test(sentence.slice(0, index))
  );
}
