/**
 * Clauses: holds the contracts in docs/contracts against the tests.
 *
 * A contract clause is one list item, `- [RUNTIME-4.3] done — What must hold.`, with `(should)` or
 * `(may)` after the status where it is not a requirement. A test cites a clause by its id, in brackets,
 * in the title of an `it`, `test` or `describe`. Only titles count: a comment proves nothing, and
 * neither does a test that is skipped or still to be written. Hence the small lexer below, which knows
 * titles from other strings.
 *
 *     node scripts/clauses.mjs [--list] [--json] [--root <dir>]
 *
 * Exits 1 with one line per problem, 2 when called wrongly.
 */
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const documents = {
  SEARCH: "search.md",
  TRAJ: "trajectory.md",
  TUSK: "tusk.md",
  AGENT: "agent.md",
  RUNTIME: "runtime.md",
};
const contractsFolder = "docs/contracts";
const statuses = ["done", "planned"];
const help = `usage: node scripts/clauses.mjs [--list] [--json] [--root <dir>]

Holds the clauses of ${contractsFolder} against the tests that cite them.

  --list        every clause with its status and the tests that cite it
  --json        the same, for programs
  --root <dir>  the repository to look at (default: this one)
`;

// --- The clauses -----------------------------------------------------------------------------------

/** Reads every contract document. Returns the clauses, and what is wrong with how they are written. */
export function collectClauses(root) {
  const folder = path.join(root, contractsFolder);
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const files = names.filter((name) => name.endsWith(".md"));
  const read = files.map((name) => readDocument(folder, name));
  const clauses = read.flatMap((document) => document.clauses);
  const mentions = read.flatMap((document) => document.mentions);
  const problems = [
    ...missingDocuments(files),
    ...read.flatMap((document) => document.problems),
    ...duplicates(clauses),
    ...gaps(clauses),
    ...danglingMentions(mentions, clauses),
  ];
  return { clauses, problems };
}

function readDocument(folder, name) {
  const file = `${contractsFolder}/${name}`;
  const document = Object.keys(documents).find((key) => documents[key] === name);
  const clauses = [];
  const problems = [];
  const mentions = [];
  readFileSync(path.join(folder, name), "utf8")
    .split(/\r?\n/)
    .forEach((text, index) => {
      const at = { file, line: index + 1 };
      const item = clauseItem(text);
      if (item) {
        const clause = readClause(item, document);
        if (typeof clause === "string") problems.push(problem(at, clause));
        else clauses.push({ ...clause, ...at });
      }
      const rest = item ? item.rest : text;
      for (const id of bracketedIds(rest)) mentions.push({ ...at, id });
    });
  return { clauses, problems, mentions };
}

/** A list item that is, or was meant to be, a clause. */
function clauseItem(text) {
  const item = /^\s*[-*+]\s+(\[?)([A-Za-z]+-\d[^\]\s]*)(\]?)\s*(.*)$/.exec(text);
  if (!item) return undefined;
  return { id: item[2], bracketed: item[1] === "[" && item[3] === "]", rest: item[4] };
}

/** The clause, or what is wrong with it as a string. */
function readClause({ id, bracketed, rest }, document) {
  if (!bracketed) return `write the id in brackets: - [${id}] planned — …`;
  if (!document) return `${id} is not in a contract document; move it to ${homeOf(id)}`;
  if (!id.startsWith(`${document}-`))
    return `${id} is in ${documents[document]}, whose ids begin with ${document}-`;
  if (!isWellFormed(id))
    return `${id} is malformed; write ${document}-<section>.<number>, such as ${document}-4.3`;
  const parts = /^(\S+)(?: \((should|may)\))? — (.*\S)\s*$/.exec(rest);
  if (!parts)
    return `${id} is malformed; write - [${id}] planned — statement, with (should) or (may) if it is one`;
  const [, status, strength = "must", text] = parts;
  if (!statuses.includes(status))
    return `${id} has the unknown status "${status}"; use ${statuses.join(" or ")}`;
  return { id, document, status, strength, text };
}

/** SECTION.NUMBER or SECTION.SUBSECTION.NUMBER; a number counts from 1, a section may be 0. */
function isWellFormed(id) {
  return /^[A-Z]+-(0|[1-9]\d*)(\.(0|[1-9]\d*))?\.[1-9]\d*$/.test(id);
}

function homeOf(id) {
  const name = documents[id.split("-")[0]];
  return name ? `${contractsFolder}/${name}` : `one of ${Object.values(documents).join(", ")}`;
}

function missingDocuments(files) {
  const missing = Object.values(documents).filter((name) => !files.includes(name));
  return missing.map((name) =>
    problem({ file: `${contractsFolder}/${name}`, line: 1 }, "the document is missing; restore it"),
  );
}

function duplicates(clauses) {
  return [...groupBy(clauses, (clause) => clause.id)].flatMap(([id, [first, ...again]]) =>
    again.map((clause) =>
      problem(clause, `${id} is already defined at ${place(first)}; take the next free number`),
    ),
  );
}

/** A clause is never removed, so the numbers of a section run from 1 without a gap. */
function gaps(clauses) {
  return [...groupBy(clauses, sectionOf)].flatMap(([section, members]) => {
    const numbers = members.map(numberOf).sort((a, b) => a - b);
    const upTo = Array.from({ length: numbers.at(-1) }, (_, index) => index + 1);
    const missing = upTo.filter((number) => !numbers.includes(number));
    return missing.map((number) =>
      problem(members.at(-1), `${section}.${number} is missing; clauses are never removed, so restore it`),
    );
  });
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function sectionOf(clause) {
  return clause.id.slice(0, clause.id.lastIndexOf("."));
}

function numberOf(clause) {
  return Number(clause.id.slice(clause.id.lastIndexOf(".") + 1));
}

function danglingMentions(mentions, clauses) {
  const known = new Set(clauses.map((clause) => clause.id));
  const dangling = mentions.filter(({ id }) => !known.has(id));
  return dangling.map((mention) =>
    problem(mention, `no clause has the id [${mention.id}]; correct the reference`),
  );
}

/** Ids of our documents in brackets, however malformed, and anything else that looks like a clause id. */
function bracketedIds(text) {
  const ours = Object.keys(documents).join("|");
  const pattern = new RegExp(`\\[((?:${ours})-[^\\]\\s]*|[A-Z]+-\\d+(?:\\.\\d+)+)\\]`, "g");
  return [...text.matchAll(pattern)].map((match) => match[1]);
}

// --- The citations ---------------------------------------------------------------------------------

/** Every clause id cited in the title of a test, in file order. */
export function collectCitations(root) {
  return testFiles(root).flatMap((file) =>
    testTitles(readFileSync(path.join(root, file), "utf8")).flatMap(({ title, line }) =>
      bracketedIds(title).map((id) => ({ id, file, line, title })),
    ),
  );
}

function testFiles(root) {
  const packages = listFolders(path.join(root, "packages")).map((name) => `packages/${name}/src`);
  const inPackages = packages
    .flatMap((folder) => walk(root, folder))
    .filter((file) => file.endsWith(".test.ts"));
  const inTest = walk(root, "test").filter((file) => file.endsWith(".ts"));
  return [...inPackages, ...inTest].sort();
}

function listFolders(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

/** Files below `folder`, as paths from the root with forward slashes. */
function walk(root, folder) {
  const absolute = path.join(root, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules") return [];
    const inside = `${folder}/${entry.name}`;
    return entry.isDirectory() ? walk(root, inside) : [inside];
  });
}

/** The literal text of the titles of `it`, `test` and `describe` calls, with their lines. */
export function testTitles(source) {
  const tokens = [];
  readTokens(source, 0, tokens);
  const titles = [];
  tokens.forEach((token, index) => {
    const starts =
      token.kind === "word" && /^(it|test|describe)$/.test(token.text) && tokens[index - 1]?.text !== ".";
    const title = starts ? titleAfter(tokens, index + 1) : undefined;
    if (title) titles.push({ title: title.text, line: lineOf(source, title.at) });
  });
  return titles;
}

/** Follows `it`, `.each([…])`, `.concurrent` and the like to the call whose first argument is the title. */
function titleAfter(tokens, start) {
  let index = start;
  while (index < tokens.length) {
    const { kind, text } = tokens[index];
    const next = tokens[index + 1];
    if (text === "." && kind === "mark") {
      if (/^(skip|todo)$/.test(next?.text ?? "")) return undefined;
      index += 2;
    } else if (kind === "string") {
      index += 1;
    } else if (text === "(" && kind === "mark") {
      if (next?.kind === "string") return { text: firstArgument(tokens, index + 1), at: next.at };
      index = afterGroup(tokens, index);
    } else if (text === "<" && kind === "mark") {
      index = afterTypes(tokens, index);
    } else {
      return undefined;
    }
  }
  return undefined;
}

/** The strings of one argument, joined: a title may be written as a sum of strings. */
function firstArgument(tokens, start) {
  let text = "";
  for (let index = start; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token.kind === "string") text += token.text;
    else if (token.text !== "+") break;
  }
  return text;
}

function afterGroup(tokens, start) {
  let depth = 0;
  for (let index = start; index < tokens.length; index += 1) {
    if (tokens[index].kind !== "mark") continue;
    if ("([{".includes(tokens[index].text)) depth += 1;
    if (")]}".includes(tokens[index].text)) depth -= 1;
    if (depth === 0) return index + 1;
  }
  return tokens.length;
}

/** Past the type arguments of `.each<[string, () => void]>`, whose arrow closes nothing. */
function afterTypes(tokens, start) {
  let depth = 0;
  for (let index = start; index < tokens.length; index += 1) {
    const { kind, text } = tokens[index];
    if (kind !== "mark") continue;
    if (text === "<") depth += 1;
    if (text === ">" && tokens[index - 1].text !== "=") depth -= 1;
    if (depth === 0) return index + 1;
  }
  return tokens.length;
}

function lineOf(source, at) {
  return source.slice(0, at).split("\n").length;
}

// --- The lexer: words, strings and marks of TypeScript, without comments ----------------------------

/** Reads tokens to the end or, inside a template (never at 0), to the `}` that closes its `${`. */
function readTokens(source, start, tokens) {
  let at = start;
  let depth = 0;
  while (at < source.length) {
    const char = source[at];
    if (/\s/.test(char)) at += 1;
    else if (source.startsWith("//", at)) at = endOf(source, "\n", at);
    else if (source.startsWith("/*", at)) at = endOf(source, "*/", at + 2);
    else if (char === '"' || char === "'") at = readString(source, at, tokens);
    else if (char === "`") at = readTemplate(source, at, tokens);
    else if (char === "/" && regexMayStart(tokens.at(-1))) at = readRegex(source, at, tokens);
    else if (/[\w$]/.test(char)) at = readWord(source, at, tokens);
    else {
      if (char === "{") depth += 1;
      if (char === "}" && depth === 0 && start > 0) return at + 1;
      if (char === "}") depth -= 1;
      tokens.push({ kind: "mark", text: char, at });
      at += 1;
    }
  }
  return at;
}

function endOf(source, mark, from) {
  const found = source.indexOf(mark, from);
  return found === -1 ? source.length : found + mark.length;
}

function readWord(source, start, tokens) {
  let at = start;
  while (at < source.length && /[\w$]/.test(source[at])) at += 1;
  tokens.push({ kind: "word", text: source.slice(start, at), at: start });
  return at;
}

function readString(source, start, tokens) {
  const quote = source[start];
  let at = start + 1;
  while (at < source.length && source[at] !== quote && source[at] !== "\n") at += source[at] === "\\" ? 2 : 1;
  tokens.push({ kind: "string", text: source.slice(start + 1, at), at: start });
  return at + 1;
}

/** A template's text without its substitutions: what a title says only at run time is no citation. */
function readTemplate(source, start, tokens) {
  let at = start + 1;
  let text = "";
  while (at < source.length && source[at] !== "`") {
    if (source.startsWith("${", at)) {
      at = readTokens(source, at + 2, []);
      text += " ";
    } else {
      const length = source[at] === "\\" ? 2 : 1;
      text += source.slice(at, at + length);
      at += length;
    }
  }
  tokens.push({ kind: "string", text, at: start });
  return at + 1;
}

/** A slash divides after a value, and opens a regular expression anywhere else. */
function regexMayStart(previous) {
  if (!previous) return true;
  if (previous.kind === "word")
    return /^(return|typeof|case|in|of|do|else|void|delete|await|yield)$/.test(previous.text);
  return previous.kind === "mark" && !")]}".includes(previous.text);
}

function readRegex(source, start, tokens) {
  let at = start + 1;
  let inClass = false;
  while (at < source.length && source[at] !== "\n" && (inClass || source[at] !== "/")) {
    if (source[at] === "[") inClass = true;
    if (source[at] === "]") inClass = false;
    at += source[at] === "\\" ? 2 : 1;
  }
  tokens.push({ kind: "regex", text: "", at: start });
  return at + 1;
}

// --- The verdict -----------------------------------------------------------------------------------

/** Puts clauses and citations together: counts per document, and everything that is wrong. */
export function judge({ clauses, problems }, citations) {
  const tests = groupBy(citations, (citation) => citation.id);
  const citedBy = (id) => (tests.get(id) ?? []).map(({ file, line, title }) => ({ file, line, title }));
  const judged = clauses.map((clause) => ({ ...clause, citedBy: citedBy(clause.id) }));
  const found = [...problems, ...unproven(judged), ...unknown(citations, clauses)];
  return { documents: countDocuments(judged), clauses: judged, problems: found.sort(byPlace) };
}

function unproven(clauses) {
  const open = clauses.filter((clause) => clause.status === "done" && clause.citedBy.length === 0);
  const advice = "name it in the title of the test that proves it, or mark it planned";
  return open.map((clause) => problem(clause, `${clause.id} is done but no test cites it; ${advice}`));
}

function unknown(citations, clauses) {
  const known = new Set(clauses.map((clause) => clause.id));
  const advice = (id) => `correct the id, or add the clause to ${homeOf(id)}`;
  return citations
    .filter(({ id }) => !known.has(id))
    .map((citation) =>
      problem(citation, `no clause has the cited id [${citation.id}]; ${advice(citation.id)}`),
    );
}

function countDocuments(clauses) {
  return Object.keys(documents).map((document) => {
    const own = clauses.filter((clause) => clause.document === document);
    const count = (test) => own.filter(test).length;
    return {
      document,
      clauses: own.length,
      done: count((clause) => clause.status === "done"),
      planned: count((clause) => clause.status === "planned"),
      cited: count((clause) => clause.citedBy.length > 0),
    };
  });
}

function problem({ file, line }, message) {
  return { file, line, message };
}

function place({ file, line }) {
  return `${file}:${line}`;
}

function byPlace(a, b) {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line;
}

// --- The command -----------------------------------------------------------------------------------

function countTable(rows) {
  const columns = ["clauses", "done", "planned", "cited"];
  const sum = (column) => rows.reduce((total, row) => total + row[column], 0);
  const total = { document: "total", ...Object.fromEntries(columns.map((column) => [column, sum(column)])) };
  const head = { document: "document", ...Object.fromEntries(columns.map((column) => [column, column])) };
  const cell = (row) => (column) => String(row[column]).padStart(9);
  const line = (row) => `  ${row.document.padEnd(10)}${columns.map(cell(row)).join("")}\n`;
  return [head, ...rows, total].map(line).join("");
}

function clauseList(clauses) {
  const width = Math.max(0, ...clauses.map((clause) => clause.id.length));
  return clauses
    .map((clause) => {
      const strength = clause.strength === "must" ? "" : ` (${clause.strength})`;
      const head = `  ${clause.id.padEnd(width)}  ${clause.status.padEnd(7)}${strength}  ${clause.text}\n`;
      const cited = clause.citedBy.map((test) => `  ${" ".repeat(width)}  ${place(test)}  ${test.title}\n`);
      return head + cited.join("");
    })
    .join("");
}

function readArguments(args) {
  const options = {
    list: false,
    json: false,
    help: false,
    root: fileURLToPath(new URL("..", import.meta.url)),
  };
  for (let index = 0; index < args.length; index += 1) {
    const name = args[index];
    if (name === "--list" || name === "--json" || name === "--help") options[name.slice(2)] = true;
    else if (name === "--root" && args[index + 1] !== undefined)
      options.root = path.resolve(args[(index += 1)]);
    else return { wrong: name };
  }
  return options;
}

function main(args) {
  const options = readArguments(args);
  if (options.wrong !== undefined) {
    process.stderr.write(`error: cannot understand ${options.wrong}\n${help}`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(help);
    return 0;
  }
  const verdict = judge(collectClauses(options.root), collectCitations(options.root));
  if (options.json) process.stdout.write(`${JSON.stringify(verdict, null, 2)}\n`);
  else
    process.stdout.write(
      (options.list ? `${clauseList(verdict.clauses)}\n` : "") + countTable(verdict.documents),
    );
  for (const problem of verdict.problems) process.stderr.write(`${place(problem)}: ${problem.message}\n`);
  if (verdict.problems.length > 0) process.stderr.write(`${verdict.problems.length} to mend\n`);
  return verdict.problems.length > 0 ? 1 : 0;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  // A reader that has seen enough, such as head, closes the pipe; that is no failure of ours.
  process.stdout.on("error", (error) => {
    if (error.code !== "EPIPE") throw error;
  });
  process.exitCode = main(process.argv.slice(2));
}
