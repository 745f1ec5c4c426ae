/**
 * A worker that stands still past the end of its lease and then goes on writes nothing: not to issue memory, not to the
 * trajectory, not to the target. Who took over is not overruled, and what was merged is not merged again.
 */
import { describe, expect, it } from "vitest";
import { useChildren } from "../support/children.js";
import { RunnerProject } from "../support/runner-project.js";
import { share } from "../support/scale.js";

const children = useChildren();
const work = 'mkdir -p out; echo "$BRIDLE_STEP" > "out/$PREMATH_ISSUE_ID"';
const hourMs = 3_600_000;
/** Rows of a step, from behind its claim to before its closing: before each of them somebody may fall asleep. */
const [first, last] = [3, 25];

describe("a worker that slept past its lease", () => {
  it(
    "writes nothing once it goes on, wherever in its step it slept",
    async () => {
      const sleepers = share(100, 1);
      const slept: string[] = [];
      for (let n = 0; n < sleepers; n++) {
        const stopAtRow = first + Math.round((n * (last - first)) / Math.max(1, sleepers - 1));
        const project = new RunnerProject({ issues: 1 });
        const child = children.start("runner-worker", {
          ...{ folder: project.folder, env: project.env, work, worker: "sleeper", stepsMax: 1 },
          ...{ merge: "auto", dieAtRow: 0, stopAtRow, dieAtDeed: 0, seed: 1 },
        });
        await child.says("stops");
        slept.push(child.lines.findLast((line) => line.startsWith("row "))?.slice(4) ?? "");
        // An hour later by the other's clock.
        const late = await project.work({
          ...{ work, worker: "other", run: "run-1" },
          ports: (real) => ({
            ...real,
            clock: { ...real.clock, now: async () => (await real.clock.now()) + hourMs },
          }),
        });
        expect(
          late.completed,
          `${slept.at(-1)} ${late.because} ${JSON.stringify(late.steps_.map(({ step }) => [step.failure, [...step.done.keys()]]))}`,
        ).toBe(1);
        const before = stateOf(project);
        expect(project.row("bd-1")).toMatchObject({ status: "closed", assignee: "other", fence: 2 });
        process.kill(child.pid, "SIGCONT");
        await child.finish();
        expect(stateOf(project), `asleep before ${slept.at(-1)}`).toEqual(before);
        expect(project.git("log", "--merges", "--format=%s", "bridle/main").split("\n")).toHaveLength(1);
        expect(
          project.journal().filter(({ effect, worker }) => effect === "lost" && worker === "sleeper"),
        ).toHaveLength(1);
      }
      console.log(
        `proof: fencing: ${sleepers} workers slept past their lease, before ${[...new Set(slept)].join(", ")}; none wrote anything afterwards`,
      );
    },
    share(3_000_000, 120_000),
  );
});

function stateOf(project: RunnerProject) {
  return {
    issues: project.read(".premath/issues.jsonl"),
    trajectory: project.trajectory(),
    target: project.git("rev-parse", "bridle/main"),
    main: project.git("rev-parse", "main"),
  };
}
