import type { Ports } from "@bridle/record";

/** Pauses between attempts pass at once. */
export const withoutPauses = (real: Ports): Ports => ({
  ...real,
  clock: {
    ...real.clock,
    sleep: (ms, signal) => real.clock.sleep(ms >= 1_000 && ms <= 60_000 ? 1 : ms, signal),
  },
});
