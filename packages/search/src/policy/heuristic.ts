/**
 * The heuristic policy: reads view after view, lets each of them vote on whether
 * the stress goes on, and stops when what it has not read could not turn the sum.
 *
 * Points were set by hand from what a stress is (who pays, whether new money comes
 * in, whether others are in it too, how this market behaved before) and scaled on
 * the training part of the split alone. What is not known is named as a risk. The
 * sum begins below zero because most stresses do not last, and without open interest
 * and premium, which real packs do not have, it hardly ever rises above.
 */
import type { Artifact, ViewName } from "../types.js";
import { clamp, type Evidence } from "../evidence/evidence.js";
import { type Judgement, Reading, type Situation, type Verdict, withoutHistory } from "./reading.js";
import type { Policy } from "./types.js";

export const heuristicPolicyId = "heuristic.v1";

/** Each in points; a vote is at most so large either way. Other points would be another version. */
const heuristicPoints = {
  bias: -1.5,
  interest: 3,
  premium: 3,
  flush: 4,
  habit: 4,
  breadth: 3,
  priors: 1,
  /** Against, for each of open interest and premium that is not known: then nothing shows that anybody stands behind it. */
  unknown: 3,
  /** At this distance from zero the leaning is right in about five cases of six. */
  scale: 6,
} as const;

interface Vote {
  readonly view: ViewName;
  readonly points: number;
  /** As a risk, when the decision goes against it. */
  readonly says: string;
}

export interface HeuristicOptions {
  /** Reads every view, even when the rest could not turn it: trajectories to train from. */
  readonly thorough?: boolean;
}

export function heuristicPolicy({ thorough = false }: HeuristicOptions = {}): Policy {
  const judgement = thorough ? thoroughly : heuristicJudgement;
  return {
    policyId: heuristicPolicyId,
    params: { thorough },
    nondeterministicComponents: [],
    begin: (brief) => new Reading(brief, judgement),
  };
}

const heuristicJudgement: Judgement = {
  keeps({ view_name, payload }: Artifact, evidence) {
    if (payload["empty"] === true) return false;
    if (view_name === "derived_metrics" || view_name === "persistence") return true;
    const largest = mostOf(view_name);
    return votesOf(evidence).some(
      ({ view, points }) => view === view_name && Math.abs(points) >= largest / 2,
    );
  },

  verdict({ evidence, unread, last }: Situation): Verdict | undefined {
    if (!unread.includes("derived_metrics")) {
      const missing = withoutHistory(evidence);
      if (missing !== undefined) return missing;
    }
    const votes = votesOf(evidence);
    const sum = votes.reduce((total, { points }) => total + points, heuristicPoints.bias as number);
    const open = unread.reduce((total, view) => total + mostOf(view), 0);
    const settled = Math.abs(sum) > open;
    if (!settled && !last) return undefined;
    return conclude(evidence, votes, sum);
  },
};

const thoroughly: Judgement = {
  ...heuristicJudgement,
  verdict: (situation) => (situation.last ? heuristicJudgement.verdict(situation) : undefined),
};

function conclude(evidence: Evidence, votes: readonly Vote[], sum: number): Verdict {
  const isSignal = sum > 0;
  const against = votes.filter(({ points }) => (isSignal ? points < -0.5 : points > 0.5));
  const mild = Math.abs(sum) < heuristicPoints.scale / 3;
  return {
    leaning: isSignal ? "finalize_signal" : "finalize_low_signal",
    confidence: Math.min(confidenceOf(sum), isBlind(evidence) ? usualConfidence : 1),
    stopReason: mild && against.length > 0 ? "evidence_conflicting" : "evidence_sufficient",
    detail: `${sum.toFixed(2)} points`,
    openRisks: [...new Set([...against.map(({ says }) => says), ...unknowns(evidence)])].slice(0, 8),
    restsOn: [
      "derived_metrics",
      "persistence",
      ...votes
        .filter(({ view, points }) => view !== "derived_metrics" && (isSignal ? points > 0 : points < 0))
        .map(({ view }) => view),
    ],
  };
}

/** A decision that rests on what stresses usually do is right about as often as they do it. */
const usualConfidence = 0.72;

function isBlind({ interestChange, premiumShare }: Evidence): boolean {
  return interestChange === undefined && premiumShare === undefined;
}

/** From a half towards one, to three digits. */
function confidenceOf(sum: number): number {
  const ratio = Math.abs(sum) / heuristicPoints.scale;
  return Math.round(500 + (500 * ratio) / Math.sqrt(1 + ratio * ratio)) / 1000;
}

function votesOf(evidence: Evidence): readonly Vote[] {
  const votes: Vote[] = [];
  const vote = (view: ViewName, most: number, share: number, [up, down]: readonly [string, string]) => {
    const points = most * clamp(share, -1, 1);
    if (points !== 0) votes.push({ view, points, says: points > 0 ? up : down });
  };
  const { interestChange, premiumShare, return1h, earlier = 0, earlierPersisted = 0 } = evidence;
  const { peersLeaning, priors = 0, priorsPersisted = 0 } = evidence;
  if (interestChange === undefined)
    vote("derived_metrics", heuristicPoints.unknown, -1, ["", unknownSays.interest]);
  else
    vote("derived_metrics", heuristicPoints.interest, interestChange / 0.08, [
      "open interest grew over the day",
      "open interest fell over the day",
    ]);
  if (premiumShare === undefined)
    vote("derived_metrics", heuristicPoints.unknown, -1, ["", unknownSays.premium]);
  else
    vote("derived_metrics", heuristicPoints.premium, (premiumShare - 0.08) / 0.2, [
      "the premium still stands behind the funding",
      "the premium has turned against the funding",
    ]);
  if (return1h !== undefined && return1h < -0.015)
    vote("derived_metrics", heuristicPoints.flush, -1, ["", "the crowded side was just thrown out"]);
  if (earlier > 0)
    vote(
      "persistence",
      heuristicPoints.habit,
      (earlierPersisted - usualShare * earlier) / (earlier * 0.2 + 0.8),
      ["earlier stresses of this market went on", "earlier stresses of this market ended at once"],
    );
  if (peersLeaning !== undefined)
    vote("peer_comparisons", heuristicPoints.breadth, (peersLeaning - 0.3) / 0.1, [
      "many other markets lean the same way",
      "hardly any other market leans the same way",
    ]);
  if (priors > 0)
    vote(
      "prior_episode_shortlists",
      heuristicPoints.priors,
      (priorsPersisted - usualShare * priors) / (priors * 0.3 + 1),
      ["stresses that resemble it went on", "stresses that resemble it ended at once"],
    );
  return votes;
}

/** Of stresses, so many go on. */
const usualShare = 0.37;

/** What a view that is not read yet could still bring. */
function mostOf(view: ViewName): number {
  const { interest, premium, flush, habit, breadth, priors } = heuristicPoints;
  switch (view) {
    case "derived_metrics":
      return interest + premium + flush;
    case "persistence":
      return habit;
    case "peer_comparisons":
      return breadth;
    case "prior_episode_shortlists":
      return priors;
    case "market_state":
      return 0;
  }
}

const unknownSays = { interest: "open interest is not known", premium: "the premium is not known" };

function unknowns({ interestChange, premiumShare, earlier, peers }: Evidence): string[] {
  const risks: string[] = [];
  if (interestChange === undefined) risks.push(unknownSays.interest);
  if (premiumShare === undefined) risks.push(unknownSays.premium);
  if (earlier === 0) risks.push("this market has no earlier stress to go by");
  if (peers === undefined) risks.push("other markets were not compared");
  return risks;
}
