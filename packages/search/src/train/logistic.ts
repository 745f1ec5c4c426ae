/**
 * A small linear model for a question with two answers, fitted the same way on
 * every machine.
 *
 * It is a logistic regression in all but the curve: in place of 1 / (1 + e^-u) it
 * has (1 + u / √(1 + u²)) / 2, which needs only operations that every machine
 * rounds alike. Its loss is the one that belongs to the curve,
 * (u + √(1 + u²)) / 2 - y·u: convex, and smallest where the predicted shares are the
 * observed ones, so that a prediction can be read as a probability. A penalty on
 * the squares of the weights (not of the first, which stands for no feature) makes
 * the smallest place unique; Newton's steps find it in a few rounds.
 */
export interface Example {
  readonly features: readonly number[];
  readonly positive: boolean;
  readonly weight: number;
}

const roundsMax = 60;
const halvingsMax = 30;
const smallestGain = 1e-10;

export function sigmoid(u: number): number {
  return 0.5 + (0.5 * u) / Math.sqrt(1 + u * u);
}

export function dot(weights: readonly number[], features: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += (weights[i] as number) * (features[i] as number);
  return sum;
}

export function predict(weights: readonly number[], features: readonly number[]): number {
  return sigmoid(dot(weights, features));
}

/** `penalty` is per unit of the examples' weight. */
export function fitWeights(examples: readonly Example[], width: number, penalty: number): number[] {
  const data = tableOf(examples, width, penalty);
  let weights: readonly number[] = Array.from({ length: width }, () => 0);
  let loss = lossOf(weights, data);
  for (let round = 0; round < roundsMax; round++) {
    const direction = newtonStep(weights, data);
    let scale = 1;
    let moved = weights;
    let lower = loss;
    for (let halving = 0; halving < halvingsMax; halving++, scale /= 2) {
      moved = weights.map((weight, i) => weight - scale * (direction[i] as number));
      lower = lossOf(moved, data);
      if (lower < loss) break;
    }
    if (!(loss - lower > smallestGain)) break;
    [weights, loss] = [moved, lower];
  }
  return [...weights];
}

/** The examples side by side, since they are gone through many times. */
interface Table {
  readonly width: number;
  readonly values: Float64Array;
  readonly targets: Float64Array;
  /** They sum to one. */
  readonly shares: Float64Array;
  readonly penalties: Float64Array;
}

function tableOf(examples: readonly Example[], width: number, penalty: number): Table {
  const values = new Float64Array(examples.length * width);
  let total = 0;
  for (const [n, { features, weight }] of examples.entries()) {
    total += weight;
    for (let i = 0; i < width; i++) values[n * width + i] = features[i] as number;
  }
  return {
    width,
    values,
    targets: Float64Array.from(examples, ({ positive }) => Number(positive)),
    shares: Float64Array.from(examples, ({ weight }) => weight / total),
    // Only so much on the first that one class alone does not send it to infinity.
    penalties: Float64Array.from({ length: width }, (_, i) => (i === 0 ? 0.0001 : penalty)),
  };
}

function sumAt(weights: readonly number[], { values, width }: Table, n: number): number {
  let sum = 0;
  for (let i = 0, at = n * width; i < width; i++, at++)
    sum += (weights[i] as number) * (values[at] as number);
  return sum;
}

function lossOf(weights: readonly number[], table: Table): number {
  const { targets, shares, penalties } = table;
  let sum = 0;
  for (let n = 0; n < targets.length; n++) {
    const u = sumAt(weights, table, n);
    sum += (shares[n] as number) * ((u + Math.sqrt(1 + u * u)) / 2 - (targets[n] as number) * u);
  }
  for (const [i, weight] of weights.entries()) sum += ((penalties[i] as number) * weight * weight) / 2;
  return sum;
}

function newtonStep(weights: readonly number[], table: Table): number[] {
  const { width, values, targets, shares, penalties } = table;
  const gradient = new Float64Array(width);
  const matrix = new Float64Array(width * width);
  for (let n = 0; n < targets.length; n++) {
    const u = sumAt(weights, table, n);
    const square = 1 + u * u;
    const slope = (shares[n] as number) / (2 * square * Math.sqrt(square));
    const miss = (shares[n] as number) * (sigmoid(u) - (targets[n] as number));
    const row = n * width;
    for (let i = 0; i < width; i++) {
      const value = values[row + i] as number;
      if (value === 0) continue;
      gradient[i] = (gradient[i] as number) + miss * value;
      const steep = slope * value;
      for (let j = 0, at = i * width; j <= i; j++, at++)
        matrix[at] = (matrix[at] as number) + steep * (values[row + j] as number);
    }
  }
  for (let i = 0; i < width; i++) {
    gradient[i] = (gradient[i] as number) + (penalties[i] as number) * (weights[i] as number);
    matrix[i * width + i] = (matrix[i * width + i] as number) + (penalties[i] as number);
  }
  return solve(matrix, gradient);
}

/** By Cholesky: the lower half of `matrix` is positive definite because of the penalty. */
function solve(matrix: Float64Array, right: Float64Array): number[] {
  const width = right.length;
  const at = (i: number, j: number) => matrix[i * width + j] as number;
  for (let i = 0; i < width; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = at(i, j);
      for (let k = 0; k < j; k++) sum -= at(i, k) * at(j, k);
      matrix[i * width + j] = i === j ? Math.sqrt(Math.max(sum, 1e-15)) : sum / at(j, j);
    }
  }
  const solved = [...right];
  for (let i = 0; i < width; i++) {
    let sum = solved[i] as number;
    for (let k = 0; k < i; k++) sum -= at(i, k) * (solved[k] as number);
    solved[i] = sum / at(i, i);
  }
  for (let i = width - 1; i >= 0; i--) {
    let sum = solved[i] as number;
    for (let k = i + 1; k < width; k++) sum -= at(k, i) * (solved[k] as number);
    solved[i] = sum / at(i, i);
  }
  return solved;
}
