/**
 * rules:score: the detectors of the rules against the labelled transcripts.
 *
 * Precision and recall are those of the held-out third. Ends with 1 when a rule
 * that refuses something is below the bar for precision.
 *
 *     node scripts/rules-score.mjs [--json]
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./ensure.mjs";
import { importFromSources } from "./from-sources.mjs";

const unknown = process.argv.slice(2).filter((word) => word !== "--json");
if (unknown.length > 0) {
  process.stderr.write(`error: ${unknown.join(" ")} is not understood; --json is all that it takes\n`);
  process.exitCode = 2;
} else {
  await main({ json: process.argv.includes("--json") });
}

async function main({ json }) {
  const room = await importFromSources(`
    export { rules } from "./packages/rules/src/index.js";
    export * from "./test/support/rule-scores/score.js";
    export * from "./test/support/rule-scores/transcript.js";`);
  const transcripts = (part, id) => {
    const name = `packages/rules/transcripts/${part}/${id}.jsonl`;
    const file = path.join(root, name);
    return existsSync(file) ? room.parseTranscripts(readFileSync(file, "utf8"), name) : [];
  };
  const labelled = room.rules.map(({ id }) => [
    id,
    { tuning: transcripts("tuning", id), heldOut: transcripts("held-out", id) },
  ]);
  const scores = room.scoreRules(new Map(labelled));
  process.stdout.write(json ? room.scoreJson(scores) : room.scoreTable(scores));
  process.exitCode = scores.some((score) => room.shortfallsOf(score).length > 0) ? 1 : 0;
}
