/**
 * Whether two commands are one, spelled differently.
 *
 * What a newcomer gets wrong: to accuse takes more than to excuse. `isDoneBy` is
 * strict and serves the first; `mayBeDoneBy` knows equivalents and serves the second.
 */
import type { LineCommand } from "../../shell/line-commands.js";
import { fileName, joined, placed } from "./paths.js";

/** Its words in one spelling, the program first. */
export type Command = readonly string[];

/** Spellings of one command made equal. */
export function plainWords(given: readonly string[]): string[] {
  let words = given.map((word) => word.replace(/^\.\//, ""));
  if (/^(?:ba|z|da)?sh$/.test(words[0] ?? "") && words[1] !== undefined && !words[1].startsWith("-"))
    words = words.slice(1);
  if (
    /^(?:.*\/)?(?:python[\d.]*|node|ruby|perl|php)$/.test(words[0] ?? "") &&
    /^[\w./-]*[./][\w./-]*$/.test(words[1] ?? "")
  )
    words = words.slice(1);
  // What an environment brings along is still that program.
  if (
    /(?:^|\/)(?:bin|Scripts|\.bin)\/(?:pip[\d.]*|python[\d.]*|[a-z]+)$/.test(words[0] ?? "") &&
    /venv|env|node_modules|vendor/.test(words[0]!)
  )
    words = [fileName(words[0]!), ...words.slice(1)];
  if (words[0] === "docker-compose") words = ["docker", "compose", ...words.slice(1)];
  if (/^(?:npm|pnpm|bun)$/.test(words[0] ?? "") && /^(?:i|ci)$/.test(words[1] ?? ""))
    words = [words[0]!, "install", ...words.slice(2)];
  if (words[0] === "yarn" && words.slice(1).every((word) => word.startsWith("-")))
    words = ["yarn", "install", ...words.slice(1)];
  if (/^(?:pnpm|yarn|bun)$/.test(words[0] ?? "") && words[1] === "run")
    words = [words[0]!, ...words.slice(2)];
  if (
    words[0] === "npm" &&
    /^run(?:-script)?$/.test(words[1] ?? "") &&
    /^(?:test|start|stop)$/.test(words[2] ?? "")
  )
    words = ["npm", ...words.slice(2)];
  if (words[0] === "git" && words[1] === "switch") words = ["git", "checkout", ...words.slice(2)];
  return words.map((word, index) => (index === 0 ? word.replace(/^(python|pip)3(?:\.\d+)?$/, "$1") : word));
}

const probing = /^(?:--help|-h|--version|-V|--dry-run|--check|--list|--status|--plan|--just-print)$/;

/** It only asks what would happen, or how to use it. */
function probes(wanted: Command, given: Command): boolean {
  const asks = (word: string) => probing.test(word) || (word === "-n" && given[0] === "make");
  return given.some(asks) && !wanted.some(asks);
}

const isOption = (word: string) => word.startsWith("-") || /^[A-Z_]+=/.test(word);

/** How many words of the wanted command the given one carries out; 0 is another command. */
export function wordsDone(wanted: Command, command: LineCommand): number {
  let best = 0;
  for (const given of spellings(command)) best = Math.max(best, matched(wanted, given));
  return best;
}

/** As it stands, and with what it names seen from where the line began. */
function spellings({ run: words, folder }: LineCommand): Command[] {
  const plain = plainWords(words);
  if (folder === "" || plain.length === 0) return [plain];
  const [program = "", ...rest] = words;
  const placedProgram =
    /^\.{1,2}\/|\//.test(program) || /\.\w+$/.test(program) ? joined(folder, program) : program;
  return [
    plain,
    plainWords([placedProgram, ...rest]),
    plainWords([program, ...rest.map((word) => (isOption(word) ? word : joined(folder, word)))]),
  ];
}

function matched(wanted: Command, given: Command): number {
  if (wanted.length === 0 || wanted[0] !== given[0] || probes(wanted, given)) return 0;
  const operands = wanted.filter((word) => !isOption(word));
  if (wanted.length === 1 && !wanted[0]!.includes("/") && !/\.\w+$/.test(wanted[0]!)) {
    return given.slice(1).every((word) => word.startsWith("-")) ? 1 : 0;
  }
  // A program and options alone: they are what tells it apart.
  if (operands.length === 1 && wanted.some((word) => isOption(word) && !given.includes(word))) return 0;
  let at = 0;
  for (const word of given) if (sameOperand(word, operands[at])) at++;
  if (at < operands.length) return 0;
  return at + wanted.filter((word) => isOption(word) && given.includes(word)).length;
}

function sameOperand(given: string, wanted: string | undefined): boolean {
  return wanted !== undefined && (given === wanted || placed(given) === placed(wanted));
}

/** Another way to the same: the same subcommand with other arguments, or another installer. */
export function mayBeDoneBy(wanted: Command, command: LineCommand): boolean {
  return spellings(command).some((given) => {
    if (probes(wanted, given)) return false;
    if (installs(wanted) && installs(given)) return true;
    if (wanted[0] !== given[0] && fileName(wanted[0] ?? "") !== fileName(given[0] ?? "")) return false;
    const operands = wanted.slice(1).filter((word) => !isOption(word));
    const named = given.slice(1).filter((word) => !isOption(word));
    return operands.slice(0, 2).every((word) => named.includes(word));
  });
}

/** What is listed for the project, by whichever tool. */
function installs([program = "", ...rest]: Command): boolean {
  const [verb = "", ...named] = rest.filter((word) => !isOption(word));
  if (/^(?:npm|pnpm|yarn|bun|bundle|composer|poetry|pipenv|pdm|rye)$/.test(program))
    return /^(?:install|ci)$/.test(verb) && named.length === 0;
  if (program === "uv") return verb === "sync" || (verb === "pip" && named[0] === "install");
  if (program === "pip") return verb === "install";
  return false;
}

/** Files and addresses that the command is there for. */
export function targetsOf([program = "", ...rest]: Command): string[] {
  const operands = rest.filter((word) => !isOption(word));
  const urls = operands.filter((word) => /^https?:\/\//.test(word));
  if (/^(?:cp|mv|ln)$/.test(program)) return [...urls, ...operands.slice(-1).map(placed)];
  if (/^(?:touch|mkdir|rm|rmdir|tee|truncate)$/.test(program)) return [...urls, ...operands.map(placed)];
  return urls;
}
