/** Saying that there is no session, and how to get one. */
import { refuse, type Refusal } from "@bridle/record";
import type { LocatedFile } from "../calls/place.js";

export function sessionMissing({ shown, path }: LocatedFile): Refusal {
  return refuse("session_missing", {
    message: `there is no harness session at ${shown}`,
    hint: "Write one with `premath harness-session write --state active --issue-id <id>`, or name another with --path.",
    detail: { path },
  });
}
