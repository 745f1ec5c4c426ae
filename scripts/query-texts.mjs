/**
 * packages/query/src/texts.generated.ts: the templates' SQL and the labelled
 * examples as text that a bundle can carry, and the BigQuery form of every
 * template beside its file.
 *
 *     node scripts/query-texts.mjs [--check]
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./ensure.mjs";
import { importFromSources } from "./from-sources.mjs";

const room = path.join(root, "packages/query");
const templates = path.join(room, "src/templates/sql");
const { toBigQuery, digestOfBridge } = await importFromSources(`
  export { toBigQuery } from "./packages/query/src/templates/rewrite.js";
  export { digestOfBridge } from "./packages/query/src/answer/bridge-digest.js";
`);

const names = readdirSync(templates)
  .filter((name) => name.endsWith(".sql") && !name.endsWith(".bigquery.sql"))
  .map((name) => name.slice(0, -".sql".length))
  .toSorted();
const sql = {};
const bigquery = {};
const wanted = new Map();
for (const name of names) {
  sql[name] = readFileSync(path.join(templates, `${name}.sql`), "utf8");
  bigquery[name] = toBigQuery(sql[name]);
  wanted.set(path.join(templates, `${name}.bigquery.sql`), bigquery[name]);
}
const counts = new Map();
const lines = ["tuning", "more"].flatMap((part) =>
  readFileSync(path.join(room, `questions/${part}.jsonl`), "utf8").split("\n"),
);
const examples = lines
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line))
  .map(({ q, family, group = `${family}-more` }) => {
    counts.set(group, (counts.get(group) ?? 0) + 1);
    return [`${group}.${counts.get(group)}`, q, family];
  });

wanted.set(
  path.join(room, "src/texts.generated.ts"),
  `/** Written by scripts/query-texts.mjs from the .sql files, questions/tuning.jsonl and questions/more.jsonl; never by hand. */
export const sqlTexts: Readonly<Record<string, string>> = JSON.parse(
  ${JSON.stringify(JSON.stringify(sql))},
);
export const bigQueryTexts: Readonly<Record<string, string>> = JSON.parse(
  ${JSON.stringify(JSON.stringify(bigquery))},
);
/** Id, question, family. */
export const exampleTexts: readonly (readonly [string, string, string])[] = JSON.parse(
  ${JSON.stringify(JSON.stringify(examples))},
);
/** Of the three above and of the names of coins, as it was when this was written. */
export const bridgeDigest = ${JSON.stringify(digestOfBridge(sql, bigquery, examples))};
`,
);

const stale = [...wanted].filter(([file, text]) => !existsSync(file) || readFileSync(file, "utf8") !== text);
if (process.argv.includes("--check")) {
  for (const [file] of stale)
    process.stdout.write(`${path.relative(root, file)}: out of date; npm run query:texts writes it\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else for (const [file, text] of stale) writeFileSync(file, text);
