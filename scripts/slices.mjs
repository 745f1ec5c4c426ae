/**
 * The table of docs/slices.md, written from the sections below it.
 *
 * Under its heading a section says in code spans what nothing else knows: the
 * command, the end-to-end tests that try it, and the artifacts that it reads or
 * writes. The rest is looked up: the schema of its answer and whether it changes
 * anything in the manifest, the issue behind it (`Slice: <capability>`) in our
 * own issue memory.
 *
 *     node scripts/slices.mjs [--check]
 */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { answerKind } from "./answer-kinds.mjs";
import { root } from "./ensure.mjs";

const file = "docs/slices.md";
const heads = ["capability", "JSON schema", "command", "integration test", "acceptance checklist", "issue"];

const page = await readFile(path.join(root, file), "utf8");
const { operations } = JSON.parse(
  await readFile(path.join(root, "packages/surface/src/manifest/manifest.generated.json"), "utf8"),
);
const issues = new Map(
  (await readFile(path.join(root, ".premath/issues.jsonl"), "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .map(({ id, title }) => [title, id]),
);

const problems = [];
const slices = sectionsOf(page).map(sliceOf);
const wanted = page.replace(/^\|.*\|\n(?:\|.*\|\n)+/m, () => `${table(slices.map(cells))}\n`);

if (problems.length > 0) {
  for (const problem of problems) process.stdout.write(`${file}: ${problem}\n`);
  process.exitCode = 1;
} else if (!process.argv.includes("--check")) {
  await writeFile(path.join(root, file), wanted);
  process.stdout.write(`${slices.length} slices\n`);
} else if (wanted === page) {
  process.stdout.write(`${slices.length} slices, the table is current\n`);
} else {
  process.stdout.write(`${file}: the table is not what the sections say; \`npm run slices\` writes it\n`);
  process.exitCode = 1;
}

/** Heading and text of every section with a checklist. */
function sectionsOf(text) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({ heading: section.split("\n", 1)[0].trim(), section }))
    .filter(({ section }) => /^- \[[ x]\] /m.test(section));
}

function sliceOf({ heading, section }) {
  const facts = /^\n\n(`[^\n]*`)\n/.exec(section.slice(section.indexOf("\n")))?.[1] ?? "";
  const [command = "", ...rest] = [...facts.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
  const capability = heading.toLowerCase();
  const operation = operations.find(
    ({ names, family }) => `${family} ${names.command.join(" ")}` === command,
  );
  const issue = issues.get(`Slice: ${capability}`);
  if (operation === undefined)
    problems.push(`under "${heading}" the first line is to begin with a command of the program in backticks`);
  if (issue === undefined) problems.push(`no issue has the title "Slice: ${capability}"`);
  const tests = rest.filter((each) => each.endsWith(".test.ts"));
  const artifacts = rest.filter((each) => !each.endsWith(".test.ts"));
  return { heading, capability, command, tests, schemas: schemasOf(operation, artifacts), issue };
}

function schemasOf(operation, artifacts) {
  const answer = operation && answerKind(operation);
  const envelope = operation?.effect === "mutate" ? ["premath.host_effect.v0"] : [];
  const all = [...(answer === undefined ? [] : [answer]), ...artifacts, ...envelope];
  for (const each of all.filter((kind) => !existsSync(path.join(root, "schemas", `${kind}.json`))))
    problems.push(`there is no schema ${each}; \`npm run schemas\` writes those of the rooms`);
  return all;
}

function cells({ heading, capability, command, tests, schemas, issue }) {
  return [
    capability,
    schemas.map((kind) => `[${kind}](../schemas/${kind}.json)`).join(", "),
    `\`${command}\``,
    tests.map((test) => `[${test}](../test/end-to-end/${test})`).join(", "),
    `[checklist](#${heading.toLowerCase().replaceAll(" ", "-")})`,
    issue ?? "",
  ];
}

/** Laid out as the formatter wants it. */
function table(rows) {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i].length)));
  const line = (row) => `| ${row.map((cell, i) => cell.padEnd(widths[i])).join(" | ")} |`;
  return [line(heads), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}
