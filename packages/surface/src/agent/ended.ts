/** A turn that did not end well, as the command's own failure. The answer was given all the same. */
import type { EndReason } from "@bridle/agent";
import { refuse, type Refusal } from "@bridle/record";

export interface Ended {
  readonly session: string;
  readonly reason: EndReason;
  readonly refusal?: Refusal;
}

const says: Readonly<Record<Exclude<EndReason, "ok">, string>> = {
  round_cap: "it used all its rounds",
  timeout: "it ran out of time",
  contract_budget: "it reached a bound of its plan",
  cost_cap: "it reached the limit of its cost",
  cancelled: "it was stopped",
  error: "the model could not answer",
  no_progress: "it went round in circles",
  incomplete: "its answer was cut off or empty",
};

export function refusalOf({ session, reason, refusal }: Ended): Refusal {
  if (reason === "cancelled") {
    return refuse("aborted", {
      message: `the turn did not end well: ${says.cancelled}`,
      hint: `Go on with \`bridle chat --resume ${session}\`.`,
    });
  }
  const why = reason === "ok" ? "" : says[reason];
  const because = refusal === undefined ? why : `${why}: ${refusal.message}`;
  return refuse("turn_incomplete", {
    message: `the turn did not end well: ${because} (${reason})`,
    hint: refusal?.hint ?? `Go on with \`bridle chat --resume ${session}\`.`,
    detail: { session, reason },
  });
}
