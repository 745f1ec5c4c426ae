/**
 * A model that operates the search environment from what it is shown, by chance
 * from a seed: mostly sensibly, sometimes not at all, and now and then it is down.
 */
import { type ModelRequest, type ScriptedAnswer, scriptedModel, type ScriptedModel } from "@bridle/model";
import { type JsonObject, refuse } from "@bridle/record";
import type { Brief } from "@bridle/search";
import { Random } from "@bridle/testing";

export const plannerModelName = "scripted/operator";
const callsMax = 10_000;

/** What the planner's request says. */
interface View {
  readonly brief: Brief;
  readonly budget: { readonly only_an_end_is_accepted: boolean };
  readonly last_outcome: { readonly artifacts: readonly { readonly artifact_id: string }[] };
  readonly working_set: { readonly artifacts: readonly { readonly artifact_id: string }[] };
}

export function scriptedPlanner(seed: number): ScriptedModel {
  const random = new Random(seed);
  const answer = (request: ModelRequest) => answerTo(viewIn(request), random);
  return scriptedModel(
    Array.from({ length: callsMax }, () => answer),
    { chunkChars: 1_000 },
  );
}

function viewIn({ messages }: ModelRequest): View {
  const [part] = messages[0]?.content ?? [];
  if (part?.kind !== "text") throw new Error("the planner asks in text");
  return JSON.parse(part.text) as View;
}

function answerTo(view: View, random: Random): ScriptedAnswer {
  if (random.chance(0.01)) return { fail: refuse("model_stalled", { message: "nothing came for 60 s" }) };
  if (random.chance(0.15)) return random.pick(nonsense);
  const { brief, budget, last_outcome, working_set } = view;
  const kept = working_set.artifacts.map(({ artifact_id }) => artifact_id);
  const fresh = last_outcome.artifacts
    .map(({ artifact_id }) => artifact_id)
    .filter((id) => !kept.includes(id));
  if (budget.only_an_end_is_accepted || random.chance(kept.length === 0 ? 0.03 : 0.15))
    return end(kept, random);
  const [read] = fresh;
  if (read !== undefined && random.chance(0.6)) return call("keep_artifact", { artifact_id: read });
  const [held] = kept;
  if (held !== undefined && random.chance(0.1)) return call("drop_artifact", { artifact_id: held });
  if (random.chance(0.1)) {
    const stop_candidate = { confidence: random.below(101) / 100, leaning: "finalize_signal" };
    return call("decision_update", { stop_candidate });
  }
  const scope = { anchor_market: brief.anchor_market, window_id: random.pick(brief.window_ids) };
  const reads = ["read_market_state", "read_derived_metrics", "read_persistence"] as const;
  return { text: "Looking — ‘closer’.", ...call(random.pick(reads), scope) };
}

function end(kept: readonly string[], random: Random): ScriptedAnswer {
  const common = { open_risks: ["a script decides"], retained_artifact_ids: [...kept] };
  if (kept.length === 0 || random.chance(0.2))
    return call("abstain", { ...common, stop_reason: "evidence_missing" });
  const decision_class = random.pick(["finalize_signal", "finalize_low_signal"]);
  return call("finalize", { ...common, decision_class, stop_reason: "evidence_sufficient" });
}

function call(name: string, args: JsonObject): ScriptedAnswer {
  return { toolCalls: [{ name, arguments: args }] };
}

const nonsense: readonly ScriptedAnswer[] = [
  { text: "I think the market is nice." },
  { toolCalls: [{ name: "keep_artifact", arguments: '{"artifact_id": ' }] },
  call("buy_everything", { now: true }),
  call("finalize", { decision_class: "yes" }),
  call("keep_artifact", { artifact_id: "art_none" }),
  { ...call("read_market_state", { anchor_market: "BTC" }), cutAfterChars: 7 },
];
