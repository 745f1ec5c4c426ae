/** Waits for real: a time, an abort, or whatever else `subscribe` brings; leaves nothing behind. */
export async function waitFor(
  ms: number,
  signal: AbortSignal | undefined,
  subscribe?: (wake: () => void) => void,
): Promise<void> {
  if (signal?.aborted === true) return;
  let wake = () => {};
  const woken = new Promise<void>((done) => {
    wake = () => done();
  });
  const timer = setTimeout(wake, ms);
  signal?.addEventListener("abort", wake, { once: true });
  subscribe?.(wake);
  await woken;
  clearTimeout(timer);
  signal?.removeEventListener("abort", wake);
}
