/**
 * Docs coherence (RUNTIME §9): what the docs quote as code exists, and what exists stands in
 * docs/reference.md, which is written from the program itself.
 *
 * Looked at are commands with their flags, kinds of artifacts, names with an underscore (classes,
 * tools, members) and settings. A clause or a row that is planned may name what is not there yet;
 * decisions and the changelog tell of the past.
 *
 *     node scripts/docs-coherence.mjs [--write] [--root <dir>]
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root as here } from "./ensure.mjs";
import { importFromSources } from "./from-sources.mjs";

const rootFlag = process.argv.indexOf("--root");
const root = rootFlag < 0 ? here : path.resolve(process.argv[rootFlag + 1] ?? ".");
const referenceFile = "docs/reference.md";
const launchers = ["bridle", "premath", "hlq"];
const builtIn = { words: ["help", "version", "completion"], flags: ["json", "help", "version"] };

const { operations: defined, failures } = JSON.parse(
  text("packages/surface/src/manifest/manifest.generated.json"),
);
const classes = Object.assign({}, ...Object.values(failures));
const { settings, propertiesOf, spokenCommands } = await importFromSources(`
  export { settings } from "./packages/surface/src/cli/settings.js";
  export { spokenCommands } from "./packages/surface/src/cli/spoken-commands.js";
  export { propertiesOf } from "@bridle/operation";
`);
// Other words for a command are as good as the command.
const operations = [...defined, ...spokenCommands.flatMap(({ words, means }) => spoken(words, means))];
const policy = JSON.parse(text("policies/control/harness-retry-policy-v1.json"));
const kinds = readdirSync(path.join(root, "schemas"))
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.slice(0, -".json".length))
  .sort();
const sources = sourceText();

const wanted = reference();
if (process.argv.includes("--write")) writeFileSync(path.join(root, referenceFile), wanted);
const pages = documents();
const problems = [
  ...pages.flatMap(problemsIn),
  ...(existsSync(path.join(root, referenceFile)) && text(referenceFile) === wanted
    ? []
    : [`${referenceFile} is not current; \`node scripts/docs-coherence.mjs --write\` writes it`]),
];
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(
  `${pages.length} pages, ${problems.length === 0 ? "everything that they quote exists" : `${problems.length} problems`}\n`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

function spoken(words, means) {
  const meant = defined.find(({ names }) => names.command.join(" ") === means.join(" "));
  return meant === undefined ? [] : [{ ...meant, names: { ...meant.names, command: words } }];
}

function text(file) {
  return readFileSync(path.join(root, file), "utf8");
}

// --- What is quoted --------------------------------------------------------------------------------

function documents() {
  const docs = readdirSync(path.join(root, "docs"), { recursive: true })
    .map((name) => `docs/${String(name)}`)
    .filter((name) => name.endsWith(".md") && !name.startsWith("docs/decisions/") && name !== referenceFile);
  return ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...docs.sort()];
}

function problemsIn(file) {
  let fence;
  return text(file)
    .split("\n")
    .flatMap((line, index) => {
      const mark = /^\s*```(\w*)/.exec(line);
      if (mark) fence = fence === undefined ? mark[1] : undefined;
      if (mark || isPlanned(line)) return [];
      const quoted =
        fence === undefined ? spansOf(line) : fence === "sh" ? [line.replace(/^\s*\$ /, "")] : [];
      return quoted.flatMap(complaintsAbout).map((complaint) => `${file}:${index + 1}: ${complaint}`);
    });
}

function isFile(span) {
  return /\.(ts|mjs|json|jsonl|md|py|sh|toml)$/.test(span);
}

function isPlanned(line) {
  return /^- \[[A-Z]+-[\d.]+\] planned/.test(line) || /\|\s*planned\s*\|/.test(line);
}

function spansOf(line) {
  return [...line.matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map(([, span]) => span.replaceAll("\\|", "|").trim());
}

function complaintsAbout(span) {
  const [first = ""] = span.split(" ");
  if (launchers.includes(first)) return commandComplaints(span);
  if (/^(premath|bridle|hlq|ci|issue)(\.[a-z0-9_]+)+\.v\d+$/.test(span))
    return kinds.includes(span) || sources.includes(`"${span}"`) ? [] : [`there is no kind ${span}`];
  const setting = /^((?:PREMATH|BRIDLE|HLQ|AGENT)_[A-Z0-9_]*[A-Z0-9])(?:=\S*)?$/.exec(span)?.[1];
  if (setting !== undefined)
    return settings.some(({ key }) => key === setting) || sources.includes(setting)
      ? []
      : [`there is no setting ${setting}`];
  if (!/^[a-z][a-z0-9]*(?:[._][a-z0-9]+)*$/.test(span) || !span.includes("_") || isFile(span)) return [];
  // A member of a member is known when both are.
  const exists = sources.includes(span) || span.split(".").every((part) => sources.includes(part));
  return exists ? [] : [`nothing is called ${span}`];
}

/** `premath issue close bd-5 --force why`; alternatives stand as `read|write`. */
function commandComplaints(span) {
  const [launcher, ...words] = span.split(/\s+/);
  const entries = operations.filter(({ family }) => launcher === "bridle" || family === launcher);
  const under = (prefix) =>
    entries.filter(({ names }) => prefix.every((word, i) => names.command[i] === word));
  const taken = [];
  for (const word of words) {
    if (taken.length === 0 && builtIn.words.includes(word)) return [];
    const choices = word.split("|");
    if (!choices.every((choice) => /^[a-z][a-z0-9-]*$/.test(choice))) break;
    if (under([...taken, choices[0]]).length === 0) break;
    const missing = choices.find((choice) => under([...taken, choice]).length === 0);
    if (missing !== undefined) return [`there is no command ${[launcher, ...taken, missing].join(" ")}`];
    taken.push(choices[0]);
    if (choices.length > 1) break;
  }
  const [next] = words.slice(taken.length);
  const here_ = under(taken);
  const exact = here_.filter(({ names }) => names.command.length === taken.length);
  const isWord = next !== undefined && /^[a-z][a-z0-9-]*$/.test(next);
  if (isWord && exact.length === 0) return [`there is no command ${[launcher, ...taken, next].join(" ")}`];
  if (exact.length === 0) return [];
  const flags = new Set([
    ...builtIn.flags,
    ...here_.flatMap(({ input, names }) => [
      ...propertiesOf(input).flatMap(({ flag }) => [flag, `no-${flag}`]),
      ...(names.mode === undefined ? [] : ["mode"]),
    ]),
  ]);
  return words
    .flatMap((word) => /^--([a-z][a-z-]*)/.exec(word)?.[1] ?? [])
    .filter((flag) => !flags.has(flag))
    .map((flag) => `${[launcher, ...taken].join(" ")} has no flag --${flag}`);
}

function sourceText() {
  const files = ["packages", "scripts", "policies", "bin", "bench", "examples"].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true })
      .map((name) => `${folder}/${String(name)}`)
      .filter(
        (name) =>
          /\.(ts|mjs|cjs|json|toml|md)$/.test(name) &&
          !/(^|\/)(node_modules|dist|results)\/|\.test\.ts$/.test(name),
      ),
  );
  return [...files, "mise.toml", "package.json"].map(text).join("\n");
}

// --- The page --------------------------------------------------------------------------------------

function reference() {
  const ruleOf = new Map(
    policy.rules.flatMap(({ ruleId, failureClasses }) => failureClasses.map((each) => [each, ruleId])),
  );
  const names = [...new Set([...Object.keys(classes), ...ruleOf.keys()])].sort();
  return `# Reference

Written from the program by \`node scripts/docs-coherence.mjs --write\`; never edited by hand. Settings are in
[configuration.md](guides/configuration.md).

## Commands

${table(
  ["command", "tool", "what it does"],
  defined.map(({ family, names, summary, surfaces }) => [
    code(`${family} ${names.command.join(" ")}${names.mode === undefined ? "" : ` --mode ${names.mode}`}`),
    surfaces.includes("mcp") ? code(names.tool) : "",
    summary,
  ]),
)}

## Kinds

${table(
  ["kind", "schema"],
  kinds.map((kind) => [code(kind), `[${kind}.json](../schemas/${kind}.json)`]),
)}

## Failure classes

The rule is that of [the retry policy](../policies/control/harness-retry-policy-v1.json); a class without one stops.

${table(
  ["class", "what it means", "rule"],
  names.map((each) => [
    code(each),
    classes[each] ?? "Another program's class, which the policy knows.",
    ruleOf.get(each) ?? "",
  ]),
)}
`;
}

function code(name) {
  return `\`${name}\``;
}

/** Padded as the formatter pads. */
function table(heading, rows) {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = heading.map((name, i) => Math.max(name.length, ...cells.map((row) => [...row[i]].length)));
  const line = (row) =>
    `| ${row.map((cell, i) => cell + " ".repeat(widths[i] - [...cell].length)).join(" | ")} |`;
  return [
    line(heading),
    `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`,
    ...cells.map(line),
  ].join("\n");
}
