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
      "best match, best matches for, match for address, way ADDR do, the way ADDR, behave the way, else is like, else like, akin to, akin, same mould, same mold, same type as, same kind as, same book as, same way ADDR, same fingerprint, fingerprint, habit, another ADDR, ADDR like, wallet like, account like, profile near, near ADDR, peer of wallet, peer of account, similar behavior, similar behaviour, trade the same, in common with ADDR, ADDR kind of trader, cut from the same, kin of, sibling, cousins of, similar winrate, similar win, behavioural match, behavioral match, nearest account, nearest wallet, nearest trader, most alike, like wallet ADDR, like trader ADDR, like account ADDR, like address ADDR, comparable to ADDR, comparable with ADDR, matching ADDR, same vibe, spitting image, same footprint, same setup as ADDR, similar 2 ADDR, similar ADDR, to others, trade the same way, trades the same way, trade like ADDR, trades like ADDR, trading like ADDR, similar to ADDR, like ADDR, resemble ADDR, resembling ADDR, look like ADDR, " +
      "lookalike, look alike, lookalikes, nearest neighbour, nearest neighbor, similar trader, similar wallet, similar account, similar address, " +
      "same style as, same profile, clone, doppelganger, twin, alike, match ADDR, match for ADDR, same way as ADDR, the way ADDR, similar profile, " +
      "behave like ADDR, behaves like ADDR, comparable account, comparable wallet, comparable trader, similar style, resemble, same playbook, same pattern as ADDR, " +
      "similar to this, similar pattern, profile match, closest to ADDR, kindred",
    4: "similar, similarly, resembling, comparable, similarity, closest match, peers of ADDR, peer of ADDR, wallets like, traders like, accounts like, addresses like, like this wallet, like him, same kind of trader",
    3: "profile, style as, match, nearest, closest, same, resemble, like",
  },
  risk_regime: {
    6:
      "endangered, ugly, equity curve, gave back the most, gave back profit, under stress, most endangered, margin called soon, bleeding out, in jeopardy, vulnerable, weak hand, weak hands, spiraling, spiralling, imploding, implode, near death, worst equity, down bad, hurting the most, look like they are on, deep drawdown, heavy drawdown, sinking, on the edge, edge, ruin, overextended, over extended, reckless, all in, one bad candle, danger list, deepest loss, loss from their high, from their high, from its high, drawing down, drawing, danger, in a row, several days, losing day, how deep, deep in the red, deepest hole, risk check, riskier, recklessly, gambling, gambler, yolo, max loss, peak to trough, trough, one trade away, on thin ice, about to go, going to zero, hanging by, not diversified, undiversified, too much size, too concentrated, in pain, deep underwater, worst shape, high stress, stress level, hurting, hole, getting smoked, red streak, bad streak, cold streak, loss streak, downswing, risk rating, risk ranking, by risk, risk score of ADDR, unhealthy, hemorrhaging, deteriorating, meltdown, capitulating, about to puke, skating, drawdown, draw down, under stress, stressed, risk score, riskiest, blowing up, blow up, blowup, about to blow, wiped out, underwater, under water, overexposed, over exposed, " +
      "overleveraged, over leveraged, risky trader, risky wallet, risky account, in trouble, bleeding, distress, distressed, how risky, risk regime, risk level, risk profile, " +
      "stress score, drew down, drawn down, dangerous, near liquidation, close to liquidation, about to get liquidated, close to getting liquidated, max dd, maxdd, tilt, tilting, on tilt, " +
      "from peak, off peak, from their peak, give back, gave back, biggest drawdown, risk taking, blown up, blew up, going bust, bust, risk of ruin, fragile, hurting, pain, danger zone, degen leveraged, " +
      "high risk, risk screen, at risk, risk exposure, losing streak, drowning, struggling, cooked",
    4: "risky, risk, stress, leveraged, exposure risk, concentrated, concentration, in the hole, worst off, degen, martingale, averaging down, on the ropes, deep red",
    2: "trouble, leverage, exposed, losing money, danger",
  },
  copy_lag: {
    6:
      "same thing a day, a day after, copy pair, trade pair, copy trade pair, day behind, a day behind, behind ADDR, being duplicated, duplicated, follow the leader, most follower, leader wallet, aping, imitate, ADDR imitate, mirroring whale, copy the other, copies the other, does one copy, one copy, lag ADDR, delay of, follower for, leader ADDR, copy bot, day late, take cue, takes cue, cue from, one after the other, one after another, come in a day, lagged correlation, after the other, a day later, lead and, lags ADDR, copy network, delayed twin, enter after, moves get copied, the original, follow the lead, follow a leader, follow someone, followers of, follow each other, followed by, following the, following whom, follows who, two days after, day after, days after, hour after, ride on, coattail, riding, tagalong, ripple, replicates, replicate, duplicate, duplicating, clone trade, clones trade, same trade as, same trades as ADDR, get in after, in after, shortly after, late entry, in the footstep, footstep, copying ADDR, inspired by, dependent on, driven by ADDR, whom do, signal provider, who is the leader, mother wallet, copy, copying, copied, copier, copycat, copy trader, copy trade, copytrade, copytrading, copytrader, copy trading, mirror, mirroring, mirrored, follower, follow ADDR, following ADDR, shadow, shadowing, shadowed, " +
      "tail ADDR, tailing, tailed, trailing ADDR, trail ADDR, piggyback, piggybacking, leader follower, lead lag, leader and follower, front run, frontrun, front running, frontrunning, lockstep, lock step, parrot, parroting, " +
      "imitate, imitating, echo, echoing, mimic, mimicking, same trade later, day lag, lagged, day later, day behind, with a lag, with a delay, delayed, leader, leads and, who follow, who lead, follow whom, " +
      "one day after, a day after, after ADDR, sheep, ape into, aping ADDR, replicate, replicating, trade after, front runner, copy pair, who copy, follow the same, leads ADDR, lead ADDR",
    4: "follow, following, lag, trail, trailing, tail, lead, repeat, repeating, delay, precede, ahead of",
    2: "behind, later, after, sync",
  },
  anomaly: {
    6:
      "strangest, strangest day, weirdest, weirdest day, craziest day, seem too high, too high, too low, activity way above, own average, way above, way beyond, unusual trading, going on, outside normal, abnormal day, from its normal, from their normal, for its standards, by its standards, not usual, differently than, different than usual, strangely, changed behaviour, changed behavior, change behaviour, change behavior, not himself, not itself, acting up, breaking pattern, break pattern, broke pattern, beyond its usual, usual size, far from their norm, far from its norm, from own baseline, baseline, own baseline, normal volume, outlier volume, look off, looks off, compared to average, vs average, versus average, than its average, above its average, vs normal volume, heavy volume compared, times normal, times the usual, times usual, x normal, LEVERAGE normal, LEVERAGE their, LEVERAGE usual, LEVERAGE its, LEVERAGE the, ghost volume, wash, wash trading, off pattern, not like him, unlike itself, deviating from own, deviates from, habitual, uncharacteristic, uncharacteristically, peculiar, quirky, funky, screwy, weirdly, oddly, flow yesterday, odd flow, unusual flow, statistically, extreme day, extreme for, record volume, never before, for the first time, stands out, stand out, standing out, volume through the roof, volume went crazy, volume going crazy, volume exploding, volume up LEVERAGE, unusually, dormant, woke up, waking up, sleeping wallet, detect anomaly, in a weird way, off the chart, freak volume, unexplained, unusual, abnormal, abnormally, anomaly, anomalous, outlier, out of character, out of the ordinary, out of line, weird activity, odd, oddest, strange, acting weird, acting strange, unusual volume, abnormal volume, volume spike, " +
      "spike in volume, volume anomaly, more than usual, out of norm, out of the norm, suspicious, fishy, unexpected, weird volume, spike of volume, burst of volume, weird, z score, zscore, sigma, standard deviation, volume surge, surge in volume, " +
      "own history, than normal, not normal, way above normal, way above average, above average volume, irregular, wonky, sketchy, never do, never does, differ from usual, different from usual, odd behavior, odd behaviour, " +
      "changed behavior, changed behaviour, sudden volume, volume blowout, heavier than normal, heavier than usual, higher than usual, than average, volume explode, atypical, freak, rare, something off, off about, looks off, volume out of",
    4: "spike, volume burst, bizarre, deviate, deviation, unlike, sudden, suddenly, usually, usual, burst, surge, normal, crazy volume, insane volume, volume jump",
    2: "crazy, norm, average, off",
  },
  whale_ranking: {
    6:
      "size leader, CMP USD in, USD in COIN, with CMP USD, account with CMP USD, has the biggest COIN, position on the exchange, megawhale, fattest, biggest fish, size leader, fish, shark, large position, huge position, big short, big long, huge short, huge long, most notional, largest open, biggest open, top position, position holder, position value, positioned, position above NUM, position worth, positions worth, USD position, USD long, USD short, long USD, net exposure, largest net, exposure to COIN, biggest stack, stack, heavily long, heavily short, largest notional, biggest notional, big size, biggest size, size king, top size, account size, biggest whale, largest whale, kraken sized, holding the largest, holding the biggest, holding the most, holds the largest, holds the biggest, has the biggest, has the largest, have the biggest, have the largest, biggest perp position, top long, top short, most long exposure, long COIN the most, short COIN the most, big holder, heavyweight, mega, titan, giants, giant, whale, whales, biggest position, largest position, big position, biggest long, biggest short, largest long, largest short, biggest account, largest account, largest wallet, biggest wallet, biggest holder, largest holder, biggest trader, largest trader, " +
      "by size, by position, position size, position over, position above, position bigger, positions of more, big player, biggest player, heaviest, biggest bag, largest bag, biggest book, most exposure, perp exposure, net long, net short, holding more, hold the largest, hold the biggest, " +
      "hold the most, holds the most, own the most, owns the most, biggest bull, biggest bear, top holder, top account by, notional, most short, most long, open position, deepest pocket, large holder, large trader, large account, big wallet, big money, big boy, size on, who is long, who is short, who long, who short, " +
      "biggest COIN position, largest COIN position, biggest COIN long, biggest COIN short, largest COIN long, largest COIN short, COIN holder, position in COIN, heavy hitter, biggest exposure, largest exposure, sitting on the biggest, sitting on the largest",
    4: "bag, holder, position, size, biggest net, holding, exposure, player, held, large, long book, huge",
    2: "biggest, largest, big, own",
    1: "account, wallet, long, short",
  },
  screening: {
    6:
      "nailed, nailed it, up the most this, losing wallet, losing trader, winning wallet, making at least, making USD, make money, made money, biggest losing wallet, fees and pnl, equity up, wallets up, accounts up, traders up, wallet are up, account are up, trader are up, came out ahead, killed it, outsmarted, best timing, good at, performer among, among trader, performers among trader, USD volume with, trader doing, earner, earners, steady earner, top earner, lost their shirt, shirt, up more than USD, up over USD, result, results, report for ADDR, trader report, win most, winning most, fee, paying the most fee, most active address, active address, most trade, how many trade, low drawdown high, high winrate, highest pnl, biggest pnl, best return among, turned a profit, break even, breakeven, net positive, net profitable, realised profit, realized profit, ADDR win, ADDR result, ADDR profit, ADDR trade, trades did ADDR, is ADDR profitable, is ADDR good, ADDR any good, is ADDR up, is ADDR down, ADDR up, ADDR down, ADDR record, ADDR history, ADDR summary, ADDR overview, look up ADDR, lookup ADDR, what has ADDR, what did ADDR, what is ADDR, how did ADDR, how much did ADDR, how has ADDR, how good is ADDR, how well, money in COIN, smartest, killing it, raking it, cashed in, biggest winning, best at trading, most wins, worst pnl, lowest pnl, negative pnl, good trader, great trader, elite, pro trader, sharp trader, sharp money, money printer, printers, biggest profit, biggest loss, heaviest loss, lost money, losing trader, lost USD, made USD, made over, made more, made at least, up USD, qualifies, meet criteria, minimum NUM trade, at least NUM trade, volume account, account volume, highest volume trader, volume by trader, volume per wallet, churn, win rate, winrate, pnl, profitable, profit, most money, made the most, make the most, made money, lost the most, best trader, top trader, worst trader, leaderboard, consistent, consistently, consistency, screen trader, screen for trader, screen wallet, filter trader, " +
      "pnl of ADDR, how is ADDR, stats for ADDR, stat of ADDR, about ADDR, explain ADDR, explain trader, tell me about ADDR, performance of ADDR, ADDR performance, ADDR pnl, ADDR stat, hit rate, winning trader, winner wallet, smart money, " +
      "highest earning, most successful, realised pnl, realized pnl, earned, earning, trade count, number of trade, most active trader, most active account, more than NUM trade, over NUM trade, NUM trade, sharpe, roi, losing account, biggest winner among trader, top wallet, best wallet, best account, best performing trader, " +
      "best performing wallet, best performing account, trader by pnl, ranked by pnl, sharpest, skilled, who is winning, crushing it, printing, who made, who lost, who print, account that traded, trader that, wallet that traded, summary of ADDR, profile of ADDR, ADDR doing, rundown on ADDR, overview of ADDR, describe ADDR, best pnl, successful, money maker, " +
      "made bank, cleaned up, cash cow, in profit, in the green, track record, fees paid by, wins and",
    4: "trader with, trader who, wallet with, account with, addresses with, winning, successful trader, screen, filter, criteria, active account, active trader, most active, rank trader, trader ranking, made, earn, win, loss, return of ADDR",
    2: "active, money, trade",
    1: "trader, wallet, account, best",
  },
  strategy_comparison: {
    6:
      "ADDR fare against, fare against, fare, types of trader, type of trader, winning type, pay off, paying, contrarian, scalp or, swing or, hold or, bot do, bots do, against human, human, humans, big account beat, big accounts beat, small account, small ones, fast or slow, slow trader, fast trader, long only and, hyperactive, dip buyer, breakout buyer, head to head ADDR, ADDR ADDR, high frequency, approach pay, chaser, reverter, trend guy, holders compared, strategy type, make more than, quick flipper, intraday trader, overnight holder, frequency, trading frequency, directional, delta neutral, bulls or bears, bears or bulls, longs or shorts making, better trader, stronger trader, better record, who is better, who was better, who performed better, type of account, kinds of account, classes of trader, trader type, trader class, trader category, style of trading, by style, per style, each style, playbook, weekend trader, night trader, retail, institutional, pros vs, degens vs, degen vs, sniper, snipers, grinders, grinder, aggressive vs, conservative, passive vs, passive or, active vs, martingale vs, ADDR versus, rival, duel, matchup, scalper, scalping, swing trader, swing trading, day trader, position trader, trading style, style, styles, strategy, strategies, momentum, mean reversion, trend follower, trend following, trend trader, fader, contrarian, maker, taker, market maker, high frequency, low frequency, " +
      "frequent trader, patient, ADDR vs ADDR, compare ADDR, ADDR against ADDR, ADDR or ADDR, ADDR and ADDR, hold or flip, flipper, holder vs, long only, short only, long biased, short biased, style made, kind of strategy, type of trader, kind of trader, approach differ, buy and hold, hodl, " +
      "hft, scalp, algos vs, bot vs, bots vs, manual trader, retail vs, whales vs, whale vs, newbies vs, breakout trader, hedger, grid, arbitrageur, breakout, ADDR with ADDR, ADDR to ADDR, ADDR compare, dip buyer, knife catcher, winners vs, fast trader, slow trader, short term trader, long term trader, short term vs, reversal trader",
    4: "approach, group, outperform taker, type of, way of trading, better at trading, archetype, playstyle, category of trader, cohort, versus, bucket",
    2: "vs, better, compare, beat, frequent, side by side, versu, differ",
  },
  counterfactual: {
    6:
      "had bailed, bailed, without stop, with and without, effect of a, effect of stop, effect of PCT, cutting at, difference would, rerun, re run, suppose loser, imagine nobody, nobody held, benefit from stop, not having stop, tighter risk, quit at, never lost more, under a hard, hard PCT, test a PCT, rescued, what difference, would stops, stop loss, stop at, stops at, stop would, would a stop, stopped at, kept with, have kept, have made, have done, have earned, have lost, have saved, have survived, be profitable with, if they had, if they used, if they were, if he used, if loss, if they stopped, if they cut, if they bailed, had closed, had exited, had sold, had taken, closing loser, close loser, limit loss, limiting loss, max loss per trade, loss cap, stop discipline, stop rule, apply a, applying a, apply stop, enforce, enforced, impose, no trade lost more, take profit at, with a tighter, with tight, had set a, stop policies, scenario, would things, would it have, could have been, should have been, might have, what if, whatif, stop loss, stoploss, with a stop, used a stop, PCT stop, had used, would have, wouldve, would ADDR have, suppose, hypothetical, hypothetically, if stop, had they, had stop, simulate, simulation, cut loss, cut their loss, cut loser, cutting loss, stopped out, tighter stop, " +
      "hard stop, trailing stop, would stop, stop had, had ADDR, would it be better, if everyone, if everybody, would yesterday have, backtest a stop, with stop, using stop, stop policy, stop of PCT, stop at PCT, without leverage, had been, counterfactual, capped loss, cap loss, capping loss, saved by, would be saved, " +
      "if they had, if ADDR had, if he had, stop out, imagine, with tighter, exit at PCT, bailed at, cut at, if loss were, if loser were, stop been, pretend, alternate, assuming a stop, assume a stop, had COIN trader, alternative history, would a PCT, closed at PCT loss",
    4: "stop, saved, cut, helped, replay, protective",
    2: "would, if",
    1: "have, could, had",
  },
  movers: {
    6:
      "perform, performed, COIN perform, COIN at, is COIN at, swing up, PCT swing up, lose in, did COIN lose, how many percent, ticker, mooned, COIN lose, barely traded, least traded, lowest volume, volume king, weekly return, monthly return, daily return, largest daily candle, PCT gain, by gain, worst performer, biggest loser, leading the board, the board, double digit, outran, outrun, bleed, strongest coin, weakest coin, percentage change, perf, day worst, worst coin, best coin, chart number, market by traded, traded notional, most active market, active perp, most active coin, ranked by return, lost a fifth, of their value, how far has, how much has COIN, how much is COIN, how much COIN, price now, last price, COIN worth, COIN at, quote for, outperformer, laggards, percent up, percent down, PCT up, PCT down, upside, downside, up PCT, down PCT, up by, down by, biggest pump, biggest dump, biggest drop, biggest rise, biggest gain, biggest fall, largest gain, largest drop, largest move, sharpest, steepest, most up, most down, popped, popping off, dropping, pumper, dumper, top performing, worst hit, hardest hit, hit hardest, moonshot, rocketing, spiking, running, running hot, ran the most, ran, sell off, selling off, coin performance, market mover, price performance, returns by coin, ranked by price, by price change, by return, high volume coin, volume ranking, volume by coin, volume by market, volume per market, rank by volume, ranked by volume, most volume, total volume, doing volume, in volume, USD volume, USD in volume, volume today, most traded coin, gainer, gainers, loser coin, biggest loser, top loser, mover, movers, biggest move, big move, price change, price move, pumped, pumping, dumped, dumping, best performing coin, worst performing coin, best performer, worst performer, performer, up the most, down the most, " +
      "up more than, down more than, up over, down over, moved the most, what moved, what is moving, moving, ripping, riser, mooning, mooned, tanking, tanked, nuked, nuking, crashed, by volume, most traded, traded over, most volume, highest volume, volume leader, COIN price, price of COIN, " +
      "price action, COIN trading at, COIN trade, how much did COIN, how is COIN doing, how did COIN do, what did COIN do, COIN performance, COIN return, COIN move, best coin, worst coin, hottest, green, in the red, rallying, rallied, price, trading volume, volume over, volume above, gained, fell, dropped, rose, " +
      "COIN doing, COIN up, COIN down, COIN do, COIN chg, COIN change, pump, dump, COIN volume, volume on COIN, volume in COIN, volume of COIN, surged, soared, slid, sinking, plunged, bled, flying, COIN gain, COIN lose, COIN lost, COIN gained, how did COIN, how has COIN, how far did COIN, percent change, pct change, runner, sold off, sell off, selloff, rekt, highest turnover, turnover, " +
      "most liquid, COIN moved, 24h change, how are COIN, has COIN, snapshot of COIN, COIN quote, COIN currently, performing coin, performing perp, performing market, performing token, winners and losers, hot right, heating up, popping, COIN today, COIN high, COIN low, where is COIN trading",
    4: "loser, winner, move, moved, up, down, volume, gain, crash, crashing, wrecked, change, hot, falling, rising, drop, jump, jumped, rally, return, performing, performance, traded, laggard, top coin, busiest",
    2: "coin, perp, market, token, alt, best, worst, most",
  },
  funding_extremes: {
    8: "pay short, pay long, pays short, pays long, pays shorts, pays longs, funding outlier, paid the most to hold, earn funding, collect funding, pay funding, funding payment, fr on, fund rate, fr, cost to be long, cost to be short, cost to long, cost to short, cost to stay, to be long COIN, crowded long by, rate extreme, rates extreme, carry on, get paid to be, gets paid to be, paying long, paying short, shorts are paying, longs are paying, long are paying, short are paying, payer, negative rate, positive rate, hold a long, hold a short, holding long, holding short, expensive to long, expensive to short, expensive to hold, rate flip, carry trade, per hour rate, paying rate, funding, funding rate, fundings, short pay, shorts pay, long pay, longs pay, longs get paid, shorts get paid, expensive long, expensive short, cost to hold, carry, paid to long, paid to short, paid to be long, paid to be short, getting paid to, cost of holding, pay to hold, holding cost, cost of carry, hourly rate, funding stress, funding spike, apr on",
    3: "annualized, annualised, apr, paying, pay, paid, rate",
    1: "negative, positive, hourly, extreme",
  },
  open_interest_shift: {
    8: "oi leader, oi up, oi down, open positions total, total open position, position total, leverage building up, de lever, delever, oi delta, oi flow, oi flowing, oi leader, contract outstanding, oi inflow, levering up, lever up, re lever, releverage, degross, positions piling, position pile, fresh position, new position, position unwind, positions unwound, deleverage, oi drop, oi rise, oi collapse, oi ranking, outstanding position, total position, leverage leaving, leverage flushing out of market, open interest, oi, open int, openinterest, positions being closed, positions being opened, position being opened, position being closed, position opened, position closed, oi change, leverage build, leverage building, leverage coming, new money coming, contracts outstanding, outstanding contract, positioning build, money flowing into perp, deleveraging, delever, oi shift",
    3: "new money, unwinding, unwind, building, piling, positioning, flowing in, leaving, outstanding, inflow",
    1: "added, closing",
  },
  liquidation_cascade: {
    8: "force sold, force sell, forced out, rekt report, rekt, liqs report, got liqd, getting liquidated, liquidated in, liquidated on, squeezed out, long nuked, short nuked, nuked on, longs nuked, hour for long, hour for short, margin called volume, forced closure, forced exit, long wiped, short wiped, longs wrecked, shorts wrecked, longs rekt, shorts rekt, long got, short got, longs got, shorts got, blew out, got blown, liq volume, liq total, liq event, liqd, liquidation wave, longs punished, longs caught, shorts caught, trapped long, trapped short, trapped, longs burned, shorts burned, burned, flush out, washed out, washout, wash out, knocked out, taken out, stopped out long, purge, purged, domino, chain reaction, toast, forced liquidation, margin calls, liquidation, liquidated, liq, liquidate, liquidating, cascade, forced selling, forced seller, forced buying, forced close, long squeeze, short squeeze, wipeout, wiped, flushed, blown out, rekt the most, got rekt, margin called, margin call, force closed, force liquidated, squeezed, long flush, leverage flush, flush, adl, auto deleverage, puke, stop hunt, bloodbath, carnage",
    3: "squeeze, rekt, wrecked long, forced, nuke",
    1: "wiped out, blown",
  },
  spread_or_premium: {
    7: "how tight, over or under index, furthest from, blowout, spread blowout, over spot, under spot, above spot, above fair, over fair, over index, under index, over its, thinnest, thin liquidity, liquidity by impact, perp spot, perp vs spot, vs spot difference, to spot, relative to spot, relative to index, relative to oracle, from oracle, from its oracle, off its oracle, how wide, mark minus, minus oracle, worst spread, perp rich, trading rich, trading cheap, impact px, deviating from oracle, oracle deviation, premium index, over oracle, under oracle, above oracle, below oracle, oracle gap, price gap, mark gap, away from oracle, away from index, away from spot, spot gap, spot perp, perp minus, futures premium, cash and carry, tight spread, wide spread, bid offer, bid/ask, ask spread, cheap vs, rich vs, overpriced, underpriced, perp price vs, vs oracle, diverge, diverging, divergence, converge, parity, premium, discount, oracle, mark price, mark vs, basis, spread, index price, rich or cheap, dislocation, dislocated, bid ask, mark to, mark from, mark and oracle, mark oracle, above index, below index, above spot, below spot, vs index, vs spot, perp over spot, contango, backwardation, impact price, slippage, mark index, off oracle, off index, peg, depeg, diverge from spot, diverging from spot, tightest, widest, illiquid, fair price, fair value, trade above spot, trade below spot, deviation from oracle, mispriced, mispricing, gap",
    3: "index, mark, wide, wider, BPS, dislocat, spot, impact, cheap, rich, tight, thin",
    1: "above, below, liquid",
  },
  peer_comparison: {
    7:
      "who is ahead, laggard among, among major, among majors, other exchange token, weak vs, strong vs, versus peers, weakest of, strongest of, best of COIN, which of COIN, leader among, most like COIN, against the other, independently of COIN, independently, independent of, move independently, detached, on its own, go its own way, correlation matrix, best peer, comparing COIN, won between, COIN ratio, ratio of COIN, ratio, kept up with, keep up with, relative to COIN, against COIN, beat COIN, beats COIN, to COIN, COIN next, look next, similar coin, coin similar, moving together, follow COIN, leads COIN, lead COIN, lags COIN, up against, compared to COIN, compared with COIN, compare to COIN, comparison of COIN, stronger this, which is stronger, which is weaker, which one did, COIN or, behind COIN, ahead of COIN, over COIN, outrunning, outpace, outpaced, outpacing, lag behind, trail COIN, trailing COIN, match COIN, matching COIN, coins like, perps like, which coin is like, correlate with, closest coin, cousins, same as COIN, its peer, to the rest, vs rest, vs everyone, versus market, against market, against peer, than the market, than other, than its peer, than peer, than the rest, relative value, mirrors COIN, mirror COIN, copy COIN, tracking COIN, hugging, disconnect, diverging from COIN, rotation, from COIN into, comparable coin, COIN vs COIN, COIN vs, vs COIN, COIN against COIN, compare COIN, COIN compare, correlation, correlated, correlate, peer, peer group, relative strength, relative to, relative performance, outperform, outperforming, outperformed, underperform, underperforming, underperformed, head to head, move with COIN, moves with COIN, track COIN, tracks COIN, " +
      "behave like COIN, behaves like COIN, COIN compared, against the rest, against the market, vs the market, vs the pack, vs other, vs alt, against other, than COIN, COIN or COIN, beta to COIN, beta, compare with COIN, similar to COIN, coin like COIN, like COIN, side by side, stack up, stacks up, next to COIN, lagging, against each other, in tandem, follow COIN, follows COIN, decoupled, decoupling, decouple, " +
      "COIN better than, COIN worse than, stronger than, weaker than, which did better, who did better, did better, moves together, move together, moving together, in sync, versus the rest, beating COIN, beat COIN, COIN beat, COIN beating, COIN ratio, pair, leading or lagging, keeping up, keep up with, relative, closest to COIN, compare, against everything, the field, the pack, sector, same basket, comove, trade like COIN, trades like COIN, moves like COIN, move like COIN, uncorrelated, inverse, stronger or weaker, vs everything",
    3: "vs, against, versu, alike, similar coin, between COIN, rank COIN, better, stronger, weaker, rest, other coin, comparison, compared, faster than, other alt",
    1: "and COIN, together, rank",
  },
  volatility_regime: {
    7:
      "calmed, calmed down, calm down, calming, std of, std, std dev, stdev, deviation of return, hourly return, cooled off, cooled down, settled down, quieted, quieter, settling, choppier, hv, hv of, per hour on average, on average, stormy, dead flat, erratic, daily range, tightest range, vol crush, vol ranking, 30d realized, realized, realised, swing the most, coins swing, swingy, move per, been quiet, quiet lately, calm or, spiky, jittery, twitchy, nervous, mellow, tame, tamest, wildly, madness, range of the day, day range, historical vol, historical volatility, average range, average move, true range, range bound, rangebound, consolidating, consolidation, squeeze in vol, price stability, stability, unstable, steadiest, least volatile, most volatile, volatiliy, vola, hi lo, wick, big candle, candle size, candles, whip, explosive, sluggish, dead, lively, moves around, up and down, all over the place, back and forth, volatility, volatile, vol regime, realised vol, realized vol, choppy, choppiest, chop, calm, calmest, calmer, quiet, quietest, wild, wildest, swing, swung, swinging, swings, range, ranges, high low, atr, vol expansion, vol compression, compression, coiling, regime, vol of COIN, COIN vol, vol on COIN, vol wise, realized volatility, standard deviation of return, " +
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
  const hits = new Map<
    FamilyName,
    { readonly from: number; readonly to: number; readonly weight: number }[]
  >();
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

let known: ReadonlySet<string> | undefined;

/** Every word that any family knows, wherever it stands in a phrase: a question with many others is about something else. */
export function knownToken(token: string): boolean {
  known ??= new Set([...lexicon().values()].flatMap((list) => list.flatMap(({ tokens }) => [...tokens])));
  return known.has(token);
}
