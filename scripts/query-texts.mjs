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
const { toBigQuery, digestOfBridge, indexExamples, buildLexicon } = await importFromSources(`
  export { buildLexicon } from "./packages/query/src/route/lexicon-words.js";
  export { indexExamples } from "./packages/query/src/route/route.js";
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
`,
);

wanted.set(
  path.join(room, "src/more-texts.generated.ts"),
  `/** What few commands need, written by scripts/query-texts.mjs; never by hand. */
export const bigQueryTexts: Readonly<Record<string, string>> = JSON.parse(
  ${JSON.stringify(JSON.stringify(bigquery))},
);
/** Id, question, family. */
export const exampleTexts: readonly (readonly [string, string, string])[] = JSON.parse(
  ${JSON.stringify(JSON.stringify(examples))},
);
`,
);
wanted.set(
  path.join(room, "src/bridge.generated.ts"),
  `/** Written by scripts/query-texts.mjs; never by hand. */
/** Of the templates in both forms, the examples and the names of coins, as they were when this was written. */
export const bridgeDigest = ${JSON.stringify(digestOfBridge(sql, bigquery, examples))};
export const exampleCount = ${examples.length};
`,
);
const index = indexExamples(examples.map(([id, q, family]) => ({ id, q, family })));
wanted.set(
  path.join(room, "src/neighbours.generated.ts"),
  `/** Written by scripts/query-texts.mjs from the same examples; never by hand. */
export const neighbourIndexText: string =
  ${JSON.stringify(JSON.stringify(index))};
`,
);

wanted.set(
  path.join(room, "src/lexicon.generated.ts"),
  `/** Written by scripts/query-texts.mjs from route/lexicon-words.ts; never by hand. */
export const lexiconText: string =
  ${JSON.stringify(JSON.stringify(buildLexicon()))};
`,
);

const stale = [...wanted].filter(([file, text]) => !existsSync(file) || readFileSync(file, "utf8") !== text);
if (process.argv.includes("--check")) {
  for (const [file] of stale)
    process.stdout.write(`${path.relative(root, file)}: out of date; npm run query:texts writes it\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else for (const [file, text] of stale) writeFileSync(file, text);
