/**
 * Lists that are sets: what either side added is there, what one side took away
 * and the other left alone is gone.
 */
import { compareCodePoints, isJsonObject, type JsonValue, rawItems } from "@bridle/record";
import { orderedJson } from "../memory/source-json.js";
import type { Source } from "./source.js";

const lostMember = "metadata.mergeConflicts";

export const setMembers: ReadonlySet<string> = new Set([
  ...["labels", "dependencies", "comments", "claims", "aliases"],
  lostMember,
]);

interface Three {
  readonly base: Source;
  readonly left: Source;
  readonly right: Source;
}

/**
 * `contest` chooses where both sides changed the item of one key. Undefined when one of the three is no list.
 */
export function mergeSet(
  member: string,
  three: Three,
  contest: (left: string, right: string) => Source,
): Source {
  const lists = [three.base, three.left, three.right].map(itemsOf);
  const [base, left, right] = lists;
  if (base === undefined || left === undefined || right === undefined) return undefined;
  const keyed = keyedLists(member, [base, left, right]);
  const [ofBase, ofLeft, ofRight] = keyed;
  const added = [...new Set([...ofLeft.keys(), ...ofRight.keys()])].filter((key) => !ofBase.has(key));
  const pick = (key: string): string[] => {
    const item = mergeItem(ofBase.get(key), ofLeft.get(key), ofRight.get(key), contest);
    return item === undefined ? [] : [item];
  };
  const fresh = added.flatMap(pick).map((item) => ({ item, order: orderOf(item) }));
  fresh.sort((one, other) => compareCodePoints(one.order, other.order));
  const items = [...[...ofBase.keys()].flatMap(pick), ...fresh.map(({ item }) => item)];
  // What was lost stands in one order, in whichever merge it was lost.
  if (member === lostMember)
    items.sort((one, other) => compareCodePoints(orderedJson(one), orderedJson(other)));
  return `[${items.join(",")}]`;
}

function mergeItem(
  base: Source,
  left: Source,
  right: Source,
  contest: (left: string, right: string) => Source,
): Source {
  const meaning = (source: Source) => (source === undefined ? undefined : orderedJson(source));
  const [ofBase, ofLeft, ofRight] = [meaning(base), meaning(left), meaning(right)];
  if (ofLeft === ofRight) {
    return left === undefined || right === undefined || compareCodePoints(left, right) <= 0 ? left : right;
  }
  if (ofLeft === ofBase) return right;
  if (ofRight === ofBase) return left;
  // Taken away by one and changed by the other: what was changed is wanted.
  if (left === undefined) return right;
  return right === undefined ? left : contest(left, right);
}

function itemsOf(source: Source): string[] | undefined {
  if (source === undefined || source === "null") return [];
  return source.startsWith("[") ? rawItems(source) : undefined;
}

type Keyed = ReadonlyMap<string, string>;

/** Items by what makes them the same thing; by their whole content where that would lose one. */
function keyedLists(member: string, lists: readonly [string[], string[], string[]]): [Keyed, Keyed, Keyed] {
  const byKey = lists.map((items) => new Map(items.map((item) => [keyOf(member, item), item])));
  const whole = lists.some((items, at) => items.length !== byKey[at]?.size);
  const [base, left, right] = whole
    ? lists.map((items) => new Map(items.map((item) => [orderedJson(item), item])))
    : byKey;
  return [base ?? new Map(), left ?? new Map(), right ?? new Map()];
}

function keyOf(member: string, item: string): string {
  const value = JSON.parse(item) as JsonValue;
  if (member !== "dependencies" || !isJsonObject(value)) return orderedJson(item);
  const { issue_id, depends_on_id, type = value["dep_type"] } = value;
  return JSON.stringify([issue_id, depends_on_id, type]);
}

/** Comments by their time, claims by their fence, others by what they are. */
function orderOf(item: string): string {
  const value = JSON.parse(item) as JsonValue;
  if (!isJsonObject(value)) return orderedJson(item);
  const { created_at: time, fence } = value;
  const first =
    typeof time === "string" ? time : typeof fence === "number" ? `${fence}`.padStart(16, "0") : "";
  return `${first} ${orderedJson(item)}`;
}
