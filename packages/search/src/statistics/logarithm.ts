/**
 * The natural logarithm by plus, times and divide alone, which every machine
 * rounds alike; what a processor's own gives differs in the last digit.
 *
 * The number is halved or doubled until it is near one, and there
 * ln m = 2 (t + t³/3 + t⁵/5 + …) with t = (m − 1) / (m + 1), which is below a fifth.
 */
const ln2 = 0.6931471805599453;
const terms = 14;

export function logarithm(value: number): number {
  let [near, halvings] = [value, 0];
  for (; near > 1.4142135623730951; near /= 2) halvings++;
  for (; near < 0.7071067811865476; near *= 2) halvings--;
  const t = (near - 1) / (near + 1);
  const square = t * t;
  let sum = 0;
  for (let i = terms; i >= 0; i--) sum = sum * square + 1 / (2 * i + 1);
  return halvings * ln2 + 2 * t * sum;
}
