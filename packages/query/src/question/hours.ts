/**
 * From a window as it was said to hours. `asOf` is the hour that it is at the
 * source: everything before it is over, and nothing at or after it is read.
 *
 * Days are UTC. "Today" is the day of the last hour that is over, so that at
 * midnight it is the day that has just ended and not an empty one.
 */
import type { Hours, Window } from "../types.js";

const hoursPerDay = 24;

/** Undefined where the window names a day that no calendar has. */
export function hoursOf(window: Window | null, asOf: number, defaultHours: number): Hours | undefined {
  if (window === null) return { from: asOf - defaultHours, to: asOf };
  const today = Math.floor((asOf - 1) / hoursPerDay);
  if ("last_hours" in window) return { from: asOf - Math.max(Math.ceil(window.last_hours), 1), to: asOf };
  if ("relative" in window)
    return {
      from: relativeStart(window.relative, asOf, today),
      to: window.relative === "yesterday" ? today * hoursPerDay : asOf,
    };
  if ("since" in window) {
    const day = window.since === "yesterday" ? today - 1 : dayOf(window.since, today);
    return day === undefined ? undefined : { from: day * hoursPerDay, to: asOf };
  }
  if ("day" in window) {
    const day = dayOf(window.day, today);
    return day === undefined ? undefined : clipped(day, day, asOf);
  }
  const [from, to] = [dayOf(window.from, today), dayOf(window.to, today)];
  return from === undefined || to === undefined || to < from ? undefined : clipped(from, to, asOf);
}

function relativeStart(
  word: "now" | "today" | "yesterday" | "this_week" | "this_month",
  asOf: number,
  today: number,
): number {
  switch (word) {
    case "now":
      return asOf - 1;
    case "today":
      return today * hoursPerDay;
    case "yesterday":
      return (today - 1) * hoursPerDay;
    case "this_week":
      // Weeks begin on Monday; 1970-01-01 was a Thursday.
      return (today - ((today + 3) % 7)) * hoursPerDay;
    case "this_month": {
      const date = new Date(today * 86_400_000);
      return (today - date.getUTCDate() + 1) * hoursPerDay;
    }
    default:
      return word satisfies never;
  }
}

function clipped(first: number, last: number, asOf: number): Hours {
  return { from: first * hoursPerDay, to: Math.min((last + 1) * hoursPerDay, asOf) };
}

/** Days since 1970; without a year, the latest such day up to today. */
function dayOf(text: string, today: number): number | undefined {
  if (text.length === 10) return dayNumber(text);
  const year = new Date(today * 86_400_000).getUTCFullYear();
  // Eight years back there is a 29th of February for certain.
  for (let back = 0; back <= 8; back++) {
    const day = dayNumber(`${year - back}-${text}`);
    if (day !== undefined && day <= today) return day;
  }
  return undefined;
}

function dayNumber(text: string): number | undefined {
  const ms = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(ms)) return undefined;
  return new Date(ms).toISOString().slice(0, 10) === text ? Math.floor(ms / 86_400_000) : undefined;
}

export function windowWords(window: Window | null, defaultHours: number): string {
  if (window === null) return `the last ${defaultHours} hours`;
  if ("last_hours" in window)
    return window.last_hours === 1 ? "the last hour" : `the last ${window.last_hours} hours`;
  if ("relative" in window)
    return {
      now: "now",
      today: "today",
      yesterday: "yesterday",
      this_week: "this week",
      this_month: "this month",
    }[window.relative];
  if ("since" in window) return `since ${window.since}`;
  return "day" in window ? `on ${window.day}` : `from ${window.from} to ${window.to}`;
}
