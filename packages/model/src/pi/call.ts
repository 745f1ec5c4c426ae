/**
 * Model calls through pi: any of its providers, and any server that speaks as one.
 *
 * One call is as many attempts as its limits allow. Between two of them it waits
 * by the clock's port, at least as long as the provider asked for, and the reader
 * is told by a `retry` event that what it has seen so far is void.
 */
import { Failure, type Ports, refuse } from "@bridle/record";
import type { Keys, ModelChoice } from "./choice.js";
import { type CallLimits, retryDelayMs, type Trouble, usualCallLimits } from "../retry.js";
import { Secrets } from "../secrets.js";
import type { ModelCall, ModelEvent, ModelRequest } from "../types.js";
import { attempt, tooLong } from "./attempt.js";
import { loadPiAi } from "./load.js";
import { piModel } from "./model.js";

export interface PiCallOptions {
  /** Those that requests may name. */
  readonly models: readonly ModelChoice[];
  readonly keys: Keys;
  readonly ports: Ports;
  /** Hidden in events, answers and failures; keys are added as they are used. */
  readonly secrets?: Secrets;
  readonly limits?: Partial<CallLimits>;
  /** May look at what is sent to the provider, and replace it. */
  readonly onPayload?: (payload: unknown) => unknown;
}

export function piModelCall(options: PiCallOptions): ModelCall {
  const secrets = options.secrets ?? new Secrets();
  const limits = { ...usualCallLimits, ...options.limits };
  return (request, { signal } = {}) => call(request, { ...options, secrets, limits, signal });
}

interface Calling extends PiCallOptions {
  readonly secrets: Secrets;
  readonly limits: CallLimits;
  readonly signal: AbortSignal | undefined;
}

async function* call(request: ModelRequest, calling: Calling): AsyncGenerator<ModelEvent> {
  const { ports, secrets, limits, signal } = calling;
  const { clock } = ports;
  const prepared = await expectingRefusal(() => prepare(request, calling));
  if ("refusal" in prepared) return yield { type: "failed", refusal: prepared.refusal };
  const { choice, model, pi } = prepared;
  const deadlineMs = limits.callWallMsMax > 0 ? (await clock.monotonic()) + limits.callWallMsMax : Infinity;
  let { key } = prepared;
  const met: Record<Trouble, number> = { rate_limit: 0, server_error: 0, broken: 0 };
  let waitedMs = 0;
  let renewed = false;
  yield { type: "start" };
  for (let count = 1; ;) {
    secrets.add(key?.value);
    const { onPayload } = calling;
    const ended = yield* attempt({
      ...{ pi, model, request, clock, limits, secrets, deadlineMs, signal },
      key: key?.value,
      ...(onPayload === undefined ? {} : { onPayload }),
    });
    if ("response" in ended) return yield { type: "done", response: ended.response };
    const { refusal, trouble, retryAfterMs, keyRejected } = ended.setback;
    let delayMs: number | undefined;
    if (keyRejected === true && key?.renewable === true && !renewed) {
      renewed = true;
      const rejected = key.value;
      const another = await expectingRefusal(async () => ({
        key: await calling.keys.keyFor(choice, rejected),
      }));
      if ("refusal" in another) return yield { type: "failed", refusal: another.refusal };
      key = another.key;
      delayMs = 0;
    } else if (trouble !== undefined) {
      const attempted = { trouble, before: met[trouble]++, waitedMs, chance: await chance(ports) };
      delayMs = retryDelayMs(
        { ...attempted, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
        limits,
      );
    }
    if (delayMs === undefined) return yield { type: "failed", refusal };
    if ((await clock.monotonic()) + delayMs > deadlineMs) {
      return yield {
        type: "failed",
        refusal: { ...tooLong(request, limits).refusal, detail: { because: refusal.message } },
      };
    }
    count++;
    yield { type: "retry", attempt: count, delayMs, because: refusal };
    await clock.sleep(delayMs, signal);
    waitedMs += delayMs;
  }
}

async function prepare(request: ModelRequest, { models, keys }: Calling) {
  const choice = models.find(({ ref }) => ref === request.model);
  if (choice === undefined) {
    const known = models.map(({ ref }) => ref).join(", ");
    throw new Failure("model_unknown", {
      message: `${request.model} was not chosen for this run; it has ${known}`,
    });
  }
  const key = await keys.keyFor(choice);
  const pi = await loadPiAi();
  return { choice, key, pi, model: piModel(choice, pi) };
}

/** A failure on the way to a call is an answer like any other: no key, no login. */
async function expectingRefusal<Result extends object>(
  act: () => Promise<Result>,
): Promise<Result | { readonly refusal: ReturnType<typeof refuse> }> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Failure) return { refusal: error.toRefusal() };
    throw error;
  }
}

async function chance({ randomness }: Ports): Promise<number> {
  const [byte = 0] = await randomness.bytes(1);
  return byte / 256;
}
