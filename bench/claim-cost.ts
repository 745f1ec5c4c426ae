/** What a claim costs a long-lived process, among a thousand issues and among a hundred thousand. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { nodePorts, type Ports } from "@bridle/record";
import { alterFiles } from "@bridle/testing";
import { IssueMemory } from "../packages/work/src/store/issue-file.js";
import { claimNext, middle, writeIssues } from "./claiming.js";
import { judge, type Line } from "./measure.js";

const few = 1_000;
const many = 100_000;
const rounds = 5;
/** Fewer than a small memory has, so that all of them find something and none leads to a compaction. */
const claimsPerRound = 800;

export async function benchClaimCost(folder: string): Promise<Line[]> {
  mkdirSync(join(folder, ".premath"), { recursive: true });
  const synced = nodePorts();
  const unsynced = {
    ...synced,
    files: alterFiles(synced.files, { openFile: () => ({ sync: async () => {} }) }),
  };
  const whole = await grow(folder, synced);
  const without = await grow(folder, unsynced);
  const note = ({ fewMs, manyMs }: Grown) =>
    `${(fewMs * 1000).toFixed(0)} µs among ${few.toLocaleString("en-US")}, ${(manyMs * 1000).toFixed(0)} µs`;
  const name = "claim among 100,000 issues";
  const against = "claim among 1,000";
  const ratioOf = ({ fewMs, manyMs }: Grown) => manyMs / fewMs;
  return [
    judge({ name, against, ratio: ratioOf(whole), note: note(whole) }, { atMost: 1.5 }),
    judge(
      { name: `${name}, fsync left out`, against, ratio: ratioOf(without), note: note(without) },
      { atMost: 1.5 },
    ),
  ];
}

interface Grown {
  readonly fewMs: number;
  readonly manyMs: number;
}

async function grow(folder: string, ports: Ports): Promise<Grown> {
  const bigPath = join(folder, ".premath/big-claims.jsonl");
  writeIssues(bigPath, many);
  const big = await IssueMemory.open({ path: bigPath, ports });
  const tookFew: number[] = [];
  const tookMany: number[] = [];
  await claimNext(big, "worker", "first");
  for (let round = 0; round < rounds; round++) {
    const path = join(folder, `.premath/small-claims-${round}.jsonl`);
    writeIssues(path, few);
    const small = await IssueMemory.open({ path, ports });
    await claimNext(small, "worker", "first");
    globalThis.gc?.();
    for (let i = 0; i < claimsPerRound; i++) {
      tookFew.push(await timedClaim(small, `${round}-${i}`));
      tookMany.push(await timedClaim(big, `${round}-${i}`));
    }
    await small.close();
    rmSync(path);
  }
  await big.close();
  rmSync(bigPath);
  return { fewMs: middle(tookFew), manyMs: middle(tookMany) };
}

async function timedClaim(memory: IssueMemory, requestId: string): Promise<number> {
  const from = performance.now();
  await claimNext(memory, "worker", requestId);
  return performance.now() - from;
}
