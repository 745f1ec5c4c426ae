/**
 * A worker of the runner that dies where it is told to: before it writes a row of its journal, or at a call of git or
 * of the disk that changes something.
 *
 * Says `row <effect> <kind>` before each row, and at its end `end <why> <completed> <failed>`.
 */
import { isRefusal, type Ports } from "@bridle/record";
import { beginRun, openWorker, openWorkplace, workerLoop } from "@bridle/runner";
import { Random } from "@bridle/testing";
import { surfacePorts } from "../../../packages/surface/src/ports.js";
import { args, done, say } from "../child-kit.js";
import { mortalFiles } from "../mortal.js";
import { withoutPauses } from "../without-pauses.js";

const { folder, env, work, merge, worker, stepsMax, dieAtRow, stopAtRow, dieAtDeed, seed } = args<{
  folder: string;
  env: Record<string, string>;
  work: string;
  merge: "auto" | "review";
  worker: string;
  stepsMax: number;
  /** The row of a step, counted from 1, before which it dies; 0 for none. */
  dieAtRow: number;
  /** The row of a step before which it stands still until it is told to go on; 0 for none. */
  stopAtRow: number;
  /** A run to join; its own when left out. */
  run?: string;
  /** The call that changes something, counted from 1; 0 for none. */
  dieAtDeed: number;
  seed: number;
}>();

let deeds = 0;
const deadly = () => ++deeds === dieAtDeed;
const die = () => process.kill(process.pid, "SIGKILL");
const real = withoutPauses(surfacePorts(env));
const ports: Ports = {
  ...real,
  files: mortalFiles(real.files, new Random(seed), () => (deadly() ? 2 : 0)),
  git: {
    async run(where, words) {
      const dies = deadly();
      if (dies && seed % 2 === 0) die();
      const answer = await real.git!.run(where, words);
      if (dies) die();
      return answer;
    },
  },
};

const around = {
  env,
  ports,
  signal: new AbortController().signal,
  say: (words: string) => say(`says ${words}`),
};
const place = orThrow(await openWorkplace({ folder, work }, around));
const files = await beginRun(place, { merge, parallel: 1, budgets: {} }, ports);
const opened = orThrow(await openWorker(place, files, { worker, index: 1, leaseTtlSeconds: 60 }, around));
const { journal } = opened.context;
const append = journal.append.bind(journal);
let rows = 0;
journal.append = async (row) => {
  if (row.step !== undefined && row.kind !== "note") {
    say(`row ${row.effect} ${row.kind}`);
    if (++rows === dieAtRow) die();
    if (rows === stopAtRow) {
      // A log keeps its lock for a moment after a row; whoever sleeps with a lock in hand only makes others wait.
      await real.clock.sleep(300);
      say("stops");
      process.kill(process.pid, "SIGSTOP");
      // It takes effect at once or a moment later; nothing is written in between.
      await real.clock.sleep(50);
    }
  }
  return append(row);
};
const end = await workerLoop(opened.context, {
  ...{
    files,
    rules: { merge, renewBeforeMs: 20_000 },
    budgets: {},
    stepsMax,
    continueOnFailure: true,
  },
});
await opened.close();
say(`end ${end.because} ${end.completed} ${end.failed} ${deeds}`);
done();

function orThrow<Answer extends object>(answer: Answer): Exclude<Answer, { readonly refused: string }> {
  if (isRefusal(answer)) throw new Error(`${answer.refused}: ${answer.message}`);
  return answer as Exclude<Answer, { readonly refused: string }>;
}
