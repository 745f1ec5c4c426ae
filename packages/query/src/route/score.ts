/**
 * How well the router does on labelled questions: what `npm run router:score`
 * prints, and what the tests hold against the bars.
 *
 * Slots are compared by meaning, not by spelling: "up" and "positive" are one
 * direction, "over" and "at least" one comparison, and down more than 5 % is the
 * same bar as a change below -5 %.
 */
import { canonicalJson, type JsonValue } from "@bridle/record";
import { familyNames } from "../families.js";
import { slotsOf } from "../question/slots.js";
import type { Slots, Window } from "../types.js";
import { readQuestion, type Router } from "./route.js";

export interface Labelled {
  readonly q: string;
  readonly family: string | null;
  readonly coins: readonly string[];
  readonly window: Window | null;
  readonly top_n?: number | null;
  readonly threshold?:
    | readonly { readonly metric: string; readonly op: string; readonly value: number }[]
    | null;
  readonly direction?: string | null;
  readonly address?: string | readonly string[] | null;
  readonly supported: boolean;
}

export interface RouterScore {
  readonly questions: number;
  readonly supported: number;
  readonly unsupported: number;
  /** Of supported questions: the family is the first, or one of the first two. A refusal is a miss. */
  readonly top1: number;
  readonly top2: number;
  readonly slotF1: number;
  readonly slotExact: number;
  /** Of unsupported questions: refused. */
  readonly unsupportedRecognised: number;
  /** Of supported questions: refused. */
  readonly supportedRefused: number;
  readonly inventedCoins: number;
  /** Labelled family to what the router said, with counts. */
  readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly misses: readonly Miss[];
}

export interface Miss {
  readonly q: string;
  readonly kind: "family" | "refused" | "answered" | "slots" | "coin";
  readonly expected: string;
  readonly got: string;
}

export function scoreRouter(router: Router, labelled: readonly Labelled[]): RouterScore {
  const confusion: Record<string, Record<string, number>> = {};
  const misses: Miss[] = [];
  let [supported, top1, top2, recognised, refused, invented] = [0, 0, 0, 0, 0, 0];
  let [right, expectedSlots, foundSlots, exact] = [0, 0, 0, 0];
  for (const each of labelled) {
    const read = readQuestion(each.q);
    const routed = router.route(read);
    const got = routed.kind === "family" ? routed.family : routed.kind;
    const label = each.supported ? String(each.family) : "unsupported";
    (confusion[label] ??= {})[got] = (confusion[label]?.[got] ?? 0) + 1;
    for (const coin of read.coins.coins) {
      if (each.coins.includes(coin)) continue;
      invented++;
      misses.push({ q: each.q, kind: "coin", expected: each.coins.join(","), got: coin });
    }
    if (!each.supported) {
      if (got === "unsupported") recognised++;
      else misses.push({ q: each.q, kind: "answered", expected: "unsupported", got });
      continue;
    }
    supported++;
    if (got === label) top1++;
    if (got === label || (routed.kind === "family" && routed.second === label)) top2++;
    if (got === "unsupported") {
      refused++;
      misses.push({
        q: each.q,
        kind: "refused",
        expected: label,
        got: routed.kind === "unsupported" ? routed.reason : got,
      });
    } else if (got !== label) misses.push({ q: each.q, kind: "family", expected: label, got });
    if (label === "help") continue;
    const family = routed.kind === "family" ? routed.family : routed.ranked[0];
    const [wanted, found] = [labelSlots(each), readSlots(slotsOf(read, family ?? familyNames[0]))];
    const same = found.filter((slot) => wanted.includes(slot)).length;
    right += same;
    expectedSlots += wanted.length;
    foundSlots += found.length;
    if (same === wanted.length && same === found.length) exact++;
    else misses.push({ q: each.q, kind: "slots", expected: wanted.join(" "), got: found.join(" ") });
  }
  const unsupported = labelled.length - supported;
  const of = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);
  return {
    questions: labelled.length,
    supported,
    unsupported,
    top1: of(top1, supported),
    top2: of(top2, supported),
    slotF1: of(2 * right, expectedSlots + foundSlots),
    slotExact: of(exact, supported),
    unsupportedRecognised: of(recognised, unsupported),
    supportedRefused: supported === 0 ? 0 : refused / supported,
    inventedCoins: invented,
    confusion,
    misses,
  };
}

function labelSlots(label: Labelled): string[] {
  const addresses = label.address === undefined || label.address === null ? [] : [label.address].flat();
  return slotTexts({
    coins: label.coins,
    window: label.window,
    topN: label.top_n ?? undefined,
    direction: label.direction ?? undefined,
    addresses,
    thresholds: label.threshold ?? [],
  });
}

function readSlots({ coins, window, topN, direction, addresses, thresholds }: Slots): string[] {
  return slotTexts({ coins, window, topN, direction, addresses, thresholds });
}

function slotTexts(slots: {
  readonly coins: readonly string[];
  readonly window: Window | null;
  readonly topN: number | undefined;
  readonly direction: string | undefined;
  readonly addresses: readonly string[];
  readonly thresholds: readonly { readonly metric: string; readonly op: string; readonly value: number }[];
}): string[] {
  const bars = slots.thresholds.map(({ metric, op, value }) => {
    const fixed = metric === "stop_pct" || metric === "lag_days";
    const turned = value < 0;
    const side = fixed
      ? "="
      : (op.includes(">") || op.startsWith("g")) !== turned
        ? ">"
        : op === "="
          ? "="
          : "<";
    return `${metric}${side}${Math.abs(value)}`;
  });
  return [
    ...slots.coins.map((coin) => `coin:${coin}`),
    ...slots.addresses.map((address) => `address:${address.toLowerCase()}`),
    ...(slots.window === null ? [] : [`window:${canonicalJson(slots.window as unknown as JsonValue)}`]),
    ...(slots.topN === undefined ? [] : [`top:${slots.topN}`]),
    ...(slots.direction === undefined ? [] : [`direction:${polarity(slots.direction)}`]),
    ...bars.map((bar) => `bar:${bar}`),
  ].toSorted();
}

function polarity(direction: string): string {
  if (/^(?:up|long|positive|high|highest|rising|gainers?|above|desc)$/i.test(direction)) return "+";
  return /^(?:down|short|negative|low|lowest|falling|losers?|below|asc)$/i.test(direction) ? "-" : direction;
}
