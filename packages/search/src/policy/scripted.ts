/**
 * Proposes what a script says, in its order.
 *
 * A script is a list of proposals for every episode, or an object with such a
 * list by episode id; `*` is for those that are not named. `{"$artifact": 1}`
 * stands for the first artifact that the episode read, `-1` for the last. Where
 * the script is over and the episode is not, it abstains. A script gives no reasons:
 * only the planner's proposals have notes.
 */
import { Failure, isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import type { Observation, Proposal } from "../types.js";
import type { Policy } from "./types.js";

type Line = Proposal;
type Script = readonly Line[] | { readonly [episodeId: string]: readonly Line[] };

export function scriptedPolicy(script: JsonValue): Policy {
  const checked = checkScript(script);
  return {
    policyId: "scripted.v1",
    params: { script },
    nondeterministicComponents: [],
    begin({ episode_id }) {
      const lines = linesFor(checked, episode_id);
      let next = 0;
      return {
        propose(observation) {
          const line = lines[next++];
          return line === undefined ? scriptIsOver(observation) : filledIn(line, observation);
        },
      };
    },
  };
}

function linesFor(script: Script, id: string): readonly Line[] {
  if (Array.isArray(script)) return script as readonly Line[];
  const named = script as { readonly [episodeId: string]: readonly Line[] };
  return (Object.hasOwn(named, id) ? named[id] : named["*"]) ?? [];
}

function scriptIsOver({ working_set }: Observation): Proposal {
  return {
    action_args: {
      open_risks: [],
      retained_artifact_ids: working_set.active_artifact_ids as string[],
      stop_reason: "evidence_missing: the script is over",
    },
    action_name: "abstain",
  };
}

function filledIn({ action_args, action_name }: Line, { working_set }: Observation): Proposal {
  const read = [...new Set(working_set.retrieval_history.flatMap(({ artifact_ids }) => artifact_ids))];
  return { action_args: fill(action_args, read) as JsonObject, action_name };
}

function fill(value: JsonValue | undefined, read: readonly string[]): JsonValue {
  if (value === undefined) return null;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => fill(item, read));
  if (!isJsonObject(value)) return value;
  const place = value["$artifact"];
  if (typeof place === "number" && Object.keys(value).length === 1)
    return read.at(place > 0 ? place - 1 : place) ?? `art_none_${place}`;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member, read)]));
}

function checkScript(script: JsonValue): Script {
  if (Array.isArray(script))
    return (script as readonly JsonValue[]).map((line, i) => checkLine(line, `[${i}]`));
  if (!isJsonObject(script)) throw invalid("it is neither a list of proposals nor an object of such lists");
  return Object.fromEntries(
    Object.entries(script).map(([id, lines]) => {
      if (!Array.isArray(lines)) throw invalid(`${id} is no list of proposals`);
      return [id, (lines as readonly JsonValue[]).map((line, i) => checkLine(line, `${id}[${i}]`))];
    }),
  );
}

function checkLine(line: JsonValue | undefined, place: string): Line {
  if (!isJsonObject(line)) throw invalid(`${place} is no object`);
  const { action_name, action_args = {}, ...rest } = line;
  const [stranger] = Object.keys(rest);
  if (stranger !== undefined)
    throw invalid(`${place} has ${stranger}; a line has action_name and action_args`);
  if (typeof action_name !== "string") throw invalid(`${place} has no action_name`);
  if (!isJsonObject(action_args)) throw invalid(`${place}: action_args is no object`);
  return { action_args, action_name };
}

function invalid(what: string): Failure {
  return new Failure("policy_params_invalid", {
    message: `the script: ${what}`,
    hint: 'A script looks like [{"action_name": "abstain", "action_args": {…}}].',
  });
}
