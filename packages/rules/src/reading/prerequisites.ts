/**
 * The prerequisites that a user numbers, as far as they name a command or a file.
 *
 * What a newcomer gets wrong: a numbered list is one of prerequisites only if the
 * user says so: before or after it, by an order that is demanded or by work that
 * follows "then". What is told of commands, left to us or done already is none.
 */
import { type Command, plainWords, targetsOf } from "./command-words.js";
import { looksLikeProgram, plainCommand } from "./commands.js";
import { looksLikePath, placed } from "./paths.js";
import { commandsOf } from "./shell-effects.js";
import { type NumberedList, numberedLists, reproduces } from "./steps.js";
import { isAboutIt, isTold } from "./verbs.js";
import { isQuestion } from "./words.js";

export interface Prerequisite {
  readonly number: number;
  /** The command or file. */
  readonly says: string;
  readonly commands: readonly Command[];
  /** Programs that are named as a means only: "start the database with docker". */
  readonly means: readonly string[];
  /** What it is about, where no command is named. */
  readonly files: readonly string[];
  /** Files and addresses that whoever carries it out some other way has to name. */
  readonly marks: readonly string[];
  /** It is done by reading its files. */
  readonly reads: boolean;
  /** It is done only when a file is written, moved or taken away. */
  readonly makes: boolean;
}

const before =
  /(?<![\p{L}\p{N}_])(?:before|beforehand|prior to|prior|ahead of|upfront|up front|to begin with|to get (?:started|going)|get(?:ting)? started|preconditions?|preliminar\w*|first|prereq\w*|pre-req\w*|set ?up|setup|prepar\w*|needed|required|in (?:this|that|the following|exactly this) order|in order|initial\w*|bootstrap|get ready|ground rules|checklist|bevor|vorher|zuerst|zunächst|voraussetzung\w*|vorbereit\w*|einricht\w*|reihenfolge|vorab|antes|primero|requisitos?|prepara\w*|configura\w*|orden|avant|d'abord|prérequis|pré-requis|prépar\w*|dans cet ordre|prima|prerequisit\w*|in quest'ordine|pré-requisitos|nesta ordem|primeiro|vooraf|vóór|voordat|voorbereid\w*|eerst|volgorde|vereisten|zanim|przed|przygotow\w*|najpierw|перед|подготов\w*|сначала|innan|först|förbered\w*|før|først|forbered\w*|önce|hazırlık|préalables?|au préalable|previos?|previamente|preparazione|preliminari|antes de|preparação)(?![\p{L}\p{N}_])|前に|事前|準備|前提|セットアップ|順番|まず|之前|准备|先|먼저|사전|준비|전에|순서/iu;
const after =
  /^[\s,.;–-]*(?:(?:and|und|y|et)\s+)?(?:then|now|with that|after(?:wards| that| this| which)?|once|when|only then|next|finally|these (?:are|must)|those|all (?:of )?(?:this|that|these)|dann|danach|anschließend|erst dann|wenn|luego|después|cuando|una vez|ensuite|puis|après|une fois|poi|dopo|depois|daarna|dan|potem|потом|затем)\b|^[\s。、]*(?:その後|それから|次に|終わったら|然后|之后)/iu;
const followed =
  /\b(?:follow|do) (?:these|the following|this|exactly)|\bsteps?\b|\bfolge\b|\bschritte?n?\b|\bpasos\b|(?<!\p{L})étapes\b|\bsuis\b|手順|步骤/iu;
const options =
  /\b(?:options?|either|choose|pick|whichever|one of|alternatives?|optionen|opciones|au choix)\b/i;
const conditional =
  /(?<![\p{L}\p{N}_])(?:if|unless|optional\w*|maybe|perhaps|in case|(?:when|where|as) (?:needed|necessary|required|possible)|when you|only when|should you|if you like|nice to have|wenn|falls|sofern|gegebenenfalls|ggf|bei bedarf|vielleicht|si|opcional\w*|en caso de|cuando haga falta|sólo cuando|éventuellement|facultati\w*|au besoin|le cas échéant|se necessario|facoltativ\w*|opzional\w*|caso|se precisar|indien|zo nodig|jeśli|если)(?![\p{L}\p{N}_])|必要なら|場合は|任意|如果|可选|필요하면|선택/iu;
const doneByUser =
  /(?<![\p{L}\p{N}_])(?:already (?:done|did|ran|run|there|in place|installed|exists|set|finished|running)|(?:is|was|are|been) (?:already )?done|i did (?:this|that|it)|i've done|skip this|not needed|bereits (?:erledigt|gemacht|da|vorhanden|installiert)|schon (?:erledigt|gemacht|da)|erledigt|ya (?:está|hecho|lo hice)|hecho|déjà (?:fait|fait|en place|installé)|già fatto|já (?:feito|está)|al gedaan|уже)(?![\p{L}\p{N}_])|^\[x\]|^~~|✅|✓|済み|已完成|已经/iu;
const anyOrder =
  /(?<![\p{L}\p{N}_])(?:any order|(?:the )?order (?:does(?:n't| not) matter|is (?:irrelevant|up to you|not important))|no particular order|not necessarily in (?:this|that) order|whatever order|in parallel|reihenfolge (?:ist )?(?:egal|beliebig|unwichtig)|egal in welcher reihenfolge|(?:in )?beliebiger reihenfolge|en cualquier orden|el orden (?:no importa|da igual)|dans n'importe quel ordre|peu importe l'ordre|l'ordre n'a pas|in qualsiasi ordine|em qualquer ordem|willekeurige volgorde)(?![\p{L}\p{N}_])|順不同|順番は(?:問い|どうでも|関係)|顺序(?:随意|不重要|无所谓)/iu;
/** What went wrong with the list is asked, not the list. */
const complains =
  /[?？]\s*$|(?<![\p{L}\p{N}_])(?:fails?|failed|breaks?|broke|crash(?:es|ed)?|hangs?|schlägt|kaputt|falla|falló|échoue|plante)(?![\p{L}\p{N}_])|失敗|报错/iu;

/** The list tells what is or was done elsewhere, or is to be written down. */
const toldOfOthers =
  /(?<![\p{L}\p{N}_])(?:i (?:already )?(?:ran|did|tried|have (?:run|done|tried)|'ve (?:run|done|tried))|we (?:ran|did|run|do|have|use)|(?:ci|the (?:pipeline|script|job|workflow|readme|docs?|guide|makefile|runner|action|installer|hook)|our (?:ci|pipeline|script|readme|docs?|guide|makefile)|it|this) (?:currently |already |now )?(?:runs|does|did|says|has|lists|tells|executes|performs|describes|claims|ran)|(?:document|describe|explain|translate|rewrite|proofread|review|summari[sz]e|write down|write up) (?:these|this|the|our|my|what|how|following)|know that|good to know|keep in mind|worth knowing|things to know|what (?:each|they) do(?:es)?|habe ich|hatte ich|haben wir|dokumentiere?|beschreibe?|erkläre?|erklär|übersetze?|(?:die )?ci (?:führt|macht|lässt)|wissenswert|he (?:hecho|ejecutado|probado)|hice|documenta|describe|explica|traduce|j'ai (?:fait|lancé|essayé|exécuté)|documente|décris|explique|traduis|à savoir|ho (?:fatto|eseguito))(?![\p{L}\p{N}_])|しました|説明して|文書化|ドキュメントに|已经(?:运行|做)/iu;
const forbids =
  /\b(?:do not|don't|never|avoid|not to|nicht|niemals|kein\w*|no (?:toques|ejecutes|uses)|nunca|ne\b.*\bpas|jamais|non|não)\b/i;
const readsFile =
  /\b(?:read|look at|study|skim|review|check out|open|see|consult|go through|lies|lesen|ansehen|schau|lee|leer|revisa|lis|lire|regarde|consulte|leggi|leia)\b|読|確認|阅读/iu;
const makesFile =
  /(?<![\p{L}\p{N}_])(?:create|write|make|add|append|copy|move|rename|delete|remove|edit|change|set|put|insert|replace|update|save|generate|touch|fill|place|symlink|link|clear|empty|anlegen|leg|lege|erstelle?n?|schreibe?n?|trage?|eintragen|kopiere?n?|verschiebe?n?|benenne|umbenennen|lösche?n?|entferne?n?|ändere?|ändern|setze?n?|füge?|ersetze?n?|ergänze?n?|crea|crear|escribe|escribir|añade|agrega|copia|copiar|mueve|renombra|borra|borrar|elimina|cambia|pon|crée|créer|écris|écrire|ajoute|ajouter|copie|copier|déplace|renomme|supprime|supprimer|efface|mets|modifie|scrivi|aggiungi|sposta|cancella|crie|criar|escreva|adicione|copie|mova|apague|remova|maak|schrijf|voeg|kopieer|verplaats|verwijder|utwórz|dodaj|skopiuj|usuń|создай|добавь|скопируй|удали)(?![\p{L}\p{N}_])|作成|追加|作る|作って|書|コピー|移動|削除|消|変更|设置|创建|新建|添加|复制|移动|删除|修改|写入|만들|추가|복사|삭제|수정/iu;
const runs =
  /\b(?:run|execute|call|start|launch|invoke|do|use|führe?|starte|ausführen|laufen|ejecuta\w*|corre|lanza|exécute\w*|lance\w*|esegui|lancia|execute|rode|draai|voer)\s+/iu;

export function prerequisitesOf(text: string): Prerequisite[] {
  const list = numberedLists(text).find(isOfPrerequisites);
  if (list === undefined) return [];
  const left = leftOut(`${list.head}\n${list.tail}`);
  const found: Prerequisite[] = [];
  for (const [index, item] of list.items.entries()) {
    // Only what stands before the command or file says whether to do it.
    const lead = item.split(/`|\s(?=\S*[/.]\S)/)[0] ?? "";
    const prose = item.replaceAll(/`[^`]*`/g, " ");
    if (conditional.test(prose) || doneByUser.test(prose) || forbids.test(lead) || isToldOnly(item)) continue;
    if (left.has(index + 1)) continue;
    const one = readItem(item, index + 1);
    if (one !== undefined) found.push(one);
  }
  return found;
}

function isToldOnly(item: string): boolean {
  return isAboutIt(item) || isTold(item) || isQuestion(item);
}

/** "Skip 2", "1 and 3 are done already". */
function leftOut(around: string): ReadonlySet<number> {
  const found = new Set<number>();
  for (const [, skipped, done] of around.matchAll(
    /\b(?:skip|ignore|omit|leave out|überspring\w*|omite|salta|saute|ignore)\s+(?:(?:step|number|point|no\.?|schritt|punkt|paso|étape)s?\s+)?((?:\d+(?:\s*(?:,|and|und|y|et|&)\s*)?)+)|\b((?:\d+(?:\s*(?:,|and|und|y|et|&)\s*)?)+)\s+(?:(?:is|are|was|were|ist|sind|está|están|est|sont)\s+)?(?:already|done|optional|bereits|schon|erledigt|ya|hecho|déjà|fait)\b/giu,
  )) {
    for (const number of (skipped ?? done ?? "").match(/\d+/g) ?? []) found.add(Number(number));
  }
  return found;
}

function isOfPrerequisites(list: NumberedList): boolean {
  const head =
    list.head
      .split("\n")
      .filter((row) => row.trim() !== "")
      .at(-1) ?? "";
  const lead = head.split(/(?<=[.!?。])\s+/u).at(-1) ?? "";
  const asked = list.items.filter((item) => isQuestion(item)).length;
  const told = list.items.filter((item) => isToldOnly(item)).length;
  if (options.test(head) || asked * 2 >= list.items.length || told * 2 > list.items.length) return false;
  const next = list.tail.split(/\n|(?<=[.!?])\s/)[0] ?? "";
  if (reproduces.test(head) || (!before.test(head) && complains.test(next))) return false;
  if (anyOrder.test(head) || anyOrder.test(list.tail) || toldOfOthers.test(lead)) return false;
  return before.test(head) || followed.test(head) || after.test(list.tail) || before.test(next);
}

function readItem(item: string, number: number): Prerequisite | undefined {
  const commands: Command[] = [];
  const means: string[] = [];
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
    if (commands.length > 0 || mark === null) continue;
    const words = plainCommand(rest.slice(mark.index + mark[0].length));
    // A program without anything behind it says how, not what.
    if (words?.length === 1 && !/[/.]/.test(words[0]!)) means.push(words[0]!);
    else if (words !== undefined) commands.push(...commandsIn(words.join(" ")));
  }
  if (commands.length === 0 && quoted.length === 0) {
    // Bare, behind a label, or in brackets.
    const label = item.indexOf(": ");
    const inner = /\(([^)]+)\)/.exec(item)?.[1];
    for (const text of [item, label === -1 ? "" : item.slice(label + 2), inner ?? ""]) {
      const words = commands.length === 0 ? plainCommand(text) : undefined;
      if (words !== undefined) commands.push(...commandsIn(words.join(" ")));
    }
  }
  if (commands.length === 0) files.push(...filesIn(item, rest));
  if (commands.length === 0 && files.length === 0) return undefined;
  const says = commands[0]?.join(" ") ?? files.at(-1)!;
  return {
    ...{ number, says, commands, means },
    files: commands.length === 0 ? files : [],
    marks: [...files, ...commands.flatMap(targetsOf)],
    reads: commands.length === 0 && readsFile.test(item) && !makesFile.test(item),
    makes: commands.length > 0 || makesFile.test(item),
  };
}

function filesIn(item: string, rest: string): string[] {
  const files: string[] = [];
  for (const word of rest.split(/[\s,;]+/)) {
    const bare = word.replace(/^["'(]+|["'):!?]+$|\.$/g, "");
    if (looksLikePath(bare)) files.push(placed(bare));
  }
  const called =
    /\b(?:folder|directory|dir|file|branch|ordner|verzeichnis|datei|carpeta|archivo|rama|dossier|fichier|branche)\s+(?:named |called |namens |llamad[oa] |nommée? )?["'`]?([\w./-]*\w)/iu.exec(
      item,
    )?.[1];
  if (
    called !== undefined &&
    !/^(?:with|for|in|from|to|and|of|that|is|mit|für|con|para|avec|pour|und|y|et)$/i.test(called)
  ) {
    files.push(placed(called));
  }
  return files;
}

/** What follows is how to do it. */
const by =
  /\b(?:with|via|using|by running|by calling|through|mit|per|mittels|con|mediante|usando|avec|via|en lançant|met|com)\s+(?=[`.\w])/iu;
/** What only prepares the shell that it runs in, or asks which version is there. */
const ofTheShell = /^(?:export|source|\.|set|alias|activate|workon)$/;

function commandsIn(text: string): Command[] {
  return commandsOf(text)
    .filter(({ run }) => !ofTheShell.test(run[0] ?? "") && run[1] !== "activate")
    .map(({ run }) => plainWords(run))
    .filter((words) => words.length > 0);
}
