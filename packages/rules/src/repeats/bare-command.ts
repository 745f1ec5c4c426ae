/**
 * A command without what only shapes its output or how long it may take.
 *
 * What a newcomer gets wrong: an option that looks like noise is none everywhere.
 * `-v` of docker is a volume and of grep a negation; more time matters to a command
 * that ran out of it. What is not known as noise counts.
 */
import { plainPath } from "../plan/paths.js";
import { type LineCommand, lineCommands } from "../shell/line-commands.js";
import { sameSpacing } from "../shell/spacing.js";

export interface BareOptions {
  /** How long it may take plays no part: it did not fail for that. */
  readonly timeAside?: boolean;
}

const comparedMax = 4_000;
const shown =
  /^(?:head|tail|cat|less|more|tee|grep|egrep|rg|wc|sort|uniq|nl|cut|column|jq|sed|awk|tr|fold|ts)$/;
/** They say something, or set up how the rest is shown. */
const saying = /^(?:echo|printf|true|:|date|pwd|set|whoami|hostname)$/;
const quietVariables =
  /^(?:CI|TERM|V|PAGER|GIT_PAGER|COLUMNS|(?:\w*_)?(?:DEBUG|VERBOSE|TRACE|BACKTRACE|COLOU?R|LOG|LOG_?LEVEL|UNBUFFERED|PROGRESS|CURL_VERBOSE)(?:_\w*)?|PYTHONUNBUFFERED|RUST_BACKTRACE)=/;
const timeVariables = /^\w*TIMEOUT\w*=/;

/** The folder that it runs in, from `cwd` and a leading `cd`, and what is left of it. */
export function bareCommand(command: string, options: BareOptions & { readonly cwd?: string } = {}): string {
  if (command.length > comparedMax) return command;
  const inner = /^\s*(?:ba|z)?sh -l?c (?:"([^"]*)"|'([^']*)')\s*$/.exec(command);
  const found = lineCommands(inner?.[1] ?? inner?.[2] ?? command);
  let folder = plainPath(options.cwd ?? "");
  const kept: string[] = [];
  let last = false;
  for (const one of found) {
    // What is only shown differently: `make | tail`, but not `echo x | nc`.
    if (one.piped && last && shown.test(one.words[0] ?? "") && one.writesTo.length === 0) continue;
    if (one.piped && last && one.words[0] === "tee") continue;
    const words = bareWords(one.words, options);
    if (words[0] === "cd" && kept.length === 0) {
      folder = plainPath(words[1] ?? "", folder);
      continue;
    }
    if (saying.test(words[0] ?? "") && one.writesTo.length === 0 && !pipesOn(found, one)) continue;
    kept.push(ordered(words, one));
    last = true;
  }
  return kept.length === 0 ? sameSpacing(command) : `${folder}\n${kept.join("\n")}`;
}

function pipesOn(all: readonly LineCommand[], one: LineCommand): boolean {
  return all[all.indexOf(one) + 1]?.piped === true;
}

/** Options in any order, the rest as it stands; where output goes matters only to what does nothing else. */
function ordered(words: readonly string[], { writesTo, heredoc }: LineCommand): string {
  const [program = "", ...rest] = words;
  const options = rest.filter((word) => word.startsWith("-")).toSorted();
  const others = rest.filter((word) => !word.startsWith("-")).map((word) => word.replace(/^\.\/(?=.)/, ""));
  const target = /^(?:echo|printf|cat|)$/.test(program) ? writesTo : [];
  return JSON.stringify([program, others, options, target, heredoc ?? ""]);
}

function bareWords(given: readonly string[], { timeAside = false }: BareOptions): readonly string[] {
  let words = given;
  for (;;) {
    const [first = "", second = ""] = words;
    if (
      quietVariables.test(first) ||
      (timeAside && timeVariables.test(first)) ||
      first === "time" ||
      first === "command"
    )
      words = words.slice(1);
    else if (first === "env" && /^\w+=/.test(second)) words = words.slice(1);
    else if (first === "stdbuf")
      words = words.slice(1 + words.slice(1).findIndex((word) => !word.startsWith("-")));
    else if (timeAside && /^g?timeout$/.test(first)) {
      const at = words.findIndex((word, i) => i > 0 && /^\d/.test(word));
      if (at < 0) break;
      words = words.slice(at + 1);
    } else break;
  }
  return spelled(withoutNoise(words, timeAside));
}

const noise =
  /^--(?:verbose|silent|quiet|no-colou?rs?|colou?rs?|no-progress|progress|stacktrace|full-stacktrace|trace|debug|info|no-audit|no-fund|no-header|showlocals|nocapture|show-output|no-ansi|no-transfer-progress|no-print-directory|no-pager|show-error|include|pretty|batch-mode|backtrace|disable-pip-version-check|expand)$|^--(?:verbose|colou?r|progress|reporter|reporters|loglevel|log-level|tb|durations|console|warning-mode|verbosity|progress-bar|v|format|pretty|output-logs|message-format|ansi|scripts-prepend-node-path)=\S*$|^-(?:no-color|ntp)$/;
/** These are followed by a value of their own. */
const noiseWithValue =
  /^--(?:reporter|loglevel|log-level|verbosity|progress-bar|console|tb|durations|colou?r|output-logs|message-format)$/;
const timeOption =
  /^--(?:timeout|max-time|connect-timeout|request-timeout|fetch-timeout|testTimeout|default-timeout|wait-timeout|network-timeout)(?:=(\S+))?$/;
/** What these mean by a letter is no matter of how much they say. */
const lettersMatter =
  /^(?:docker|podman|docker-compose|grep|egrep|fgrep|rg|awk|gawk|mount|ps|pgrep|jq|test|\[|find|sort|ls|cp|mv|rm|tar|ln|sed|kubectl|mkdir|chmod)$/;

function withoutNoise(words: readonly string[], timeAside: boolean): readonly string[] {
  const [program = "", ...rest] = words;
  const kept: string[] = [];
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? "";
    const next = rest[at + 1] ?? "";
    if (noiseWithValue.test(word) && next !== "" && !next.startsWith("-")) at += 1;
    else if (timeAside && timeOption.test(word)) {
      if (!word.includes("=") && /^\d/.test(next)) at += 1;
    } else if (timeAside && program === "curl" && word === "-m" && /^\d/.test(next)) at += 1;
    else if (noise.test(word) || isQuietLetter(program, word) || quietVariables.test(word)) continue;
    else kept.push(lettersMatter.test(program) ? word : withoutTalk(word));
  }
  while (kept.at(-1) === "--") kept.pop();
  return [program, ...kept];
}

/** `-av` asks for what `-a` asks for, and talks about it. */
function withoutTalk(word: string): string {
  return /^-[A-Za-z]{2,5}$/.test(word) && /[vq]/.test(word) ? word.replaceAll(/[vq]/g, "") : word;
}

function isQuietLetter(program: string, word: string): boolean {
  if (lettersMatter.test(program)) return false;
  if (/^-(?:v+|q+)$/.test(word)) return true;
  if (program === "curl") return /^-[sSvi#]+$/.test(word);
  if (/^(?:pytest|py\.test)$/.test(program)) return /^-(?:[vqslx]+|r\w)$/.test(word);
  if (/^(?:python3?)$/.test(program)) return /^-(?:[vqs]|u)$/.test(word);
  if (/^(?:npm|npx|yarn|pnpm|bun|make|gradle|\.\/gradlew)$/.test(program))
    return /^-(?:s|d|dd|ddd|i)$/.test(word);
  if (/^(?:mvn|\.\/mvnw)$/.test(program)) return /^-[eXqB]$/.test(word);
  return false;
}

/** Short and long names of one thing. */
function spelled(words: readonly string[]): readonly string[] {
  const [program = "", first = "", second = "", ...rest] = words;
  if (/^(?:npm|pnpm|yarn)$/.test(program)) {
    if (first === "i") return [program, "install", ...words.slice(2)];
    if (/^run(?:-script)?$/.test(first) && /^(?:test|start|stop)$/.test(second))
      return [program, second, ...rest];
    if (first === "t") return [program, "test", ...words.slice(2)];
  }
  return words;
}
