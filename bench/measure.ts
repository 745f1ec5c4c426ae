/**
 * Ratios, not seconds: the machine is noisy, so what is measured and what it is
 * compared with take turns in one run, and the middle of the ratios counts.
 */
export interface Line {
  readonly name: string;
  /** What the ratio is against. */
  readonly against: string;
  readonly ratio: number | undefined;
  /** The promise, e.g. "≥ 0.5". */
  readonly promise: string;
  readonly kept: boolean | "not judged";
  readonly note: string;
}

export function judge(
  line: { readonly name: string; readonly against: string; readonly ratio: number; readonly note?: string },
  promise: { readonly atLeast: number } | { readonly atMost: number },
): Line {
  const { ratio, note = "", ...names } = line;
  return "atLeast" in promise
    ? { ...names, ratio, note, promise: `≥ ${promise.atLeast}`, kept: ratio >= promise.atLeast }
    : { ...names, ratio, note, promise: `≤ ${promise.atMost}`, kept: ratio <= promise.atMost };
}

/**
 * A full collection also throws away compiled code, whose objects it does not find alive. Where a piece of work is
 * short and what counts is its pace, it is warmed up again before it is measured.
 */
export async function timed(work: () => unknown, warmUp?: () => unknown): Promise<number> {
  globalThis.gc?.();
  await warmUp?.();
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The processor's time of this process: for work that only computes, and tells the same on a machine that is busy. */
export async function computed(work: () => unknown, warmUp?: () => unknown): Promise<number> {
  globalThis.gc?.();
  await warmUp?.();
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Times both in turn, `rounds` times; the middle of baseline ÷ subject (how many times as fast the subject is). */
export async function speedup(
  rounds: number,
  baseline: () => unknown,
  subject: () => unknown,
): Promise<{ ratio: number; baselineMs: number; subjectMs: number }> {
  const pairs: { baselineMs: number; subjectMs: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const baselineMs = await timed(baseline);
    pairs.push({ baselineMs, subjectMs: await timed(subject) });
  }
  pairs.sort((a, b) => a.baselineMs / a.subjectMs - b.baselineMs / b.subjectMs);
  const middle = pairs[pairs.length >> 1] as { baselineMs: number; subjectMs: number };
  return { ratio: middle.baselineMs / middle.subjectMs, ...middle };
}
