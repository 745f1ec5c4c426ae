/**
 * A real worker is killed at every boundary of a step and at random, and another goes on: the night ends as the
 * undisturbed one does, each issue is merged and closed at most once, no row is lost, no work is begun twice.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { Random } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { type Child, useChildren } from "../support/children.js";
import { endOf, type Night, night, projectOf, workOf } from "../support/nights.js";
import type { RunnerProject } from "../support/runner-project.js";
import { full, seed, share, some } from "../support/scale.js";

const children = useChildren();
/** Rows that a step writes, and so places between them. */
const boundaries = 28;

interface Fate {
  readonly dieAtRow?: number;
  readonly dieAtDeed?: number;
  readonly worker?: string;
  readonly seed?: number;
}

const start = (project: RunnerProject, of: Night, fate: Fate = {}) =>
  children.start("runner-worker", {
    ...{ folder: project.folder, env: project.env, work: workOf(of), merge: of.merge, stepsMax: 1_000 },
    ...{ worker: "worker.1", dieAtRow: 0, stopAtRow: 0, dieAtDeed: 0, seed, ...fate },
  });

/** The last row that it was about to write. */
const lastRow = ({ lines }: Child) => lines.findLast((line) => line.startsWith("row "))?.slice(4) ?? "";

/** It died while it ended what another had left, before it claimed anything itself. */
const diedSettling = ({ lines }: Child) => !lines.includes("row claim intent");

/** How the same night ends when nobody is killed. */
async function undisturbed(of: Night): Promise<JsonObject> {
  const project = projectOf(of);
  await start(project, of).finish();
  return endOf(project);
}

/** Everything that must hold once a worker had nothing more to do. */
function expectWhole(project: RunnerProject, of: Night, end: JsonObject): void {
  const rows = project
    .read(".premath/issues.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject);
  const closed = rows.filter((row) => row["status"] === "closed").map((row) => String(row["id"]));
  expect(new Set(closed).size, "an issue was closed twice").toBe(closed.length);
  const merges = project.git(
    "log",
    "--merges",
    "--format=%(trailers:key=Bridle-Issue,valueonly,separator=)",
    "bridle/main",
  );
  const merged = merges.split("\n").filter((line) => line !== "");
  expect(new Set(merged).size, "an issue was merged twice").toBe(merged.length);
  const begun = readFileSync(join(project.home, "begun"), "utf8").trim().split("\n");
  expect(new Set(begun).size, "work was begun twice").toBe(begun.length);
  const steps = project.trajectory().map((row) => row["stepId"]);
  expect(new Set(steps).size, "a step has two rows").toBe(steps.length);
  const completed = project.trajectory().filter((row) => row["resultClass"] === "completed");
  expect(completed, of.name).toHaveLength(closed.length);
  for (const row of rows.filter((each) => each["status"] === "closed")) {
    const { commit } = row["verified"] as { readonly commit: string };
    expect(() => project.git("merge-base", "--is-ancestor", commit, "bridle/main")).not.toThrow();
  }
  expect(endOf(project), of.name).toEqual(end);
  expect(project.git("fsck", "--no-dangling", "--no-progress")).toBe("");
  expect(existsSync(join(project.folder, ".git/index.lock"))).toBe(false);
}

/** Kills one worker after the other until there is nothing more to do, lets the night end, and looks at what is left. */
async function disturb(of: Night, killsMax: number): Promise<{ kills: number; twice: number }> {
  const random = new Random(of.seed);
  const project = projectOf(of);
  let [kills, twice] = [0, 0];
  while (kills < killsMax) {
    const again = kills > 0 && random.chance(0.4);
    const child = start(project, of, {
      ...(random.chance(0.3) && !again
        ? { dieAtRow: random.between(1, 3 * boundaries) }
        : { dieAtDeed: random.between(1, again ? 60 : 200) }),
      ...{ seed: random.between(1, 1e6), worker: `worker.${random.between(1, 2)}` },
    });
    const { signal } = await child.ended;
    expect(child.complaint, of.name).toBe("");
    if (signal !== "SIGKILL") break;
    if (kills > 0 && diedSettling(child)) twice++;
    kills++;
  }
  await start(project, of).finish();
  await start(project, of, { worker: "worker.2" }).finish();
  expectWhole(project, of, await undisturbed(of));
  return { kills, twice };
}

describe("a worker that is killed", () => {
  it(
    "at each boundary of a step is followed by one that goes on, and nothing is lost or done twice",
    async () => {
      const rows = some(
        Array.from({ length: boundaries }, (_, i) => i + 1),
        4,
      );
      const honest: Night = {
        ...{ name: "honest work", seed, ways: rows.map(() => "adds" as const), merge: "auto" },
      };
      const project = projectOf(honest);
      const places: string[] = [];
      for (const row of rows) {
        const child = start(project, honest, { dieAtRow: row });
        const { signal } = await child.ended;
        expect([signal, child.complaint], lastRow(child)).toEqual(["SIGKILL", ""]);
        places.push(lastRow(child));
      }
      await start(project, honest).finish();
      expectWhole(project, honest, await undisturbed(honest));
      console.log(
        `proof: runner, killed before each row of a step: ${places.length} kills, ${new Set(places).size} places (${[...new Set(places)].join(", ")})`,
      );
      expect(new Set(places).size).toBeGreaterThanOrEqual(full ? 20 : 3);
    },
    share(600_000, 180_000),
  );

  it(
    "at random rows and calls of git and the disk leaves a night that ends as if nobody had been killed",
    async () => {
      const [nights, killsMin, twiceMin] = [share(50, 1), share(1_000, 2), share(300, 0)];
      let [kills, twice, tried] = [0, 0, 0];
      const oneAfterAnother = async () => {
        while (tried < nights || kills < killsMin || twice < twiceMin) {
          const made = await disturb(night(seed + tried++, share(6, 3)), share(30, 3));
          kills += made.kills;
          twice += made.twice;
        }
      };
      // A night waits for its processes; two at a time use two cores.
      await Promise.all([oneAfterAnother(), ...(full ? [oneAfterAnother()] : [])]);
      console.log(
        `proof: runner, killed at random: ${tried} nights, ${kills} kills (seed ${seed}), ${twice} of them of one that was ending what a killed one had left; each night ended as the undisturbed one`,
      );
    },
    share(7_200_000, 120_000),
  );
});
