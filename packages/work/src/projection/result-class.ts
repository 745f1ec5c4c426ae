/** What a result class means. It is free text; only these spellings have a meaning. */
import { workLimits } from "../limits.js";

const successes: ReadonlySet<string> = new Set([
  "accepted",
  "verified_accept",
  "completed",
  "success",
  "ok",
  "passed",
]);
const retrySigns: readonly string[] = ["retry", "transient", "timeout", "network", "rate_limit"];

export interface ResultMeaning {
  /** Not one of the names of success. */
  readonly failed: boolean;
  /** Speaks of something that passes; independent of `failed`. */
  readonly retryNeeded: boolean;
}

export function meaningOf(resultClass: string): ResultMeaning {
  const folded = resultClass.trim().toLowerCase().replaceAll("-", "_");
  return { failed: !successes.has(folded), retryNeeded: retrySigns.some((sign) => folded.includes(sign)) };
}

/** The same, remembering: a trajectory has many rows and few classes. */
export class ResultMeanings {
  private readonly known = new Map<string, ResultMeaning>();

  of(resultClass: string): ResultMeaning {
    const known = this.known.get(resultClass);
    if (known !== undefined) return known;
    const meaning = meaningOf(resultClass);
    if (this.known.size < workLimits.resultClassesMax) this.known.set(resultClass, meaning);
    return meaning;
  }
}
