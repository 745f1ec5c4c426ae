/** Saying that there is no feature ledger, and how to get one. */
import { refuse, type Refusal } from "@bridle/record";
import type { LocatedFile } from "../calls/place.js";

export function ledgerMissing({ shown, path }: LocatedFile): Refusal {
  return refuse("feature_ledger_missing", {
    message: `there is no feature ledger at ${shown}`,
    hint: "Write one with `premath harness-feature write --feature-id <id> --status pending`, or name another with --path.",
    detail: { path },
  });
}
