/**
 * Random conversations that can be told again: what the model says depends on how
 * often it was asked and on nothing else, what people say on the call, what tools
 * do on the files. Without stops and steering, which come from outside in time.
 */
import type { AgentConfig, AgentTool, ApprovalDecision, Approver } from "@bridle/agent";
import type { ScriptedAnswer, ScriptedToolCall } from "@bridle/model";
import { Failure, type JsonObject, refuse } from "@bridle/record";
import { Random } from "@bridle/testing";

const asks = [
  "write a.txt and look at it",
  "do three things: 1. look 2. write 3. check",
  "fix it, but do not touch b.txt",
  "数据库在哪里?",
];
const texts = [
  ...["It is done.", "The tests pass now and everything works.", "I looked at a.txt and b.txt.", "数据 🦊."],
  ...["One thing is left open in src/a.ts:12.", "Here is what I found: nothing."],
];
const paths = ["a.txt", "b.txt", "src/a.ts", "p.html", "../out.txt"];

export interface Story {
  readonly asks: readonly string[];
  readonly config: Partial<AgentConfig>;
  /** To the request of that number, from 0. */
  answer(index: number): ScriptedAnswer;
  readonly approver: Approver;
  tools(): readonly AgentTool[];
}

export function story(seed: number): Story {
  const random = new Random(seed);
  const tight = random.chance(0.3);
  const config: Partial<AgentConfig> = {
    roundsMax: random.between(4, 14),
    lengthResumeMax: random.below(4),
    hotRounds: random.between(1, 2),
    toolOutputMaxChars: random.pick([400, 16_000]),
    toolLazy: random.chance(0.3),
    writeStreamSinkMinChars: random.pick([20, 8_000]),
    ...(tight ? { contextTokensMax: random.between(6_500, 9_000), compressAtPercent: 60 } : {}),
  };
  return {
    asks: Array.from({ length: random.between(1, 3) }, () => random.pick(asks)),
    config,
    answer: (index) => answerAt(new Random(seed * 1_009 + index), index),
    approver,
    tools: storyTools,
  };
}

function answerAt(random: Random, index: number): ScriptedAnswer {
  // Small usage numbers of their own: counted ones depend on the length of the conversation only.
  if (random.chance(0.03))
    return { text: "half", fail: refuse("model_unavailable", { message: "down" }), failAfterChars: 2 };
  if (random.chance(0.22))
    return {
      text: random.pick(texts),
      ...(random.chance(0.2) ? { stop: random.pick(["length", "none"]) } : {}),
    };
  const toolCalls = Array.from({ length: random.between(1, 3) }, (_, place) => ({
    ...callOf(random),
    id: random.chance(0.05) ? "same" : `c-${index}-${place}`,
  }));
  const last = toolCalls.at(-1);
  if (last !== undefined && random.chance(0.15)) {
    const whole = JSON.stringify(last.arguments);
    const cut = { ...last, arguments: cutAt(whole, random.between(1, whole.length - 1)) };
    return { toolCalls: [...toolCalls.slice(0, -1), cut], stop: random.pick(["length", "none", "tool_use"]) };
  }
  return { ...(random.chance(0.3) ? { text: "I will look at b.txt first." } : {}), toolCalls };
}

/** Never within a character: what comes from a provider is well formed. */
function cutAt(text: string, at: number): string {
  return text.slice(0, at).replace(/[\ud800-\udbff]$/, "");
}

function callOf(random: Random): ScriptedToolCall & { readonly arguments: JsonObject } {
  const path = random.pick(paths);
  const content = Array.from({ length: random.between(1, 12) }, (_, i) => `line ${i} 数 🦊\n`).join("");
  const made: readonly (readonly [string, JsonObject])[] = [
    ["write_file", { path, mode: random.pick(["create", "append"]), content }],
    ["write_file", { path, mode: "overwrite", confirm_overwrite: true, content }],
    [
      "edit_file",
      { path, replacements: [{ search: `line ${random.below(4)} 数`, replace: `row ${random.below(9)}` }] },
    ],
    ["read_file", { path }],
    ["list_dir", { path: "." }],
    ["grep_file", { path, pattern: "row" }],
    ["note", { text: `n${random.below(5)}` }],
    ["fails", { n: random.below(2) }],
    ["long", { n: random.below(3) }],
    ["unknown", {}],
    ["think", { thought: "so" }],
    [
      "plan",
      {
        steps: ["look", "write", "check"],
        contract: random.pick([{}, { max_tool_calls: 4 }, { max_steps: 3 }]),
      },
    ],
    ["plan", { step_index: random.below(3) }],
    ["remember", { key: `k${random.below(3)}`, value: "what was found", type: "fact" }],
    ["memory_query", { mode: "lexical", query: "what was found" }],
    ["compress_context", { summary: "goal: write a.txt" }],
    ["check_context", {}],
  ];
  const [name, args] = random.pick(made);
  return { name, arguments: args };
}

/** By the id of the call alone, so that who is asked again says the same. */
const approver: Approver = async ({ callId, args }): Promise<ApprovalDecision> => {
  const chance = new Random(
    [...callId].reduce((sum, char) => sum * 31 + char.charCodeAt(0), 7) % 65_521,
  ).below(10);
  if (chance === 0) return { decision: "reject", reason: "not this one" };
  if (chance === 1) return { decision: "edit", args: { ...args, path: "edited.txt" } };
  if (chance === 2) return { decision: "edit", args: { path: 7 } };
  return { decision: "approve" };
};

function storyTools(): readonly AgentTool[] {
  return [
    storyTool("note", ({ text }) => `noted ${String(text)}`),
    storyTool("fails", ({ n }) => {
      throw new Failure("file_missing", {
        message: `number ${String(n)} is not there`,
        hint: "Look elsewhere.",
      });
    }),
    storyTool("long", ({ n }) => `part ${String(n)} 数据\n`.repeat(120)),
  ];
}

/** Safe, and the same for the same arguments. */
function storyTool(name: string, run: (args: JsonObject) => string): AgentTool {
  return {
    ...{ name, description: `Does ${name}.`, family: "core", parameters: { type: "object" } },
    intent: (args) => ({ key: `${name} ${JSON.stringify(args)}`, repeat: "run", risk: "safe", says: name }),
    run: async (args) => ({ ok: true, text: run(args) }),
  };
}
