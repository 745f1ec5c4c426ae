/**
 * Runs a policy on a pack into a folder, and dies at the disk call it is told to,
 * or when the test kills it.
 *
 * Says `step` before each decision, and when it is done `deeds` with the number
 * of its disk calls until the last row was written.
 */
import { nodePorts, type Ports } from "@bridle/record";
import { Random } from "@bridle/testing";
import { openPack } from "../../../packages/search/src/pack/open.js";
import { randomPolicy } from "../../../packages/search/src/policy/random.js";
import type { Policy } from "../../../packages/search/src/policy/types.js";
import { runPack } from "../../../packages/search/src/run/run.js";
import { args, done, say } from "../child-kit.js";
import { mortalFiles } from "../mortal.js";

const { pack, out, seed, jobs, asynchronous, dieAt, speaks } = args<{
  pack: string;
  out: string;
  seed: number;
  jobs: number;
  /** Decides as a model does, so that rows are written as they come. */
  asynchronous: boolean;
  /** The disk call that is the last, counted from 1; 0 for none. */
  dieAt: number;
  speaks: boolean;
}>();

let [deeds, untilLastRow] = [0, 0];
const real = nodePorts();
const ports: Ports = {
  ...real,
  files: mortalFiles(real.files, new Random(seed + dieAt), (deed, path) => {
    deeds++;
    if (deed === "append" && path.endsWith("episodes.jsonl")) untilLastRow = deeds;
    return deeds === dieAt ? 2 : 0;
  }),
};

const random = randomPolicy({ seed, illegalPercent: 10 });
const policy: Policy = {
  ...random,
  begin(brief, options) {
    const deciding = random.begin(brief, options);
    return {
      propose(observation) {
        if (speaks) say("step");
        const proposal = deciding.propose(observation);
        return asynchronous ? Promise.resolve(proposal) : proposal;
      },
    };
  },
};

await runPack({
  pack: await openPack(pack, real),
  policy,
  out,
  ports,
  jobs,
  signal: new AbortController().signal,
  codeRevision: "test",
  resume: true,
});
say(`deeds ${untilLastRow}`);
done();
