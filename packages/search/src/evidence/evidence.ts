/**
 * What a policy has learnt from the artifacts it read, as numbers.
 *
 * An observation shows a payload once, so whatever counts is noted here at once.
 * Any member may be missing: real data has no open interest and no premium, a young
 * market no earlier stresses, a pack by somebody else none of our members at all.
 * Missing is undefined here and never zero. Numbers that have a direction are
 * turned to the side of the stress: positive speaks for it, whoever pays.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import type { Artifact, Brief } from "../types.js";

export interface Evidence {
  /** 1 when longs pay, -1 when shorts do. */
  readonly side?: 1 | -1;
  /** Size of the score of funding. */
  readonly score?: number;
  readonly scoreBefore?: number;
  readonly rate?: number;
  readonly historyHours?: number;
  readonly historyHoursNeeded?: number;
  /** Share by which it grew in a day. */
  readonly interestChange?: number;
  /** The premium against what funding of this size would come from; an eighth of it is paid in an hour. */
  readonly premiumShare?: number;
  readonly return1h?: number;
  readonly return24h?: number;
  readonly volatility?: number;
  readonly volumeRatio?: number;
  /** Earlier stresses of this market, and how many of them went on. */
  readonly earlier?: number;
  readonly earlierPersisted?: number;
  readonly latestPersisted?: boolean;
  /** Other markets that were compared, the share that leans the same way, and their mean score, none beyond 5. */
  readonly peers?: number;
  readonly peersLeaning?: number;
  readonly peersScore?: number;
  /** Earlier stresses anywhere that resemble this one, and how many of them went on. */
  readonly priors?: number;
  readonly priorsPersisted?: number;
  /** Share of the hours before the onset that were paid at one and the same rate. */
  readonly pinned?: number;
  /** Mean of the three rates before the onset, against the rate at the onset. */
  readonly ratesBefore?: number;
}

/** The hour's funding is about an eighth of the premium. */
const premiumToRate = 8;
/** A market leans when its own score is beyond this on the same side. */
const leaningScore = 1;

/** Reads of other markets and of earlier windows say nothing here: a policy that wants them looks itself. */
export function learn(
  evidence: Evidence,
  { anchor_market, window_id }: Pick<Brief, "anchor_market" | "window_id">,
  artifact: Artifact,
): Evidence {
  if (artifact.anchor_market !== anchor_market || artifact.window_id !== window_id) return evidence;
  const { payload } = artifact;
  switch (artifact.view_name) {
    case "derived_metrics":
      return { ...evidence, ...fromMetrics(payload) };
    case "persistence":
      return { ...evidence, ...fromPersistence(payload) };
    case "peer_comparisons":
      return { ...evidence, ...fromComparison(payload, anchor_market, evidence.side) };
    case "prior_episode_shortlists":
      return { ...evidence, ...fromShortlist(payload) };
    case "market_state":
      return { ...evidence, ...fromState(payload, evidence.side) };
  }
}

function fromMetrics(payload: JsonObject): Evidence {
  const score = numberOf(payload["funding_z"]);
  const side = score === undefined || score === 0 ? undefined : score > 0 ? 1 : -1;
  const turned = (name: string) => times(numberOf(payload[name]), side);
  const rate = numberOf(payload["funding_rate"]);
  const premium = turned("premium");
  return known({
    side,
    score: score === undefined ? undefined : Math.abs(score),
    scoreBefore: turned("funding_z_hour_before"),
    rate: times(rate, side),
    historyHours: numberOf(payload["history_hours"]),
    historyHoursNeeded: numberOf(payload["history_hours_needed"]),
    interestChange: numberOf(payload["open_interest_change_24h"]),
    premiumShare:
      premium === undefined || rate === undefined || rate === 0
        ? undefined
        : premium / (premiumToRate * Math.abs(rate)),
    return1h: turned("return_1h"),
    return24h: turned("return_24h"),
    volatility: numberOf(payload["volatility_24h"]),
    volumeRatio: numberOf(payload["volume_ratio_7d"]),
  });
}

/** A market without earlier stresses is known to have none. */
function fromPersistence(payload: JsonObject): Evidence {
  const latest = objectsIn(payload["latest"]).at(-1)?.["persisted"];
  return known({
    earlier: payload["empty"] === true ? 0 : numberOf(payload["earlier_stresses"]),
    earlierPersisted: payload["empty"] === true ? 0 : numberOf(payload["persisted"]),
    latestPersisted: typeof latest === "boolean" ? latest : undefined,
  });
}

function fromComparison(payload: JsonObject, anchor: string, side: 1 | -1 | undefined): Evidence {
  const scores = objectsIn(payload["rows"])
    .filter(({ market }) => market !== anchor)
    .flatMap((row) => times(numberOf(row["funding_z"]), side) ?? []);
  if (scores.length === 0) return {};
  const bounded = scores.reduce((sum, score) => sum + clamp(score, -5, 5), 0);
  return {
    peers: scores.length,
    peersLeaning: scores.filter((score) => score > leaningScore).length / scores.length,
    peersScore: bounded / scores.length,
  };
}

function fromShortlist(payload: JsonObject): Evidence {
  const ended = objectsIn(payload["episodes"]).filter(({ persisted }) => typeof persisted === "boolean");
  return {
    priors: ended.length,
    priorsPersisted: ended.filter(({ persisted }) => persisted === true).length,
  };
}

function fromState(payload: JsonObject, side: 1 | -1 | undefined): Evidence {
  const rates = objectsIn(payload["funding"]).flatMap((row) => times(numberOf(row["rate"]), side) ?? []);
  const [now, ...before] = rates.toReversed();
  if (now === undefined || before.length < 3) return {};
  const counts = new Map<number, number>();
  for (const rate of before) counts.set(rate, (counts.get(rate) ?? 0) + 1);
  const three = before.slice(0, 3).reduce((sum, rate) => sum + rate, 0) / 3;
  return known({
    pinned: Math.max(...counts.values()) / before.length,
    ratesBefore: now === 0 ? undefined : three / Math.abs(now),
  });
}

/** Whether what a score is measured against is not all there, or there is no score at all: then nobody can decide. */
export function lacksHistory({ score, historyHours, historyHoursNeeded }: Evidence): boolean {
  if (historyHours !== undefined && historyHoursNeeded !== undefined && historyHours < historyHoursNeeded)
    return true;
  return score === undefined;
}

// --- Reading payloads that may hold anything -------------------------------------------------------

function numberOf(value: JsonValue | undefined): number | undefined {
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  const number = value === "" ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter((each) => isJsonObject(each)) : [];
}

function times(value: number | undefined, side: 1 | -1 | undefined): number | undefined {
  return value === undefined || side === undefined ? undefined : value * side;
}

/** Without the members that are undefined. */
function known(members: { readonly [Name in keyof Evidence]: Evidence[Name] | undefined }): Evidence {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Evidence;
}

export function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}
