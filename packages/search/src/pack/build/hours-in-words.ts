/** Hours and windows as a pack spells them. */
import type { BuildParams } from "./params.js";

/** Hours are asked for one after the other, so the day is mostly the one that was written last. */
let written = { day: Number.NaN, text: "" };

export function isoHour(hour: number): string {
  const day = Math.floor(hour / 24);
  if (day !== written.day) written = { day, text: new Date(day * 86_400_000).toISOString().slice(0, 11) };
  return `${written.text}${String(hour - day * 24).padStart(2, "0")}:00Z`;
}

/** The hours up to and with `end`. */
export function windowId(end: number, params: Pick<BuildParams, "window_hours">): string {
  return `${isoHour(end)}/${params.window_hours}h`;
}
