/** Works on several things at a time and hands the results on in order; holds a few of them back, never all. */
import { aborted } from "./drive.js";

export interface InOrderOptions<Input, Result> {
  readonly jobs: number;
  readonly signal: AbortSignal;
  readonly work: (input: Input) => Promise<Result>;
  /** Contract: called with one result at a time, in the order of the inputs. */
  readonly hand: (result: Result) => Promise<void>;
}

/** Results that wait for one before them, for each job. */
const heldBackPerJob = 4;

export async function inOrder<Input, Result>(
  source: AsyncIterable<Input>,
  { jobs, signal, work, hand }: InOrderOptions<Input, Result>,
): Promise<void> {
  const line: { readonly result: Promise<Result>; done: boolean }[] = [];
  const running = new Set<Promise<unknown>>();
  const start = (input: Input) => {
    const result = work(input);
    const place = { result, done: false };
    const settled: Promise<void> = result
      .then(
        () => {},
        () => {},
      )
      .then(() => {
        place.done = true;
        running.delete(settled);
      });
    running.add(settled);
    line.push(place);
  };
  const handFirst = async () => hand(await (line.shift() as (typeof line)[number]).result);
  try {
    for await (const input of source) {
      if (signal.aborted) throw aborted();
      start(input);
      while (running.size >= jobs || line.length >= jobs * heldBackPerJob) {
        if (line[0]?.done === true || line.length >= jobs * heldBackPerJob) await handFirst();
        else await Promise.race(running);
      }
    }
    while (line.length > 0) await handFirst();
  } finally {
    await Promise.all(running);
  }
}
