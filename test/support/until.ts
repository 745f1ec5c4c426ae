/** Waits for a fact about the outside world that sends no word when it becomes true. */
import { setTimeout as pause } from "node:timers/promises";

export async function until(what: string, holds: () => boolean, msMax = 30_000): Promise<void> {
  const end = performance.now() + msMax;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`waited ${msMax / 1000} s in vain until ${what}`);
    await pause(2);
  }
}
