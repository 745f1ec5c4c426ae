/**
 * R-CITE-PATHS: an answer that rests on files names one of them.
 *
 * What a newcomer gets wrong: the name of a file or a folder that was seen is enough;
 * letters within a longer word are none. An answer with a line that ends in a question
 * mark asks something back and may rest on nothing yet.
 */
import { extension, fileName, pathOf, plainPath } from "../paths.js";
import type { Detector, Finding, ProposedCall } from "../types.js";

const pathTools = new Set([
  "read_file",
  "read_file_chunked",
  "grep_file",
  "list_dir",
  "write_file",
  "edit_file",
]);
/** Longer than this it is no path that anybody cites. */
const pathCharsMax = 1_000;
const oddMax = 100;
/** What a path may be written with; everything else ends a word of the answer. */
const word = /[^\s"'`<>|,;:*?!()[\]{}“”„«»。、（）「」]+/gu;

export const citePaths: Detector = {
  begin() {
    /** Paths, names, folders with their slash, and names without an ending: all that cites something. */
    const citing = new Set<string>();
    /** Names with spaces or signs, by which a text is not taken apart. */
    const odd = new Set<string>();
    let example: string | undefined;
    const add = (path: string) => {
      if (path === "" || path === "/" || path.length > pathCharsMax) return;
      const name = fileName(path);
      if (name.match(word)?.[0] !== name && odd.size < oddMax) odd.add(name);
      citing.add(path).add(name).add(`${path}/`).add(`${name}/`);
      if (extension(path) !== "") citing.add(path.slice(0, path.lastIndexOf(".")));
      for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
        citing.add(path.slice(0, at + 1));
      if (example === undefined || extension(example) === "") example = path;
    };
    return {
      ran(call, outcome) {
        if (pathTools.has(call.tool) && outcome.ok)
          for (const path of pathsOf(call, outcome.output)) add(path);
        return undefined;
      },
      answered(text): Finding | undefined {
        if (example === undefined || text.trim() === "" || /[?？؟][\W_]*$/mu.test(text)) return undefined;
        for (const [each] of text.matchAll(word)) if (cites(each, citing)) return undefined;
        for (const name of odd) if (text.includes(name)) return undefined;
        return {
          what: `The answer rests on files such as ${example} and names none of them.`,
          remedy: `Name the file that each statement comes from, for instance ${example}.`,
        };
      },
    };
  },
};

/** The path that it was given, and those that a listing or a search returned. */
function* pathsOf({ tool, args }: ProposedCall, output: string): Generator<string> {
  const given = pathOf(args);
  if (given !== undefined) yield given;
  if (tool !== "list_dir" && tool !== "grep_file") return;
  const folder = tool === "list_dir" ? (given ?? "") : "";
  for (const row of output.split("\n"))
    for (const [each] of row.matchAll(word))
      if (/[./]/.test(each) && /\p{L}/u.test(each)) {
        yield plainPath(each);
        if (folder !== "") yield plainPath(each, folder);
      }
}

/** As it stands, from its end (`…/net/a.ts`, `/repo/net/a.ts`), and with letters of other scripts cut off around it. */
function cites(each: string, citing: ReadonlySet<string>): boolean {
  const latin = each.match(/[\w.@~+\-/\\$#%]+/g) ?? [];
  return [each, ...latin].some((part) => {
    const bare = part
      .replaceAll("\\", "/")
      .replace(/^[.…]{2,}\/|^[@$]\w*\//, "")
      .replace(/#.*$/, "")
      .replace(/[.…]+$/, "");
    const whole = bare.endsWith("/") ? `${plainPath(bare)}/` : plainPath(bare);
    if (citing.has(whole) || citing.has(whole.replace(/(\.\w+)-\p{L}+$/u, "$1"))) return true;
    const name = fileName(whole);
    return whole.includes("/") && name.includes(".") && citing.has(name);
  });
}
