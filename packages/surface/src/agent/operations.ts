/**
 * Operations of other rooms, called for a session by their id as every surface calls them:
 * validated, gated, enveloped.
 *
 * Changes stand on a lane of the session's own, which ends with this process, and on what was
 * called here before: one call at a time, so that none is judged while another is open. Inside
 * another run there is no lane of its own: what holds is that run's.
 */
import type { SessionOperations } from "@bridle/agent";
import { type Call, type Envelope, outcomeOf, type TurnSoFar } from "@bridle/operation";
import { Failure, formatSeconds, isJsonObject, type JsonObject } from "@bridle/record";
import { ConnectionTurn, Lanes } from "@bridle/work";
import { isFailureClass } from "../manifest/failure-classes.js";
import { loadManifest } from "../manifest/load.js";
import { loadOperation } from "../manifest/rooms.js";
import { performOperation } from "../perform.js";
import { runOf } from "../standing.js";

export function sessionOperations(place: Pick<Call, "ports" | "cwd" | "env">): SessionOperations {
  const turn = new ConnectionTurn("agent://session", "agent://bridle");
  const outer = runOf(place.env);
  let run = outer;
  let lanes: Lanes | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function carryOut(id: `op/${string}`, input: JsonObject, call: Call): Promise<JsonObject> {
    const underway = turn.begin(id);
    const envelope = await carriedOut(id, input, call, run, underway.before);
    const outcome = outcomeOf(envelope);
    const [failed] = envelope.failureClasses;
    underway.answered({
      text: JSON.stringify(envelope),
      changed: failed === undefined && envelope.policyDigest !== undefined,
      ...(failed === undefined
        ? {}
        : { failure: { class: failed, message: outcome.kind === "refused" ? outcome.message : failed } }),
    });
    if (outcome.kind === "accepted" && isJsonObject(outcome.payload)) return outcome.payload;
    throw new Failure(isFailureClass(envelope.resultClass) ? envelope.resultClass : "internal_error", {
      message: outcome.kind === "refused" ? outcome.message : `${envelope.action} was rejected`,
      ...(outcome.kind === "refused" && outcome.hint !== undefined ? { hint: outcome.hint } : {}),
    });
  }

  return {
    call(id, input, call) {
      const next = last.then(() => carryOut(id, input, call));
      last = next.catch(() => {});
      return next;
    },
    async open({ session, notice }) {
      if (outer !== undefined) return;
      run = session;
      try {
        lanes = await Lanes.open(place);
        const openedAt = formatSeconds(await place.ports.clock.now());
        await lanes.add({ name: session, openedAt, process: await place.ports.processes.self() });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        notice(`the session has no lane, so it changes no issues: ${error.message}`);
      }
    },
    async close() {
      if (run !== undefined && outer === undefined) await lanes?.remove(run);
    },
  };
}

async function carriedOut(
  id: `op/${string}`,
  input: JsonObject,
  call: Call,
  run: string | undefined,
  turn: TurnSoFar,
): Promise<Envelope> {
  const entry = loadManifest().operations.find(({ names }) => names.id === id);
  if (entry === undefined) throw new Error(`there is no operation ${id}`);
  const standing = run === undefined ? {} : { standing: { kind: "run", id: run, turn } as const };
  return performOperation(await loadOperation(entry), input, {
    call,
    authority: { surface: "cli", ...standing },
  });
}
