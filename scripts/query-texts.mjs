/**
 * packages/query/src/texts.generated.ts: the templates' SQL and the labelled
 * examples as text that a bundle can carry, what the router learns from the
 * examples (router.generated.ts), and the BigQuery form of every template beside
 * its file.
 *
 *     node scripts/query-texts.mjs [--check]
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./ensure.mjs";
import { importFromSources } from "./from-sources.mjs";

const room = path.join(root, "packages/query");
const templates = path.join(room, "src/templates/sql");
const { toBigQuery, digestOfBridge, trainRouter } = await importFromSources(`
  export { trainRouter } from "./packages/query/src/route/train.js";
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
const examples = byClass(labelled()).map(([label, q]) => {
  counts.set(label, (counts.get(label) ?? 0) + 1);
  return [`${label}.${counts.get(label)}`, q, label];
});

/** Examples of one class stand together, so that the index need not name each. */
function byClass(list) {
  const classes = [...new Set(list.map(([label]) => label))].toSorted();
  return classes.flatMap((name) => list.filter(([label]) => label === name));
}

/** Class and question: the part of the split that may be learned from, sets that were once blind, one file a class. */
function labelled() {
  const folder = path.join(room, "questions");
  const linesOf = (name) => readFileSync(path.join(folder, name), "utf8").split("\n").filter(Boolean);
  const filesIn = (name) => readdirSync(path.join(folder, name)).toSorted();
  const scored = ["tuning.jsonl", ...filesIn("blind").map((file) => path.join("blind", file))];
  return [
    ...scored
      .flatMap(linesOf)
      .map((line) => JSON.parse(line))
      .map(({ q, family, reason }) => [reason ?? family, q]),
    ...filesIn("examples").flatMap((file) =>
      linesOf(path.join("examples", file)).map((q) => [path.basename(file, ".txt"), q]),
    ),
  ];
}

wanted.set(
  path.join(room, "src/texts.generated.ts"),
  `/** Written by scripts/query-texts.mjs from the .sql files; never by hand. */
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
/** Id, question, class. */
export const exampleTexts: readonly (readonly [string, string, string])[] = JSON.parse(
  ${JSON.stringify(JSON.stringify(examples))},
);
`,
);
const learned = trainRouter(
  examples.map(([, q, label]) => ({ q, label })),
  readFileSync(path.join(room, "questions/synonyms.txt"), "utf8").trimEnd(),
);
wanted.set(
  path.join(room, "src/router.generated.ts"),
  `/** What was learned from the labelled examples, written by scripts/query-texts.mjs; never by hand. */
export const synonyms: string =
  ${JSON.stringify(learned.synonyms)};
export const weights: string =
  ${JSON.stringify(learned.weights)};
export const neighbours: {
  readonly labels: readonly (readonly [string, number])[];
  readonly lengths: string;
  readonly having: string;
} = ${JSON.stringify(learned.neighbours)};
`,
);

wanted.set(
  path.join(room, "src/bridge.generated.ts"),
  `/** Written by scripts/query-texts.mjs; never by hand. */
/** Of the templates in both forms, the examples, what was learned from them and the names of coins, as they were when this was written. */
export const bridgeDigest = ${JSON.stringify(digestOfBridge({ sql, bigQuery: bigquery, examples, learned }))};
export const exampleCount = ${examples.length};
`,
);
const stale = [...wanted].filter(([file, text]) => !existsSync(file) || readFileSync(file, "utf8") !== text);
if (process.argv.includes("--check")) {
  for (const [file] of stale)
    process.stdout.write(`${path.relative(root, file)}: out of date; npm run query:texts writes it\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else for (const [file, text] of stale) writeFileSync(file, text);
