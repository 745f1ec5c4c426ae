/**
 * The slots of a question, once its family is known: coins, addresses, when, how
 * many, which way, and the bars that it sets. A slot is what the words say; what
 * they do not say stays empty and is never filled with a guess.
 */
import type { FamilyName } from "../families.js";
import type { Direction, Slots } from "../types.js";
import { barsIn } from "./amounts.js";
import type { NamedCoins } from "./coins.js";
import type { Said } from "./when.js";
import type { Word } from "./words.js";

export interface Read {
  readonly words: readonly Word[];
  readonly coins: NamedCoins;
  readonly when: Said;
}

export function slotsOf({ words, coins, when }: Read, family: FamilyName): Slots {
  const bars = barsIn(words, family, when.places);
  const topN = topNIn(words, new Set([...when.places, ...bars.places]));
  const direction = directionOf(words, family);
  return {
    coins: coins.coins,
    unknownCoins: coins.unknown,
    addresses: [...new Set(words.filter(({ kind }) => kind === "address").map(({ text }) => text))],
    window: when.window,
    ...(topN === undefined ? {} : { topN }),
    ...(direction === undefined ? {} : { direction }),
    thresholds: bars.thresholds,
    persistence: family === "funding_extremes" && asksWhetherItLasts(words),
  };
}

/** Things that can be counted out in an answer. */
const countable = new Set(
  (
    "coins coin markets market perps perp traders trader wallets wallet accounts account addresses names movers gainers losers " +
    "whales pairs positions moves performers strategies styles tokens alts lookalikes events hours days results rows " +
    "biggest largest best worst most top highest lowest strongest widest oddest heaviest riskiest wildest calmest hottest " +
    "btc eth sol hype matches relationships contracts leaders copiers followers clones"
  ).split(" "),
);

function topNIn(words: readonly Word[], used: ReadonlySet<number>): number | undefined {
  for (const [i, word] of words.entries()) {
    const { value } = word;
    if (word.kind !== "number" || used.has(i) || value === undefined || word.dollars === true) continue;
    if (
      !Number.isInteger(value) ||
      value < 1 ||
      value > 1000 ||
      (word.unit ?? "") !== "" ||
      word.plus === true
    )
      continue;
    const before = words[i - 1]?.text ?? "";
    if (/^(?:top|first|best|worst|biggest|largest|bottom)$/.test(before)) return value;
    const next = words.slice(i + 1, i + 4).map(({ text }) => text);
    // "one" is seldom a count: "which one did better".
    if (word.raw.toLowerCase() === "one") continue;
    if (
      next.some((text) => countable.has(text)) &&
      !/^(?:than|over|above|under|below|least|least)$/.test(before)
    )
      return value;
  }
  return undefined;
}

type Words = readonly string[];
const list = (text: string): Words => text.split(" ");

const up = list(
  "up gainers gainer gained gain gains pumped pumping pump ripping rip risers riser rising rise rose rallied rally rallying " +
    "mooning moon surging surged green performers winners climbing climbed jumped soared flying increased increase growing grew",
);
const down = list(
  "down losers loser lost dumping dumped dump fell fall falling fallen crashed crashing crash worst drop dropped dropping red " +
    "bleeding tanked tanking sank sliding slid nuked nuking wrecked rekt decliners decreased decline declined shed",
);

/** Which way, where the question says so; both ways at once say nothing. */
const ways: { readonly [Name in FamilyName]?: readonly (readonly [Direction, Words])[] } = {
  movers: [
    ["up", [...up, "best", "strongest"]],
    ["down", [...down, "weakest"]],
  ],
  peer_comparison: [],
  funding_extremes: [
    ["negative", list("negative neg lowest negatively")],
    ["positive", list("positive positively")],
  ],
  open_interest_shift: [
    ["up", [...up, ...list("building piling jumps jump added inflow new")]],
    ["down", [...down, ...list("unwinding unwind unwound closed closing leaving draining")]],
  ],
  liquidation_cascade: [
    ["long", list("long longs bulls")],
    ["short", list("short shorts bears")],
  ],
  spread_or_premium: [
    ["negative", list("discount discounts negative below under cheapest backwardation")],
    ["up", list("highest positive")],
  ],
  volatility_regime: [
    ["down", list("calmest quietest lowest calming flattest sleepiest tamest least")],
    ["up", list("expansion expanding pick rising increased")],
  ],
  whale_ranking: [
    ["long", list("long longs bulls longing")],
    ["short", list("short shorts bears shorting")],
  ],
  screening: [["down", list("worst lost losing losers loser unprofitable")]],
};

function directionOf(words: readonly Word[], family: FamilyName): Direction | undefined {
  const texts = words.filter(({ kind }) => kind === "word").map(({ text }) => text);
  if (family === "funding_extremes") {
    const paid = whoPays(texts);
    if (paid !== undefined) return paid;
  }
  if (
    family === "spread_or_premium" &&
    texts.includes("above") &&
    texts.some((text) => /^(?:oracle|index|spot)$/.test(text))
  ) {
    const bar = words.some(({ kind }) => kind === "number");
    if (!bar) return "up";
  }
  const found = (ways[family] ?? []).filter(([, list]) => texts.some((text) => list.includes(text)));
  return found.length === 1 ? found[0]?.[0] : undefined;
}

/** "shorts pay" and "longs get paid" are negative funding. */
function whoPays(texts: Words): Direction | undefined {
  const [longs, shorts] = [
    texts.some((text) => /^longs?$/.test(text)),
    texts.some((text) => /^shorts?$/.test(text)),
  ];
  if (longs === shorts) return undefined;
  const earns = texts.some((text) =>
    /^(?:paid|receive|received|earn|earned|collect|collected|collecting|earning|get|gets|getting)$/.test(
      text,
    ),
  );
  return longs === earns ? "negative" : "up";
}

const lasting = new Set(
  "persist persists persisting persistent last lasting continue continues stay stays remain remains linger hold sustain sustained".split(
    " ",
  ),
);

/** "last" is a verb only at the end of the question, never before a span of time. */
function asksWhetherItLasts(words: readonly Word[]): boolean {
  return words.some(({ text }, i) => {
    if (!lasting.has(text)) return false;
    if (text !== "last" && text !== "hold")
      return words.some(({ text: each }) =>
        /^(?:will|does|do|is|going|gonna|if|whether|can|how|would|should)$/.test(each),
      );
    const ends = words[i + 1] === undefined || words[i + 1]?.kind === "sign";
    return ends && !/^(?:the|over|in|of|at|during)$/.test(words[i - 1]?.text ?? "");
  });
}
