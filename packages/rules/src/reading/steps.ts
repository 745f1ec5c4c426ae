/**
 * Ordered steps in what a user says: numbered ones, or first, then, finally.
 *
 * What a newcomer gets wrong: numbers count many things. A list of facts, of
 * options or of questions is no list of steps, and "first I tried" tells a story.
 */
import { looksLikePath } from "./paths.js";
import { isOrder, isTold } from "./verbs.js";
import { isQuestion } from "./words.js";

export interface NumberedList {
  readonly items: readonly string[];
  /** What stands before and after it. */
  readonly head: string;
  readonly tail: string;
  /** Each is called a step by name. */
  readonly named: boolean;
}

const stepName =
  "(?:step|schritt|paso|étape|etape|etapa|passo|stap|krok|шаг|ステップ|手順|步骤|第|nr\\.?|no\\.|task)";
const lineItem = new RegExp(
  `^[ \\t>*_-]*(${stepName}\\s*)?[#(]?([0-9０-９]{1,2})(?:[.):．、)]|\\/(?=\\s)|\\s*[-–—:]|\\s(?=\\s*\\p{L})|️?⃣|步|단계)\\**\\s*(?=\\S)`,
  "gimu",
);
const inlineItem = new RegExp(
  `(?:^|(?<=[\\s:;,(.。、]))(${stepName}\\s*)?[#(]?([0-9０-９]{1,2})(?:[.):．、])\\**\\s+(?=\\S)|(?<=[\\s:：。、]|^)([①②③④⑤⑥⑦⑧⑨])\\s*`,
  "gimu",
);

/** Every list that counts from 1 without a gap; those within a line only where there is none by lines. */
export function numberedLists(text: string): NumberedList[] {
  const byLine = listsBy(text, lineItem, true);
  return byLine.length > 0 ? byLine : listsBy(text, inlineItem, false);
}

interface Mark {
  readonly at: number;
  readonly from: number;
  readonly named: boolean;
}

function listsBy(text: string, marks: RegExp, byLine: boolean): NumberedList[] {
  const lists: Mark[][] = [];
  for (const hit of text.matchAll(marks)) {
    const number = hit[3] === undefined ? Number(hit[2]!.normalize("NFKC")) : "①②③④⑤⑥⑦⑧⑨".indexOf(hit[3]) + 1;
    if (number === 1) lists.push([]);
    const list = lists.at(-1);
    if (number === (list?.length ?? 0) + 1) {
      list?.push({ at: hit.index, from: hit.index + hit[0].length, named: hit[1] !== undefined });
    }
  }
  const long = lists.filter((list) => list.length > 1);
  return long.map((list, index) =>
    readList(text, list, {
      from: long[index - 1]?.at(-1)?.from ?? 0,
      to: long[index + 1]?.[0]?.at ?? text.length,
      byLine,
    }),
  );
}

function readList(
  text: string,
  marks: readonly Mark[],
  around: { readonly from: number; readonly to: number; readonly byLine: boolean },
): NumberedList {
  const items = marks.map(({ from }, index) => text.slice(from, marks[index + 1]?.at ?? around.to));
  const last = items.pop()!;
  const end = lastItemEnd(last, around.byLine);
  items.push(last.slice(0, end));
  return {
    items: items.map((item) => item.trim().replace(/[,;]?(?:\s+(?:and|und|y|et))?$/i, "")),
    head: text.slice(around.from, marks[0]!.at).trim(),
    tail: last.slice(end).trim(),
    named: marks.every((mark) => mark.named),
  };
}

/** A list by lines ends with its line; one within a sentence with the sentence. */
function lastItemEnd(last: string, byLine: boolean): number {
  if (byLine) {
    const rows = /\n(?!\s{2,}\S|\s*[-*] )/.exec(last);
    return rows?.index ?? last.length;
  }
  const stop = /(?<=[^.\s]\S)[.!?](?=\s+\p{Lu})|[。！？]|\n/u.exec(last);
  return stop === null ? last.length : stop.index + 1;
}

const optionsTold =
  /(?<![\p{L}\p{N}_])(?:options?|ideas?|either|choose|pick|whichever|one of (?:these|them|the following)|alternatives?|candidates?|variants?|possibilities|possible (?:ways|solutions|fixes)|up to you|your choice|any of (?:these|them)|optionen|möglichkeiten|ideen|varianten|wähle?|such dir|eine? davon|opciones|elige|alternativas|escoge|choisis\w*|au choix|idées|possibilités|opzioni|scegli|opções|escolha|opties|kies)(?![\p{L}\p{N}_])|候補|選択肢|どれか|案|选项|任选/iu;
const choiceTold =
  /(?<![\p{L}\p{N}_])(?:pick|choose|whichever|up to you|your choice|either is fine|wähle?|such dir|elige|escoge|choisis\w*|scegli|escolha|kies)(?![\p{L}\p{N}_])|どれか|任选/iu;
const demandsTold =
  /(?<![\p{L}\p{N}_])(?:constraints?|requirements?|criteria|rules|assumptions?|reasons?|causes?|acceptance|goals|principles|conventions|anforderungen|regeln|kriterien|gründe|ziele|requisitos|reglas|criterios|exigences|règles|critères|contraintes)(?![\p{L}\p{N}_])|要件|条件|ルール|要求/iu;
const factsTold =
  /(?<![\p{L}\p{N}_])(?:what i know|what we know|known|facts?|observations?|observed|symptoms?|findings?|background|context|notes?|for (?:your )?information|fyi|so you know|status|environment|constraints?|requirements?|criteria|rules|assumptions?|reasons?|causes?|errors?|complaints?|reports?|problems?|issues?|bugs?|details|was ich weiß|bekannt|fakten|hintergrund|beobachtung\w*|symptome|anforderungen|gründe|hechos|contexto|lo que sé|síntomas|requisitos de|observaciones|faits|contexte|symptômes|ce que je sais|constats|exigences)(?![\p{L}\p{N}_])|わかっている|事実|状況|症状|要件|已知|背景/iu;
const questionsTold =
  /(?<![\p{L}\p{N}_])(?:questions?|fragen|preguntas|answer|wonder)(?![\p{L}\p{N}_])|質問|问题/iu;
const orderTold =
  /(?<![\p{L}\p{N}_])(?:in (?:this|that|the following|exactly this|the given) order|in order\b(?! to)|in sequence|one after (?:the other|another)|step by step|steps?|do (?:the following|this|these)|please do|tasks?|to-?dos?|here is what to do|in dieser reihenfolge|der reihe nach|nacheinander|schritte?n?|aufgaben|mach folgendes|folgendes|en (?:este|ese) orden|pasos|haz lo siguiente|tareas|dans cet ordre|étapes|fais (?:ceci|ce qui suit)|tâches|in quest'ordine|passi|nesta ordem|passos|in deze volgorde|stappen)(?![\p{L}\p{N}_])|順番|手順|次の|以下|順に|按顺序|步骤|依次/iu;

/** How a fault is brought about is told, not asked for. */
export const reproduces =
  /(?<![\p{L}\p{N}_])(?:repro(?:duc\p{L}*)?|to trigger|how (?:i|we) got (?:here|there)|reproduzier\p{L}*|nachstellen|reproducir\p{L}*|reproduire|riprodurre|reproduzir|воспроизв\p{L}*)(?![\p{L}\p{N}_])|再現|复现|재현/iu;

/** Whether a numbered list says what to do, one after another. */
export function isOfSteps(list: NumberedList): boolean {
  const before =
    list.head
      .split(/\n/)
      .filter((row) => row.trim() !== "")
      .at(-1) ?? "";
  const { length } = list.items;
  const asked = list.items.filter((item) => isQuestion(item)).length;
  if (asked * 2 >= length || reproduces.test(before)) return false;
  const ordered = orderTold.test(before);
  if (!ordered && (optionsTold.test(before) || choiceTold.test(list.tail.slice(0, 80)))) return false;
  if (!ordered && !list.named && (demandsTold.test(before) || questionsTold.test(before))) return false;
  const orders = list.items.filter((item) => isOrder(item)).length;
  if (!ordered && !list.named && factsTold.test(before) && orders * 3 < length * 2) return false;
  const told = list.items.filter((item) => isTold(item)).length;
  if (told * 2 > length && !list.named) return false;
  if (list.named || (ordered && told === 0) || orders * 2 >= length) return true;
  const likely = list.items.filter((item) => isOrder(item) || worksOn(item)).length;
  return orders > 0 && told === 0 && likely === length;
}

/** A file or a command with something to be done about it, in words that nobody here knows. */
function worksOn(item: string): boolean {
  if (
    /\b(?:is|are|was|were|has|have|had|contains?|does|ist|sind|war|hat|es|está|son|est|sont|a)\b/i.test(item)
  )
    return false;
  const all = item.split(/\s+/);
  const things = all.filter((word) => looksLikePath(word.replace(/^[`"'(]+|[`"'),.;:]+$/g, "")));
  return (things.length > 0 || /`[^`]+`/.test(item)) && all.length - things.length >= 2;
}

/** How many ordered steps the user gave; 0 where the text gives none. */
export function countSteps(text: string): number {
  const list = numberedLists(text).find((one) => one.items.length >= 3 && isOfSteps(one));
  if (list !== undefined) return list.items.length;
  const bullets = text.match(/^[ \t]*[-*•][ \t]+\S.*$/gm) ?? [];
  if (bullets.length >= 3) {
    const head = text.slice(0, text.indexOf(bullets[0]!)).trim().split("\n").at(-1) ?? "";
    if (/\border\b(?!s)|reihenfolge|orden|ordre|step by step|順番|順に|顺序/iu.test(head))
      return bullets.length;
  }
  return sequence(text);
}

const opening =
  "first(?: of all| off)?|firstly|step one|to begin(?: with)?|start(?= by\\b)|begin(?= by\\b)|erstens|schritt eins|premièrement|zuerst|als erstes|zunächst|erst|primero|en primer lugar|d'abord|tout d'abord|en premier|prima|per prima cosa|primeiro|eerst|najpierw|сначала|まず|最初に|はじめに|首先|先|먼저";
const going =
  "second(?:ly)?|third(?:ly)?|fourth(?:ly)?|step (?:two|three|four|five)|then|next|after that|afterwards|after this|after which|following that|once (?:that|this|it)(?:'s| is| has been)? (?:done|finished|in place|merged|green|built|works?)|when (?:that|this|it)(?:'s| is)? (?:done|finished|works?|passes|green)|zweitens|drittens|wenn das (?:läuft|fertig ist|steht)|segundo|tercero|deuxièmement|troisièmement|dann|danach|anschließend|daraufhin|als nächstes|als zweites|luego|después|a continuación|tras eso|ensuite|puis|après cela|après ça|poi|dopo|quindi|depois|em seguida|dan|daarna|vervolgens|potem|następnie|потом|затем|次に|その後|それから|続いて|然后|接着|之后|그다음|다음으로";
const ending =
  "finally|lastly|end(?= by\\b)|finish(?= by\\b)|last(?: of all)?|at the end|in the end|to finish|zuletzt|zum schluss|schließlich|abschließend|am ende|finalmente|por último|al final|enfin|pour finir|à la fin|infine|alla fine|por fim|ten slotte|tot slot|na koniec|наконец|в конце|最後に|最后|마지막으로";
const clauses = new RegExp(
  `(?:^|[.!?;:,\\n—–-]\\s*|[。、；，]|\\s(?:and|und|y|et|e|en|i|и|&)\\s+|^(?:please|bitte|por favor|ok|hi|hey|hello)[,:]?\\s+|\\b(?:you|you to|to|please|bitte|kannst du|podrías|peux-tu)\\s+)(?:(?:and|und|y|et|e|but|please|bitte)\\s+)?(?:(${opening})|(${going})|(${ending}))(?:(?<=[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Hangul}])|(?![\\p{L}\\p{N}]))[,:]?`,
  "giu",
);

/** Steps that are told in running text. */
function sequence(text: string): number {
  const marks = [...text.matchAll(clauses)];
  if (marks.length < 2) return 0;
  const parts: string[] = [];
  const head = text.slice(0, marks[0]!.index);
  if (marks[0]![1] === undefined) {
    const sentence = head.split(/[.!?。！？\n]\s*/).at(-1) ?? "";
    parts.push(sentence);
  }
  for (const [index, mark] of marks.entries()) {
    const part = text.slice(mark.index + mark[0].length, marks[index + 1]?.index ?? text.length).trim();
    parts.push(part.split(/(?<=[^.\s]\S)[.!?](?:\s+|$)|[。！？\n]/)[0] ?? "");
  }
  if (/\b(?:if|when|whenever|wenn|falls|sobald|si|cuando|quand|lorsque)\b/i.test(parts[0] ?? "")) return 0;
  const orders = parts.filter((part) => isOrder(part) && !isPast(part)).length;
  const told = parts.filter((part) => isTold(part) || isPast(part)).length;
  return orders >= 3 && told === 0
    ? orders
    : orders >= 2 && told === 0 && parts.length >= 3 && marks.length >= 2
      ? parts.length
      : 0;
}

function isPast(part: string): boolean {
  return (
    /^(?:(?:then|next|so|also|have|had|did|was|when|as) )?(?:i|we|he|she|they|it|you)\b(?! (?:want|need|would|'d))/iu.test(
      part,
    ) ||
    /^(?:habe|hatte|hat|haben|bin|war|wurde|kam|lief)\b|(?:ました|でした|だった)$/iu.test(part.trim()) ||
    /^(?:he|ha|hemos|j'ai|on a|il a)\s/iu.test(part)
  );
}
