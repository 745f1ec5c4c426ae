/**
 * R-SEARCH-DIVERSITY: research that opens with one query in three spellings.
 *
 * What a newcomer gets wrong: a search that failed was no search, so asking it again
 * is a retry; and after the first fetch the opening is over.
 */
import { textArg } from "../reading/args.js";
import { overlap, wordSet } from "../reading/words.js";
import type { Detector } from "../types.js";

const repeatOverlapMin = 0.8;
const searchesMin = 3;

export const searchDiversity: Detector = {
  begin() {
    let opening = true;
    const searches: { readonly words: ReadonlySet<string>; readonly options: string }[] = [];
    return {
      proposed({ tool }) {
        if (tool === "web_fetch") opening = false;
        return undefined;
      },
      ran({ tool, args }, { ok, output }) {
        const query = tool === "web_search" && opening ? textArg(args, "query", "q") : undefined;
        if (query === undefined || !ok || !/https?:\/\//.test(output)) return undefined;
        const search = { words: wordSet(query), options: optionsOf(args) };
        opening = searches.every(
          ({ words, options }) =>
            options === search.options && overlap(words, search.words) >= repeatOverlapMin,
        );
        searches.push(search);
        if (!opening || searches.length < searchesMin) return undefined;
        opening = false;
        return {
          what: `The first ${searches.length} web searches ask the same in other spellings, the last one as "${query}".`,
          remedy: "Search next for another intent, such as background, latest state or impact.",
        };
      },
    };
  },
};

/** Paging, a site or a time span make it another search; how many results are wanted does not. */
function optionsOf(args: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(args).filter(
    (name) => !/^(?:q|query|count|limit|num\w*|max\w*|top_?k)$/.test(name),
  );
  return names
    .toSorted()
    .map((name) => `${name}=${JSON.stringify(args[name])}`)
    .join("&");
}
