/**
 * R-RESEARCH-BUDGET: a fifth source on one angle with no pause to take stock.
 *
 * What a newcomer gets wrong: documents are counted, not fetches. Pages of one
 * document, failed fetches and addresses that the user gave cost nothing. To think,
 * to note something down or to say a few sentences is a pause, whatever is said.
 */
import { textArg } from "../reading/args.js";
import { urlsIn, webDocument } from "../reading/urls.js";
import { overlap, wordSet } from "../reading/words.js";
import type { Detector, Finding } from "../types.js";

const documentsMax = 4;
const sameAngleMin = 0.34;
const pauseWordsMin = 14;

export const researchBudget: Detector = {
  begin({ text }) {
    const given = new Set(urlsIn(text).map((url) => webDocument(url).key));
    const documents = new Set<string>();
    let angle: ReadonlySet<string> | undefined;

    const searched = (words: ReadonlySet<string>) => {
      if (angle === undefined || overlap(angle, words) < sameAngleMin) documents.clear();
      angle = words;
    };
    const fetched = (url: string): Finding | undefined => {
      const { key } = webDocument(url);
      if (given.has(key) || documents.has(key)) return undefined;
      documents.add(key);
      if (documents.size !== documentsMax + 1) return undefined;
      return {
        what: `${url} is source ${documents.size} on one angle with no synthesis since the first.`,
        remedy:
          "Write down what the sources say so far, think, or search from another angle before you fetch more.",
      };
    };

    return {
      said(said) {
        if (said.split(/\s+/).length >= pauseWordsMin) documents.clear();
        return undefined;
      },
      ran({ tool, args }, { ok, ran }) {
        if (tool === "think" || (ok && (tool === "write_file" || tool === "remember"))) documents.clear();
        const query = tool === "web_search" ? textArg(args, "query", "q") : undefined;
        if (query !== undefined) searched(wordSet(query));
        const url = tool === "web_fetch" && ok && ran !== false ? textArg(args, "url") : undefined;
        return url === undefined ? undefined : fetched(url);
      },
    };
  },
};
