/** The retry policy on disk: read whole, and every way in which it cannot be is a class of its own. */
import { type Files, refuse, type Refusal } from "@bridle/record";
import { workLimits } from "../limits.js";
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
  try {
    const stat = await files.stat(path);
    if (stat === undefined) {
      return refuse("retry_policy_missing", {
        message: `there is no ${shown}`,
        hint: `It was looked for at ${path}.`,
      });
    }
    if (stat.kind !== "file" || stat.size > workLimits.evidenceBytesMax)
      return unreadable(shown, stat.kind === "file" ? "it is too large" : "it is no regular file");
    const file = await files.open(path, "read");
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(await file.read(0, stat.size));
    } finally {
      await file.close();
    }
  } catch (error) {
    return unreadable(shown, (error as Error).message);
  }
}

function unreadable(shown: string, why: string): Refusal {
  return refuse("retry_policy_io_error", { message: `${shown} cannot be read: ${why}` });
}
