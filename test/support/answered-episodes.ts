/** Judgements and runs for tests of the evaluation: small ones by hand, large ones from a seed. */
import type { EpisodeWithTruth, EpisodeTruth, RunEpisode, StopCandidate, Truth } from "@bridle/search";
import { sampleEpisode, windowIds } from "./search-episode.js";
import { playEpisode, script } from "./played-episodes.js";

export interface Answered {
  readonly id: string;
  readonly market?: string;
  /** At which it begins; that of the sample when left out. */
  readonly hour?: number;
  readonly truth: Truth;
  readonly answer: Truth;
  readonly leaning?: StopCandidate;
  /** What is kept: what the answer rests on, something else, or nothing. */
  readonly keeps?: readonly ("evidence" | "other")[];
}

const markets = { BTC: "BTC", ETH: "ETH", SOL: "SOL" };

/** An episode whose anchor and truth are as wanted; every market of the sample is there under another name too. */
export function episodeOf({
  id,
  market = "BTC",
  hour,
  truth,
}: Pick<Answered, "id" | "market" | "hour" | "truth">): EpisodeWithTruth {
  const sample = sampleEpisode({ id });
  const names: Readonly<Record<string, string>> = { ...markets, BTC: market };
  const text = JSON.stringify(sample).replaceAll(
    /"(BTC|ETH|SOL)"/g,
    (_, name: string) => `"${names[name] ?? name}"`,
  );
  const record = JSON.parse(text.replaceAll(windowIds[1], windowAt(hour))) as EpisodeWithTruth;
  return { ...record, ground_truth_reference: { ...record.ground_truth_reference, truth } };
}

function windowAt(hour: number | undefined): string {
  return hour === undefined
    ? windowIds[1]
    : `${new Date(hour * 3_600_000).toISOString().slice(0, 13)}:00Z/24h`;
}

export function truthOf(answered: Answered): EpisodeTruth {
  const { anchor_market, episode_id, ground_truth_reference, window_id } = episodeOf(answered);
  return { anchor_market, episode_id, ground_truth_reference, window_id };
}

/** Played for real, with as many reads as there are artifacts to keep. */
export function playAnswer(answered: Answered, packId?: string): RunEpisode {
  const { market = "BTC", hour, answer, leaning, keeps = [] } = answered;
  const scope = { anchor_market: market, window_id: windowAt(hour) };
  const proposals: (readonly [string, Parameters<typeof script>[0][number][1]])[] = keeps.flatMap(
    (what, i) => [
      [what === "evidence" ? "read_persistence" : "read_market_state", scope] as const,
      ["keep_artifact", { artifact_id: `$${i}` }] as const,
    ],
  );
  if (leaning !== undefined) proposals.push(["decision_update", { stop_candidate: { ...leaning } }]);
  const ending = { open_risks: [], retained_artifact_ids: [], stop_reason: "evidence_sufficient" };
  proposals.push(
    answer === "abstain" ? ["abstain", ending] : ["finalize", { ...ending, decision_class: answer }],
  );
  return playEpisode(episodeOf(answered), script(proposals), packId === undefined ? {} : { packId });
}
