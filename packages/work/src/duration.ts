/** A length of time as people write it: `30d`, `8h`, `90m`, `45s`. */
const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Undefined where it is none, or not more than nothing. */
export function durationMs(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text.trim()) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  const ms = Number(count) * units[unit as keyof typeof units];
  return ms > 0 ? ms : undefined;
}
