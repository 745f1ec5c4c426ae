/** Claims and closings on the store in memory: whatever overlaps, there is an order in which it happened. */
import { isRefusal } from "@bridle/record";
import { decideClaimNext, closeIssue, IssueTable, MemoryIssues } from "@bridle/work";
import { expect, test } from "vitest";
import { newRow } from "../../packages/work/src/memory/issue-row.js";
import { seed, share } from "../support/scale.js";
import { type Call, checkLinearizable, type Model } from "./linearizable.js";

type Op = { readonly claim: string } | { readonly close: string };

/** The open issues in the order in which they are offered, and who holds the others. */
type State = { readonly open: readonly string[]; readonly held: readonly string[] };

const model: Model<State, Op, string> = {
  initial: { open: ["a", "b", "c", "d"], held: [] },
  step: ({ open, held }, op) => {
    if ("close" in op) {
      if (!open.includes(op.close) && !held.includes(op.close))
        return { state: { open, held }, answer: "closed" };
      const without = (ids: readonly string[]) => ids.filter((id) => id !== op.close);
      if (held.includes(op.close)) return { state: { open, held }, answer: "held" };
      return { state: { open: without(open), held: without(held) }, answer: "closed" };
    }
    const [first, ...rest] = open;
    if (first === undefined) return { state: { open, held }, answer: "nothing" };
    return { state: { open: rest, held: [...held, first] }, answer: first };
  },
  stateKey: ({ open, held }) => `${open.join()}|${[...held].sort().join()}`,
  sameAnswer: Object.is,
};

/** Small and repeatable. */
function chance(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test("histories of the store in memory are linearizable", async () => {
  const rounds = share(2_000, 200);
  for (let round = 0; round < rounds; round++) {
    const random = chance(seed * 7_919 + round);
    const table = new IssueTable();
    // A clock that lets others go first, now and then.
    const clock = {
      now: async () => {
        for (let turns = Math.floor(random() * 4); turns > 0; turns--) await Promise.resolve();
        return 1_000;
      },
    };
    const stores = [0, 1, 2].map(() => new MemoryIssues({ clock, table }));
    const rows = model.initial.open.map((id) => newRow({ id, title: id, status: "open" }));
    await stores[0]?.change(() => ({ answer: undefined, rows }), { create: true });
    let at = 0;
    const history: Call<Op, string>[] = [];
    const worker = async (store: MemoryIssues, name: string) => {
      for (let n = 0; n < 3; n++) {
        for (let turns = Math.floor(random() * 4); turns > 0; turns--) await Promise.resolve();
        const target = model.initial.open[Math.floor(random() * 4)] ?? "a";
        const op: Op = random() < 0.6 ? { claim: name } : { close: target };
        const invokedAt = ++at;
        const answer = await answerTo(store, op);
        history.push({ op, invokedAt, returned: { at: ++at, answer } });
      }
    };
    await Promise.all(stores.map((store, index) => worker(store, `worker-${index}`)));
    expect([round, checkLinearizable(model, history).linearizable]).toEqual([round, true]);
  }
  console.log(`proof: ${rounds} histories of the store in memory are linearizable (seed ${seed})`);
});

async function answerTo(store: MemoryIssues, op: Op): Promise<string> {
  if ("claim" in op) {
    const answer = await store.change(decideClaimNext({ assignee: op.claim }));
    if (answer === null || isRefusal(answer)) return "nothing";
    return answer.issue.id;
  }
  const answer = await store.change(closeIssue(op.close, {}));
  return isRefusal(answer) ? "held" : "closed";
}
