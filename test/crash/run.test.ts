/**
 * A real process that runs a policy on a pack is killed at random points, once
 * or twice, and the run is then resumed: what is there is always a readable
 * prefix, and the end is the same to the byte as without any kill.
 */
import { join } from "node:path";
import { verifyRun } from "@bridle/search";
import { Random } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { type Child, useChildren } from "../support/children.js";
import { newFolder } from "../support/folder.js";
import { seed, share } from "../support/scale.js";
import { bytesOf, packIn, ports } from "../support/search-run.js";

const children = useChildren();
const points = share(100, 4);
const episodes = 6;

describe("a run that is killed", () => {
  it(
    "leaves a readable prefix and is resumed to the same bytes",
    async () => {
      const base = newFolder();
      const pack = await packIn(base, episodes);
      const random = new Random(seed);
      const start = (
        out: string,
        more: { asynchronous: boolean; jobs?: number; dieAt?: number; speaks?: boolean },
      ) =>
        children.start("run-pack", {
          pack: pack.folder,
          out,
          seed,
          jobs: 1,
          dieAt: 0,
          speaks: false,
          ...more,
        });

      const [whole, slowly] = [join(base, "runs", "whole"), join(base, "runs", "slowly")];
      const deedsOf = async (child: Child) => Number((await child.says("deeds")).slice("deeds ".length));
      const deeds = {
        batched: await deedsOf(start(whole, { asynchronous: false })),
        stepwise: await deedsOf(start(slowly, { asynchronous: true, speaks: true })),
      };
      const expected = bytesOf(whole);
      expect(bytesOf(slowly)).toEqual(expected);

      const found = { killed: 0, incomplete: 0, complete: 0, within: 0, outside: 0, twice: 0 };
      for (let run = 0; found.incomplete < points; run++) {
        const out = join(base, "runs", `killed-${run}`);
        const outside = run % 4 === 2;
        const asynchronous = run % 4 !== 3;
        for (let kills = run % 5 === 4 ? 2 : 1; kills > 0; kills--) {
          const dieAt = random.between(1, asynchronous ? deeds.stepwise : deeds.batched);
          const jobs = asynchronous ? 1 : random.between(1, 3);
          const child = outside
            ? killedFromOutside(start(out, { asynchronous, speaks: true }), random.between(1, 20))
            : start(out, { asynchronous, jobs, dieAt });
          const { signal } = await child.ended;
          const status = await statusOf(out);
          // One that was resumed has less to do, and may be done before its turn to die comes.
          if (signal === null) {
            expect([child.complaint, status]).toEqual(["", "complete"]);
            continue;
          }
          found.killed++;
          found[status]++;
          if (outside) found.outside++;
          if (kills === 1 && run % 5 === 4) found.twice++;
          if (child.lines.some((line) => line.startsWith("dies within"))) found.within++;
        }
        await start(out, { asynchronous: false }).finish();
        expect(bytesOf(out), `run ${run} (seed ${seed})`).toEqual(expected);
      }
      console.log(
        `proof: run kills: killed at ${found.killed} random points (seed ${seed}), ${found.twice} times a second time, ` +
          `${found.within} times in the middle of a write, ${found.outside} from outside; ${found.incomplete} times incomplete, ` +
          `${found.complete} times already complete, each resumed to the same bytes`,
      );
      expect(found.incomplete).toBeGreaterThan(points / 2);
      await pack.close();
    },
    share(600_000, 60_000),
  );
});

function killedFromOutside(child: Child, afterSteps: number): Child {
  let steps = 0;
  child.onLine = () => {
    if (++steps === afterSteps) child.kill("SIGKILL");
  };
  return child;
}

/** Whatever is there can be read; before there is anything, the run is not there yet. */
async function statusOf(out: string): Promise<"complete" | "incomplete"> {
  try {
    return (await verifyRun(out, ports)).status;
  } catch (error) {
    expect(error).toMatchObject({ failureClass: "run_missing" });
    return "incomplete";
  }
}
