/**
 * The words of each family, by weight. A phrase of several words counts only when
 * they stand beside each other; COIN, ADDR, PCT, USD, NUM stand for names and
 * numbers, and `_` for any one word. The longest phrases say the most, so a word
 * inside a longer match does not count again.
 */
import type { FamilyName } from "../families.js";
import { stem } from "./features.js";

type Weighted = Readonly<Record<number, string>>;

const words: { readonly [Name in FamilyName]: Weighted } = {
  similarity: {
    6:
      "trade like ADDR, trades like ADDR, trading like ADDR, similar to ADDR, like ADDR, resemble ADDR, resembling ADDR, look like ADDR, " +
      "lookalike, look alike, lookalikes, nearest neighbour, nearest neighbor, similar trader, similar wallet, similar account, similar address, " +
      "same style as, same profile, clone, doppelganger, twin, alike, match ADDR, match for ADDR, same way as ADDR, the way ADDR, similar profile, " +
      "behave like ADDR, behaves like ADDR, comparable account, comparable wallet, comparable trader, similar style, resemble, same playbook, same pattern as ADDR, " +
      "similar to this, similar pattern, profile match, closest to ADDR, kindred",
    4: "similar, similarly, resembling, comparable, similarity, closest match, peers of ADDR, peer of ADDR, wallets like, traders like, accounts like, addresses like, like this wallet, like him, same kind of trader",
    2: "profile, style as, match, nearest, closest",
  },
  risk_regime: {
    6:
      "drawdown, draw down, under stress, stressed, risk score, riskiest, blowing up, blow up, blowup, about to blow, wiped out, underwater, under water, overexposed, over exposed, " +
      "overleveraged, over leveraged, risky trader, risky wallet, risky account, in trouble, bleeding, distress, distressed, how risky, risk regime, risk level, risk profile, " +
      "stress score, drew down, drawn down, dangerous, near liquidation, close to liquidation, about to get liquidated, close to getting liquidated, max dd, maxdd, tilt, tilting, on tilt, " +
      "from peak, off peak, from their peak, give back, gave back, biggest drawdown, risk taking, blown up, blew up, going bust, bust, risk of ruin, fragile, hurting, pain, danger zone, degen leveraged, " +
      "high risk, risk screen, at risk, risk exposure, losing streak, drowning, struggling, cooked",
    4: "risky, risk, stress, leveraged, exposure risk, concentrated, concentration, in the hole, worst off, degen, martingale, averaging down, on the ropes, deep red",
    2: "trouble, leverage, exposed, losing money, danger",
  },
  copy_lag: {
    6:
      "copy, copying, copied, copier, copycat, copy trader, copy trade, copytrade, copytrading, copytrader, copy trading, mirror, mirroring, mirrored, follower, follow ADDR, following ADDR, shadow, shadowing, shadowed, " +
      "tail ADDR, tailing, tailed, trailing ADDR, trail ADDR, piggyback, piggybacking, leader follower, lead lag, leader and follower, front run, frontrun, front running, frontrunning, lockstep, lock step, parrot, parroting, " +
      "imitate, imitating, echo, echoing, mimic, mimicking, same trade later, day lag, lagged, day later, day behind, with a lag, with a delay, delayed, leader, leads and, who follow, who lead, follow whom, " +
      "one day after, a day after, after ADDR, sheep, ape into, aping ADDR, replicate, replicating, trade after, front runner, copy pair, who copy, follow the same, leads ADDR, lead ADDR",
    4: "follow, following, lag, trail, trailing, tail, lead, repeat, repeating, delay, precede, ahead of",
    2: "behind, later, after, sync",
  },
  anomaly: {
    6:
      "unusual, abnormal, abnormally, anomaly, anomalous, outlier, out of character, out of the ordinary, out of line, weird activity, odd, oddest, strange, acting weird, acting strange, unusual volume, abnormal volume, volume spike, " +
      "spike in volume, volume anomaly, more than usual, out of norm, out of the norm, suspicious, fishy, unexpected, weird volume, spike of volume, burst of volume, weird, z score, zscore, sigma, standard deviation, volume surge, surge in volume, " +
      "own history, than normal, not normal, way above normal, way above average, above average volume, irregular, wonky, sketchy, never do, never does, differ from usual, different from usual, odd behavior, odd behaviour, " +
      "changed behavior, changed behaviour, sudden volume, volume blowout, heavier than normal, heavier than usual, higher than usual, than average, volume explode, atypical, freak, rare, something off, off about, looks off, volume out of",
    4: "spike, volume burst, bizarre, deviate, deviation, unlike, sudden, suddenly, usually, usual, burst, surge, normal, crazy volume, insane volume, volume jump",
    2: "crazy, norm, average",
  },
  whale_ranking: {
    6:
      "whale, whales, biggest position, largest position, big position, biggest long, biggest short, largest long, largest short, biggest account, largest account, largest wallet, biggest wallet, biggest holder, largest holder, biggest trader, largest trader, " +
      "by size, by position, position size, position over, position above, position bigger, positions of more, big player, biggest player, heaviest, biggest bag, largest bag, biggest book, most exposure, perp exposure, net long, net short, holding more, hold the largest, hold the biggest, " +
      "hold the most, holds the most, own the most, owns the most, biggest bull, biggest bear, top holder, top account by, notional, most short, most long, open position, deepest pocket, large holder, large trader, large account, big wallet, big money, big boy, size on, who is long, who is short, who long, who short, " +
      "biggest COIN position, largest COIN position, biggest COIN long, biggest COIN short, largest COIN long, largest COIN short, COIN holder, position in COIN, heavy hitter, biggest exposure, largest exposure, sitting on the biggest, sitting on the largest",
    4: "bag, holder, position, size, biggest net, holding, exposure, player, held, large, long book, huge",
    2: "biggest, largest, big, long, short, own, account, wallet",
  },
  screening: {
    6:
      "win rate, winrate, pnl, profitable, profit, most money, made the most, make the most, made money, lost the most, best trader, top trader, worst trader, leaderboard, consistent, consistently, consistency, screen trader, screen for trader, screen wallet, filter trader, " +
      "pnl of ADDR, how is ADDR, stats for ADDR, stat of ADDR, about ADDR, explain ADDR, explain trader, tell me about ADDR, performance of ADDR, ADDR performance, ADDR pnl, ADDR stat, trader with, trader who, wallet with, account with, hit rate, winning trader, winner wallet, smart money, " +
      "highest earning, most successful, realised pnl, realized pnl, earned, earning, trade count, number of trade, most active trader, most active account, more than NUM trade, over NUM trade, NUM trade, sharpe, roi, losing account, biggest winner among trader, top wallet, best wallet, best account, best performing trader, " +
      "best performing wallet, best performing account, trader by pnl, ranked by pnl, sharpest, skilled, who is winning, crushing it, printing, who made, who lost, who print, account that traded, trader that, wallet that traded, summary of ADDR, profile of ADDR, ADDR doing, rundown on ADDR, overview of ADDR, describe ADDR, best pnl, successful, money maker, " +
      "made bank, cleaned up, cash cow, in profit, in the green, track record, fees paid by, wins and",
    4: "winning, successful trader, screen, filter, criteria, active account, active trader, most active, rank trader, trader ranking, made, earn, win, loss, return of ADDR",
    2: "trader, wallet, account, best, trade, active, money",
  },
  strategy_comparison: {
    6:
      "scalper, scalping, swing trader, swing trading, day trader, position trader, trading style, style, styles, strategy, strategies, momentum, mean reversion, trend follower, trend following, trend trader, fader, contrarian, maker, taker, market maker, high frequency, low frequency, " +
      "frequent trader, patient, ADDR vs ADDR, compare ADDR, ADDR against ADDR, ADDR or ADDR, ADDR and ADDR, hold or flip, flipper, holder vs, long only, short only, long biased, short biased, style made, kind of strategy, type of trader, kind of trader, approach differ, buy and hold, hodl, " +
      "hft, scalp, algos vs, bot vs, bots vs, manual trader, retail vs, whales vs, whale vs, newbies vs, breakout trader, hedger, grid, arbitrageur, breakout, ADDR with ADDR, ADDR to ADDR, ADDR compare, dip buyer, knife catcher, winners vs, fast trader, slow trader, short term trader, long term trader, short term vs, reversal trader",
    4: "approach, group, outperform taker, type of, way of trading, better at trading, archetype, playstyle, category of trader, cohort, versus, bucket",
    2: "vs, better, compare, beat, frequent, side by side, versu, differ",
  },
  counterfactual: {
    6:
      "what if, whatif, stop loss, stoploss, with a stop, used a stop, PCT stop, had used, would have, wouldve, would ADDR have, suppose, hypothetical, hypothetically, if stop, had they, had stop, simulate, simulation, cut loss, cut their loss, cut loser, cutting loss, stopped out, tighter stop, " +
      "hard stop, trailing stop, would stop, stop had, had ADDR, would it be better, if everyone, if everybody, would yesterday have, backtest a stop, with stop, using stop, stop policy, stop of PCT, stop at PCT, without leverage, had been, counterfactual, capped loss, cap loss, capping loss, saved by, would be saved, " +
      "if they had, if ADDR had, if he had, stop out, imagine, with tighter, exit at PCT, bailed at, cut at, if loss were, if loser were, stop been, pretend, alternate, assuming a stop, assume a stop, had COIN trader, alternative history, would a PCT, closed at PCT loss",
    4: "would, stop, if, had, saved, cut, helped, replay, protective",
    2: "have, could",
  },
  movers: {
    6:
      "gainer, gainers, loser coin, biggest loser, top loser, mover, movers, biggest move, big move, price change, price move, pumped, pumping, dumped, dumping, best performing coin, worst performing coin, best performer, worst performer, performer, up the most, down the most, " +
      "up more than, down more than, up over, down over, moved the most, what moved, what is moving, moving, ripping, riser, mooning, mooned, tanking, tanked, nuked, nuking, crashed, by volume, most traded, traded over, most volume, highest volume, volume leader, COIN price, price of COIN, " +
      "price action, COIN trading at, COIN trade, how much did COIN, how is COIN doing, how did COIN do, what did COIN do, COIN performance, COIN return, COIN move, best coin, worst coin, hottest, green, in the red, rallying, rallied, price, trading volume, volume over, volume above, gained, fell, dropped, rose, " +
      "COIN doing, COIN up, COIN down, COIN do, COIN chg, COIN change, pump, dump, COIN volume, volume on COIN, volume in COIN, volume of COIN, surged, soared, slid, sinking, plunged, bled, flying, COIN gain, COIN lose, COIN lost, COIN gained, how did COIN, how has COIN, how far did COIN, percent change, pct change, runner, sold off, sell off, selloff, rekt, highest turnover, turnover, " +
      "most liquid, COIN moved, 24h change, how are COIN, has COIN, snapshot of COIN, COIN quote, COIN currently, performing coin, performing perp, performing market, performing token, winners and losers, hot right, heating up, popping, COIN today, COIN high, COIN low, where is COIN trading",
    4: "loser, winner, move, moved, up, down, volume, gain, crash, crashing, wrecked, change, hot, falling, rising, drop, jump, jumped, rally, return, performing, performance, traded, laggard, top coin, busiest",
    2: "coin, perp, market, token, alt, best, worst, most",
  },
  funding_extremes: {
    8: "funding, funding rate, fundings, short pay, shorts pay, long pay, longs pay, longs get paid, shorts get paid, expensive long, expensive short, cost to hold, carry, paid to long, paid to short, paid to be long, paid to be short, getting paid to, cost of holding, pay to hold, holding cost, cost of carry, hourly rate, funding stress, funding spike, apr on",
    3: "annualized, annualised, apr, paying, pay, paid, rate",
    1: "negative, positive, hourly, extreme",
  },
  open_interest_shift: {
    8: "open interest, oi, open int, openinterest, positions being closed, positions being opened, position being opened, position being closed, position opened, position closed, oi change, leverage build, leverage building, leverage coming, new money coming, contracts outstanding, outstanding contract, positioning build, money flowing into perp, deleveraging, delever, oi shift",
    3: "new money, unwinding, unwind, building, piling, positioning, flowing in, leaving, outstanding, inflow",
    1: "added, closing",
  },
  liquidation_cascade: {
    8: "liquidation, liquidated, liq, liquidate, liquidating, cascade, forced selling, forced seller, forced buying, forced close, long squeeze, short squeeze, wipeout, wiped, flushed, blown out, rekt the most, got rekt, margin called, margin call, force closed, force liquidated, squeezed, long flush, leverage flush, flush, adl, auto deleverage, puke, stop hunt, bloodbath, carnage",
    3: "squeeze, rekt, wrecked long, forced, nuke",
    1: "wiped out, blown",
  },
  spread_or_premium: {
    7: "premium, discount, oracle, mark price, mark vs, basis, spread, index price, rich or cheap, dislocation, dislocated, bid ask, mark to, mark from, mark and oracle, mark oracle, above index, below index, above spot, below spot, vs index, vs spot, perp over spot, contango, backwardation, impact price, slippage, mark index, off oracle, off index, peg, depeg, diverge from spot, diverging from spot, tightest, widest, illiquid, fair price, fair value, trade above spot, trade below spot, deviation from oracle, mispriced, mispricing, gap",
    3: "index, mark, wide, wider, BPS, dislocat, spot, impact, cheap, rich, tight, thin",
    1: "above, below, liquid",
  },
  peer_comparison: {
    7:
      "COIN vs COIN, COIN vs, vs COIN, COIN against COIN, compare COIN, COIN compare, correlation, correlated, correlate, peer, peer group, relative strength, relative to, relative performance, outperform, outperforming, outperformed, underperform, underperforming, underperformed, head to head, move with COIN, moves with COIN, track COIN, tracks COIN, " +
      "behave like COIN, behaves like COIN, COIN compared, against the rest, against the market, vs the market, vs the pack, vs other, vs alt, against other, than COIN, COIN or COIN, beta to COIN, beta, compare with COIN, similar to COIN, coin like COIN, like COIN, side by side, stack up, stacks up, next to COIN, lagging, against each other, in tandem, follow COIN, follows COIN, decoupled, decoupling, decouple, " +
      "COIN better than, COIN worse than, stronger than, weaker than, which did better, who did better, did better, moves together, move together, moving together, in sync, versus the rest, beating COIN, beat COIN, COIN beat, COIN beating, COIN ratio, pair, leading or lagging, keeping up, keep up with, relative, closest to COIN, compare, against everything, the field, the pack, sector, same basket, comove, trade like COIN, trades like COIN, moves like COIN, move like COIN, uncorrelated, inverse, stronger or weaker, vs everything",
    3: "vs, against, versu, alike, similar coin, between COIN, rank COIN, better, stronger, weaker, rest, other coin, comparison, compared, faster than, other alt",
    1: "and COIN, together, rank",
  },
  volatility_regime: {
    7:
      "volatility, volatile, vol regime, realised vol, realized vol, choppy, choppiest, chop, calm, calmest, calmer, quiet, quietest, wild, wildest, swing, swung, swinging, swings, range, ranges, high low, atr, vol expansion, vol compression, compression, coiling, regime, vol of COIN, COIN vol, vol on COIN, vol wise, realized volatility, standard deviation of return, " +
      "sleepy, sleepiest, boring, jumpy, jumpiest, whippy, whipsaw, whipsawing, turbulent, turbulence, stable, stablest, most stable, annualised vol, annualized vol, rv, hourly range, daily range, trading range, ranging, tight range, flat, sideways, price swing, bollinger, vol pick, lowest vol, highest vol, high vol, low vol, vol spike, vol is, vol up, vol down, vol last, vol past, implied, vol, crazy price action, moving around, bouncing around, erratic, rough, smooth, rollercoaster, wicks, wicky, steady",
    3: "wobbly, expansion, expanding, intraday, bounce, noise, noisy, wide range",
    1: "high or low, than usual",
  },
};

export interface Phrase {
  readonly tokens: readonly string[];
  readonly family: FamilyName;
  readonly weight: number;
}

let phrases: ReadonlyMap<string, readonly Phrase[]> | undefined;

/** By their first word. */
export function lexicon(): ReadonlyMap<string, readonly Phrase[]> {
  if (phrases !== undefined) return phrases;
  const found = new Map<string, Phrase[]>();
  for (const [family, weighted] of Object.entries(words)) {
    for (const [weight, list] of Object.entries(weighted)) {
      for (const text of list.split(", ")) {
        const tokens = text.split(" ").map((word) => (/^[A-Z_]+$/.test(word) ? word : stem(word)));
        const first = tokens[0] as string;
        const phrase = { tokens, family: family as FamilyName, weight: Number(weight) };
        const same = found.get(first);
        if (same === undefined) found.set(first, [phrase]);
        else same.push(phrase);
      }
    }
  }
  phrases = found;
  return found;
}

/** The weighted sum for every family that has any, each word counted once per family. */
export function lexicalScores(tokens: readonly string[]): Map<FamilyName, number> {
  const table = lexicon();
  const hits = new Map<FamilyName, { readonly from: number; readonly to: number; readonly weight: number }[]>();
  for (let i = 0; i < tokens.length; i++) {
    for (const { tokens: wanted, family, weight } of table.get(tokens[i] as string) ?? []) {
      if (!wanted.every((token, j) => token === tokens[i + j])) continue;
      const hit = { from: i, to: i + wanted.length, weight: weight + (wanted.length - 1) * 0.5 };
      const list = hits.get(family);
      if (list === undefined) hits.set(family, [hit]);
      else list.push(hit);
    }
  }
  const scores = new Map<FamilyName, number>();
  for (const [family, list] of hits) {
    list.sort((a, b) => b.weight - a.weight || a.from - b.from);
    const used = new Set<number>();
    let sum = 0;
    for (const { from, to, weight } of list) {
      let free = true;
      for (let i = from; i < to; i++) if (used.has(i)) free = false;
      if (!free) continue;
      for (let i = from; i < to; i++) used.add(i);
      sum += weight;
    }
    scores.set(family, sum);
  }
  return scores;
}

/** Every word that any family knows: what a question has none of is about something else. */
export function knownWord(token: string): boolean {
  return lexicon().has(token);
}
