/**
 * Numbers that are worked out, as text of a stated precision.
 *
 * Sums go in the order of time and use plus, times, divide and square root only:
 * those give the same bits on every machine. Powers, exponentials and logarithms
 * do not, and are not used where bytes are digested.
 */
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}

export function mean(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return values.length === 0 ? 0 : sum / values.length;
}

/** Of a population. */
export function spread(values: readonly number[], middle = mean(values)): number {
  let sum = 0;
  for (const value of values) sum += (value - middle) * (value - middle);
  return values.length === 0 ? 0 : Math.sqrt(sum / values.length);
}
