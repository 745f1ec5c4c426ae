/** Instants a number of hours earlier, and instants as text, without losing a digit of the fraction. */
import type { Instant } from "@bridle/record";

/** As many digits as a timestamp may have. */
const digits = 18;
const perSecond = 10n ** BigInt(digits);

/** To the microsecond. */
export function earlier({ seconds, fraction }: Instant, hours: number): Instant {
  const micros = Math.round(hours * 3_600_000_000);
  if (micros % 1_000_000 === 0) return { seconds: seconds - micros / 1_000_000, fraction };
  const total =
    BigInt(seconds) * perSecond +
    BigInt(fraction.padEnd(digits, "0")) -
    BigInt(micros) * (perSecond / 1_000_000n);
  const rest = ((total % perSecond) + perSecond) % perSecond;
  return {
    seconds: Number((total - rest) / perSecond),
    fraction: rest.toString().padStart(digits, "0").replace(/0+$/, ""),
  };
}

/** RFC 3339 in UTC; before the year 0 and after 9999, where it has no form, the nearest second that has one. */
export function formatInstant({ seconds, fraction }: Instant): string {
  const [first, last] = [-62_167_219_200, 253_402_300_799];
  const bounded = Math.min(Math.max(seconds, first), last);
  const text = new Date(bounded * 1000).toISOString().slice(0, 19);
  return `${text}${fraction === "" || bounded !== seconds ? "" : `.${fraction}`}Z`;
}
