/**
 * Episodes as tools: the proposals under their frozen names, one tool that says
 * what the episode is about, and one that opens the next.
 *
 * Arguments are shown with their schema but judged by the environment itself, so
 * that a wrong one is a refusal of the episode and stands in its record. A refusal
 * is an error with its class, and so is whatever is proposed after the end.
 */
import { type ManifestEntry, manifestEntry, type Operation } from "@bridle/operation";
import type { JsonObject } from "@bridle/record";
import {
  type Observation,
  proposalArgs,
  type ProposalName,
  proposalNames,
  proposalSummaries,
  searchLimits,
  subqueryArgs,
  subqueryTypes,
} from "@bridle/search";
import * as Type from "typebox";
import type { OutsidePolicy, Outcome } from "./outside-policy.js";

export interface EpisodeTools {
  readonly entries: readonly ManifestEntry[];
  load(entry: ManifestEntry): Promise<Operation>;
}

/** How an episode ended, as its record says it. */
export interface Ending {
  readonly terminal: JsonObject;
  /** The class of the refusal after which the harness ended it; undefined where a proposal did. */
  readonly refusedLast: string | undefined;
}
export type EndingOf = (episodeId: string) => Promise<Ending>;

const anything = Type.Object({}, { additionalProperties: true });
const room = "episode";

export function episodeTools(policy: OutsidePolicy, ending: EndingOf): EpisodeTools {
  const operations = [
    briefTool(policy, ending),
    nextTool(policy, ending),
    ...proposalNames.map((name) => proposalTool(name, policy, ending)),
  ];
  const entries = operations.map((operation) => {
    const entry = manifestEntry(operation, room);
    const name = operation.names.tool as ProposalName;
    const input = name in proposalArgs ? JSON.parse(JSON.stringify(proposalArgs[name])) : entry.input;
    return { ...entry, input: input as JsonObject };
  });
  return {
    entries,
    async load({ names }) {
      const found = operations.find((operation) => operation.names.id === names.id);
      if (found === undefined) throw new Error(`${names.tool} is no tool of an episode`);
      return found;
    },
  };
}

function briefTool(policy: OutsidePolicy, ending: EndingOf): Operation {
  return {
    ...named("episode", "hlq.episode", ["episode"]),
    effect: "read",
    summary:
      "What the episode is about, and what is seen now. Costs no step. " +
      `${searchLimits.refusalsInARowMax} proposals that are refused in a row end the episode with an abstention.`,
    examples: [{ command: "hlq episode", says: "the question, the budgets, the working set" }],
    run: async () => {
      const outcome = await policy.look();
      return "answer" in outcome ? asJson(outcome.answer) : endedNow(policy, ending);
    },
  };
}

function nextTool(policy: OutsidePolicy, ending: EndingOf): Operation {
  return {
    ...named("next_episode", "hlq.next_episode", ["next-episode"]),
    effect: "mutate",
    needs: "nothing",
    summary: "Open the next episode of this session, once this one has ended.",
    examples: [{ command: "hlq next-episode", says: "the next question" }],
    run: async () => {
      const outcome = await policy.next();
      if ("answer" in outcome) return asJson(outcome.answer);
      if ("open" in outcome)
        return refused("episode_open", {
          message: `${outcome.open} has no end yet; finalize or abstain first`,
        });
      return refused("episodes_exhausted", {
        message: "there is no further episode in this session",
        ...(policy.episodeId === undefined ? {} : await endedNow(policy, ending)),
      });
    },
  };
}

function proposalTool(name: ProposalName, policy: OutsidePolicy, ending: EndingOf): Operation {
  const words = name.replaceAll("_", "-");
  return {
    ...named(name, `hlq.episode.${name}`, ["episode", words]),
    effect: "mutate",
    needs: "nothing",
    summary: descriptionOf(name),
    examples: [{ command: `hlq episode ${words}`, says: "one step of the episode" }],
    run: async (args) => {
      const before = await policy.look();
      if (!("answer" in before))
        return refused("episode_ended", {
          message: "the episode has ended; next_episode opens another one",
          ...(await endedNow(policy, ending)),
        });
      return shown(
        await policy.propose({ action_name: name, action_args: args as JsonObject }),
        policy,
        ending,
      );
    },
  };
}

function named(
  tool: string,
  action: string,
  command: readonly [string, ...string[]],
): Pick<Operation, "names" | "family" | "surfaces" | "input" | "output"> {
  return {
    names: {
      id: `op/${action.replaceAll(".", "_").replace("hlq_", "hlq.")}`,
      action,
      command: [...command],
      tool,
    },
    family: "hlq" as const,
    surfaces: ["mcp" as const],
    input: anything,
    output: anything,
  };
}

/** What it does, what a branch may be of, and what refusals lead to. */
function descriptionOf(name: ProposalName): string {
  if (name !== "branch_subquery") return proposalSummaries[name];
  const kinds = subqueryTypes.map(
    (type) => `${type} takes ${Object.keys(subqueryArgs[type].properties).join(", ")}`,
  );
  return `${proposalSummaries[name]} subquery_type is one of: ${kinds.join("; ")}.`;
}

async function shown(outcome: Outcome, policy: OutsidePolicy, ending: EndingOf): Promise<JsonObject> {
  if ("answer" in outcome) {
    const { observation } = outcome.answer;
    const answer = asJson(outcome.answer);
    return observation.refusal === undefined ? answer : refused(classOf(observation), answer);
  }
  const end = await ending(policy.episodeId ?? "");
  const said = { ended: true, terminal: end.terminal };
  return end.refusedLast === undefined ? said : refused(end.refusedLast, said);
}

function classOf({ refusal }: Observation): string {
  return refusal?.class ?? "args_invalid";
}

async function endedNow(policy: OutsidePolicy, ending: EndingOf): Promise<JsonObject> {
  const { terminal } = await ending(policy.episodeId ?? "");
  return { ended: true, terminal };
}

/** The envelope's class is the refusal's, so a client gets an error; what is seen stands beside it. */
function refused(failureClass: string, payload: JsonObject): JsonObject {
  return { ...payload, failureClasses: [failureClass], result: "rejected" };
}

function asJson(answer: object): JsonObject {
  return JSON.parse(JSON.stringify(answer)) as JsonObject;
}
