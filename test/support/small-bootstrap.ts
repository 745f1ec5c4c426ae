/**
 * The mean of paired differences, and where it would lie had other coins been
 * drawn. A stand-in for the evaluation's own interval, small enough to check by eye.
 */
export interface Term {
  readonly cluster: string;
  readonly value: number;
}

const draws = 4000;

export class SmallBootstrap {
  private readonly clusters: readonly { readonly sum: number; readonly count: number }[];

  constructor(terms: readonly Term[]) {
    const found = new Map<string, { sum: number; count: number }>();
    for (const { cluster, value } of terms) {
      const each = found.get(cluster) ?? { sum: 0, count: 0 };
      found.set(cluster, { sum: each.sum + value, count: each.count + 1 });
    }
    this.clusters = [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  }

  interval(): { value: number; low: number; high: number; coins: number } {
    const { clusters } = this;
    const size = clusters.length;
    const all = ratio(clusters);
    let state = 12_345;
    const next = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 4_294_967_296) * size);
    };
    const means = Array.from({ length: draws }, () =>
      ratio(Array.from({ length: size }, () => clusters[next()] as { sum: number; count: number })),
    ).sort((a, b) => a - b);
    const at = (share: number) => means[Math.floor(share * (draws - 1))] ?? all;
    return { value: all, low: at(0.025), high: at(0.975), coins: size };
  }
}

function ratio(clusters: readonly { readonly sum: number; readonly count: number }[]): number {
  let [sum, count] = [0, 0];
  for (const each of clusters) {
    sum += each.sum;
    count += each.count;
  }
  return count === 0 ? 0 : sum / count;
}
