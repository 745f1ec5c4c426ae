/**
 * The one place that loads pi, and only when somebody makes a call with it.
 *
 * Loading it takes half a second and brings the clients of a dozen providers
 * along. Types of pi are imported elsewhere in this folder and in loop/, which
 * costs nothing at run time; none of them leaves the room.
 */
import type * as Ai from "@earendil-works/pi-ai";
import type * as Core from "@earendil-works/pi-agent-core";

export type PiAi = typeof Ai;
export type PiCore = typeof Core;

export async function loadPiAi(): Promise<PiAi> {
  return import("@earendil-works/pi-ai");
}

export async function loadPiCore(): Promise<PiCore> {
  return import("@earendil-works/pi-agent-core");
}
