/**
 * Nearest neighbours, exactly: a question against every labelled example, by the
 * cosine of their counted words, rare ones weighing more. There are a few hundred
 * examples, so nothing is approximated and nothing can be missed.
 */
import { compareCodePoints } from "@bridle/record";

export interface Example {
  readonly id: string;
  readonly label: string;
  readonly counted: readonly string[];
}

export interface Neighbour {
  readonly id: string;
  readonly label: string;
  /** The cosine, from 0 to 1. */
  readonly nearness: number;
}

interface Row {
  readonly id: string;
  readonly label: string;
  readonly weights: ReadonlyMap<string, number>;
}

export class Neighbours {
  private readonly rarity = new Map<string, number>();
  private readonly rows: readonly Row[];

  constructor(examples: readonly Example[]) {
    const seen = new Map<string, number>();
    for (const { counted } of examples)
      for (const each of new Set(counted)) seen.set(each, (seen.get(each) ?? 0) + 1);
    for (const [each, count] of seen) this.rarity.set(each, Math.log((examples.length + 1) / (count + 0.5)));
    this.rows = examples.map(({ id, label, counted }) => ({ id, label, weights: this.weigh(counted) }));
  }

  get size(): number {
    return this.rows.length;
  }

  /** In order of nearness, then of id, so that equals have one order everywhere. */
  nearest(counted: readonly string[], count: number): Neighbour[] {
    const own = this.weigh(counted);
    const found: Neighbour[] = [];
    for (const { id, label, weights } of this.rows) {
      let sum = 0;
      for (const [each, weight] of own) sum += weight * (weights.get(each) ?? 0);
      // Rounded, because the last bits of a sum must not decide which of two equals comes first.
      const nearness = Math.round(sum * 1e6) / 1e6;
      if (nearness > 0) found.push({ id, label, nearness });
    }
    found.sort((a, b) => b.nearness - a.nearness || compareCodePoints(a.id, b.id));
    return found.slice(0, count);
  }

  private weigh(counted: readonly string[]): ReadonlyMap<string, number> {
    const weights = new Map<string, number>();
    for (const each of counted) {
      const share = each.startsWith("~") ? 0.35 : each.includes(" ") ? 0.7 : 1;
      weights.set(each, (this.rarity.get(each) ?? 6) * share);
    }
    let square = 0;
    for (const weight of weights.values()) square += weight * weight;
    const length = Math.sqrt(square) || 1;
    for (const [each, weight] of weights) weights.set(each, weight / length);
    return weights;
  }
}
