/**
 * router:score: the router of one-shot questions against labelled ones.
 *
 *     node scripts/router-score.mjs [file.jsonl] [--json] [--misses] [--markdown]
 *
 * Without a file, the held-out questions of packages/query/questions, and then it
 * ends with 1 when a bar is missed.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./ensure.mjs";
import { importFromSources } from "./from-sources.mjs";

const flags = process.argv.slice(2).filter((word) => word.startsWith("--"));
const files = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const known = ["--json", "--misses", "--markdown"];
const wrong = flags.filter((flag) => !known.includes(flag));
if (wrong.length > 0 || files.length > 1) {
  process.stderr.write(
    `error: ${[...wrong, ...files.slice(1)].join(" ")} is not understood; it takes [file.jsonl] ${known.join(" ")}\n`,
  );
  process.exitCode = 2;
} else await main(files[0]);

async function main(file) {
  const room = await importFromSources(`
    export { defaultRouter } from "./packages/query/src/route/default.js";
    export { scoreRouter } from "./packages/query/src/route/score.js";
    export { readLabelled, scoreLines, scoreMarkdown, shortfalls } from "./packages/query/src/route/score-text.js";
  `);
  const name = file ?? "packages/query/questions/held-out.jsonl";
  // npm stands in the root; a path that a person typed starts where the person stood.
  const place = file === undefined ? path.join(root, name) : path.resolve(process.env.INIT_CWD ?? ".", file);
  let labelled;
  try {
    labelled = room.readLabelled(readFileSync(place, "utf8"), name);
  } catch (error) {
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 2;
    return;
  }
  const score = room.scoreRouter(room.defaultRouter(), labelled);
  if (flags.includes("--json")) process.stdout.write(`${JSON.stringify(score, null, 2)}\n`);
  else if (flags.includes("--markdown")) process.stdout.write(room.scoreMarkdown(score));
  else process.stdout.write(room.scoreLines(score, { misses: flags.includes("--misses") }));
  if (file === undefined && room.shortfalls(score).length > 0) {
    process.stderr.write(`below the bar: ${room.shortfalls(score).join("; ")}\n`);
    process.exitCode = 1;
  }
}
