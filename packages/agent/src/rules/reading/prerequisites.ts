/**
 * The prerequisites that a user numbers, and how to recognise each in a call.
 *
 * What a newcomer gets wrong: a numbered list is one of prerequisites only if the
 * user says so: before or after it, by an order that is demanded or by work that
 * follows "then".
 */
import { looksLikePath, placed } from "./paths.js";
import { readShell } from "./shell.js";
import { type NumberedList, numberedLists } from "./steps.js";
import { isQuestion } from "./words.js";

export interface Prerequisite {
  readonly number: number;
  /** The command or file. */
  readonly says: string;
  readonly files: readonly string[];
  /** It is done by reading its files. */
  readonly reads: boolean;
  /** How many words of its command the given one carries out; 0 is another command. */
  wordsMatched(words: readonly string[]): number;
  isNamedIn(text: string): boolean;
}

const before =
  /(?<![\p{L}\p{N}_])(?:before|beforehand|first|prereq\w*|pre-req\w*|set ?up|setup|prepar\w*|needed|required|in (?:this|that|the following|exactly this) order|in order|initial\w*|bootstrap|get ready|ground rules|bevor|vorher|zuerst|zunächst|voraussetzung\w*|vorbereit\w*|einricht\w*|reihenfolge|vorab|antes|primero|requisitos?|prepara\w*|configura\w*|orden|avant|d'abord|prérequis|pré-requis|prépar\w*|dans cet ordre|prima|prerequisit\w*|in quest'ordine|pré-requisitos|nesta ordem|primeiro|vooraf|eerst|volgorde|najpierw|сначала)(?![\p{L}\p{N}_])|前に|事前|準備|前提|セットアップ|順番|まず|之前|准备|先/iu;
const after =
  /^[\s,.;–-]*(?:(?:and|und|y|et)\s+)?(?:then|now|with that|after(?:wards| that| this| which)?|once|when|only then|next|finally|these (?:are|must)|those|all (?:of )?(?:this|that|these)|dann|danach|anschließend|erst dann|wenn|luego|después|cuando|una vez|ensuite|puis|après|une fois|poi|dopo|depois|daarna|dan|potem|потом|затем)\b|^[\s。、]*(?:その後|それから|次に|終わったら|然后|之后)/iu;
const followed =
  /\b(?:follow|do) (?:these|the following|this|exactly)|\bsteps?\b|\bfolge\b|\bschritte?n?\b|\bpasos\b|(?<!\p{L})étapes\b|\bsuis\b|手順|步骤/iu;
const options =
  /\b(?:options?|either|choose|pick|whichever|one of|alternatives?|optionen|opciones|au choix)\b/i;
const conditional =
  /^(?:if|when|unless|optional\w*|maybe|perhaps|in case|wenn|falls|optional|vielleicht|si|opcional|éventuellement|facultatif)\b/i;
const forbids =
  /\b(?:do not|don't|never|avoid|not to|nicht|niemals|kein\w*|no (?:toques|ejecutes|uses)|nunca|ne\b.*\bpas|jamais|non|não)\b/i;
const readsFile =
  /\b(?:read|look at|study|skim|review|check out|open|see|consult|go through|lies|lesen|ansehen|schau|lee|leer|revisa|lis|lire|regarde|consulte|leggi|leia)\b|読|確認|阅读/iu;
const runs =
  /\b(?:run|execute|call|start|launch|invoke|do|use|führe?|starte|ausführen|laufen|ejecuta\w*|corre|lanza|exécute\w*|lance\w*|esegui|lancia|execute|rode|draai|voer)\s+/iu;

export function prerequisitesOf(text: string): Prerequisite[] {
  const list = numberedLists(text).find(isOfPrerequisites);
  if (list === undefined) return [];
  const found: Prerequisite[] = [];
  for (const [index, item] of list.items.entries()) {
    // Only what stands before the command or file says whether to do it.
    const lead = item.split(/`|\s(?=\S*[/.]\S)/)[0] ?? "";
    if (conditional.test(item) || forbids.test(lead)) continue;
    const one = readItem(item, index + 1);
    if (one !== undefined) found.push(one);
  }
  return found;
}

function isOfPrerequisites(list: NumberedList): boolean {
  const head =
    list.head
      .split("\n")
      .filter((row) => row.trim() !== "")
      .at(-1) ?? "";
  const asked = list.items.filter((item) => isQuestion(item)).length;
  if (options.test(head) || asked * 2 >= list.items.length) return false;
  const next = list.tail.split(/\n|(?<=[.!?])\s/)[0] ?? "";
  return before.test(head) || followed.test(head) || after.test(list.tail) || before.test(next);
}

function readItem(item: string, number: number): Prerequisite | undefined {
  const commands: string[][] = [];
  const files: string[] = [];
  const quoted = [...item.matchAll(/`([^`]+)`/g)].map((hit) => hit[1]!.trim());
  const rest = item.replace(/`[^`]+`/g, " ");
  const toRun = runs.test(item);
  const leads = item.trim().startsWith("`");
  for (const text of quoted) {
    const first = text.split(/\s+/)[0] ?? "";
    if (looksLikePath(text) && !/^\.{1,2}\//.test(text) && !(toRun && text.includes("/")))
      files.push(placed(text));
    // What is quoted may also be a value: add `PORT=80` to .env.
    else if (toRun || leads || looksLikeProgram(first) || by.test(item)) commands.push(...commandsIn(text));
  }
  for (const mark of [runs.exec(rest), by.exec(rest)]) {
    if (commands.length === 0 && mark !== null)
      commands.push(...plainCommand(rest.slice(mark.index + mark[0].length)));
  }
  if (commands.length === 0 && quoted.length === 0) {
    // Bare, behind a label, or in brackets.
    const label = item.indexOf(": ");
    const inner = /\(([^)]+)\)/.exec(item)?.[1];
    for (const text of [item, label === -1 ? "" : item.slice(label + 2), inner ?? ""]) {
      if (commands.length === 0) commands.push(...plainCommand(text));
    }
  }
  if (commands.length === 0) {
    for (const word of rest.split(/[\s,;]+/)) {
      const bare = word.replace(/^["'(]+|["'):!?]+$|\.$/g, "");
      if (looksLikePath(bare)) files.push(placed(bare));
    }
  }
  const called =
    /\b(?:folder|directory|dir|file|branch|ordner|verzeichnis|datei|carpeta|archivo|rama|dossier|fichier|branche)\s+(?:named |called |namens |llamad[oa] |nommée? )?["'`]?([\w./-]*\w)/iu.exec(
      item,
    )?.[1];
  if (
    commands.length === 0 &&
    called !== undefined &&
    !/^(?:with|for|in|from|to|and|of|that|is|mit|für|con|para|avec|pour|und|y|et)$/i.test(called)
  ) {
    files.push(placed(called));
  }
  if (commands.every((command) => command.length === 0) && files.length === 0) return undefined;
  const says = commands[0]?.join(" ") ?? files.at(-1)!;
  return {
    number,
    says,
    files,
    reads: commands.length === 0 && readsFile.test(item),
    wordsMatched: (words) => Math.max(0, ...commands.map((command) => matched(command, plainWords(words)))),
    isNamedIn: (text) =>
      [...files, ...commands.map((command) => command.join(" "))].some((name) => text.includes(name)),
  };
}

/** What follows is how to do it. */
const by =
  /\b(?:with|via|using|by running|by calling|through|mit|per|mittels|con|mediante|usando|avec|via|en lançant|met|com)\s+(?=[`.\w])/iu;

function commandsIn(text: string): string[][] {
  // A variable that is set here is mostly set again wherever it is needed.
  return readShell(text)
    .filter((command) => command.words[0] !== "export")
    .map((command) => plainWords(command.words));
}

/** A command in running text: it begins with a program that cannot be meant otherwise. */
function plainCommand(text: string): string[][] {
  const words = text.trim().split(/\s+/);
  const first = words[0]?.replace(/[.,;:]+$/, "") ?? "";
  const isPlain =
    /^(?:go|make|just|task|source|export|touch|swift|flask|mix)$/.test(first) &&
    !/^[a-z.-]+[a-z0-9:./-]*$/.test(words[1] ?? "");
  return looksLikeProgram(first) && !isPlain && !isProse(words)
    ? commandsIn(commandWords(words).join(" "))
    : [];
}

/** "make sure", "go to", "task one": English, no command. */
function isProse(words: readonly string[]): boolean {
  return /^(?:make|go|just|task|export|touch|source|swift) (?:sure|a|an|the|it|them|to|through|over|ahead|that|this|your|my|our|all|up|back|run|use|in)\b/i.test(
    words.slice(0, 2).join(" "),
  );
}

const programs =
  /^(?:npm|pnpm|yarn|bun|npx|node|nvm|python3?|pip3?|uv|poetry|make|cargo|rustup|go|git|docker|docker-compose|kubectl|helm|terraform|psql|createdb|mysql|sqlite3|bundle|gem|rails|rake|composer|php|mvn|gradle|dotnet|swift|brew|apt|apt-get|source|export|mkdir|cp|mv|touch|curl|wget|sqlx|alembic|flask|django-admin|mix|conda|just|task|bazel|cmake|ansible-playbook|direnv|mise|asdf|corepack)$/;

function looksLikeProgram(word: string): boolean {
  return (
    programs.test(word) ||
    /^\.{0,2}\/?[\w.-]+\/[\w./-]+$/.test(word) ||
    /\.(?:sh|py|js|mjs|rb|pl|ps1)$/.test(word)
  );
}

/** Of a sentence that begins with a command, what still belongs to it. */
function commandWords(words: readonly string[]): string[] {
  const taken: string[] = [];
  for (const word of words) {
    if (
      /^(?:and|then|to|so|which|in order|because|for|from|und|dann|um|y|para|et|pour|first|again|once|aus)$/i.test(
        word,
      )
    )
      break;
    taken.push(word.replace(/[.,;:]+$/, ""));
    if (/[.,;]$/.test(word)) break;
  }
  return taken;
}

/** Spellings of one command made equal. */
function plainWords(given: readonly string[]): string[] {
  let words = given.map((word) => word.replace(/^\.\//, ""));
  if (/^(?:ba|z|da)?sh$/.test(words[0] ?? "") && words[1] !== undefined && !words[1].startsWith("-"))
    words = words.slice(1);
  if (
    /^(?:python[\d.]*|node|ruby|perl|php)$/.test(words[0] ?? "") &&
    /^[\w./-]*[./][\w./-]*$/.test(words[1] ?? "")
  )
    words = words.slice(1);
  if (words[0] === "docker-compose") words = ["docker", "compose", ...words.slice(1)];
  if (/^(?:npm|pnpm)$/.test(words[0] ?? "") && /^(?:i|ci)$/.test(words[1] ?? ""))
    words = [words[0]!, "install", ...words.slice(2)];
  if (words[0] === "yarn" && words.length === 1) words = ["yarn", "install"];
  if (/^(?:pnpm|yarn|bun)$/.test(words[0] ?? "") && words[1] === "run")
    words = [words[0]!, ...words.slice(2)];
  return words.map((word, index) => (index === 0 ? word.replace(/^(python|pip)3(?:\.\d+)?$/, "$1") : word));
}

/** All words of `wanted` in their order, beginning with the program; what is added are options. */
function matched(wanted: readonly string[], given: readonly string[]): number {
  if (wanted.length === 0 || wanted[0] !== given[0]) return 0;
  if (wanted.length === 1 && !wanted[0]!.includes("/") && !/\.\w+$/.test(wanted[0]!)) {
    return given.slice(1).every((word) => word.startsWith("-")) ? 1 : 0;
  }
  let at = 0;
  for (const word of given) if (word === wanted[at]) at++;
  return at === wanted.length ? at : 0;
}
