/**
 * docs/api: what each room offers to whoever imports it, one page a room.
 *
 * Public is what a room's `index.ts` names. A page holds the declaration of each name
 * as the compiler emits it, with its comments, so it is the reference and, because it
 * is committed, the report of what a change does to users: `npm run check` fails while
 * a page and the code differ.
 *
 *     node scripts/api.mjs [--check]
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { declarations, emitTypes, roomNames } from "./build/library.mjs";
import { root } from "./ensure.mjs";

const folder = path.join(root, "docs/api");

const pages = new Map();
let files;
try {
  await emitTypes();
  files = await declarations();
  for (const room of await roomNames()) pages.set(`${room}.md`, await page(room));
  pages.set("README.md", await contents());
  await (process.argv.includes("--check") ? check() : write());
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}

// --- Pages -----------------------------------------------------------------------------------------

async function page(room) {
  const shown = publicNames(`${room}/index.d.ts`);
  const manual = openingComment(await readFile(source(room, "types.ts"), "utf8").catch(() => ""));
  return [
    `# bridle/${room}`,
    await description(room),
    `\`\`\`ts\nimport { … } from "bridle/${room}";\n\`\`\``,
    ...(manual === "" ? [] : [`\`\`\`text\n${manual}\n\`\`\``]),
    ...shown.map(({ name, text }) => `## ${name}\n\n\`\`\`ts\n${text}\n\`\`\``),
    "",
  ].join("\n\n");
}

async function contents() {
  const rows = [];
  for (const room of await roomNames())
    rows.push(`- [bridle/${room}](${room}.md): ${await description(room)}`);
  return `# The library

Every room of Bridle can be imported from the installed package; how, the examples show
([examples](../../examples)). A page holds what a room's index names, as the compiler
declares it. Made by \`npm run api\`; what may change, and when, stands in
[compatibility](../compatibility.md). Types need \`@types/node\` and a TypeScript that
resolves \`exports\` (\`moduleResolution\` of \`node16\`, \`nodenext\` or \`bundler\`).

${rows.join("\n")}
`;
}

function source(room, file) {
  return path.join(root, "packages", room, "src", file);
}

async function description(room) {
  return JSON.parse(await readFile(path.join(root, "packages", room, "package.json"), "utf8")).description;
}

/** Without its stars. */
function openingComment(text) {
  const [, inside = ""] = /^\/\*\*\n([\s\S]*?)\n \*\//.exec(text) ?? [];
  return inside.replaceAll(/^ \* ?/gm, "").trimEnd();
}

// --- What is public --------------------------------------------------------------------------------

/** `{ name, text }` of everything that a declaration file offers, in its order. */
function publicNames(file) {
  const found = new Map();
  for (const statement of statements(file)) {
    const own = declaredName(statement);
    if (own !== undefined) found.set(own, statement);
    else for (const [name, text] of passedOn(statement, file)) found.set(name, text);
  }
  return [...found].map(([name, text]) => ({ name, text: withoutPrivate(text) }));
}

/** Of `export … from`, each name with its declaration. */
function passedOn(statement, file) {
  const [, list, from] =
    /^export (?:type )?(\{[^}]*\}|\*(?: as \w+)?) from "([^"]+)";$/m.exec(statement) ?? [];
  if (from === undefined) return [];
  const target = path.posix.join(path.posix.dirname(file), from).replace(/\.js$/, ".d.ts");
  const there = new Map(publicNames(target).map(({ name, text }) => [name, text]));
  const whole = /^\* as (\w+)$/.exec(list)?.[1];
  if (whole !== undefined)
    return [[whole, `export declare namespace ${whole} {\n${[...there.values()].join("\n")}\n}`]];
  if (list === "*") return [...there];
  return namesIn(list).map(([name, as]) => {
    const text = there.get(name);
    if (text === undefined) throw new Error(`${file}: ${target} does not declare ${name}`);
    return [as, name === as ? text : `// ${name}, under another name\n${text}`];
  });
}

function namesIn(list) {
  return list
    .slice(1, -1)
    .split(",")
    .map((each) => each.trim().replace(/^type /, ""))
    .filter((each) => each !== "")
    .map((each) => each.split(" as "))
    .map(([name, as = name]) => [name, as]);
}

function declaredName(statement) {
  const keyword = String.raw`(?:declare )?(?:abstract )?(?:const|let|class|function|interface|type|namespace|enum)`;
  return new RegExp(String.raw`^export ${keyword} (\w+)`, "m").exec(withoutComment(statement))?.[1];
}

function withoutComment(statement) {
  return statement.replace(/^\/\*\*[\s\S]*?\*\/\n/, "");
}

/** The compiler begins a statement at the edge of a line and indents what is inside; a comment goes with what follows. */
function statements(file) {
  const text = files.get(file);
  if (text === undefined) throw new Error(`${file} is not among the declarations`);
  const found = [];
  let comment = "";
  for (const part of text.split(
    /^(?=\/\*\*|(?:export|declare|import|type|interface|const|class|function)\b)/m,
  )) {
    if (part.startsWith("/**")) comment = part;
    else {
      // Overloads of one function stand together.
      const name = declaredName(part);
      const before = found.at(-1);
      const whole = `${comment}${part}`.trimEnd();
      if (
        name !== undefined &&
        before !== undefined &&
        declaredName(before) === name &&
        /\bfunction\b/.test(part)
      )
        found[found.length - 1] = `${before}\n${whole}`;
      else found.push(whole);
      comment = "";
    }
  }
  return found;
}

/** Nobody outside can use it. */
function withoutPrivate(text) {
  return text.replaceAll(/^ {4}(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n {4})?(?:private |#)[^\n]*\n/gm, "");
}

// --- Writing and comparing -------------------------------------------------------------------------

async function write() {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) if (!pages.has(name)) await rm(path.join(folder, name));
  for (const [name, text] of pages) await writeFile(path.join(folder, name), text);
}

async function check() {
  const there = await readdir(folder).catch(() => []);
  const stale = there
    .filter((name) => !pages.has(name))
    .map((name) => `docs/api/${name}: there is no such room`);
  for (const [name, text] of pages) {
    const committed = await readFile(path.join(folder, name), "utf8").catch(() => "");
    if (committed !== text) stale.push(`docs/api/${name}, from ${firstDifference(committed, text)}`);
  }
  if (stale.length === 0) return;
  process.stdout.write(
    `${stale.join("\n")}\nWhat users import has changed. \`npm run api\` writes the pages; say in CHANGELOG.md what it means for them.\n`,
  );
  process.exitCode = 1;
}

function firstDifference(committed, text) {
  const before = committed.split("\n");
  const now = text.split("\n");
  const at = now.findIndex((line, i) => line !== before[i]);
  const line = at < 0 ? now.length : at;
  return `line ${line + 1}: ${JSON.stringify(before[line] ?? "nothing")} is ${JSON.stringify(now[line] ?? "nothing")} in the code`;
}
