/** One observation: its features, whether it is of the class, and how much it counts. */
export interface Observation {
  features: readonly number[];
  isPositive: boolean;
  weight: number;
}

/** The log-odds of the class are bias + weights * features. */
export interface Logistic {
  bias: number;
  weights: number[];
}

const ROUNDS = 50;
/** Keeps the weights finite where a line parts the classes. */
const RIDGE = 1e-3;

/** Logistic regression by Newton's method, over standardised features; the same observations give the same weights. */
export function learnLogistic(observations: readonly Observation[]): Logistic {
  const total = observations.reduce((sum, { weight }) => sum + weight, 0);
  const width = observations[0]?.features.length ?? 0;
  const scales = Array.from({ length: width }, (_, i) => {
    const mean = observations.reduce((sum, { features, weight }) => sum + weight * features[i]!, 0) / total;
    const variance = observations.reduce((sum, { features, weight }) => sum + weight * (features[i]! - mean) ** 2, 0);
    return { mean, deviation: Math.sqrt(variance / total) || 1 };
  });
  const rows = observations.map(({ features }) => [
    ...features.map((feature, i) => (feature - scales[i]!.mean) / scales[i]!.deviation),
    1,
  ]);
  let coefficients = new Array<number>(width + 1).fill(0);
  for (let round = 0; round < ROUNDS; round++) coefficients = step(coefficients, rows, observations, total);
  const weights = scales.map(({ deviation }, i) => coefficients[i]! / deviation);
  const bias = scales.reduce((sum, { mean }, i) => sum - weights[i]! * mean, coefficients[width]!);
  return { bias, weights };
}

function step(
  coefficients: readonly number[],
  rows: readonly number[][],
  observations: readonly Observation[],
  total: number,
): number[] {
  const gradient = coefficients.map((value) => RIDGE * total * value);
  const hessian = coefficients.map((_, i) => coefficients.map((_, j) => (i === j ? RIDGE * total : 0)));
  for (const [place, { isPositive, weight }] of observations.entries()) {
    const row = rows[place]!;
    const odds = row.reduce((sum, value, i) => sum + value * coefficients[i]!, 0);
    const chance = 1 / (1 + Math.exp(-odds));
    for (const [i, value] of row.entries()) {
      gradient[i]! += weight * (chance - (isPositive ? 1 : 0)) * value;
      for (const [j, other] of row.entries()) hessian[i]![j]! += weight * chance * (1 - chance) * value * other;
    }
  }
  const change = solve(hessian, gradient);
  return coefficients.map((value, i) => value - change[i]!);
}

/** Gaussian elimination with pivots. */
function solve(matrix: readonly number[][], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i]!]);
  for (let column = 0; column < rows.length; column++) {
    let pivot = column;
    for (let i = column; i < rows.length; i++)
      if (Math.abs(rows[i]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = i;
    [rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!];
    for (let i = 0; i < rows.length; i++) {
      if (i === column) continue;
      const factor = rows[i]![column]! / rows[column]![column]!;
      rows[i] = rows[i]!.map((value, j) => value - factor * rows[column]![j]!);
    }
  }
  return rows.map((row, i) => row.at(-1)! / row[i]!);
}
