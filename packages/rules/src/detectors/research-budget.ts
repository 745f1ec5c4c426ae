/**
 * R-RESEARCH-BUDGET: a fifth source on one angle with no pause to take stock.
 *
 * What a newcomer gets wrong: documents are counted, not fetches. Pages of one
 * document, failed fetches and addresses that the user gave cost nothing; saying
 * "next page" is no synthesis.
 */
import { textArg } from "../reading/args.js";
import { urlsIn, webDocument } from "../reading/urls.js";
import { dice, tellingStems, wordsOf } from "../reading/stems.js";
import type { Detector, Finding } from "../types.js";

const documentsMax = 4;
const sameAngleMin = 0.5;
const synthesisWordsMin = 14;

export const researchBudget: Detector = {
  begin({ text }) {
    const given = new Set(urlsIn(text).map((url) => webDocument(url).key));
    const documents = new Set<string>();
    /** Of the angle's first and latest search. */
    let angle: readonly ReadonlySet<string>[] = [];

    function searched(words: ReadonlySet<string>): void {
      const first = angle[0];
      if (first !== undefined && angle.some((other) => dice(other, words) >= sameAngleMin))
        angle = [first, words];
      else {
        angle = [words];
        documents.clear();
      }
    }

    function fetched(url: string): Finding | undefined {
      const { key } = webDocument(url);
      if (given.has(key) || documents.has(key)) return undefined;
      documents.add(key);
      if (documents.size !== documentsMax + 1) return undefined;
      return {
        what: `${url} is source ${documents.size} on one angle with no synthesis since the first.`,
        remedy:
          "Write down what the sources say so far, think, or search from another angle before you fetch more.",
      };
    }

    return {
      said(said) {
        if (documents.size > 0 && isSynthesis(said)) documents.clear();
        return undefined;
      },
      ran({ tool, args }, { ok, ran }) {
        if (tool === "think" || isNote(tool, ok, textArg(args, "content", "value", "text") ?? ""))
          documents.clear();
        const query = tool === "web_search" ? textArg(args, "query", "q") : undefined;
        if (query !== undefined) searched(tellingStems(query));
        const url = tool === "web_fetch" && ok && ran !== false ? textArg(args, "url") : undefined;
        return url === undefined ? undefined : fetched(url);
      },
    };
  },
};

function isNote(tool: string, ok: boolean, content: string): boolean {
  return ok && (tool === "write_file" || tool === "remember") && wordsOf(content).length >= synthesisWordsMin;
}

const announces =
  /^\W*(?:ok(?:ay)?\b|now\b|next\b|then\b|let me\b|let's\b|i(?:'ll| will| am going| want| need| should| still)\b|one more\b|and (?:one|another|the)\b|fetching\b|reading\b|looking\b|opening\b|continuing\b|moving\b|checking\b|on to\b|als n[äa]chstes\b|jetzt\b|nun\b|ich (?:werde|schaue|lese|hole|sehe|will|brauche|öffne)\b|noch (?:eine?|schnell)\b|weiter\b|je (?:vais|regarde|consulte|lis)\b|encore\b|maintenant\b|passons\b|voyons\b|voy a\b|ahora\b|siguiente\b|veamos\b|d[ée]jame\b|una m[áa]s\b|次|では|もう)/iu;
const sumsUp =
  /^\W*(?:so far|in (?:sum|short)|to sum up|summary|interim|findings?|synthesis|what (?:we|i) (?:know|have)|taken together|bisher|zwischen(?:stand|fazit|bilanz)|zusammengefasst|fazit|kurz gesagt|soweit|jusqu'ici|en r[ée]sum[ée]|bilan|synth[èe]se|pour l'instant|hasta (?:ahora|aqu[íi])|en resumen|s[íi]ntesis|ここまで|これまで|まとめ|要約)/iu;

function isSynthesis(said: string): boolean {
  const sentences = said.split(/(?<=[.!?:;。！？])\s*(?=\S)|\n+/u);
  const telling = sentences.filter((sentence) => !announces.test(sentence));
  const words = wordsOf(telling.join(" ")).length;
  return (
    words >= (sentences.some((sentence) => sumsUp.test(sentence)) ? synthesisWordsMin / 2 : synthesisWordsMin)
  );
}
