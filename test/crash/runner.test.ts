/**
 * A real worker is killed at every boundary of a step and at random, and another goes on: each issue is merged and
 * closed once, no row is lost, no work is begun twice.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { Random } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { type Child, useChildren } from "../support/children.js";
import { RunnerProject } from "../support/runner-project.js";
import { full, seed, share, some } from "../support/scale.js";

const children = useChildren();
/** Rows that a step writes, and so places between them. */
const boundaries = 28;

/** Writes its file, and tells in a file outside that it was begun. */
const work =
  'echo "$BRIDLE_STEP" >> "$HOME/begun"; mkdir -p out; echo "$PREMATH_ISSUE_ID" > "out/$PREMATH_ISSUE_ID"';

const start = (
  project: RunnerProject,
  more: { dieAtRow?: number; dieAtDeed?: number; worker?: string; seed?: number },
) =>
  children.start("runner-worker", {
    ...{ folder: project.folder, env: project.env, work, worker: "worker.1", stepsMax: 1_000 },
    ...{ dieAtRow: 0, stopAtRow: 0, dieAtDeed: 0, seed, ...more },
  });

/** The last row that it was about to write. */
const lastRow = ({ lines }: Child) => lines.findLast((line) => line.startsWith("row "))?.slice(4) ?? "";

/** Everything that must hold once a worker had nothing more to do. */
function expectWhole(project: RunnerProject, issues: number): void {
  const rows = project
    .read(".premath/issues.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject);
  const merges = project.git(
    "log",
    "--merges",
    "--format=%(trailers:key=Bridle-Issue,valueonly,separator=)",
    "bridle/main",
  );
  const merged = merges.split("\n").filter((line) => line !== "");
  for (let n = 1; n <= issues; n++) {
    const id = `bd-${n}`;
    const closings = rows.filter((row) => row["id"] === id && row["status"] === "closed");
    expect(closings, `${id} was closed ${closings.length} times`).toHaveLength(1);
    const verified = closings[0]?.["verified"] as JsonObject | undefined;
    const commit = String(verified?.["commit"]);
    expect(() => project.git("merge-base", "--is-ancestor", commit, "bridle/main")).not.toThrow();
    expect(project.inTarget(`out/${id}`)).toBe(`${id}\n`);
  }
  expect(merged.toSorted()).toEqual([...new Set(merged)].toSorted());
  expect(merged).toHaveLength(issues);
  const begun = readFileSync(join(project.home, "begun"), "utf8").trim().split("\n");
  expect(new Set(begun).size, "work was begun twice").toBe(begun.length);
  const steps = project.trajectory().map((row) => row["stepId"]);
  expect(new Set(steps).size, "a step has two rows").toBe(steps.length);
  const completed = project.trajectory().filter((row) => row["resultClass"] === "completed");
  expect(completed).toHaveLength(issues);
  expect(project.git("fsck", "--no-dangling", "--no-progress")).toBe("");
  expect(existsSync(join(project.folder, ".git/index.lock"))).toBe(false);
}

describe("a worker that is killed", () => {
  it(
    "at each boundary of a step is followed by one that goes on, and nothing is lost or done twice",
    async () => {
      const rows = some(
        Array.from({ length: boundaries }, (_, i) => i + 1),
        4,
      );
      const project = new RunnerProject({ issues: rows.length });
      const places: string[] = [];
      for (const row of rows) {
        const child = start(project, { dieAtRow: row });
        const { signal } = await child.ended;
        expect([signal, child.complaint], lastRow(child)).toEqual(["SIGKILL", ""]);
        places.push(lastRow(child));
      }
      const last = start(project, {});
      await last.finish();
      expectWhole(project, rows.length);
      console.log(
        `proof: runner, killed before each row of a step: ${places.length} kills, ${new Set(places).size} places (${[...new Set(places)].join(", ")})`,
      );
      expect(new Set(places).size).toBeGreaterThanOrEqual(full ? 20 : 3);
    },
    share(600_000, 180_000),
  );

  it(
    "at random calls of git and the disk leaves what the next one ends",
    async () => {
      const random = new Random(seed);
      const kills = share(1_000, 2);
      let [made, twice] = [0, 0];
      while (made < kills) {
        const issues = share(12, 3);
        const project = new RunnerProject({ issues });
        for (let n = 0; n < 20 && made < kills; n++) {
          const child = start(project, {
            dieAtDeed: random.between(1, 260),
            seed: random.between(1, 1e6),
            worker: `worker.${random.between(1, 2)}`,
          });
          const { signal } = await child.ended;
          expect(child.complaint).toBe("");
          if (signal !== "SIGKILL") break;
          made++;
          if (n % 3 === 2) twice++;
        }
        await start(project, {}).finish();
        await start(project, { worker: "worker.2" }).finish();
        expectWhole(project, issues);
      }
      console.log(
        `proof: runner, killed at random: ${made} kills (seed ${seed}), ${twice} on top of each other; all issues merged and closed once`,
      );
    },
    share(7_200_000, 120_000),
  );
});
