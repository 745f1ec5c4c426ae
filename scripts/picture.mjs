/**
 * docs/start/night.svg: a picture of a night, drawn from the journal of a real run.
 *
 * Three workers on twelve issues, as in `npm start`: one is killed at work, one check is flaky, one
 * worker changes the check so that it passes. A box is a step, from its first row in the journal to
 * its last; the axis is the order of the rows, because their times are whole seconds. Needs a build.
 *
 *     node scripts/picture.mjs
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "./ensure.mjs";
import { workWithWorkers } from "./start/work.mjs";

const [width, left, lane, top] = [860, 92, 58, 52];
const colours = { completed: "#2da44e", failed: "#cf222e", again: "#d4a72c" };

const folder = mkdtempSync(path.join(tmpdir(), "bridle-picture-"));
try {
  const told = workWithWorkers({ folder, env: process.env });
  const journal = path.join(folder, "work/.premath/runs/run-1/events.jsonl");
  const rows = readFileSync(journal, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const steps = stepsOf(rows);
  writeFileSync(path.join(root, "docs/start/night.svg"), drawing(steps, rows, told));
  process.stdout.write(`docs/start/night.svg: ${steps.length} steps of ${rows.length} rows\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Steps that took an issue, each with where it begins and ends in the journal. */
function stepsOf(rows) {
  const steps = new Map();
  for (const [at, { step: id, worker, kind, effect, data }] of rows.entries()) {
    if (id === undefined) continue;
    const step = steps.get(id) ?? { worker, from: at, retry: false };
    steps.set(id, step);
    step.to = at;
    if (kind !== "outcome") continue;
    if (effect === "claim" && data.issueId) step.issue = data.issueId;
    if (data.failed !== undefined) step.failure ??= data.failed.class;
    if (effect === "give_back") step.retry = data.retry === true;
    if (effect === "stop") step.end = data.end;
  }
  return [...steps.values()].filter(({ issue }) => issue !== undefined);
}

function drawing(steps, rows, told) {
  const workers = [...new Set(steps.map(({ worker }) => worker))].sort();
  const height = top + workers.length * lane + 98;
  const x = (at) => left + (at / (rows.length - 1)) * (width - left - 16);
  const boxes = steps.map((step) => box(step, x, top + workers.indexOf(step.worker) * lane));
  const lanes = workers.map(
    (worker, i) =>
      `<text x="12" y="${top + i * lane + 22}" class="dim">${worker}</text>` +
      `<line x1="${left}" x2="${width - 16}" y1="${top + i * lane + 17}" y2="${top + i * lane + 17}" class="line"/>`,
  );
  const { killed, flaky, liar } = told;
  const words = [
    `${told.closed} issues closed, each with the witness of its checks, merged into bridle/main`,
    `${killed.issue}: ${killed.worker} was killed at work; ${killed.by} took it up again with fence ${killed.fence}`,
    `${flaky.issue}: a flaky check, ${flaky.attempts} attempts`,
    `${liar.issue}: ${liar.worker} changed the check that judges it, and was refused`,
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A night with three workers">
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, monospace; fill: #24292f }
.dim { fill: #6e7781 } .small { font-size: 11px } .on { fill: #ffffff } .line { stroke: #d0d7de } .ground { fill: #ffffff }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .dim { fill: #8b949e } .on { fill: #ffffff } .line { stroke: #30363d } .ground { fill: #0d1117 } }
</style>
<rect class="ground" width="${width}" height="${height}" rx="8"/>
<text x="12" y="26">$ bridle work start --parallel 3</text>
${[...lanes, ...boxes].join("\n")}
${words.map((line, i) => `<text x="12" y="${height - 74 + i * 20}" class="${i === 0 ? "" : "dim small"}">${line}</text>`).join("\n")}
</svg>
`;
}

function box({ issue, from, to, end, failure, retry }, x, y) {
  const colour = end === "completed" ? colours.completed : retry ? colours.again : colours.failed;
  const [start, wide] = [x(from), Math.max(30, x(to) - x(from))];
  const why = end === "completed" || failure === undefined ? "" : failure;
  const label = `<text x="${(start + 5).toFixed(1)}" y="${y + 21}" class="on small">${issue}</text>`;
  const below =
    why === "" ? "" : `<text x="${start.toFixed(1)}" y="${y + 46}" class="dim small">${why}</text>`;
  return `<rect x="${start.toFixed(1)}" y="${y + 4}" width="${wide.toFixed(1)}" height="26" rx="4" fill="${colour}"/>${label}${below}`;
}
