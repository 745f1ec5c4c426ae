/**
 * Nearest neighbours, exactly: a question against every labelled example, by the
 * cosine of their counted words, rare ones weighing more. There are about a
 * thousand examples, so nothing is approximated and nothing can be missed.
 *
 * The examples are kept word by word (which of them have it), with their lengths
 * worked out beforehand: a command that asks one question reads no more than the
 * lists of its own words.
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

/** Plain data, so that it can be written down when the examples are. */
export interface NeighbourIndex {
  readonly ids: readonly string[];
  readonly labels: readonly string[];
  /** Of each example's weights. */
  readonly lengths: readonly number[];
  /** For each counted word, the places of the examples that have it. */
  readonly having: Readonly<Record<string, readonly number[]>>;
}

export function indexOf(examples: readonly Example[]): NeighbourIndex {
  const having: Record<string, number[]> = Object.create(null) as Record<string, number[]>;
  for (const [place, { counted }] of examples.entries())
    for (const each of new Set(counted)) (having[each] ??= []).push(place);
  const lengths = examples.map(({ counted }) => {
    let square = 0;
    for (const each of new Set(counted)) square += weightOf(each, having[each]?.length, examples.length) ** 2;
    return Number(Math.sqrt(square).toPrecision(12));
  });
  return {
    ids: examples.map(({ id }) => id),
    labels: examples.map(({ label }) => label),
    lengths,
    having: shared(having),
  };
}

/** Pairs of words and pieces of words that a single example has bring nobody nearer to it, and are most of the list. */
function shared(having: Readonly<Record<string, readonly number[]>>): NeighbourIndex["having"] {
  return Object.fromEntries(
    Object.entries(having).filter(([each, places]) => places.length > 1 || !/^~| /.test(each)),
  );
}

/** A word that no example has weighs like a rare one: it makes a question longer, and so less like any of them. */
function weightOf(counted: string, count: number | undefined, examples: number): number {
  const share = counted.startsWith("~") ? 0.35 : counted.includes(" ") ? 0.7 : 1;
  return (count === undefined ? 6 : Math.log((examples + 1) / (count + 0.5))) * share;
}

/** In order of nearness, then of id, so that equals have one order everywhere. */
export function nearestIn(index: NeighbourIndex, counted: readonly string[], count: number): Neighbour[] {
  const { ids, labels, lengths, having } = index;
  const sums = new Map<number, number>();
  let square = 0;
  for (const each of new Set(counted)) {
    const places = Object.hasOwn(having, each) ? having[each] : undefined;
    const weight = weightOf(each, places?.length, ids.length);
    square += weight * weight;
    for (const place of places ?? []) sums.set(place, (sums.get(place) ?? 0) + weight * weight);
  }
  const own = Math.sqrt(square) || 1;
  const found: Neighbour[] = [];
  for (const [place, sum] of sums) {
    // Rounded, because the last bits of a sum must not decide which of two equals comes first.
    const nearness = Math.round((sum / own / ((lengths[place] as number) || 1)) * 1e6) / 1e6;
    found.push({ id: ids[place] as string, label: labels[place] as string, nearness });
  }
  found.sort((a, b) => b.nearness - a.nearness || compareCodePoints(a.id, b.id));
  return found.slice(0, count);
}
