/**
 * Which of the mistakes that Stryker could plant are planted.
 *
 * What a newcomer gets wrong: Stryker has no samples. But it shows its reporters
 * what it plans before it begins, so this reporter draws the sample and crosses out
 * of the plan whatever is not in it.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { isNoticed, isSurvivor, keep, keyOf } from "./outcome.mjs";

const {
  sample = Infinity,
  seed,
  part = [1, 1],
  again,
  planted: earlier = [],
  resultsFile,
} = JSON.parse(process.env.BRIDLE_TEST_MUTATE ?? "{}");

/** Drawn by the digest of what and where it is, so that a seed gives the same sample on every machine. */
export function draw(mutants, { sample: size, seed: start }) {
  const rankOf = ({ fileName, location, mutatorName, replacement }) =>
    createHash("sha256")
      .update(JSON.stringify([start, fileName, location, mutatorName, replacement]))
      .digest("hex");
  return mutants
    .map((mutant) => ({ id: mutant.id, rank: rankOf(mutant) }))
    .toSorted((left, right) => (left.rank < right.rank ? -1 : 1))
    .slice(0, size)
    .map(({ id }) => id);
}

/** The k-th of n parts, in the order of the sources; all parts together are everything, and nothing twice. */
export function partOf(list, [k, n]) {
  const cut = (i) => Math.floor((i * list.length) / n);
  return list.slice(cut(k - 1), cut(k));
}

/** A text with a space in it is a sentence for people. */
export function isWording(source, { mutatorName, location: { start, end } }) {
  if (mutatorName !== "StringLiteral") return false;
  const lines = source.split("\n").slice(start.line, end.line + 1);
  lines[lines.length - 1] = lines.at(-1)?.slice(0, end.column) ?? "";
  lines[0] = lines[0]?.slice(start.column) ?? "";
  return /\s/.test(lines.join("\n"));
}

function crossOut(plan) {
  plan.plan = "EarlyResult";
  plan.mutant.status = "Ignored";
}

/** Places of its plans and of its results begin with 0 and with 1. */
const fromZero = ({ line, column }) => ({ line: line - 1, column: column - 1 });
let before = 0;

const reporter = {
  onMutationTestingPlanReady({ mutantPlans }) {
    const sources = new Map();
    const sourceOf = (name) =>
      sources.get(name) ?? sources.set(name, readFileSync(name, "utf8")).get(name) ?? "";
    const mutants = mutantPlans
      .map(({ mutant }) => mutant)
      .filter((mutant) => !isWording(sourceOf(mutant.fileName), mutant));
    const relative = mutants.map((mutant) => ({
      ...mutant,
      fileName: mutant.fileName.slice(process.cwd().length),
    }));
    const drawn = new Set(draw(relative, { sample, seed }));
    const survivors = again === undefined ? undefined : new Set(again);
    const plantedBefore = new Set(earlier);
    const planted = partOf(
      relative.filter(({ id }) => drawn.has(id)),
      part,
    )
      .filter((mutant) => survivors === undefined || survivors.has(keyOf(mutant)))
      .filter((mutant) => !plantedBefore.has(keyOf(mutant)));
    const ids = new Set(planted.map(({ id }) => id));
    for (const plan of mutantPlans) if (!ids.has(plan.mutant.id)) crossOut(plan);
    process.stdout.write(
      `  ${drawn.size} of ${mutants.length} mistakes, seed ${seed}; part ${part.join("/")}: ${planted.length}\n`,
    );
    before = Date.now();
  },
  onMutantTested(result) {
    if (resultsFile === undefined || (!isNoticed(result) && !isSurvivor(result))) return;
    const seconds = Math.round((Date.now() - before) / 1000);
    before = Date.now();
    const { fileName, location, ...rest } = result;
    const mutant = {
      ...rest,
      fileName: `/${path.relative(process.cwd(), fileName)}`,
      location: { start: fromZero(location.start), end: fromZero(location.end) },
    };
    keep(resultsFile, mutant, seconds);
  },
};

export const strykerPlugins = [{ kind: "Reporter", name: "sample", value: reporter }];
