/**
 * Tests that start programs, of which `npm test` runs some: each takes half a second, and
 * there are hundreds. `npm test`, asked for everything, sets BRIDLE_TEST_EVERY=6, and a
 * sixth of them is there, drawn by their names and the seed. All of them are there in
 * `npm test -- <file>`, and in `npm run prove`, and so in CI.
 */
import { createHash } from "node:crypto";
import { test as vitestTest } from "vitest";
import { proving, seed } from "./scale.js";

const every = proving ? 1 : Number(process.env["BRIDLE_TEST_EVERY"] ?? 1);

function isDrawn(name: string): boolean {
  return createHash("sha256").update(`${seed} ${name}`).digest().readUInt32BE() % every === 0;
}

const drawn = (name: string, ...rest: never[]): void => {
  if (isDrawn(name)) vitestTest(name, ...rest);
};
const each = (rows: readonly unknown[]) => vitestTest.each(rows.filter((_, at) => isDrawn(String(at))));

export const test = (every === 1 ? vitestTest : Object.assign(drawn, { each })) as typeof vitestTest;
export const it = test;

/** One that is too long even for that; it is in `npm run prove` alone. */
export function long(name: string, run: () => void | Promise<void>, withinMs?: number): void {
  if (proving) vitestTest(name, run, withinMs);
}
