/** Waiting for the next thing of a stream, but not for ever: by the clock's port, and until the signal. */
import type { Clock } from "@bridle/record";

export type Waited<Value> =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "silent" }
  | { readonly kind: "aborted" };

export interface Patience {
  readonly clock: Clock;
  /** Infinity waits for ever. */
  readonly msMax: number;
  readonly signal?: AbortSignal | undefined;
}

/** Leaves no timer and no listener behind. What comes too late is dropped, and so is its failure. */
export async function within<Value>(promise: Promise<Value>, patience: Patience): Promise<Waited<Value>> {
  const { clock, msMax, signal } = patience;
  if (signal?.aborted === true) {
    promise.catch(() => {});
    return { kind: "aborted" };
  }
  const over = new AbortController();
  let stop = () => {};
  const aborted = new Promise<Waited<Value>>((done) => {
    stop = () => done({ kind: "aborted" });
    signal?.addEventListener("abort", stop, { once: true });
  });
  const contenders = [promise.then((value): Waited<Value> => ({ kind: "value", value })), aborted];
  if (msMax !== Infinity) {
    contenders.push(
      clock.sleep(Math.max(0, msMax), over.signal).then((): Waited<Value> => ({ kind: "silent" })),
    );
  }
  try {
    return await Promise.race(contenders);
  } finally {
    over.abort();
    signal?.removeEventListener("abort", stop);
    promise.catch(() => {});
  }
}
