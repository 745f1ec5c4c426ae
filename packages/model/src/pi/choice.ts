/** A model that was chosen, with everything that is needed to reach it but its key. */
import type { JsonObject } from "@bridle/record";

export interface ModelChoice {
  /** `provider/id`. */
  readonly ref: string;
  readonly provider: string;
  readonly id: string;
  /** A model of the same provider in pi's table whose facts it shares. */
  readonly like?: string;
  /** The protocol, by pi's name, such as `openai-completions`. */
  readonly api?: string;
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  readonly thinks?: boolean;
  readonly seesImages?: boolean;
  /** Deviations from the protocol, by pi's names. */
  readonly compat?: JsonObject;
}

/**
 * Contract: the key for a model, or a refusal that says where to put one. With
 * `rejected`, the provider did not accept that one: answers another, or refuses.
 * Undefined where the provider's client finds credentials of its own (cloud accounts).
 */
export interface Keys {
  keyFor(choice: ModelChoice, rejected?: string): Promise<Key | undefined>;
}

export interface Key {
  readonly value: string;
  /** Whether it is worth asking for another one when it is rejected. */
  readonly renewable: boolean;
}
