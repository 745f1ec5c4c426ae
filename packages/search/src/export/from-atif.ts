/**
 * An ATIF trajectory of ours as the rows it was made from.
 *
 * The rows are a chain of digests, from the start to the terminal, and that
 * chain is followed here: a trajectory that somebody changed is refused, so what
 * comes back is what was written down.
 */
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  refuse,
  type Refusal,
  sha256Hex,
} from "@bridle/record";
import type { RunEpisode, RunManifest, StartRecord } from "../run/types.js";
import type { Artifact, RefusalRecord, StepRecord, TerminalRecord } from "../types.js";
import { atifFaults, type AtifStep, type AtifTrajectory } from "./atif-schema.js";

export interface ImportedEpisode {
  readonly episode: RunEpisode;
  readonly manifest: RunManifest;
}

export function fromAtif(value: unknown): ImportedEpisode | Refusal {
  const [fault] = atifFaults(value);
  if (fault !== undefined) return invalid(fault);
  const ours = (value as AtifTrajectory).extra["hlq"] as Ours | undefined;
  if (!isOurs(ours)) return invalid("it was not written by this program: extra.hlq is missing");
  const { run: manifest, start, terminal } = ours;
  const steps: StepRecord[] = [];
  const refusals: RefusalRecord[] = [];
  const artifacts = new Map<string, Artifact>();
  for (const step of (value as AtifTrajectory).steps) {
    const hlq = step.extra?.["hlq"];
    if (step.source !== "agent" || !isJsonObject(hlq)) continue;
    if (isJsonObject(hlq["refusal"])) {
      refusals.push(hlq["refusal"] as unknown as RefusalRecord);
      continue;
    }
    const restored = stepOf(step, hlq, start.episode_id);
    if (restored === undefined) return invalid(`its step ${step.step_id} is no step of an episode`);
    steps.push(restored.step);
    for (const artifact of restored.artifacts) {
      if (!artifacts.has(artifact.artifact_id)) artifacts.set(artifact.artifact_id, artifact);
    }
  }
  const episode = { artifacts: [...artifacts.values()], refusals, start, steps, terminal };
  const broken = brokenAt(episode);
  return broken === undefined ? { episode, manifest } : invalid(`it was changed: ${broken}`);
}

interface Ours {
  readonly run: RunManifest;
  readonly start: StartRecord;
  readonly terminal: TerminalRecord;
}

function isOurs(value: unknown): value is Ours {
  return (
    isJsonObject(value) &&
    isJsonObject(value["run"]) &&
    isJsonObject(value["start"]) &&
    isJsonObject(value["terminal"])
  );
}

function stepOf(
  { message, observation, tool_calls = [] }: AtifStep,
  hlq: JsonObject,
  episodeId: string,
): { readonly step: StepRecord; readonly artifacts: readonly Artifact[] } | undefined {
  const [call] = tool_calls;
  const { artifacts: places, ...rest } = hlq as unknown as StepRecord & { readonly artifacts?: unknown };
  if (call === undefined || !Array.isArray(places) || typeof rest.step_index !== "number") return undefined;
  const contents = observation?.results.map(({ content }) => content) ?? [];
  const { proposed_by: _by, ...members } = rest as StepRecord & { readonly proposed_by?: unknown };
  const step = {
    ...members,
    action_args: call.arguments,
    action_name: call.function_name,
    episode_id: episodeId,
    notes: message === "" ? undefined : message,
    step_id: call.tool_call_id,
  };
  return {
    step: JSON.parse(textOf(step)) as StepRecord,
    artifacts: (places as readonly JsonObject[]).flatMap((known, i) => {
      const payload = parsed(contents[i] ?? "");
      return payload === undefined ? [] : [{ ...known, payload } as unknown as Artifact];
    }),
  };
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The first link of the chain that does not hold, in words. */
function brokenAt({ start, steps, refusals, artifacts, terminal }: RunEpisode): string | undefined {
  const rowDigests = new Map(
    artifacts.map((artifact) => [artifact.artifact_id, sha256Hex(textOf(artifact))]),
  );
  let head = sha256Hex(textOf(start));
  for (const step of steps) {
    if (step.previous_digest !== head) return `the row before ${step.step_id} is another one`;
    const changed = step.artifact_ids_read.find((id, i) => rowDigests.get(id) !== step.artifact_digests?.[i]);
    if (changed !== undefined) return `the artifact ${changed} is another one`;
    head = sha256Hex(textOf(step));
  }
  if (head !== terminal.head_digest) return "the terminal closes another chain";
  let refused = sha256Hex("");
  for (const refusal of refusals) refused = sha256Hex(`${refused}\n${textOf(refusal)}`);
  if (refused !== terminal.refusals_digest) return "the refusals are other ones";
  return undefined;
}

/** A row as it stands in its file. */
function textOf(row: object): string {
  return canonicalJson(row as JsonObject);
}

function invalid(why: string): Refusal {
  return refuse("atif_invalid", {
    message: `this is no trajectory that can be read back: ${why}`,
    hint: "Export the run again with `hlq export --to atif`.",
  });
}
