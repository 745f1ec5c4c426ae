/**
 * Data outside the repository: where it is, and reading it.
 *
 * `npm run conformance -- <dir>` names the folder; otherwise the one beside the
 * checkout is taken when it is there. A suite asks with `hasFixtures` and does not
 * register what it has no data for, so that nothing is ever reported as skipped.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@bridle/record";

const named = process.env["BRIDLE_FIXTURES"];
const beside = fileURLToPath(new URL("../../../../shared/fixtures", import.meta.url));
const folder = named === undefined || named === "" ? beside : named;

export function hasFixtures(place: string): boolean {
  return existsSync(path.join(folder, place));
}

export function readFixture<Shape = JsonObject>(place: string): Shape {
  return JSON.parse(readFileSync(path.join(folder, place), "utf8")) as Shape;
}

/** Every file below a place whose name ends so, in a fixed order, relative to the folder. */
export function fixturesUnder(place: string, ending: string): string[] {
  return readdirSync(path.join(folder, place), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => path.join(place, name))
    .toSorted();
}
