/**
 * Nearest neighbours, exactly: a question against every labelled example, by the
 * cosine of their counted words, rare ones weighing more. There are a few thousand
 * examples, so nothing is approximated and nothing can be missed.
 *
 * The examples are kept word by word (which of them have it), with their lengths
 * worked out beforehand: a command that asks one question reads no more than the
 * lists of its own words.
 */
import { packNumber, type PackedTable, packTable, unpackNumber } from "./packed.js";

export interface Example {
  readonly label: string;
  readonly counted: readonly string[];
}

export interface Neighbour {
  readonly label: string;
  /** The label and its number among the examples of that label: `movers.12`. */
  readonly id: string;
  /** The cosine, from 0 to 1. */
  readonly nearness: number;
}

/** Plain text, so that it can be written down when the examples are. */
export interface NeighbourIndex {
  /** How many examples each label has; those of one label stand together. */
  readonly labels: readonly (readonly [string, number])[];
  /** Of each example's weights, in thousandths. */
  readonly lengths: string;
  /** For each counted word, the places of the examples that have it. */
  readonly having: string;
}

const [lengthWidth, placeWidth] = [3, 2];

/** `examples` of one label must stand together. */
export function indexOf(examples: readonly Example[]): NeighbourIndex {
  const having = new Map<string, number[]>();
  for (const [place, { counted }] of examples.entries()) {
    for (const each of new Set(counted)) {
      const places = having.get(each);
      if (places === undefined) having.set(each, [place]);
      else places.push(place);
    }
  }
  const lengths = examples.map(({ counted }) => {
    let square = 0;
    for (const each of new Set(counted))
      square += weightOf(each, having.get(each)?.length ?? 0, examples.length) ** 2;
    return packNumber(Math.round(Math.sqrt(square) * 1000), lengthWidth);
  });
  // Pairs of words that a single example has bring nobody nearer to it, and are most of the list.
  const shared = [...having].filter(([each, places]) => places.length > 1 || !each.includes(" "));
  return {
    labels: labelsOf(examples),
    lengths: lengths.join(""),
    having: packTable(
      new Map(
        shared.map(([each, places]) => [each, places.map((place) => packNumber(place, placeWidth)).join("")]),
      ),
    ),
  };
}

function labelsOf(examples: readonly Example[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const [i, { label }] of examples.entries()) {
    if (counts.has(label) && examples[i - 1]?.label !== label)
      throw new Error(`${label} stands in two places`);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts];
}

function nameOf({ labels }: NeighbourIndex, place: number): Omit<Neighbour, "nearness"> {
  let before = 0;
  for (const [label, count] of labels) {
    if (place < before + count) return { label, id: `${label}.${place - before + 1}` };
    before += count;
  }
  throw new Error(`there is no example ${place}`);
}

/** A word that no example has weighs like a rare one: it makes a question longer, and so less like any of them. */
function weightOf(counted: string, count: number, examples: number): number {
  const share = counted.includes(" ") ? 0.7 : 1;
  return (count === 0 ? 6 : Math.log((examples + 1) / (count + 0.5))) * share;
}

/** `having` is the index's own, unpacked. In order of nearness, then of place, so that equals have one order everywhere. */
export function nearestIn(
  index: NeighbourIndex,
  having: PackedTable,
  counted: readonly string[],
  count: number,
): Neighbour[] {
  const examples = index.labels.reduce((sum, [, many]) => sum + many, 0);
  const sums = new Float64Array(examples);
  let square = 0;
  for (const each of new Set(counted)) {
    const places = having.get(each) ?? "";
    const weight = weightOf(each, places.length / placeWidth, examples) ** 2;
    square += weight;
    for (let at = 0; at < places.length; at += placeWidth) {
      const place = unpackNumber(places, at, placeWidth);
      sums[place] = (sums[place] as number) + weight;
    }
  }
  const nearest: { readonly place: number; readonly nearness: number }[] = [];
  for (let place = 0; place < examples; place++) {
    const sum = sums[place] as number;
    if (sum === 0) continue;
    const length = unpackNumber(index.lengths, place * lengthWidth, lengthWidth) / 1000;
    // Rounded, because the last bits of a sum must not decide which of two equals comes first.
    const nearness = Math.round((sum / Math.sqrt(square) / (length || 1)) * 1e6) / 1e6;
    if (nearest.length === count && nearness <= (nearest.at(-1)?.nearness ?? 0)) continue;
    const after = nearest.findIndex((other) => other.nearness < nearness);
    nearest.splice(after === -1 ? nearest.length : after, 0, { place, nearness });
    if (nearest.length > count) nearest.pop();
  }
  return nearest.map(({ place, nearness }) => ({ ...nameOf(index, place), nearness }));
}
