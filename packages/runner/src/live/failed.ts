/** Outcomes of effects that did not work. */
import type { JsonObject, Refusal } from "@bridle/record";
import type { Outcome } from "../types.js";

export function failed(name: string, message: string, detail?: JsonObject): Outcome {
  return { failed: { class: name, message, ...(detail === undefined ? {} : { detail }) } };
}

export function failedBy({ refused, message, detail }: Refusal): Outcome {
  return failed(refused, message, detail);
}
