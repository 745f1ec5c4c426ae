/** How every surface carries an operation out: one pipeline, one list of gates. */
import {
  type Authority,
  type Call,
  type Envelope,
  type Gate,
  type Operation,
  outcomeOf,
  perform,
} from "@bridle/operation";
import type { JsonObject } from "@bridle/record";
import { workGate } from "@bridle/work";
import { isFailureClass } from "./manifest/failure-classes.js";

/** Loaded only where no person answers for a change: everything else starts without it. */
const mutation: Gate = {
  name: "mutation",
  async judge(asked) {
    const { operation, authority } = asked;
    if (operation.effect !== "mutate" || authority.standing === undefined) return undefined;
    if (authority.standing.kind === "person") return undefined;
    return (await workGate()).mutationGate.judge(asked);
  },
};

/** Judged in this order, on every surface. */
export const mutationGates: readonly Gate[] = [mutation];

export interface Carrying {
  readonly call: Call;
  readonly authority: Authority;
  /** Those of every surface when left out. */
  readonly gates?: readonly Gate[];
  readonly onBug?: (error: unknown) => void;
}

export async function performOperation(
  operation: Operation,
  input: unknown,
  { call, authority, gates = mutationGates, onBug }: Carrying,
): Promise<Envelope> {
  const envelope = await perform(operation, input, {
    ...{ call, authority, gates, isFailureClass },
    ...(onBug === undefined ? {} : { onBug }),
  });
  return envelope.resultClass === "market_engine_missing" ? withInstallCommand(envelope) : envelope;
}

/** A room does not know how Bridle was installed, and so not which command adds a package. */
async function withInstallCommand(envelope: Envelope): Promise<Envelope> {
  const outcome = outcomeOf(envelope);
  const missing = outcome.kind === "refused" ? outcome.detail?.["missingPackage"] : undefined;
  if (typeof missing !== "string") return envelope;
  const { installCommandHere } = await import("./installed.js");
  const hint = `Add it with \`${installCommandHere(missing)}\`.`;
  return { ...envelope, payload: { ...(envelope.payload as JsonObject), hint } };
}
