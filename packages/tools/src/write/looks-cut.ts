/**
 * Does a text look as if its end were missing? By what kind of file it is.
 *
 * What a newcomer gets wrong: this is a hint for the model and never a reason to
 * refuse. A complete file must never be called cut, so every scanner that meets
 * something that it does not understand gives up and says nothing; a text that
 * ends between two statements looks complete, and nobody can tell.
 */
import { leftOpen, markupState } from "@bridle/agent";
import { scanCode } from "./cut/code.js";
import { cutData, cutSql, languages } from "./cut/languages.js";
import { cutMarkdown } from "./cut/markdown.js";
import { cutPython } from "./cut/python.js";
import { cutScript } from "./cut/script.js";
import { cutShell } from "./cut/shell.js";
import { cutYaml } from "./cut/yaml.js";
import { extensionOf } from "./extension.js";

/** Says what is unfinished; undefined when nothing shows. */
type Scanner = (text: string) => string | undefined;

const code = (name: keyof typeof languages): Scanner => {
  return (text) => scanCode(text, languages[name]);
};
const html: Scanner = (text) => {
  const state = markupState(text, "html");
  // A page with its end tag has its end; what is open in it was left open on purpose, or by mistake.
  return state.ended && state.inside === undefined ? undefined : leftOpen(state);
};
const xml: Scanner = (text) => leftOpen(markupState(text, "xml"));
const script = (jsx: boolean): Scanner => {
  return (text) => cutScript(text, { jsx });
};

const scanners = new Map<string, Scanner>([
  ...each("js jsx tsx mjs cjs", script(true)),
  ...each("ts mts cts", script(false)),
  ...each("json jsonc json5 webmanifest map", code("json")),
  ...each("jsonl ndjson", cutData),
  ...each("css", code("css")),
  ...each("scss less", code("scss")),
  ...each("html htm", html),
  ...each("xml svg xhtml", xml),
  ...each("py pyi", cutPython),
  ...each("md markdown", cutMarkdown),
  ...each("sh bash", cutShell),
  ...each("rs", code("rust")),
  ...each("go", code("go")),
  ...each("yaml yml", cutYaml),
  ...each("sql", cutSql),
  ...each("lisp lsp cl scm ss rkt", code("lisp")),
  ...each("el", code("emacs")),
  ...each("clj cljs cljc edn", code("clojure")),
]);

export function looksCut(text: string, path: string): string | undefined {
  if (text.trim() === "") return undefined;
  return (scanners.get(extensionOf(path)) ?? cutAnything)(text);
}

/** Of a language that is not known, only an end that no text has on purpose. */
function cutAnything(text: string): string | undefined {
  const end = text.trimEnd();
  if (/(?:^|[^:;=\s])\s*[{[(]$/.test(end)) return "it ends with an opening bracket";
  return end.endsWith("<!--") ? "it ends with the beginning of a comment" : undefined;
}

function each(extensions: string, scanner: Scanner): [string, Scanner][] {
  return extensions.split(" ").map((extension) => [extension, scanner]);
}
