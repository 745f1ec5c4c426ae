/**
 * The calls that are running: who may cancel them, and when none is left.
 *
 * Over HTTP every request meets a fresh protocol server, so a cancellation that
 * arrives as its own request would find nothing to cancel. Calls are therefore
 * remembered here by session and request id, for as long as they run. Request ids
 * alone would not do: every client counts from 0.
 */
import type { Clock } from "@bridle/record";

export interface CallName {
  readonly session: string;
  readonly requestId: string | number;
}

export interface RunningCall {
  readonly signal: AbortSignal;
  end(): void;
}

export class Calls {
  readonly #running = new Map<AbortController, string | undefined>();
  #whenIdle: (() => void)[] = [];
  #begun = 0;

  get begun(): number {
    return this.#begun;
  }

  /** `signal` is the transport's own: the connection closed, or the client cancelled. */
  begin(options: { readonly signal: AbortSignal; readonly name?: CallName | undefined }): RunningCall {
    const controller = new AbortController();
    this.#running.set(controller, options.name && keyOf(options.name));
    this.#begun += 1;
    return {
      signal: AbortSignal.any([options.signal, controller.signal]),
      end: () => {
        this.#running.delete(controller);
        if (this.#running.size > 0) return;
        for (const wake of this.#whenIdle.splice(0)) wake();
      },
    };
  }

  cancel(name: CallName): void {
    const key = keyOf(name);
    for (const [controller, running] of this.#running) if (running === key) controller.abort();
  }

  /** Aborts what runs and waits until it has ended; false when something did not end in time. */
  async stop(options: { readonly clock: Clock; readonly withinMs: number }): Promise<boolean> {
    for (const controller of this.#running.keys()) controller.abort();
    if (this.#running.size === 0) return true;
    const enough = new AbortController();
    const idle = new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    await Promise.race([idle, options.clock.sleep(options.withinMs, enough.signal)]);
    enough.abort();
    return this.#running.size === 0;
  }
}

function keyOf({ session, requestId }: CallName): string {
  return JSON.stringify([session, requestId]);
}
