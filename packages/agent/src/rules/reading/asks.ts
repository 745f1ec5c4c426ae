/**
 * The parts of a message that want something: its questions and its orders.
 *
 * What a newcomer gets wrong: question marks stand in addresses, in code and in
 * what somebody else is quoted with; and a list may be of facts. An item of a list
 * is an ask only if it is a question or begins with an order.
 */
import { plain, stemOf, tellingWords } from "./stems.js";

/** What an answer to it must hold if it does not use the part's words. */
export type AskKind = "when" | "who" | "count" | "cost" | "yes-no" | "why" | "open" | "order";

export interface AskPart {
  readonly text: string;
  readonly kind: AskKind;
  /** Stems of what it is about, without those of asking itself. */
  readonly about: ReadonlySet<string>;
  /** Stem of an order's verb where the order has an object too: "add" of "add a test". */
  readonly verb?: string;
  /** Its number in the user's own list. */
  readonly number?: number;
}

export function askParts(message: string): AskPart[] {
  const parts: AskPart[] = [];
  let leads = false;
  for (const { text, item, number } of piecesOf(quieted(message))) {
    if (!item) leads = wantsList(text);
    for (const clause of sentencesOf(text).flatMap(clausesOf).flatMap(wishesOf)) {
      const kind = kindOf(clause.text) ?? (clause.wish || (item && leads) ? "open" : undefined);
      if (kind === undefined || isRhetorical(clause.text) || isConditional(clause.text)) continue;
      const isOther =
        /^\W*(?:or|oder|ou|o|aber|それとも)(?![\p{L}])/u.test(plain(clause.text)) && parts.length > 0;
      if (isOther || (!item && wantsList(clause.text))) continue;
      const numbered = number === undefined ? {} : { number };
      parts.push({ text: clause.text.trim(), kind, ...wordsOfAsk(clause.text, kind), ...numbered });
    }
  }
  return parts;
}

/** "Please tell me:" makes asks of the items below it; "choose one of:" does not. */
function wantsList(text: string): boolean {
  const words = plain(text).trim();
  if (
    !/[:：]$/.test(words) ||
    /(?<![\p{L}])(?:which|choose|pick|select|one of|either|between|welche\w*|wahle|lequel|cual)(?![\p{L}])/u.test(
      words,
    )
  )
    return false;
  return /(?<![\p{L}])(?:tell me|give me|let me know|explain|describe|to know|questions?|i need|i want|answer|list|please|wissen|fragen?|nenne?|gib mir|brauche|dis-moi|donne-moi|questions|savoir|dime|dame|preguntas?|saber|necesito)(?![\p{L}])/u.test(
    words,
  );
}

interface Clause {
  readonly text: string;
  /** One of several things wanted in one breath: "the version" of "give me the version, the licence and the size". */
  readonly wish: boolean;
}

function wishesOf(text: string): Clause[] {
  const found =
    /^\W*(?:(?:please|bitte|also)\s+)?(?:give me|tell me|list|show me|i need|nenne? mir|gib mir|donne-moi|dis-moi|dame|dime)\s+(?<list>[^?:]+)$/iu.exec(
      plain(text).trim(),
    );
  const items = (found?.groups?.["list"] ?? "")
    .split(/,\s*(?:and |und |et |y )?|\s+(?:and|und|et|y)\s+/u)
    .map((each) => each.trim());
  const isList =
    items.length >= 3 &&
    items.every((each) => each !== "" && each.split(/\s+/).length <= 6 && !startsOrder.test(each));
  return isList ? items.map((each) => ({ text: each, wish: true })) : [{ text, wish: false }];
}

// --- Cutting ---------------------------------------------------------------------------------------

/** Without code, quotations and what only looks like a question. */
function quieted(message: string): string {
  return message
    .replace(/```[\s\S]*?(?:```|$)/g, " ")
    .replace(/^\s*>.*$/gm, " ")
    .replace(/`([^`]*)`/g, (_, code: string) => code.replace(/[?!.;,]/g, " "))
    .replace(/https?:\/\/\S+/g, (url) => url.replace(/[?!;,]/g, "_"))
    .replace(
      /"[^"\n]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|『[^』]*』|(?<![\p{L}])'[^'\n]*[?.!][^'\n]*'(?![\p{L}])/gu,
      (quote) => quote.replace(/[?？!.]/g, " "),
    )
    .replace(/\?(?=[\w=&.?:[])/g, "_");
}

interface Piece {
  readonly text: string;
  /** Of a list. */
  readonly item: boolean;
  readonly number?: number;
}

/** Lines and items; `1) … 2) …` in one line are items too. */
function piecesOf(message: string): Piece[] {
  const inline = message.replace(
    /(?<=\S)[ \t]+(?=\(?\d{1,2}[.)]\s+\p{Lu}|\(?\d{1,2}\)\s+\p{L}|\([a-e]\)\s)/gu,
    "\n",
  );
  const pieces: Piece[] = [];
  let open = false;
  for (const line of inline.split("\n")) {
    const item =
      /^\s*(?:[-*+•–]|\(?(\d{1,2})[.)、:]|\(?[a-e]\))\s+(.*)$/.exec(line) ?? /^\s*([①-⑨])(.*)$/u.exec(line);
    const last = pieces.at(-1);
    if (line.trim() === "") open = false;
    else if (item !== null) {
      const number = item[1] === undefined ? undefined : Number.parseInt(item[1].normalize("NFKC"), 10);
      pieces.push({ text: item[2] ?? "", item: true, ...(number === undefined ? {} : { number }) });
      open = false;
    } else if (open && last !== undefined && !terse.test(plain(line)) && !startsOrder.test(plain(line)))
      pieces[pieces.length - 1] = { ...last, text: `${last.text} ${line.trim()}` };
    else {
      pieces.push({ text: line, item: false });
      open = true;
    }
  }
  return pieces;
}

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[?!？！。])\s*(?=\S)|(?<=[.;])\s+(?=\S)|\s+[–—]\s+/u)
    .filter((sentence) => sentence.trim() !== "");
}

const questionWords =
  "who|whom|whose|what|what's|when|where|why|how|which|since when|until when|is|are|was|were|do|does|did|can|could|should|will|would|has|have|wer|wem|was|wann|wo|warum|wieso|weshalb|wie|welche[rsnm]?|seit wann|ist|sind|kann|konnen|soll|sollen|gibt|qui|quoi|quand|pourquoi|comment|combien|quel(?:le)?s?|depuis quand|est-ce|peut-on|quien|que|cuando|donde|por que|como|cuant[oa]s?|cual(?:es)?|desde cuando|es|puede|hay";
const orderVerbs = [
  "tell|show|give|list|explain|describe|summari[sz]e|compare|check|find|look|run|test|fix|add|remove|delete|update|rename|bump|create|write|draft|translate|deploy|commit|push|build|install|change|move|make|set|replace|convert|count|measure|verify|review|refactor|document|send|open|close|merge|revert|release|publish|tag|generate|export|import|suggest|recommend|propose|estimate|calculate|report|note|mention|say|let me know|format|sort|clean|drop|enable|disable|upgrade|downgrade|pin|migrate|print|save|read|search|plot|attach|include|mark|schedule|book|cancel|order|remind|sum|name|identify|outline|rewrite|shorten|reply|answer|confirm|investigate|restart|stop|start|put|i (?:also |still )?(?:want|need|would like) to know|i'd (?:also )?like to know|i'm (?:also )?(?:curious|wondering)",
  "ich (?:mochte|will|wurde gern\\w*) (?:auch )?wissen|mich interessiert|j'aimerais savoir|je voudrais savoir|quiero saber|quisiera saber|sag|sage|zeig\\w*|nenn\\w*|gib|liste|erklar\\w*|beschreib\\w*|vergleich\\w*|pruf\\w*|such\\w*|finde|fuhr\\w*|teste|behebe?|repariere?|fuge?|erganze?|entferne?|losche?|aktualisiere?|benenne?|erstelle?|schreib\\w*|ubersetze?|andere?|setze?|zahle?|fasse?|schlag\\w*|mach\\w*|starte?|lies|schau\\w*|korrigiere?|baue?|installiere?|erhohe?|trage?",
  "dis|dis-moi|dites|montre\\w*|donne\\w*|liste\\w*|explique\\w*|decris|compare\\w*|verifie\\w*|cherche\\w*|trouve\\w*|lance\\w*|teste\\w*|corrige\\w*|ajoute\\w*|supprime\\w*|mets|mettez|renomme\\w*|cree\\w*|ecris|redige\\w*|traduis|deploie\\w*|change\\w*|remplace\\w*|compte\\w*|resume\\w*|propose\\w*|indique\\w*",
  "di|dime|muestra\\w*|da|dame|lista|explica\\w*|describe|compara\\w*|comprueba|revisa|busca|encuentra|ejecuta|prueba|corrige|arregla|anade|agrega|elimina|borra|actualiza|renombra|crea|escribe|redacta|traduce|despliega|cambia|reemplaza|cuenta|resume|propon|indica|verifica|haz|pon",
].join("|");
const polite =
  "(?:(?:please|pls|also|and|then|next|first|second|third|finally|lastly|now|just|plus|afterwards|after that|could you|can you|would you|will you|can we|i want you to|i need you to|i'd like you to|you should|bitte|auch|und|dann|danach|zuerst|zuletzt|ausserdem|kannst du|konntest du|et|puis|ensuite|aussi|enfin|s'il te plait|s'il vous plait|peux-tu|pouvez-vous|y|luego|despues|tambien|por favor|puedes|podrias|ademas|mir|me)[\\s,:]+){0,6}";
const startsQuestion = new RegExp(`^\\W*${polite}(?:${questionWords})(?![\\p{L}])`, "u");
const startsOrder = new RegExp(`^\\W*${polite}(?:${orderVerbs})(?![\\p{L}])`, "u");
const division =
  /(?:\s*[,;]\s*|\s+)(?:and then|and also|and|then|plus|as well as|und dann|und auch|und|sowie|et aussi|et puis|et|puis|y tambien|y también|y|e)\s+|\s*[,;]\s+/giu;

/** "Why is it red, and since when?", "Run the tests, tell me the coverage and deploy." */
function clausesOf(sentence: string): string[] {
  const clauses: string[] = [];
  let from = 0;
  for (const match of sentence.matchAll(division)) {
    const rest = plain(sentence.slice(match.index + match[0].length));
    const asked = plain(sentence.slice(from, match.index));
    const isQuestion = /[?？]\s*$/.test(sentence);
    const opens =
      startsOrder.test(rest) ||
      (startsQuestion.test(rest) &&
        (isQuestion ? startsQuestion.test(asked) : startsOrder.test(asked)) &&
        divides.test(rest));
    if (!opens || !(startsOrder.test(asked) || startsQuestion.test(asked))) continue;
    clauses.push(
      `${sentence.slice(from, match.index)}${isQuestion && startsQuestion.test(asked) ? "?" : ""}`,
    );
    from = match.index + match[0].length;
  }
  return [...clauses, sentence.slice(from)];
}

/** Within a sentence "is" and "are" mostly go on with it; only true question words open another question. */
const divides =
  /^\W*(?:(?:also|auch|aussi|tambien)\s+)?(?:who|whom|what|when|where|why|how|which|since when|wer|wann|wo|warum|wieso|wie (?:viel|lange|oft|gross|teuer|hoch)|seit wann|qui|quand|pourquoi|combien|depuis quand|quien|cuando|donde|por que|cuant[oa]s?|desde cuando)(?![\p{L}])/u;

// --- Kinds ------------------------------------------------------------------------------------------

/** A question without its mark. */
const terse =
  /^\W*(?:(?:and|also|und|et|y)\s+)*(?:(?:who|what|where|why|how|which|when)(?:'s| (?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|much|many|big|often))|since when|who (?:\w+ed|wrote|made|broke|owns|maintains|uses)|wer (?:hat|ist|war)|wann (?:ist|war|wird|kommt)|wie (?:viele?|gross|lange|teuer)|was (?:ist|kostet)|warum (?:ist|wird|hat)|combien|qui (?:a|est)|quand (?:est|a)|cuant[oa]s?|quien (?:es|ha))(?![\p{L}])(?!.*[,:]\s)/u;

function kindOf(clause: string): AskKind | undefined {
  const words = plain(clause).trim();
  const isQuestion =
    /[?？]\s*$/.test(words) || /(?:ですか|ますか|でしょうか|吗|呢)[。\s]*$/u.test(words) || terse.test(words);
  const isOrder =
    startsOrder.test(words) || /(?:してください|て下さい|てください|教えて|して)[。！!\s]*$/u.test(words);
  if (!isQuestion && !isOrder) return undefined;
  const inner = isOrder
    ? /(?<![\p{L}])(?:how (?:many|much|big|long|large|often)|who|when|since when|wie viele?|wer|wann|combien|qui|quand|cuant[oa]s?|quien|cuando)(?![\p{L}]).*$/u.exec(
        words,
      )?.[0]
    : undefined;
  const asked = inner ?? words;
  if (
    /(?:what|how much) (?:does|do|would|will|did|is|are)?.{0,60}(?:cost|charge|price)|(?:^|\W)how (?:expensive|much (?:is|are|does|would|will))|what(?:'s| is| are| would be)? (?:the |its |their )?(?:\w+ )?(?:price|cost|fee)s?(?![\p{L}])|was kostet|wie teuer|kosten(?![\p{L}])|combien (?:coute|ca coute|cela)|quel (?:est|serait) le (?:prix|cout)|cuanto (?:cuesta|costaria|vale)|いくら/u.test(
      asked,
    )
  )
    return "cost";
  if (
    /(?:^|\W)(?:since when|when|how long ago|what (?:date|day|year|time)|which (?:date|day|year)|by when|until when|seit wann|wann|bis wann|quand|depuis quand|cuando|desde cuando)(?![\p{L}])|いつ|什么时候/u.test(
      asked.slice(0, 40),
    ) &&
    isAtStart(
      asked,
      /since when|when|how long ago|what|which|by when|until when|seit wann|wann|bis wann|quand|depuis quand|cuando|desde cuando|.*いつ|.*什么时候/u,
    )
  )
    return "when";
  if (isAtStart(asked, /who|whom|wer|wem|wen|qui(?! est-ce)|quien(?:es)?|.*誰/u)) return "who";
  if (
    isAtStart(
      asked,
      /how (?:many|much|big|long|large|often|far|fast|high|heavy|old|wide|tall)|wie (?:viele?|lange?|gross|oft|hoch|schnell|schwer|alt)|combien|cuant[oa]s?|.*何(?:個|件|人|回|行|語|文字|本|台)|.*いくつ/u,
    )
  )
    return "count";
  if (isOrder) {
    const verb = orderHead.exec(words)?.[1];
    if (
      /(?<![\p{L}])(?:whether|if|ob|si)(?![\p{L}])/u.test(words) &&
      (verb === undefined || tellingVerb.test(verb))
    )
      return "yes-no";
    return verb !== undefined && tellingVerb.test(verb) ? "open" : "order";
  }
  if (isAtStart(asked, /why|how come|warum|wieso|weshalb|pourquoi|por que|.*(?:なぜ|どうして)/u))
    return "why";
  if (
    isAtStart(
      asked,
      /is|are|was|were|do|does|did|can|could|should|shall|will|would|has|have|may|must|am|ist|sind|kann|konnen|soll|sollte|sollen|gibt|hat|haben|wird|muss|darf|est-ce que|peut-on|faut-il|es|esta|puede|podemos|debemos|hay|tiene/u,
    )
  )
    return "yes-no";
  return "open";
}

function isAtStart(words: string, pattern: RegExp): boolean {
  return new RegExp(
    `^\\W*${polite}(?:${pattern.source})${/いつ|誰|何|なぜ/.test(pattern.source) ? "(?:(?<=[いつ誰個件人回行語字本台てぜ])|(?![\\p{L}]))" : "(?![\\p{L}])"}`,
    "u",
  ).test(words);
}

// --- What is no ask ---------------------------------------------------------------------------------

function isRhetorical(clause: string): boolean {
  const words = plain(clause).trim();
  if (
    /(?<![\p{L}])(?:on earth|the hell|the heck|the fuck|in the world|zum teufel|in aller welt|um himmels willen|diable|demonios|diablos|who knows|who cares|who would have thought|why bother|how hard can|what could go wrong|isn't (?:it|that) (?:great|nice|funny|crazy|weird|annoying|strange)|am i right|wer (?:hatte|weiss) (?:das|schon)|qui l'eut cru)(?![\p{L}])/u.test(
      words,
    )
  )
    return true;
  return /^\W*(?:right|ok(?:ay)?|really|seriously|huh|see|got it|make sense|makes sense|you know|no|yes|why not|so what|remember|how are you(?: doing)?(?: today)?|how'?s it going|how is it going|what'?s up|are you there|can (?:you|i) (?:please )?(?:help(?: me)?(?: out)?(?: with (?:this|that|something|two things))?|ask (?:you )?(?:something|a question))|could you (?:please )?help(?: me)?(?: with this)?|got a (?:minute|second)|quick question|oder|nicht wahr|ja|alles klar|wie geht'?s(?: dir)?|kannst du (?:mir )?(?:kurz |bitte )?helfen|n'est-ce pas|d'accord|ca va|tu peux m'aider|verdad|no es asi|vale|que tal|puedes ayudarme)\W*$/u.test(
    words,
  );
}

function isConditional(clause: string): boolean {
  return /^\W*(?:and |und |et |y )?(?:if (?:so|yes|not|no|possible|that|it)|in that case|otherwise|falls (?:ja|nein|nicht|moglich)|wenn (?:ja|nein|nicht)|sonst|si (?:oui|non|possible|c'est)|sinon|si es asi|si no|en ese caso|もし)(?![\p{L}])/u.test(
    plain(clause),
  );
}

const askingStems = new Set(
  (
    orderVerbs
      .replace(/\\w\*|\?|\[sz\]/g, "")
      .split("|")
      .filter((verb) =>
        /^(?:tell|show|give|list|explain|describe|say|check|find|look|let me know|mention|note|answer|sag|sage|zeig|nenn|gib|dis|dites|montre|donne|di|dime|muestra|da|dame|make|put|run|set|get|do)$/.test(
          verb,
        ),
      )
      .join(" ") +
    " know want need like got get thing things question questions still really exactly currently right now yet even much many there here whether able possible tell me us need would maybe perhaps anyway btw hey hi hello thanks thank cheers eigentlich gerade genau danke hallo merci bonjour gracias hola two three first second also other each one ones"
  )
    .split(" ")
    .map(stemOf),
);

/** Orders to say something: what they bring forth stands in the answer itself, whatever its words. */
const tellingVerb =
  /^(?:tell|show|give|list|explain|describe|summari[sz]e|compare|check|find|look|draft|translate|suggest|recommend|propose|estimate|calculate|report|say|let me know|name|identify|outline|rewrite|shorten|reply|answer|confirm|investigate|review|count|measure|write|sum|note|mention|generate|search|read|sag|sage|zeig\w*|nenn\w*|gib|liste|erklar\w*|beschreib\w*|vergleich\w*|pruf\w*|such\w*|finde|ubersetze?|fasse?|schlag\w*|schau\w*|lies|schreib\w*|dis|dis-moi|dites|montre\w*|donne\w*|explique\w*|decris|compare\w*|verifie\w*|cherche\w*|trouve\w*|redige\w*|ecris|traduis|resume\w*|propose\w*|indique\w*|di|dime|muestra\w*|da|dame|lista|explica\w*|compara\w*|comprueba|revisa|busca|encuentra|escribe|redacta|traduce|resume|propon|indica|verifica|i .*)$/;

const endingsOfFiles = /^(?:ts|js|py|md|go|rs|src|tsx|jsx|mjs|json|yml|yaml|toml|txt|html|css|\d)$/;
const orderHead = new RegExp(`^\\W*${polite}(${orderVerbs})(?![\\p{L}])`, "u");

function wordsOfAsk(clause: string, kind: AskKind): Pick<AskPart, "about" | "verb"> {
  const stems = tellingWords(clause).map(stemOf);
  const about = new Set(
    stems.filter((stem) => !askingStems.has(stem) && !questionStems.has(stem) && !endingsOfFiles.test(stem)),
  );
  const head = kind === "order" ? orderHead.exec(plain(clause))?.[1] : undefined;
  const verb = head === undefined ? undefined : stemOf(head);
  if (verb === undefined || about.size < 2 || !about.delete(verb)) return { about };
  return { about, verb };
}

const questionStems = new Set(
  "how many much big long what which who when why where since wie viele viel lange wann wer seit combien quand depuis cuanto cuantos cuando desde long ago"
    .split(" ")
    .map(stemOf),
);
