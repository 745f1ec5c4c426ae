/**
 * Random conversations with everything that can go wrong in them: whatever is
 * said, called, refused, cut, failed, edited, stopped or compacted, what a
 * provider is shown is in order, and each send ends once, with an answer.
 */
import { type AgentEvent, type AgentTool, type ApprovalDecision, type Approver } from "@bridle/agent";
import type { Message, ModelRequest, ScriptedAnswer, ScriptedToolCall } from "@bridle/model";
import { canonicalJson, Failure, refuse } from "@bridle/record";
import { Random, VirtualClock } from "@bridle/testing";
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { testTool } from "../support/agent.js";
import { newFastFolder } from "../support/folder.js";
import { seed, share } from "../support/scale.js";
import { fileAgent, rowsOf, stillPorts, thinkingModel } from "./kit.js";
import { findDisorder } from "../support/disorder.js";

/** Texts that stand in notes and nowhere else. */
const noteMarks = ["[CLOSING]", "[PLAN]\n", "[Harness rules in force", "[WRITE INTEGRITY]", "[CONTEXT] "];
const rowTypes = new Set([
  ...["session", "send", "state_view", "reminder_queue", "request", "assistant", "approval", "reflexion"],
  ...["tool_call", "tool_result", "tool_render", "tool_use", "violation", "user", "compacted", "end"],
  ...["stop", "steer"],
]);

const words = [
  "look",
  "数据",
  "🦊 fox",
  "the tests pass",
  "src/a.ts:12",
  "I will not touch b.txt",
  "done",
  "",
  "?",
];
const broken = [
  "",
  "{",
  '{"n":',
  '{"path":"a.txt","content":"half',
  "[1]",
  '"text"',
  "nul",
  "{}}",
  '{"n": 1,}',
];

class Storm {
  readonly clock = new VirtualClock();
  readonly seen = { requests: 0, compactions: 0, approvals: 0, stops: 0, bugs: 0 };
  private ids: string[] = [];
  private stop = new AbortController();
  steer: (text: string) => void = () => {};
  conversation: () => readonly Message[] = () => [];

  constructor(readonly random: Random) {}

  newSend(): AbortSignal {
    this.stop = new AbortController();
    if (this.random.chance(0.02)) this.stop.abort();
    return this.stop.signal;
  }

  abort(): void {
    this.seen.stops++;
    this.stop.abort();
  }

  answer = (request: ModelRequest): ScriptedAnswer => {
    this.seen.requests++;
    const disorder = findDisorder(request.messages);
    if (disorder !== undefined) throw new Error(`disorder: ${disorder}`);
    // Not what pi holds, but what the log says.
    if (canonicalJson(request.messages as never) !== canonicalJson(this.conversation() as never))
      throw new Error("what is shown is not the conversation of the log");
    const said = JSON.stringify(request.messages);
    for (const mark of noteMarks)
      if (said.includes(JSON.stringify(mark).slice(1, -1))) throw new Error(`a note is stored: ${mark}`);
    const { random } = this;
    if (random.chance(0.03)) this.abort();
    if (random.chance(0.05)) this.steer(`also ${random.pick(words)}`);
    if (random.chance(0.06))
      return {
        ...this.speech(),
        fail: refuse("model_unavailable", { message: "down" }),
        failAfterChars: random.below(9),
      };
    const stop = random.chance(0.15) ? { stop: random.pick(["length", "none"] as const) } : {};
    if (random.chance(0.25)) return { ...this.speech(), ...stop };
    const toolCalls = Array.from({ length: random.between(1, 4) }, () => this.call());
    const cut = random.chance(0.1) ? { cutAfterChars: random.below(60) } : {};
    return {
      ...(random.chance(0.4) ? this.speech() : {}),
      toolCalls,
      ...stop,
      ...cut,
      chunkChars: random.between(1, 50),
    };
  };

  private speech(): ScriptedAnswer {
    const { random } = this;
    return {
      text: Array.from({ length: random.below(5) }, () => random.pick(words)).join(" "),
      ...(random.chance(0.2) ? { thinking: "hm" } : {}),
    };
  }

  private call(): ScriptedToolCall {
    const { random } = this;
    const name = random.pick([
      ...["look", "look", "fails", "refuses", "touch", "touch", "long", "stops", "write_file", "read_file"],
      ...[
        "edit_file",
        "plan",
        "think",
        "remember",
        "compress_context",
        "check_context",
        "nothing",
        "loook",
        "",
      ],
      ...(random.chance(0.2) ? ["bug"] : []),
    ]);
    const id = random.chance(0.1) ? random.pick(["", "same", ...this.ids]) : `c-${this.ids.length}`;
    this.ids.push(id);
    const given = random.chance(0.12) ? random.pick(broken) : this.arguments(name);
    return { name, id, arguments: given };
  }

  private arguments(name: string): NonNullable<Exclude<ScriptedToolCall["arguments"], string>> {
    const { random } = this;
    const path = random.pick(["a.txt", "b.txt", "../out", "deep/c.ts"]);
    switch (name) {
      case "write_file":
        return {
          path,
          content: random.pick(words).repeat(9),
          mode: random.pick(["create", "append", "overwrite"]),
        };
      case "edit_file":
        return { path, replacements: [{ search: random.pick(["look", "x"]), replace: "y" }] };
      case "plan":
        return random.chance(0.3)
          ? { step_index: random.below(3) }
          : {
              steps: ["one", "two"],
              contract: random.pick([
                {},
                { max_tool_calls: random.below(6) },
                { max_steps: 2 },
                { max_minutes: 5 },
              ]),
            };
      case "think":
        return { thought: "so" };
      case "remember":
        return { key: random.pick(["k", "l"]), value: random.pick(words) || "v", type: "fact" };
      case "compress_context":
        return { summary: "what matters" };
      case "read_file":
        return { path };
      default:
        return random.chance(0.2) ? {} : { n: random.below(4), path };
    }
  }

  tools(): AgentTool[] {
    const changing = (name: string, run: () => string | Promise<string>, risk: "cautious" | "destructive") =>
      testTool(name, run, {
        intent: (args) => ({
          ...{ key: `${name} ${JSON.stringify(args)}`, repeat: "run", risk, says: name },
          changes: [String(args["path"] ?? "x")],
        }),
      });
    const { random } = this;
    return [
      testTool("look", ({ n }) => `saw ${String(n)}`),
      testTool("fails", () => {
        throw new Failure("file_missing", { message: "it is not there", hint: "Look elsewhere." });
      }),
      testTool("refuses", () => "", { run: async () => ({ ok: false, text: `no ${random.below(3)}` }) }),
      testTool("long", () => "数据 x\n".repeat(random.between(100, 2_000))),
      changing(
        "touch",
        () => `touched ${random.below(1_000)}`,
        random.chance(0.2) ? "destructive" : "cautious",
      ),
      testTool("stops", () => "", {
        run: async (_args, { signal }) => {
          if (!random.chance(0.15)) return { ok: true, text: "went on" };
          this.abort();
          // Some do not heed it at once.
          if (random.chance(0.5)) await new Promise((resolve) => setImmediate(resolve));
          return { ok: !signal.aborted, text: "stopped" };
        },
      }),
      testTool("bug", () => {
        this.seen.bugs++;
        throw new Error("a bug in a tool");
      }),
    ];
  }

  approver: Approver = async ({ args, timeoutMs }, signal): Promise<ApprovalDecision> => {
    this.seen.approvals++;
    const { random } = this;
    switch (random.below(8)) {
      case 0:
        return { decision: "reject", reason: "not now" };
      case 1:
        return { decision: "edit", args: { ...args, path: "edited.txt" } };
      case 2:
        return { decision: "edit", args: { ...args, content: 7, path: 7 } };
      case 3:
        throw new Error("nobody is there");
      case 4:
        void this.clock.advance(timeoutMs + 1);
        return new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve({ decision: "approve" }), { once: true }),
        );
      case 5:
        if (random.chance(0.3)) this.abort();
        return { decision: "approve" };
      default:
        return { decision: "approve" };
    }
  };
}

async function weather(which: number) {
  const random = new Random(which);
  const storm = new Storm(random);
  const folder = newFastFolder();
  const tight = random.chance(0.4);
  const config = {
    roundsMax: random.between(1, 14),
    lengthResumeMax: random.below(4),
    hotRounds: random.between(1, 3),
    toolOutputMaxChars: random.pick([400, 16_000]),
    toolLazy: random.chance(0.5),
    ...(tight
      ? { contextTokensMax: random.between(6_000, 9_000), compressAtPercent: random.between(30, 90) }
      : {}),
    ...(random.chance(0.2) ? { costMaxUsd: 0.01 } : {}),
  };
  const { agent, events, id } = await fileAgent({
    call: thinkingModel(storm.answer),
    folder,
    config,
    tools: storm.tools(),
    ports: stillPorts(storm.clock),
    approver: storm.approver,
  });
  storm.steer = (text) => agent.steer(text);
  storm.conversation = () => agent.conversation.messages;
  const sends = random.between(1, 4);
  for (let send = 0; send < sends; send++) {
    const from = events.length;
    const ask = random.pick([
      "look at a",
      "do 1. this 2. that 3. more",
      "fix it, do not touch b.txt",
      "数据?",
    ]);
    const bugsBefore = storm.seen.bugs;
    try {
      const result = await agent.send(ask, { signal: storm.newSend() });
      if (result.text.trim() === "") throw new Error("a send ended in silence");
    } catch (error) {
      if (!(error instanceof Error && error.message === "a bug in a tool") || storm.seen.bugs === bugsBefore)
        throw error;
    }
    requireOneEnd(events.slice(from));
  }
  const count = events.length;
  await new Promise((resolve) => setImmediate(resolve));
  await agent.close();
  if (events.length !== count) throw new Error("something happened after the end");
  const disorder = findDisorder(agent.conversation.messages);
  if (disorder !== undefined) throw new Error(`at the end: ${disorder}`);
  const rows = rowsOf(folder, id);
  for (const { type } of rows) if (!rowTypes.has(type)) throw new Error(`a row of type ${type}`);
  if (rows.filter(({ type }) => type === "end").length !== sends) throw new Error("a send without its end");
  storm.seen.compactions += rows.filter(({ type }) => type === "compacted").length;
  const again = await fileAgent({
    call: thinkingModel(storm.answer),
    folder,
    session: id,
    tools: storm.tools(),
  });
  expect(again.agent.conversation.messages).toEqual(agent.conversation.messages);
  expect(again.agent.isInterrupted).toBe(false);
  await again.agent.close();
  rmSync(folder, { recursive: true });
  return { ...storm.seen, sends };
}

function requireOneEnd(events: readonly AgentEvent[]): void {
  const ends = events.filter(({ type }) => type === "turn_end").length;
  if (ends !== 1 || events.at(-1)?.type !== "turn_end") throw new Error(`${ends} ends of one send`);
}

describe("a conversation", () => {
  it("acceptance 15: [D10] [D13] is in order for every request, whatever happens in it", async () => {
    const count = share(10_000, 25);
    const total = { sends: 0, requests: 0, compactions: 0, approvals: 0, stops: 0, bugs: 0 };
    for (let i = 0; i < count; i++) {
      const which = seed * 1_000_000 + i;
      try {
        const seen = await weather(which);
        for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += seen[key];
      } catch (error) {
        throw new Error(`conversation ${which}: ${(error as Error).message}`, { cause: error });
      }
    }
    // The rarest of them comes once in some twenty conversations.
    if (count >= 200) expect(Math.min(...Object.values(total))).toBeGreaterThan(0);
    else expect(Math.min(total.sends, total.requests)).toBeGreaterThanOrEqual(count);
    const { sends, requests, compactions, approvals, stops, bugs } = total;
    console.log(
      `proof: message order: ${count} random conversations, ${sends} sends, ${requests} requests, ${compactions} compactions, ${approvals} approvals asked, ${stops} stops, ${bugs} bugs in tools; no disorder (seed ${seed})`,
    );
  }, 3_600_000);
});
