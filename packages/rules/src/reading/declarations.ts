/**
 * What a piece of source code declares, and whether others can use it: functions,
 * classes, types, methods, with the shape of their parameters.
 *
 * What a newcomer gets wrong: pieces of code are cut anywhere, so a declaration
 * may lack its beginning ("export") or the end of its parameters. `exported` is
 * undefined where the piece does not show it.
 */
import { closing, parametersAt } from "./parameters.js";

export interface Declaration {
  readonly name: string;
  readonly kind: "function" | "type" | "value";
  /** Undefined where the code does not say. */
  readonly exported: boolean | undefined;
  /** One entry a parameter; undefined where there are none to see or they are cut off. */
  readonly parameters: readonly string[] | undefined;
}

type Language = "script" | "python" | "go" | "rust" | "braces" | "php" | "ruby" | "c";

const languages: readonly (readonly [RegExp, Language])[] = [
  [/\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/i, "script"],
  [/\.pyi?$/i, "python"],
  [/\.go$/i, "go"],
  [/\.rs$/i, "rust"],
  [/\.(?:java|kts?|cs|swift|scala|dart)$/i, "braces"],
  [/\.php$/i, "php"],
  [/\.(?:rb|ex|exs)$/i, "ruby"],
  [/\.(?:c|h|cc|cpp|hpp|cxx|hh)$/i, "c"],
];

export function languageOf(path: string): Language | undefined {
  return languages.find(([ending]) => ending.test(path))?.[1];
}

/** In order. `whole` says that the text is a file from its start and not a piece of one. */
export function declarationsIn(text: string, language: Language, whole: boolean): Declaration[] {
  const code = withoutComments(text, language);
  const context = { code, whole };
  switch (language) {
    case "script":
      return [...scriptDeclarations(context), ...scriptMethods(context)];
    case "python":
      return pythonDeclarations(context);
    case "go": {
      const isUpper = ({ name = "" }: Groups) => /^\p{Lu}/u.test(name);
      const plainOnes = keyword(context, /^(?<word>func|type)\s+(?:\([^)]*\)\s*)?(?<name>\w+)/gm, isUpper);
      // Methods of an interface, or a signature of which the beginning is cut off.
      const bare =
        whole && !/\binterface\s*\{/.test(code)
          ? []
          : keyword(context, /^[ \t]*(?<name>\p{Lu}\w*)(?=\((?:\w+ [\w.*[\]]+|\)))/gmu, isUpper);
      return [...plainOnes, ...bare];
    }
    case "rust":
      return keyword(
        context,
        /(?<pub>\bpub(?:\([^)]*\))?\s+)?(?:(?:const|async|unsafe|extern(?:\s+"[^"]*")?)\s+){0,4}\b(?<word>fn|struct|enum|trait|type|union)\s+(?<name>\w+)/g,
        ({ pub, word }) =>
          pub !== undefined || (word === "fn" && /\bpub\s+trait\b/.test(code) && !/\bimpl\b/.test(code)),
      );
    case "braces":
      return bracesDeclarations(context);
    case "php":
      return keyword(
        context,
        /(?<mods>(?:(?:public|private|protected|static|final|abstract)\s+){0,4})\b(?<word>function|class|interface|trait|enum)\s+&?(?<name>\w+)/g,
        ({ mods = "" }) => !/private|protected/.test(mods),
      );
    case "ruby":
      return keyword(
        context,
        /^[ \t]*(?<word>def|defp|class|module|defmodule)[ \t]+(?:self\.)?(?<name>[\w?!]+)/gm,
        ({ word }) => word !== "defp",
      );
    case "c":
      return keyword(
        context,
        /^(?!\s)(?<mods>(?!(?:return|else|if|for|while|switch|case|typedef|using|namespace)\b)(?:[\w:<>,]+[ \t*&]+){1,8})(?<name>\w+)\s*(?=\([^;{}]*\)[\w\s]*(?:[;{]|$))/gm,
        ({ mods = "" }) => !/\bstatic\b/.test(mods),
      );
  }
}

// --- By language ------------------------------------------------------------------------------------

interface Context {
  readonly code: string;
  readonly whole: boolean;
}

type Groups = Readonly<Record<string, string | undefined>>;

function keyword(
  { code, whole }: Context,
  pattern: RegExp,
  exported: (groups: Groups, parameters: readonly string[] | undefined) => boolean | undefined,
): Declaration[] {
  return Array.from(code.matchAll(pattern), (match) => {
    const groups: Groups = match.groups ?? {};
    const { name = "", word = "" } = groups;
    const kind =
      /^(?:class|interface|type|enum|struct|trait|union|record|object|protocol|module|defmodule)$/.test(word)
        ? "type"
        : "function";
    const parameters = kind === "type" ? undefined : parametersAt(code, match.index + match[0].length);
    const shown = exported(groups, parameters);
    // The piece may begin in the middle of the declaration.
    const cut =
      !whole &&
      match.index === 0 &&
      shown === false &&
      !/^\s/.test(match[0]) &&
      !/^(?:private|protected|fileprivate)\b/.test(match[0]);
    const unsure = cut && !/^(?:func|def|type)\b/.test(match[0]);
    return { name, kind, exported: unsure ? undefined : shown, parameters } as const;
  });
}

const scriptPattern =
  /(?<exp>\bexport\s+(?:default\s+)?)?(?:\bdeclare\s+)?(?:\babstract\s+)?(?:\basync\s+)?\b(?:(?<word>function\s*\*?|class|interface|type|(?:const\s+)?enum)\s+(?<name>[\w$]+)|(?:const|let|var)\s+(?<value>[\w$]+)\s*(?::(?:[^=;]|=>){0,200}?)?=(?![=>]))/g;

function scriptDeclarations({ code, whole }: Context): Declaration[] {
  const lists =
    /\bexport\s*(?:type\s*)?\{([^}]*)\}|\bmodule\.exports\s*=\s*\{([^}]*)\}|\b(?:module\.)?exports(?:\.\w+)?\s*=\s*([\w$]+)/g;
  const listed = new Set(
    Array.from(
      code.matchAll(lists),
      ([, a = "", b = "", c = ""]) => `${a} ${b} ${c}`.match(/[\w$]+/g) ?? [],
    ).flat(),
  );
  const found: Declaration[] = [];
  for (const match of code.matchAll(scriptPattern)) {
    const { exp, word = "", name, value } = match.groups ?? {};
    const lineStart = code.lastIndexOf("\n", match.index) + 1;
    const nested = /^[ \t]+/.test(code.slice(lineStart, match.index + 1)) && exp === undefined;
    const own = name ?? value ?? "";
    if (word === "type" && !/^\s*(?:<[^>]*>)?\s*=/.test(code.slice(match.index + match[0].length))) continue;
    if (own === "" || (nested && value !== undefined)) continue;
    const shown = exp !== undefined || listed.has(own);
    const exported = shown || whole || match.index > 0 ? shown : undefined;
    const end = match.index + match[0].length;
    if (value !== undefined) {
      const isFunction = /^\s*(?:async\b\s*)?(?:function\b|(?:<[^>]*>\s*)?\(|[\w$]+\s*=>)/.test(
        code.slice(end, end + 200),
      );
      const single = /^\s*(?:async\s+)?([\w$]+)\s*=>/.exec(code.slice(end, end + 200))?.[1];
      const from = code.slice(end).search(/\(/);
      const parameters =
        isFunction &&
        from >= 0 &&
        /^\s*(?:async\b\s*)?(?:function\b[^(]*|<[^>]*>\s*)?$/.test(code.slice(end, end + from))
          ? parametersAt(code, end + from)
          : undefined;
      found.push({
        name: own,
        kind: isFunction ? "function" : "value",
        exported,
        parameters: single === undefined ? parameters : [single],
      });
    } else {
      const kind = word.startsWith("function") ? "function" : "type";
      found.push({
        name: own,
        kind,
        exported,
        parameters: kind === "function" ? parametersAt(code, end) : undefined,
      });
    }
  }
  return found;
}

function lastOf(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[1];
}

const notMethods =
  /^(?:if|for|while|switch|catch|return|function|await|super|typeof|new|throw|else|do|with|import|require|get|set|describe|it|test|expect)$/;

/** `name(…): T {` on a line of its own, indented; those of a class that is not exported are private to the file. */
function scriptMethods({ code, whole }: Context): Declaration[] {
  const found: Declaration[] = [];
  const anyClass = /\b(?:class|interface)\s+[\w$]+/.test(code);
  const usable = /\bexport\s+(?:default\s+)?(?:abstract\s+)?(?:class|interface)\b/.test(code);
  const pattern =
    /(?<=^|[{};])(?<mods>[ \t]*(?:(?:public|protected|private|static|async|override|abstract|readonly|get|set)\s+){0,5}\*?)(?<name>#?[\w$]+)\s*(?:<[^>()]*>)?(?=\()/gm;
  for (const match of code.matchAll(pattern)) {
    const { mods = "", name = "" } = match.groups ?? {};
    if (notMethods.test(name)) continue;
    const close = closing(code, match.index + match[0].length);
    if (close === undefined) continue;
    const after = code.slice(close + 1, close + 300);
    if (!/^\s*\{/.test(after) && !/^\s*:\s*[^;{}=]+(?:[;{}]|$)/.test(after)) continue;
    const hidden = /\bprivate\b/.test(mods) || name.startsWith("#") || name.startsWith("_");
    const exported = hidden || (whole && anyClass && !usable) ? false : true;
    // Who calls a constructor names the class.
    const owner = name === "constructor" ? lastOf(code.slice(0, match.index), /\bclass\s+([\w$]+)/g) : name;
    const parameters = parametersAt(code, match.index + match[0].length);
    if (owner !== undefined) found.push({ name: owner, kind: "function", exported, parameters });
  }
  return found;
}

function pythonDeclarations(context: Context): Declaration[] {
  const pattern = /^(?<indent>[ \t]*)(?:async[ \t]+)?(?<word>def|class)[ \t]+(?<name>\w+)/gm;
  const all = keyword(context, pattern, ({ name = "", indent = "" }, parameters) => {
    if (name.startsWith("_")) return false;
    if (indent === "") return true;
    return /^(?:self|cls)\b/.test(parameters?.[0] ?? "self") ? true : undefined;
  });
  let owner: Declaration | undefined;
  return all.map((each) => {
    if (each.kind === "type") owner = each;
    if (each.name !== "__init__" || owner === undefined) return each;
    return { ...each, name: owner.name, exported: owner.exported };
  });
}

/** Java, Kotlin, C#, Swift, Scala, Dart. */
function bracesDeclarations(context: Context): Declaration[] {
  const hidden = /\b(?:private|fileprivate|protected)\b/;
  const modifiers = String.raw`(?<mods>(?:\b(?:public|private|protected|internal|open|fileprivate|static|final|abstract|override|suspend|inline|sealed|data|virtual|async|synchronized|mutating|partial|readonly|def)\s+){0,6})`;
  const types = keyword(
    context,
    new RegExp(
      `${modifiers}\\b(?<word>class|interface|enum|record|struct|object|protocol|trait)\\s+(?<name>\\w+)`,
      "g",
    ),
    ({ mods = "" }) => !hidden.test(mods),
  );
  const named = keyword(
    context,
    new RegExp(`${modifiers}\\b(?<word>fun|func|def)\\s+(?:<[^>]*>\\s*)?(?:[\\w<>]+\\.)?(?<name>\\w+)`, "g"),
    ({ mods = "" }) => !hidden.test(mods),
  );
  const typed = keyword(
    context,
    /\b(?<mods>(?:(?:public|private|protected|internal)\s+)(?:(?:static|final|abstract|override|virtual|async|synchronized|default|sealed)\s+){0,5})(?:<[^>]*>\s+)?(?!class\b|interface\b|enum\b|record\b|struct\b|func\b|fun\b)(?:[\w.]+(?:<[^(){};]*>)?(?:\[\])?\??\s+)(?<name>\w+)\s*(?=\()/g,
    ({ mods = "" }) => !hidden.test(mods),
  );
  return [...types, ...named, ...typed];
}

function withoutComments(text: string, language: Language): string {
  const blank = (comment: string) => comment.replace(/[^\n]/g, " ");
  if (language === "python" || language === "ruby") return text.replace(/(?<=^|\s)#.*$/gm, blank);
  return text.replace(/\/\*[\s\S]*?\*\//g, blank).replace(/(?<=^|[\s;{},)])\/\/.*$/gm, blank);
}
