/**
 * R-MEMORY-SCOPE: a search about what memory happened to return, not about what
 * is asked now.
 *
 * What a newcomer gets wrong: a query without any word of the ask is common (an
 * expert's term, a name from a page just read). Only words that nothing but
 * memory can have given make it drift.
 */
import { textArg } from "../reading/args.js";
import { plain, sharedCount, stemOf, tellingStems, tellingWords } from "../reading/stems.js";
import type { Detector } from "../types.js";

/** Of a query's telling words. */
const memoryShareMin = 0.5;
const readCharsMax = 60_000;

export const memoryScope: Detector = {
  begin({ text }) {
    const asked = tellingStems(text);
    const watching = asked.size > 0 && !refersBack(text);
    const own = hasOwnThing(text);
    const remembered = new Set<string>();
    const elsewhere = new Set<string>();
    /** Read when a search has to be judged: most sends never have one. */
    let unread: string[] = [];

    function remember(output: string): void {
      for (const line of output.slice(0, readCharsMax).split("\n")) {
        const words = tellingStems(line);
        // "My editor", and memory says which one: that is an answer to the ask.
        const tied = own && sharedCount(words, asked) > 0;
        for (const word of words) (tied ? elsewhere : remembered).add(word);
      }
    }

    function readOn(): void {
      for (const output of unread) for (const word of tellingStems(output)) elsewhere.add(word);
      unread = [];
    }

    return {
      proposed({ tool, args }) {
        const query = tool === "web_search" && watching ? textArg(args, "query", "q") : undefined;
        if (query === undefined || remembered.size === 0) return undefined;
        readOn();
        const words = [...new Set(tellingWords(query).map(stemOf))];
        if (words.length === 0 || words.some((word) => isAsked(word, asked))) return undefined;
        const drifted = words.filter((word) => remembered.has(word) && !elsewhere.has(word));
        if (drifted.length === 0 || drifted.length / words.length < memoryShareMin) return undefined;
        return {
          what: `The search "${query}" takes its words from memory and none from what was asked.`,
          remedy:
            "Take the words of the search from the current ask and leave what memory said as background.",
        };
      },
      ran({ tool }, { ok, output }) {
        if (!watching || !ok) return undefined;
        if (/^(?:memory_|recall)/.test(tool)) remember(output);
        else if (tool !== "think") unread.push(output.slice(0, readCharsMax));
        return undefined;
      },
    };
  },
};

/** Compounds and forms of a word of the ask count as that word. */
function isAsked(word: string, asked: ReadonlySet<string>): boolean {
  if (asked.has(word)) return true;
  if (word.length < 4) return false;
  for (const each of asked)
    if (each.length >= 4 && (each.startsWith(word) || word.startsWith(each) || sameBeginning(each, word)))
      return true;
  return false;
}

function sameBeginning(a: string, b: string): boolean {
  const length = Math.max(5, Math.ceil(Math.max(a.length, b.length) * 0.7));
  return a.length >= length && b.length >= length && a.slice(0, length) === b.slice(0, length);
}

const back = [
  String.raw`^\W*(?:please |ok(?:ay)?,? )?(?:continue|resume|go on|next|more|proceed)|continue (?:with|from|where|our|the)|carry on|keep going|pick(?:ing)? (?:it |this |things )?(?:back )?up (?:where|from|again)|(?:left|leave) off|(?:as|like|same as) (?:before|last time|always|yesterday)|last time|from (?:before|earlier|yesterday|last (?:week|time|session))|the usual|we (?:\w+ )?(?:discussed|talked|spoke|agreed|said|started|planned|looked|left|were|did|had)|i (?:told|mentioned|asked) (?:you|before|earlier)|you (?:said|told|suggested|mentioned|remember)|do you remember|our (?:last|previous|earlier)|where (?:were|was) (?:we|i)|back to (?:the|our|my|that|where)`,
  String.raw`^\W*(?:bitte )?weiter|mach(?:en|t)? (?:wir |bitte )?(?:da )?weiter|weitermachen|weiter (?:mit|wo)|fortsetzen|fahr(?:e|en)? fort|wie (?:gestern|vorhin|zuletzt|besprochen|immer|letztes)|von (?:gestern|vorhin|neulich)|letztes mal|nochmal von|wo waren wir|wo wir (?:gestern |zuletzt )?(?:aufgehort|stehen)|erinnerst du|wir (?:\w+ )*(?:besprochen|geredet|angefangen|aufgehort)|ubliche[nrs]?`,
  String.raw`^\W*(?:continue[rz]?|continuons|reprends|reprenons|poursuis|poursuivons|la suite)|on s'est arrete|(?:ou|la ou) (?:on|nous) (?:en )?(?:etait|etions|s'est|nous sommes)|la derniere fois|comme (?:avant|d'habitude|hier|la derniere)|d'hier|tu te (?:rappelles|souviens)|dont on a parle`,
  String.raw`^\W*(?:continua|continuemos|sigue|sigamos|seguimos|prosigue|retoma|retomemos)|donde (?:lo )?(?:dejamos|quedamos|ibamos)|la ultima vez|como (?:antes|siempre|ayer|la ultima)|de ayer|lo de siempre|recuerdas|que hablamos|^\W*(?:continua|riprendi|prossegui|ga verder)`,
];
const refers = new RegExp(`(?<![\\p{L}\\p{N}])(?:${back.join("|")})(?![\\p{L}\\p{N}])`, "u");
const refersUnspaced =
  /続けて|つづけて|続き|前回|この前の|昨日の|先ほどの|さっきの|いつもの|继续|繼續|上次|昨天的|之前的|계속|지난번/u;

function refersBack(text: string): boolean {
  return refers.test(plain(text)) || refersUnspaced.test(text);
}

function hasOwnThing(text: string): boolean {
  return /(?<![\p{L}])(?:my|our|mine|mein\w*|unser\w*|mon|ma|mes|notre|nos|mi|mis|nuestr\w+)(?![\p{L}])|私の|僕の|うちの|我的/u.test(
    plain(text),
  );
}
