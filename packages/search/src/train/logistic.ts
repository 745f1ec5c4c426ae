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
const smallestGain = 1e-12;

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
export function fit(examples: readonly Example[], width: number, penalty: number): number[] {
  let weights = Array.from({ length: width }, () => 0);
  let loss = lossOf(weights, examples, penalty);
  for (let round = 0; round < roundsMax; round++) {
    const direction = newtonStep(weights, examples, penalty);
    let scale = 1;
    let moved = weights;
    let lower = loss;
    for (let halving = 0; halving < halvingsMax; halving++, scale /= 2) {
      moved = weights.map((weight, i) => weight - scale * (direction[i] as number));
      lower = lossOf(moved, examples, penalty);
      if (lower < loss) break;
    }
    if (!(loss - lower > smallestGain)) break;
    [weights, loss] = [moved, lower];
  }
  return weights;
}

/** Only so much of a penalty on the first that one class alone does not send it to infinity. */
function penaltyOf(i: number, penalty: number): number {
  return i === 0 ? 0.0001 : penalty;
}

function lossOf(weights: readonly number[], examples: readonly Example[], penalty: number): number {
  let [sum, total] = [0, 0];
  for (const { features, positive, weight } of examples) {
    const u = dot(weights, features);
    sum += weight * ((u + Math.sqrt(1 + u * u)) / 2 - (positive ? u : 0));
    total += weight;
  }
  let size = 0;
  for (const [i, weight] of weights.entries()) size += penaltyOf(i, penalty) * weight * weight;
  return sum / Math.max(total, 1) + size / 2;
}

function newtonStep(weights: readonly number[], examples: readonly Example[], penalty: number): number[] {
  const width = weights.length;
  const gradient = Array.from({ length: width }, () => 0);
  const matrix = Array.from({ length: width }, () => Array.from({ length: width }, () => 0));
  let total = 0;
  for (const example of examples) total += example.weight;
  const unit = 1 / Math.max(total, 1);
  for (const { features, positive, weight } of examples) {
    const u = dot(weights, features);
    const square = 1 + u * u;
    const slope = (unit * weight) / (2 * square * Math.sqrt(square));
    const miss = unit * weight * (sigmoid(u) - Number(positive));
    for (let i = 0; i < width; i++) {
      const value = features[i] as number;
      if (value === 0) continue;
      gradient[i] = (gradient[i] as number) + miss * value;
      const row = matrix[i] as number[];
      for (let j = 0; j <= i; j++) row[j] = (row[j] as number) + slope * value * (features[j] as number);
    }
  }
  for (let i = 0; i < width; i++) {
    gradient[i] = (gradient[i] as number) + penaltyOf(i, penalty) * (weights[i] as number);
    const row = matrix[i] as number[];
    row[i] = (row[i] as number) + penaltyOf(i, penalty);
  }
  return solve(matrix, gradient);
}

/** By Cholesky: the lower half of `matrix` is positive definite because of the penalty. */
function solve(matrix: readonly number[][], right: readonly number[]): number[] {
  const width = right.length;
  const lower = matrix.map((row) => [...row]);
  const at = (i: number, j: number) => (lower[i] as number[])[j] as number;
  for (let i = 0; i < width; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = at(i, j);
      for (let k = 0; k < j; k++) sum -= at(i, k) * at(j, k);
      (lower[i] as number[])[j] = i === j ? Math.sqrt(Math.max(sum, 1e-15)) : sum / at(j, j);
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
