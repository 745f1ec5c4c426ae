/**
 * RFC 3339 timestamps, checked against the calendar and compared as instants.
 *
 * `Date` alone is not enough: it accepts forms that RFC 3339 does not, rolls
 * 30 February over into March, and keeps three digits of the fraction.
 */

/** A point in time: whole seconds since 1970 and the digits of the fraction, without trailing zeros. */
export interface Instant {
  readonly seconds: number;
  readonly fraction: string;
}

const pattern = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,18}))?([Zz]|[+-]\d\d:\d\d)$/;

export function parseInstant(text: string): Instant | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const offset = offsetMinutes(match[8] ?? "Z");
  if (offset === undefined || hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const seconds = date.getTime() / 1000 + hour * 3600 + (minute - offset) * 60 + second;
  // A leap second is the last second of a UTC day and nothing else.
  if (second === 60 && seconds % 86_400 !== 0) return undefined;
  return { seconds, fraction: (match[7] ?? "").replace(/0+$/, "") };
}

/** Of `Z` there are no digits, and none are 0. */
function offsetMinutes(zone: string): number | undefined {
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone[0] === "-" ? -1 : 1) * (hours * 60 + minutes);
}

export function compareInstants(left: Instant, right: Instant): number {
  if (left.seconds !== right.seconds) return left.seconds < right.seconds ? -1 : 1;
  if (left.fraction === right.fraction) return 0;
  // Digits without trailing zeros compare like the fractions that they are.
  return left.fraction < right.fraction ? -1 : 1;
}

/** Whole seconds with `Z`: how the harness writes its own times. */
export function formatSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
