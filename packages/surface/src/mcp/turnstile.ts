/**
 * How many requests are being answered at once, and when none is.
 *
 * Whoever is let in is counted out by the end of their response, however it ends.
 */
import type { ServerResponse } from "node:http";
import type { Clock } from "@bridle/record";

export class Turnstile {
  readonly #max: number;
  #open = 0;
  #whenEmpty: (() => void)[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** False when as many as may be are inside. */
  admit(response: ServerResponse): boolean {
    if (this.#open >= this.#max) return false;
    this.#open += 1;
    response.once("close", () => {
      this.#open -= 1;
      if (this.#open === 0) for (const wake of this.#whenEmpty.splice(0)) wake();
    });
    return true;
  }

  async empty(options: { readonly clock: Clock; readonly withinMs: number }): Promise<void> {
    if (this.#open === 0) return;
    const enough = new AbortController();
    const left = new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
    await Promise.race([left, options.clock.sleep(options.withinMs, enough.signal)]);
    enough.abort();
  }
}
