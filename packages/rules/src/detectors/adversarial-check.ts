/**
 * R-ADVERSARIAL-CHECK: three sources on a question of fact, and an answer with no
 * `think` after the last of them.
 *
 * What a newcomer gets wrong: documentation that was read to make a change is
 * tested by the change. A report about what pages say is not.
 */
import { textArg } from "../reading/args.js";
import { changedByShell } from "../reading/shell-changes.js";
import { siteOf, webDocument } from "../reading/urls.js";
import { plain } from "../reading/stems.js";
import type { Detector } from "../types.js";

const sourcesMin = 3;

export const adversarialCheck: Detector = {
  begin({ text }) {
    const errand = isErrand(text);
    const documents = new Set<string>();
    const sites = new Set<string>();
    let technical = 0;
    let thought = true;
    let changed: "nothing" | "code" | "text" = "nothing";
    return {
      ran({ tool, args }, { ok, ran }) {
        if (tool === "think") thought = true;
        if (!ok || ran === false) return undefined;
        const url = tool === "web_fetch" ? textArg(args, "url") : undefined;
        if (url !== undefined) {
          const { key, host } = webDocument(url);
          if (!documents.has(key) && isTechnical(url)) technical += 1;
          documents.add(key);
          sites.add(siteOf(host));
          thought = false;
        }
        if (documents.size > 0) changed = widest(changed, changeOf(tool, args));
        return undefined;
      },
      answered() {
        if (errand || thought || documents.size < sourcesMin || sites.size < 2) return undefined;
        if (changed === "code" && technical > 0) return undefined;
        if (changed === "text" && technical === documents.size) return undefined;
        return {
          what: `The answer rests on ${documents.size} fetched sources, and no think followed the last of them.`,
          remedy: "Call think to attack the weakest claims of these sources, then answer.",
        };
      },
    };
  },
};

type Change = "nothing" | "code" | "text";

function widest(a: Change, b: Change): Change {
  if (a === "code" || b === "code") return "code";
  return a === "text" || b === "text" ? "text" : "nothing";
}

const prose =
  /\.(?:md|mdx|markdown|txt|rst|adoc|org|csv|tsv|html?|docx?|pdf|pptx?|xlsx?|tex|json|jsonl|ndjson|geojson)$/i;
const settings =
  /(?:^|\/)(?:package|tsconfig[\w.-]*|composer|deno|biome|turbo|nx|renovate|vercel|[\w.-]*config)\.jsonc?$/i;

/** A new page of prose is a report, an edit of one may be a change. */
function changeOf(tool: string, args: Parameters<typeof textArg>[0]): Change {
  const command = tool === "run_shell" ? textArg(args, "command") : undefined;
  const paths = command === undefined ? [] : [...changedByShell(command).paths];
  const path = tool === "write_file" || tool === "edit_file" ? textArg(args, "path") : undefined;
  if (path !== undefined) paths.push(path);
  if (paths.some((each) => !prose.test(each) || settings.test(each))) return "code";
  return path !== undefined && tool === "edit_file" ? "text" : "nothing";
}

const technicalHost =
  /(?:^|[./])(?:docs?|developers?|devdocs|api|learn|support|manual|man|wiki\.archlinux|pkg\.go|go|packages?)\.|\.(?:dev|io|rs|sh)(?:\/|$)|(?:github|gitlab|bitbucket|codeberg|stackoverflow|stackexchange|npmjs|pypi|crates|readthedocs|mozilla|nodejs|python|rust-lang|golang|kernel|postgresql|sqlite|mysql|mariadb|nginx|apache|w3|whatwg|ietf|rfc-editor|typescriptlang|reactjs|vuejs|angular|djangoproject|rubyonrails|spring|kotlinlang|oracle|microsoft|cppreference|gnu|debian|docker|kubernetes)\.(?:com|org|net|edu|gov)/i;
const technicalPath =
  /\/(?:docs?|documentation|api|reference|manual|guides?|handbook|tutorials?|learn|man|spec|rfc\w*|config\w*|changelog|releases?|migrat\w+|blob|tree|issues|pull|package|crates?)(?:[/.#?_-]|$)/i;

function isTechnical(url: string): boolean {
  const found = /^(?:https?:)?\/\/([^/?#]+)(.*)$/i.exec(url.trim());
  if (found === null) return false;
  return technicalHost.test(`${found[1] ?? ""}/`) || technicalPath.test(found[2] ?? "");
}

/** Work on the pages themselves, not on what they claim. */
function isErrand(text: string): boolean {
  return /\b(?:dead|broken|working) links?\b|\blinks? (?:still )?(?:work|resolve|are (?:alive|dead|broken))|\btranslat\w+|\bubersetz\w+|\btradu[ic]\w+|\bdownload\b|\btote links?\b|\bliens? (?:morts?|casses?)|\benlaces? rotos?/u.test(
    plain(text),
  );
}
