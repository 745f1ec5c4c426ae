/** What came of a mistake: what tells it from others, and whether a test noticed it. */
import { appendFileSync } from "node:fs";

/** In every run on the same sources: where it is and what it puts there. */
export function keyOf({ fileName, location: { start, end }, mutatorName, replacement }) {
  const place = [start, end].flatMap(({ line, column }) => [line, column]);
  return JSON.stringify([fileName, ...place, mutatorName, replacement]);
}

/** One that makes a test run for ever was noticed too. */
export const isNoticed = ({ status }) => status === "Killed" || status === "Timeout";
export const isSurvivor = ({ status }) => status === "Survived" || status === "NoCoverage";

/** Adds a line to a file; at once, so that a run that is stopped leaves what it found. */
export function keep(file, mutant, seconds) {
  const { fileName, location, mutatorName, replacement, status } = mutant;
  const { line, column } = location.start;
  const what = { place: `${fileName.slice(1)}:${line + 1}:${column + 1}`, mutatorName, replacement };
  appendFileSync(file, `${JSON.stringify({ status, seconds, ...what, key: keyOf(mutant) })}\n`);
}
