/**
 * From labelled examples to the router's tables: weights by logistic regression over
 * all classes, and the index of neighbours. Run by scripts/query-texts.mjs, never by
 * the product.
 *
 * The same examples give the same bytes: the order in which they are gone through
 * comes from a fixed generator, and weights are rounded to the few steps that the
 * table has.
 */
import { type ClassName, classNames } from "./classes.js";
import { countedOf, type Synonyms, synonymsIn } from "./features.js";
import { packWeight, sharesOf, type Sign, signsOf } from "./linear.js";
import { indexOf } from "./neighbours.js";
import { packTable } from "./packed.js";
import { readQuestion, type RouterTables, tokensIn } from "./route.js";

export interface LabelledExample {
  readonly q: string;
  readonly label: ClassName;
}

const rounds = 15;
const firstStep = 0.05;
/** How much weights shrink with every step, so that rare signs stay small. */
const shrink = 1e-3;

export function trainRouter(examples: readonly LabelledExample[], synonymText: string): RouterTables {
  const synonyms: Synonyms = synonymsIn(synonymText);
  const read = examples.map(({ q }) => tokensIn(readQuestion(q)));
  return {
    synonyms: synonymText,
    weights: packTable(
      weightsOf(
        examples,
        read.map((tokens) => signsOf(tokens, synonyms)),
      ),
    ),
    neighbours: indexOf(examples.map(({ label }, i) => ({ label, counted: countedOf(read[i] as string[]) }))),
  };
}

/** An example as places of signs and how much each counts. */
interface Row {
  readonly places: readonly number[];
  readonly values: readonly number[];
  readonly label: number;
}

function weightsOf(
  examples: readonly LabelledExample[],
  shown: readonly (readonly Sign[])[],
): Map<string, string> {
  const counts = new Map<string, number>();
  for (const signs of shown) for (const { name } of signs) counts.set(name, (counts.get(name) ?? 0) + 1);
  // A pair or a piece that one or two examples have teaches nothing about others; a word may.
  const names = [...counts]
    .filter(([name, count]) => count > 2 || !/^~|[ @]/.test(name))
    .map(([name]) => name);
  const places = new Map(names.map((name, place) => [name, place]));
  // Rare signs tell more. It is worked into the weights, so that nobody has to know the counts later.
  const rarity = names.map(
    (name) => Math.log((examples.length + 1) / ((counts.get(name) as number) + 0.5)) / 5,
  );
  const rows = examples.map(({ label }, i): Row => {
    const signs = shown[i] as readonly Sign[];
    const shares = sharesOf(signs);
    const known = signs.flatMap(({ name }, j) => {
      const place = places.get(name);
      return place === undefined ? [] : [{ place, value: (shares[j] as number) * (rarity[place] as number) }];
    });
    return {
      places: known.map(({ place }) => place),
      values: known.map(({ value }) => value),
      label: classNames.indexOf(label),
    };
  });
  const weights = descend(rows, names.length);
  const columns = classNames.length;
  return new Map(
    names.map((name, place) => [
      name,
      classNames
        .map((_, k) => packWeight((weights[place * columns + k] as number) * (rarity[place] as number)))
        .join(""),
    ]),
  );
}

/** One example after the other, each time a little nearer to what it is labelled. */
function descend(rows: readonly Row[], signs: number): Float64Array {
  const columns = classNames.length;
  const weights = new Float64Array(signs * columns);
  const wrong = new Float64Array(columns);
  const order = rows.map((_, i) => i);
  const random = generator();
  // Shrinking every weight at every step would touch them all; one factor for all of them does the same.
  let factor = 1;
  for (let round = 0; round < rounds; round++) {
    shuffle(order, random);
    const step = firstStep * (1 - round / rounds);
    for (const at of order) {
      const { places, values, label } = rows[at] as Row;
      wrong.fill(0);
      for (const [i, place] of places.entries()) {
        const value = (values[i] as number) * factor;
        for (let k = 0; k < columns; k++)
          wrong[k] = (wrong[k] as number) + value * (weights[place * columns + k] as number);
      }
      toProbabilities(wrong);
      wrong[label] = (wrong[label] as number) - 1;
      factor *= 1 - step * shrink;
      for (const [i, place] of places.entries()) {
        const value = ((values[i] as number) * step) / factor;
        for (let k = 0; k < columns; k++) {
          const cell = place * columns + k;
          weights[cell] = (weights[cell] as number) - value * (wrong[k] as number);
        }
      }
    }
  }
  return weights.map((weight) => weight * factor);
}

function toProbabilities(scores: Float64Array): void {
  const greatest = scores.reduce((most, score) => Math.max(most, score), -Infinity);
  let whole = 0;
  for (const [k, score] of scores.entries()) whole += scores[k] = Math.exp(score - greatest);
  for (const [k, share] of scores.entries()) scores[k] = share / whole;
}

function shuffle(list: number[], random: () => number): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j] as number, list[i] as number];
  }
}

/** Park and Miller's; any fixed order would do. */
function generator(): () => number {
  let state = 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
