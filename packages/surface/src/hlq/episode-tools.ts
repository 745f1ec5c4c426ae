/**
 * An episode as tools: the proposals under their frozen names, and one tool that
 * says what the episode is about.
 *
 * Arguments are shown with their schema but judged by the environment itself, so
 * that a wrong one is a refusal of the episode and stands in its record.
 */
import { type ManifestEntry, manifestEntry, type Operation } from "@bridle/operation";
import type { JsonObject } from "@bridle/record";
import { proposalArgs, type ProposalName, proposalNames, proposalSummaries } from "@bridle/search";
import * as Type from "typebox";
import type { Answer, OutsidePolicy } from "./outside-policy.js";

export interface EpisodeTools {
  readonly entries: readonly ManifestEntry[];
  load(entry: ManifestEntry): Promise<Operation>;
}

const anything = Type.Object({}, { additionalProperties: true });
const room = "episode";

/** `ending`: what the terminal says, once there is one. */
export function episodeTools(policy: OutsidePolicy, ending: () => Promise<JsonObject>): EpisodeTools {
  const operations = [
    briefTool(policy, ending),
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

function briefTool(policy: OutsidePolicy, ending: () => Promise<JsonObject>): Operation {
  return {
    names: { id: "op/hlq.episode", action: "hlq.episode", command: ["episode"], tool: "episode" },
    family: "hlq",
    effect: "read",
    surfaces: ["mcp"],
    summary: "What the episode is about, and what is seen now. Costs no step.",
    examples: [{ command: "hlq episode", says: "the question, the budgets, the working set" }],
    input: anything,
    output: anything,
    run: async () => shown(await policy.look(), policy, ending),
  };
}

function proposalTool(
  name: ProposalName,
  policy: OutsidePolicy,
  ending: () => Promise<JsonObject>,
): Operation {
  return {
    names: {
      id: `op/hlq.episode_${name}`,
      action: `hlq.episode.${name}`,
      command: ["episode", name.replaceAll("_", "-")],
      tool: name,
    },
    family: "hlq",
    effect: "mutate",
    surfaces: ["mcp"],
    summary: proposalSummaries[name],
    examples: [{ command: `hlq episode ${name.replaceAll("_", "-")}`, says: "one step of the episode" }],
    input: anything,
    output: anything,
    run: async (args) =>
      shown(await policy.propose({ action_name: name, action_args: args as JsonObject }), policy, ending),
  };
}

async function shown(
  answer: Answer | undefined,
  policy: OutsidePolicy,
  ending: () => Promise<JsonObject>,
): Promise<JsonObject> {
  if (policy.ended || answer === undefined) return { ended: true, terminal: await ending() };
  return JSON.parse(JSON.stringify(answer)) as JsonObject;
}
