/**
 * R-ADVERSARIAL-CHECK: three sources, and an answer with no `think` after the last of them.
 *
 * What a newcomer gets wrong: what was read to make a change is tested by the change.
 * Where anything may have been changed since the first source, nothing is found.
 */
import { textArg } from "../reading/args.js";
import { changesOf } from "../reading/changes.js";
import { siteOf, webDocument } from "../reading/urls.js";
import type { Detector } from "../types.js";

const sourcesMin = 3;
const sitesMin = 2;

export const adversarialCheck: Detector = {
  begin() {
    const documents = new Set<string>();
    const sites = new Set<string>();
    let thought = true;
    let changed = false;
    return {
      ran(call, outcome) {
        if (call.tool === "think") thought = true;
        if (documents.size > 0 && changesOf(call, outcome).length > 0) changed = true;
        const url = call.tool === "web_fetch" ? textArg(call.args, "url") : undefined;
        if (url === undefined || !outcome.ok || outcome.ran === false) return undefined;
        const { key, host } = webDocument(url);
        documents.add(key);
        sites.add(siteOf(host));
        thought = false;
        return undefined;
      },
      answered() {
        if (thought || changed || documents.size < sourcesMin || sites.size < sitesMin) return undefined;
        return {
          what: `The answer rests on ${documents.size} fetched sources, and no think followed the last of them.`,
          remedy: "Call think to attack the weakest claims of these sources, then answer.",
        };
      },
    };
  },
};
