/**
 * Points in time as sources write them, as whole milliseconds and hours in UTC.
 *
 * A time without a zone is refused where the format does not say that it is UTC:
 * guessing the machine's zone would give other tables on another machine.
 */
import { parseInstant } from "@bridle/record";
import { type Hour, hourMs, type Ms } from "./types.js";

/** Between 2001 and 2100: a whole number outside is seconds or microseconds, not milliseconds. */
const msMin = 978_307_200_000;
const msMax = 4_102_444_800_000;

/** Undefined where the text is no time that can be told for certain. */
export function parseTime(
  text: string,
  { zoneless }: { readonly zoneless: "utc" | "refused" },
): Ms | undefined {
  if (/^[0-9]+$/.test(text)) {
    const ms = Number(text);
    return ms >= msMin && ms < msMax ? ms : undefined;
  }
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(\.\d{1,9})?(Z|[+-]\d\d(?::?\d\d)?)?$/.exec(text);
  if (match === null) return undefined;
  const [, day = "", minutes = "", seconds = ":00", fraction = "", zone] = match;
  if (zone === undefined && zoneless === "refused") return undefined;
  if (minutes.endsWith(":00") && minutes < "24" && seconds === ":00" && fraction === "" && zone === "Z") {
    const start = startOf(day);
    return start === undefined ? undefined : start + Number(minutes.slice(0, 2)) * hourMs;
  }
  const instant = parseInstant(`${day}T${minutes}${seconds}${fraction}${fullZone(zone ?? "Z")}`);
  if (instant === undefined) return undefined;
  return instant.seconds * 1000 + Number(instant.fraction.padEnd(3, "0").slice(0, 3));
}

/** Rows of one day stand together, and full hours are most of what is read. */
let lastDay: { readonly text: string; readonly start: Ms | undefined } = { text: "", start: undefined };

function startOf(day: string): Ms | undefined {
  if (lastDay.text !== day) {
    const instant = parseInstant(`${day}T00:00:00Z`);
    lastDay = { text: day, start: instant === undefined ? undefined : instant.seconds * 1000 };
  }
  return lastDay.start;
}

function fullZone(zone: string): string {
  if (zone === "Z") return zone;
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

export function hourOf(ms: Ms): Hour {
  return Math.floor(ms / hourMs);
}

/** As people write it: 2025-06-01T13:00Z. */
export function formatHour(hour: Hour): string {
  return `${new Date(hour * hourMs).toISOString().slice(0, 16)}Z`;
}
