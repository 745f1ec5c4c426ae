/**
 * Scripts within a command: `node -e`, `python -c`, a here-document.
 *
 * What a newcomer gets wrong: only a name that stands where something is opened to
 * be written is a file that changes. What is read there has a name in quotes too.
 */
import { type Call, has, of, only, type Program } from "./call.js";
import { editsInPlace, lineEditor } from "./files.js";
import { namedFile } from "./scripts.js";

const interpreter: Program = (call) => {
  const { args } = call;
  if (/^(?:perl|ruby)$/.test(call.program) && editsInPlace(args)) return lineEditor(call);
  if (/^(?:deno|bun)$/.test(call.program) && /^(?:fmt|test|check|lint|run)$/.test(args[0] ?? ""))
    return undefined;
  const at = args.findIndex((arg) => /^-(?:[a-zA-Z]*[cep]|-eval|-print)$|^eval$/.test(arg));
  const script = at < 0 ? call.heredoc : args[at + 1];
  if (script !== undefined) return scripted(script, call);
  if (has(args, /^(?:--version|-V|-v|--check)$/)) return [];
  const file = args.find((arg) => !arg.startsWith("-") && arg !== "run");
  return file === undefined ? undefined : namedFile(file);
};

const writing =
  /\b(?:write_?(?:file|text|bytes|all|line)|appendFile|createWriteStream|copyfile|mkdir|makedirs|shutil\.|rename(?:sync)?\(|os\.(?:rename|replace)|File\.(?:write|open|rename))|(?<!std(?:out|err))\.write\(|,\s*(?:mode\s*=\s*)?["'][wax]b?\+?["']/i;
const deleting = /\b(?:unlink|rmSync|rmdir|rmtree|os\.remove|File\.delete)|\.rm\(/i;
const starting = /\b(?:subprocess|child_process|exec|system|requests|fetch|urlopen)\b/;

function scripted(script: string, call: Call): ReturnType<Program> {
  const removed = namesAt(script, deleted);
  const written = writtenIn(script);
  const found = [...of("delete", removed, call, { deep: true }), ...of("write", written, call)];
  if (found.length > 0) return found;
  const isDeleting = deleting.test(script);
  if (isDeleting || writing.test(script)) {
    const files = quotedIn(script);
    const likely = isDeleting || files.length === 1 ? files : [];
    return [
      ...only("act"),
      ...of(isDeleting ? "delete" : "write", likely, call, { deep: true, how: "aside" }),
    ];
  }
  return starting.test(script) ? undefined : [];
}

/** Names in quotes that look like paths. */
function quotedIn(script: string): readonly string[] {
  const named = [...script.matchAll(/["'`]([^"'`\n]{1,200})["'`]/g)].map(([, text = ""]) => text);
  return named.filter((text) => /^[\w./@-]*[\w-][./][\w./-]*$/.test(text));
}

const quoted = String.raw`["'\x60]([^"'\x60\n]{1,200})["'\x60]`;
const opened = [
  new RegExp(String.raw`\bopen\(\s*${quoted}\s*,\s*(?:mode\s*=\s*)?["'](?:[wax]|r\+)`, "g"),
  new RegExp(String.raw`${quoted}\s*\)\s*\.write_(?:text|bytes)\b`, "g"),
  new RegExp(
    String.raw`\b(?:writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|File\.write)\(\s*${quoted}`,
    "g",
  ),
];
const deleted = [
  new RegExp(
    String.raw`\b(?:unlinkSync|rmSync|rmdirSync|unlink|rmtree|os\.remove|File\.delete)\(\s*${quoted}`,
    "g",
  ),
  new RegExp(String.raw`Path\(\s*${quoted}\s*\)\.unlink`, "g"),
];

function namesAt(script: string, forms: readonly RegExp[]): readonly string[] {
  return forms.flatMap((form) => [...script.matchAll(form)].map(([, name = ""]) => name));
}

function writtenIn(script: string): readonly string[] {
  const named = [...namesAt(script, opened)];
  // p = Path("x"); p.write_text(…)
  for (const [, variable = ""] of script.matchAll(/\b(\w+)\.write_(?:text|bytes)\b/g)) {
    const bound = new RegExp(`\\b${variable}\\s*=\\s*(?:\\w+\\.)?Path\\(\\s*["'\`]([^"'\`\\n]{1,200})`).exec(
      script,
    )?.[1];
    if (bound !== undefined) named.push(bound);
  }
  return named;
}

const rScript: Program = ({ args }) =>
  args.some((arg) => /install\.packages|install_github|renv::install|pak::pkg_install/.test(arg))
    ? only("install", "network")
    : undefined;

export const interpreterPrograms: Readonly<Record<string, Program>> = {
  ...{ node: interpreter, deno: interpreter, python: interpreter, python3: interpreter, ruby: interpreter },
  ...{ perl: interpreter, php: interpreter, tsx: interpreter, "ts-node": interpreter },
  ...{ R: rScript, Rscript: rScript },
};
