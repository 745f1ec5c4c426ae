/** The retry policy on disk: read whole, and every way in which it cannot be is a class of its own. */
import { type Files, refuse, type Refusal } from "@bridle/record";
import { readSmallText, Unreadable } from "../small-file.js";
import { parseRetryPolicy, type RetryPolicy } from "./retry-policy.js";

export const retryPolicyDefault = "policies/control/harness-retry-policy-v1.json";

export interface PolicyPlace {
  /** Absolute. */
  readonly path: string;
  readonly shown: string;
}

export async function loadRetryPolicy(place: PolicyPlace, files: Files): Promise<RetryPolicy | Refusal> {
  const text = await readPolicyText(place, files);
  return typeof text === "string" ? parseRetryPolicy(text, place.shown) : text;
}

export async function readPolicyText({ path, shown }: PolicyPlace, files: Files): Promise<string | Refusal> {
  const text = await readSmallText(path, files);
  if (text === undefined)
    return refuse("retry_policy_missing", {
      message: `there is no ${shown}`,
      hint: `It was looked for at ${path}.`,
    });
  return text instanceof Unreadable
    ? refuse("retry_policy_io_error", { message: `${shown} ${text.why}` })
    : text;
}
