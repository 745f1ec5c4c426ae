/** Hours and windows as a pack spells them. */
import type { BuildParams } from "./params.js";

export function isoHour(hour: number): string {
  return `${new Date(hour * 3_600_000).toISOString().slice(0, 16)}Z`;
}

/** The hours up to and with `end`. */
export function windowId(end: number, params: Pick<BuildParams, "window_hours">): string {
  return `${isoHour(end)}/${params.window_hours}h`;
}
