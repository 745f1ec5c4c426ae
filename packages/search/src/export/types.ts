/** What every export is made from. None of them sees the truth unless a verdict is handed in. */
import type { Judgement } from "../eval/judge.js";
import type { RunEpisode, RunManifest } from "../run/types.js";

export interface ExportedRun {
  readonly manifest: RunManifest;
  /** What a model was told first, where one was asked. */
  readonly systemPrompt?: string;
}

/** One episode, and what its evaluation said, where there was one. */
export interface ExportedEpisode {
  readonly episode: RunEpisode;
  readonly verdict?: Verdict;
}

/** The class of the truth and nothing else of it. */
export type Verdict = Pick<Judgement, "answer" | "truth">;

/** Where a policy asks a model, its parameters name it. */
export function modelNameOf({ policy_params }: RunManifest): string | undefined {
  const { model } = policy_params;
  return typeof model === "string" && model !== "" ? model : undefined;
}

export const agentName = "hlq-harness";
