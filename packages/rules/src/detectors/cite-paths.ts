/**
 * R-CITE-PATHS: an answer that rests on files names one of them.
 *
 * What a newcomer gets wrong: a name is a citation only if it leads to one file.
 * `index.ts` among two of them does not, another folder before the right name
 * does not, and letters within a longer word are no name at all.
 */
import { extension, fileName, joined, looksLikePath, pathOf, placed } from "../reading/paths.js";
import { onlyAsks, unspaced } from "../reading/words.js";
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

export const citePaths: Detector = {
  begin() {
    const seen = new SeenPaths();
    return {
      ran(call, outcome) {
        if (pathTools.has(call.tool) && outcome.ok) seen.learn(call, outcome.output);
        return undefined;
      },
      answered(text): Finding | undefined {
        const example = seen.example;
        if (example === undefined || text.trim() === "" || onlyAsks(text) || seen.citedIn(text))
          return undefined;
        return {
          what: `The answer rests on files such as ${example} and names none of them.`,
          remedy: `Name the file that each statement comes from, for instance ${example}.`,
        };
      },
    };
  },
};

class SeenPaths {
  private readonly paths = new Set<string>();
  /** Full paths by the name at their end. */
  private readonly byName = new Map<string, Set<string>>();
  private readonly listedFolders = new Set<string>();
  /** Every folder with a seen path in it. */
  private readonly parents = new Set<string>();
  /** Without their extension, as an import names them. */
  private readonly stems = new Set<string>();
  /** With spaces or signs, by which a text is not taken apart. */
  private readonly odd = new Set<string>();
  example: string | undefined;

  learn(call: ProposedCall, output: string): void {
    const given = pathOf(call.args);
    if (given !== undefined) this.add(given);
    for (const name of ["paths", "files"]) {
      const several = call.args[name];
      if (!Array.isArray(several)) continue;
      for (const path of several) if (typeof path === "string") this.add(placed(path));
    }
    if (call.tool === "list_dir") {
      for (const row of output.split("\n")) this.addListed(row, given ?? "");
    } else if (call.tool === "grep_file") {
      for (const row of output.split("\n")) {
        const path = /^([^\s:][^:]*?):/.exec(row)?.[1] ?? /^\S+$/.exec(row.trim())?.[0];
        if (path !== undefined && looksLikePath(path)) this.add(placed(path));
      }
    }
  }

  private addListed(row: string, folder: string): void {
    const entry = row
      .trim()
      .replace(/^(?:[-*•├└│─\s]+|\[?(?:file|dir|folder|d|f)\]?:?\s+)/i, "")
      .replace(/\s{2,}.*$|\t.*$|\s\(.*\)$|\s+[\d.,]+ ?(?:bytes|[kKMG]i?B)$/, "");
    if (entry === "" || entry.startsWith("…") || /^\(|:$/.test(entry)) return;
    // Some listings put several on a row, with quotes, commas or sizes around them.
    const several = /[,"'[\]]|\s\d/.test(entry) ? entry.split(/[\s,"'[\]]+/).filter(looksLikePath) : [];
    if (several.length > 0 && (several.length > 1 || several[0] !== entry)) {
      for (const one of several) this.addListed(one, folder);
      return;
    }
    const path = placed(entry);
    const full =
      folder === "" || path === folder || path.startsWith(`${folder}/`) ? path : joined(folder, path);
    this.add(full);
    if (entry.endsWith("/") || extension(full) === "") this.listedFolders.add(full);
  }

  private add(path: string): void {
    if (path === "" || path === "/" || path.length > pathCharsMax) return;
    this.paths.add(path);
    if (/[^\p{L}\p{N}_.@~+\-/]/u.test(path)) this.odd.add(path);
    if (extension(path) !== "") this.stems.add(path.slice(0, path.lastIndexOf(".")));
    const name = fileName(path);
    const all = this.byName.get(name.toLowerCase()) ?? new Set();
    all.add(path);
    this.byName.set(name.toLowerCase(), all);
    for (let end = path.indexOf("/", 1); end !== -1; end = path.indexOf("/", end + 1))
      this.parents.add(path.slice(0, end));
    if (this.example === undefined || extension(this.example) === "") this.example = path;
  }

  citedIn(answer: string): boolean {
    const text = unfolded(
      answer.replace(/https?:\/\/\S+/g, (url) => (this.isLinked(url) ? url.replace(/^.*:\/\//, "/") : " ")),
    );
    for (const path of this.odd) if (text.includes(path) || text.includes(fileName(path))) return true;
    for (const hit of text.matchAll(
      /(`|\b(?:in|under|inside|within|from|at|unter|im|en|bajo|dans|sous|folder|directory|ordner|verzeichnis|dossier|carpeta|cartella|pasta)\s|)([\p{L}\p{N}_.@~+\-/\\$[\]()#%]+)(?=(\s(?:folder|directory|ordner|dossier|carpeta)\b)?)/giu,
    )) {
      if (hit[2]!.length > pathCharsMax) continue;
      const marked = hit[1] !== "" || hit[3] !== undefined;
      for (const token of spellings(hit[2]!)) if (this.isCited(token, marked)) return true;
    }
    return false;
  }

  /** An address cites a file only by the whole path at its end. */
  private isLinked(url: string): boolean {
    const path = url.replace(/[?#].*$|[).,;\]>"'`]+$/g, "");
    return [...(this.byName.get(fileName(path).toLowerCase()) ?? [])].some(
      (known) => known.includes("/") && path.endsWith(`/${known}`),
    );
  }

  private isCited(token: string, marked: boolean): boolean {
    const folderLike = /[\\/]$/.test(token);
    // What is left out at the beginning: …/net/a.ts, @/net/a.ts.
    const path = placed(token.replace(/^(?:\.{3}|@|\$\w+)\//, ""));
    if (path === "") return false;
    if (folderLike && this.parents.has(path)) return true;
    if (path.includes("/")) {
      if (this.paths.has(path) || this.parents.has(path)) return true;
      const fits = [...(this.byName.get(fileName(path).toLowerCase()) ?? [])].filter(
        (known) =>
          known.endsWith(`/${path}`) ||
          (known.includes("/") && path.endsWith(`/${known}`)) ||
          known === path.slice(1) ||
          (path.startsWith("/") && known.endsWith(path)),
      );
      if (fits.length === 1 || this.stems.has(path)) return true;
      for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
        if (this.listedFolders.has(path.slice(0, end))) return true;
      }
      return false;
    }
    const known = this.byName.get(path.toLowerCase()) ?? this.byStem(path);
    if (known?.size !== 1) return false;
    if (extension(path) !== "" || path.startsWith(".")) return true;
    // A plain word such as `docs` names a folder only when it is set off as one.
    const [only] = known;
    return (
      marked || folderLike || (/[A-Z]/.test(path) && (fileName(only!) === path || extension(only!) !== ""))
    );
  }

  /** The README is README.md, and likewise for whatever is written in capitals. */
  private byStem(name: string): Set<string> | undefined {
    if (!/^[A-Z][A-Z_-]{3,}$/.test(name)) return undefined;
    return this.byName.get(`${name.toLowerCase()}.md`) ?? this.byName.get(`${name.toLowerCase()}.txt`);
  }
}

/** `src/{a,b}.ts` and links such as `[the code](src/a.ts:3:5)`, with each path on its own. */
function unfolded(text: string): string {
  return text
    .replaceAll("](", "] (")
    .replaceAll(
      /([\w./@-]*)\{([\w.,/@ -]{1,200})\}([\w./@-]*)/g,
      (_, before: string, names: string, after: string) =>
        names
          .split(",")
          .map((name) => `${before}${name.trim()}${after}`)
          .join(" "),
    );
}

/** What a word of the answer may spell, without the punctuation and the line number at its end. */
function spellings(word: string): string[] {
  const plain = word.replace(/^[([_]+/, "").replace(/[.)\]#_]+$/, "");
  const all = new Set([word, word.replace(/\.+$/, ""), plain, plain.replace(/#.*$|\(\d.*$/, "")]);
  // "die login.ts-Datei"
  all.add(plain.replace(/(\.\w+)-\p{L}+$/u, "$1"));
  // In languages without spaces a name is followed by letters at once.
  const latin = /^[\w.@~+\-/\\]+/.exec(plain)?.[0];
  if (latin !== undefined && latin !== plain) all.add(latin.replace(/[.]+$/, ""));
  if (unspaced.test(plain)) for (const part of plain.match(/[\w.@~+\-/\\]*[\w/]/g) ?? []) all.add(part);
  return [...all];
}
