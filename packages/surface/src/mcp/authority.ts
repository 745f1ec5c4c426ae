/**
 * With what authority a call comes in: the server names it, a client cannot.
 *
 * Under `instruction-linked` the call stands on the lane that a person opened for the folder and
 * on the turn that the server keeps of the connection. Under `open` the person who started the
 * server answers for it, under `human-override` as well, with a reason and not for long. A server
 * inside a run stands on that run and on nothing else.
 */
import type { Authority, Standing, TurnSoFar } from "@bridle/operation";
import { standingIn } from "../standing.js";
import type { McpSettings } from "./types.js";

export function authorityOf(
  { mutation, env }: Pick<McpSettings, "mutation" | "env">,
  turn: TurnSoFar,
): Authority {
  return { surface: "mcp", standing: standingIn(env, usual(mutation, turn), turn) };
}

function usual(mutation: McpSettings["mutation"], turn: TurnSoFar): Standing {
  switch (mutation.policy) {
    case "open":
      return { kind: "person" };
    case "human-override":
      return { kind: "override", reason: mutation.reason, expiresAtMs: mutation.expiresAtMs };
    case "instruction-linked":
      return { kind: "lane", turn, ...(mutation.lane === undefined ? {} : { name: mutation.lane }) };
  }
}
