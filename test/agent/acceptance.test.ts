/**
 * The acceptance list of the agent, through the whole agent: one test or more for
 * each group but 11 (the web) and 12 (the heartbeat), which come with those parts.
 * 7 is in cuts.test.ts as well, 15 in order.test.ts.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentEvent, type ApprovalDecision } from "@bridle/agent";
import { buildHarnessRuleRecallMessage, HARNESS_RULES, PROTOCOL_NAMED_RULES, rules } from "@bridle/rules";
import type { ModelRequest, ScriptedAnswer, ScriptedStep } from "@bridle/model";
import { Failure } from "@bridle/record";
import { Random, VirtualClock } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { testTool } from "../support/agent.js";
import { newFastFolder } from "../support/folder.js";
import { seed } from "../support/scale.js";
import { fileAgent, quickAgent, rowsOf, stillPorts, textOf, thinkingModel } from "./kit.js";
import { findDisorder } from "../support/disorder.js";

const call = (name: string, args: object = {}, id?: string): ScriptedAnswer => ({
  toolCalls: [{ name, arguments: args as never, ...(id === undefined ? {} : { id }) }],
});

/** Answers in their order, then one that ends. */
function inTurn(
  answers: readonly (ScriptedAnswer | ((request: ModelRequest) => ScriptedAnswer))[],
  last = "Done.",
) {
  const requests: ModelRequest[] = [];
  const model = thinkingModel((request, index) => {
    const answer = answers[index] ?? { text: last };
    return typeof answer === "function" ? answer(request) : answer;
  }, requests);
  return { call: model, requests };
}

const look = testTool("look", ({ at }) => `saw ${String(at)}`);
const resultsIn = (request: ModelRequest | undefined) =>
  (request?.messages ?? []).flatMap((message) => (message.role === "tool_result" ? [textOf(message)] : []));

describe("acceptance 1: the recall of the rules", () => {
  const heading = "[Harness rules in force";
  const recalledIn = (request: ModelRequest | undefined) =>
    [
      ...(request?.system ?? "")
        .slice((request?.system ?? "").indexOf(heading))
        .matchAll(/\*\*(R-[A-Z0-9-]+)\*\*/g),
    ].map(([, id]) => id);
  const twoRounds = async (stats: string | undefined, recall = true) => {
    const workspace = newFastFolder();
    if (stats !== undefined) writeFileSync(join(workspace, ".agent_rule_stats.json"), stats);
    const script: ScriptedStep[] = [call("look", { at: 1 }), call("look", { at: 2 }), { text: "Done." }];
    const { agent, requests } = await quickAgent({
      ...{ script, tools: [look], workspace },
      config: { ruleRecall: recall },
    });
    await agent.send("look");
    await agent.close();
    expect(JSON.stringify(agent.conversation.messages)).not.toContain(heading);
    return requests;
  };

  it("is in round 2 and in no other, with all 30 ids in the order of the table", async () => {
    const requests = await twoRounds(undefined);
    expect(requests.map(({ system = "" }) => system.includes(heading))).toEqual([false, true, false]);
    expect(recalledIn(requests[1])).toEqual(Object.keys(HARNESS_RULES));
    expect(recalledIn(requests[1])).toHaveLength(30);
  });

  it("is ordered by the counts, then by the table, and by the table when they are corrupt", async () => {
    const counts = { "R-OUTPUT-TYPOGRAPHY": 3, "R-CITE-PATHS": 9 };
    const stats = Object.fromEntries(Object.entries(counts).map(([id, hitCount]) => [id, { hitCount }]));
    const requests = await twoRounds(JSON.stringify({ version: 1, rules: stats }));
    const expected = buildHarnessRuleRecallMessage(new Map(Object.entries(counts)));
    const ordered = recalledIn(requests[1]);
    expect(ordered).toEqual([...expected.matchAll(/\*\*(R-[A-Z0-9-]+)\*\*/g)].map(([, id]) => id));
    expect(ordered.slice(0, 3)).toEqual(["R-CITE-PATHS", "R-OUTPUT-TYPOGRAPHY", "R-PLAN-3STEPS"]);
    expect(recalledIn((await twoRounds("{ not json"))[1])).toEqual(Object.keys(HARNESS_RULES));
  });

  it("is never there with AGENT_RULE_RECALL=0", async () => {
    const requests = await twoRounds(undefined, false);
    expect(requests.some(({ system = "" }) => system.includes(heading))).toBe(false);
  });
});

describe("acceptance 2: the ids of the rules", () => {
  it("[D17] each recalled id has its text in the prompt that was sent, and those of the protocol alone are not recalled", async () => {
    const { agent, requests } = await quickAgent({
      script: [call("look"), { text: "Done." }],
      tools: [look],
    });
    await agent.send("look");
    await agent.close();
    const system = requests[1]?.system ?? "";
    expect(system).toContain(PROTOCOL_NAMED_RULES);
    const recall = system.slice(system.indexOf("[Harness rules in force"));
    expect(rules).toHaveLength(37);
    for (const { id, text } of rules) {
      expect(system).toContain(text);
      expect(recall.includes(`**${id}**`)).toBe(Object.hasOwn(HARNESS_RULES, id));
    }
  });
});

describe("acceptance 3: a round in which every tool failed", () => {
  const fails = testTool("fails", () => {
    throw new Failure("file_missing", { message: "nothing there (R-CITE-PATHS)", hint: "Look elsewhere." });
  });
  const lesson = { lesson: "Ask for the path first.", root_cause: "a guess", fix_pattern: "list, then read" };

  async function failing(first: ScriptedAnswer, said: ScriptedAnswer, semantic = true) {
    const requests: ModelRequest[] = [];
    const workspace = newFastFolder();
    const { agent } = await quickAgent({
      script: thinkingModel((request) => {
        if (request.tools === undefined) return said;
        return requests.filter(({ tools }) => tools !== undefined).length === 1 ? first : { text: "Done." };
      }, requests),
      ...{ workspace, tools: [fails, look] },
      config: { reflexionSemantic: semantic },
    });
    await agent.send("find it");
    await agent.close();
    const log = join(workspace, ".bridle/agent/failures.jsonl");
    const lines = existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
    const stats = JSON.parse(
      readFileSync(join(workspace, ".bridle/agent/.agent_rule_stats.json"), "utf8"),
    ) as {
      rules: Record<string, { violations?: number }>;
    };
    const next = requests.filter(({ tools }) => tools !== undefined)[1]?.system ?? "";
    return { lines, next, cited: stats.rules["R-CITE-PATHS"]?.violations ?? 0 };
  }

  it("is logged, the lesson of the fast model is a note, and the ids in the errors are counted", async () => {
    const { lines, next, cited } = await failing(call("fails"), { text: JSON.stringify(lesson) });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "{}")).toMatchObject({ category: "all_tools_failed", round: 1 });
    expect(next).toContain(lesson.lesson);
    expect(cited).toBe(1);
  });

  it("has a plain note when the fast model talks junk, fails or is not asked", async () => {
    const down = { fail: { refused: "model_unavailable", message: "down" } as const };
    for (const [said, semantic] of [
      [{ text: "I think it is fine" }, true],
      [down, true],
      [{ text: JSON.stringify(lesson) }, false],
    ] as const) {
      const { lines, next } = await failing(call("fails"), said, semantic);
      expect(lines).toHaveLength(1);
      expect(next).toContain("fails");
      expect(next).not.toContain(lesson.lesson);
    }
  });

  it("is none of that when one tool worked", async () => {
    const mixed = { toolCalls: [{ name: "fails" }, { name: "look", arguments: { at: 1 } }] };
    const { lines, next, cited } = await failing(mixed, { text: JSON.stringify(lesson) });
    expect([lines.length, next.includes(lesson.lesson), cited]).toEqual([0, false, 0]);
  });
});

describe("acceptance 4: the same call again", () => {
  it("runs once in one answer, and both ids are answered", async () => {
    let ran = 0;
    const counted = testTool("look", () => `saw it ${++ran}`);
    const same = { name: "look", arguments: { at: "a" } };
    const { call: model, requests } = inTurn([{ toolCalls: [same, same] }]);
    const { agent } = await quickAgent({ script: model, tools: [counted] });
    await agent.send("look");
    await agent.close();
    expect(ran).toBe(1);
    expect(resultsIn(requests[1])).toHaveLength(2);
    expect(resultsIn(requests[1])[1]).toContain("R-DEDUP-TOOLS");
  });

  it("of a file is answered from before, and read again after an edit", async () => {
    const folder = newFastFolder();
    writeFileSync(join(folder, "a.txt"), "one\n");
    const edit = { path: "a.txt", replacements: [{ search: "one", replace: "two" }] };
    const { call: model, requests } = inTurn(
      [
        call("read_file", { path: "a.txt" }),
        call("read_file", { path: "./a.txt" }),
        call("edit_file", edit),
        call("read_file", { path: "a.txt" }),
      ],
      "a.txt says two.",
    );
    const { agent } = await fileAgent({ call: model, folder });
    await agent.send("read it");
    await agent.close();
    const [first, second, , last] = resultsIn(requests[4]);
    expect(first).toContain("one");
    expect(second).toContain("answered without running again (R-DEDUP-TOOLS)");
    expect(last).toContain("two");
  });
});

describe("acceptance 5: the same failing call", () => {
  it("[D24] is refused the third time without running, whatever the order of its arguments", async () => {
    let ran = 0;
    const fails = testTool("fails", () => {
      ran++;
      throw new Failure("file_missing", { message: "it is not there", hint: "Look elsewhere." });
    });
    const { call: model, requests } = inTurn([
      call("fails", { a: 1, b: "x" }),
      call("fails", { b: "x", a: 1 }),
      { toolCalls: [{ name: "fails", arguments: '{ "a" : 1 ,\n "b" : "x" }' }] },
    ]);
    const { agent } = await quickAgent({ script: model, tools: [fails] });
    await agent.send("find it");
    await agent.close();
    expect(ran).toBe(2);
    expect(resultsIn(requests[3])[2]).toContain("R-ONE-SHOT-RETRY");
    const row = rowsOf(agent.options.workspace, agent.id).findLast(({ type }) => type === "tool_result");
    expect(row).toMatchObject({ ran: false, rule: "R-ONE-SHOT-RETRY" });
  });
});

describe("acceptance 6: write_file", () => {
  const old = "line\n".repeat(80);

  it("create refuses a file that is there and names the ways out; overwrite wants a confirmation", async () => {
    const folder = newFastFolder();
    writeFileSync(join(folder, "a.txt"), old);
    const { call: model, requests } = inTurn(
      [
        call("write_file", { path: "a.txt", content: "new\n" }),
        call("write_file", { path: "a.txt", mode: "overwrite", content: "new\n" }),
      ],
      "a.txt is as it was.",
    );
    const { agent } = await fileAgent({ call: model, folder });
    await agent.send("write it");
    await agent.close();
    const [created, overwritten] = resultsIn(requests[2]);
    expect(created).toMatch(/overwrite[^]*edit_file|edit_file[^]*overwrite/);
    expect(overwritten).toContain("confirm_overwrite");
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe(old);
  });

  it("append begins on a line of its own, and the report says what is there", async () => {
    const folder = newFastFolder();
    writeFileSync(join(folder, "a.txt"), "no end");
    const { call: model, requests } = inTurn(
      [call("write_file", { path: "a.txt", mode: "append", content: "more\n" })],
      "a.txt has more.",
    );
    const { agent } = await fileAgent({ call: model, folder });
    await agent.send("write it");
    await agent.close();
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("no end\nmore\n");
    expect(resultsIn(requests[1])[0]).toMatch(/\nintegrity=ok lines=2 bytes=12 sha256=[0-9a-f]{16}$/);
  });

  it("[D1] does not leave the workspace, by dots, by an absolute path or by a link, whole or cut and continued", async () => {
    const outside = newFastFolder();
    for (const path of [
      "../escaped.txt",
      join(outside, "escaped.txt"),
      "link/escaped.txt",
      "deep/../../escaped.txt",
    ]) {
      const folder = join(newFastFolder(), "work");
      mkdirSync(folder);
      symlinkSync(outside, join(folder, "link"));
      const content = "far away\n".repeat(2_000);
      const whole = JSON.stringify({ path, mode: "create", content });
      const { call: model } = inTurn([
        call("write_file", { path, content: "small\n" }),
        { toolCalls: [{ name: "write_file", arguments: whole.slice(0, 12_000), id: "cut" }], stop: "length" },
        call("write_file", { path, mode: "append", content: content.slice(100) }),
        call("edit_file", { path, replacements: [{ search: "far", replace: "near" }] }),
      ]);
      const { agent } = await fileAgent({ call: model, folder, config: { yolo: true } });
      await agent.send("write it");
      await agent.close();
      expect(existsSync(join(outside, "escaped.txt"))).toBe(false);
      expect(existsSync(join(folder, "../escaped.txt"))).toBe(false);
    }
  });
});

describe("acceptance 7: text that was cut off", () => {
  it("is continued and joined without repeats; a whole answer without a reason is not continued", async () => {
    const { call: model, requests } = inTurn([
      { text: "The first half of the answer ends in the mid", stop: "length" },
      { text: "ends in the middle of a word.", stop: "none" },
    ]);
    const { agent } = await quickAgent({ script: model });
    expect((await agent.send("say it")).text).toBe(
      "The first half of the answer ends in the middle of a word.",
    );
    expect(requests).toHaveLength(2);
    await agent.close();
  });
});

describe("acceptance 8: arguments that arrive in pieces", () => {
  it("are written byte for byte as JSON reads them, however they are split", async () => {
    const random = new Random(seed);
    const folder = newFastFolder();
    const pieces = [
      '"path": "x"',
      "\\",
      '"',
      "🦊",
      "\u2028",
      "\\u00e9",
      "数",
      "\n",
      "\t",
      "{",
      "}",
      "𝒳",
      "é",
    ];
    const files = Array.from({ length: 40 }, (_, i) => ({
      path: `f${i}.txt`,
      content: Array.from({ length: random.between(1, 200) }, () => random.pick(pieces)).join(""),
    }));
    const { call: model } = inTurn(
      files.map(({ path, content }, i) => {
        const args = i % 2 === 0 ? { path, content } : { content, path };
        const text = JSON.stringify(args);
        const escaped = text.replaceAll(
          /[^\x20-\x7e]/g,
          (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
        return {
          toolCalls: [{ name: "write_file", arguments: i % 3 === 0 ? escaped : text }],
          chunkChars: random.between(1, 30),
        };
      }),
      "f0.txt and the others are written.",
    );
    const { agent } = await fileAgent({ call: model, folder, config: { writeStreamSinkMinChars: 16 } });
    await agent.send("write them");
    await agent.close();
    for (const { path, content } of files) expect(readFileSync(join(folder, path), "utf8")).toBe(content);
  });
});

describe("acceptance 9: approval", () => {
  const args = { path: "a.txt", content: "asked\n" };

  async function asked(decide: () => Promise<ApprovalDecision>, config = {}, clock = new VirtualClock()) {
    const folder = newFastFolder();
    const { call: model, requests } = inTurn([call("write_file", args)], "Looked at a.txt.");
    const stop = new AbortController();
    const { agent, events } = await fileAgent({
      ...{ call: model, folder, ports: stillPorts(clock), config },
      approver: decide,
    });
    return { agent, events, folder, requests, stop };
  }
  const written = (folder: string, path: string) =>
    existsSync(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : undefined;

  it("approve runs it, reject does not", async () => {
    const yes = await asked(async () => ({ decision: "approve" }));
    await yes.agent.send("write");
    await yes.agent.close();
    expect(written(yes.folder, "a.txt")).toBe("asked\n");
    const no = await asked(async () => ({ decision: "reject", reason: "not there" }));
    await no.agent.send("write");
    await no.agent.close();
    expect(written(no.folder, "a.txt")).toBeUndefined();
    expect(resultsIn(no.requests[1])[0]).toMatch(/approval_reject[^]*not there/);
  });

  it("edited arguments are used, and checked again", async () => {
    const good = await asked(async () => ({
      decision: "edit",
      args: { path: "b.txt", content: "edited\n" },
    }));
    await good.agent.send("write");
    await good.agent.close();
    expect([written(good.folder, "a.txt"), written(good.folder, "b.txt")]).toEqual([undefined, "edited\n"]);
    for (const bad of [{ path: "b.txt" }, { path: "../b.txt", content: "x" }]) {
      const edited = await asked(async () => ({ decision: "edit", args: bad }));
      await edited.agent.send("write");
      await edited.agent.close();
      expect(resultsIn(edited.requests[1])[0]).toContain("ERROR");
      expect(written(edited.folder, "../b.txt")).toBeUndefined();
    }
  });

  it("[D28] nobody's answer is a no in time, and no lock runs out while it is waited for", async () => {
    const clock = new VirtualClock();
    const { agent, folder, requests } = await asked(
      async () => {
        void clock.advance(120_001);
        return new Promise(() => {});
      },
      { approvalTimeoutMs: 120_000, sendTimeoutMs: 0 },
      clock,
    );
    await agent.send("write");
    await agent.close();
    expect(resultsIn(requests[1])[0]).toContain("approval_timeout");
    expect(written(folder, "a.txt")).toBeUndefined();
  });

  it("a stop while somebody is asked ends the send, and the next one works", async () => {
    const stop = new AbortController();
    const { agent, folder } = await asked(async () => {
      stop.abort();
      return new Promise(() => {});
    });
    expect(await agent.send("write", { signal: stop.signal })).toMatchObject({ reason: "cancelled" });
    expect(written(folder, "a.txt")).toBeUndefined();
    expect(findDisorder(agent.conversation.messages)).toBeUndefined();
    expect(await agent.send("and now?")).toMatchObject({ reason: "ok" });
    await agent.close();
  });
});

describe("acceptance 10: the contract of a plan", () => {
  it("[D15] its bounds hold: what exceeds them is refused once, then there is an answer without tools", async () => {
    let ran = 0;
    const counted = testTool("look", ({ at }) => `saw ${String(at)} ${ran++}`);
    const three = { toolCalls: [1, 2, 3].map((at) => ({ name: "look", arguments: { at } })) };
    const { call: model, requests } = inTurn([
      call("plan", { steps: ["a", "b"], contract: { max_tool_calls: 2 } }),
      three,
    ]);
    const { agent, events } = await quickAgent({ script: model, tools: [counted] });
    expect(await agent.send("look")).toMatchObject({ reason: "contract_budget", text: "Done." });
    await agent.close();
    expect(ran).toBe(2);
    expect(events.filter(({ type }) => type === "contract_violation")).toHaveLength(1);
    expect(requests[2]?.tools).toBeUndefined();
    expect(requests[2]?.system).toContain("[CLOSING]");
  });

  it("[D16] a commitment, of the plan or of a person, blocks with its reason", async () => {
    const kept = { text: "keep.txt stays as it is", paths: ["keep.txt"] };
    for (const [said, plan] of [
      [kept, { steps: ["write"] }],
      [{}, { steps: ["write"], commitments: [kept] }],
    ] as const) {
      const folder = newFastFolder();
      writeFileSync(join(folder, "keep.txt"), "kept\n");
      const { call: model, requests } = inTurn(
        [
          call("plan", plan),
          call("write_file", {
            path: "keep.txt",
            mode: "overwrite",
            confirm_overwrite: true,
            content: "gone\n",
          }),
          call("write_file", { path: "a.txt", content: "fine\n" }),
        ],
        "a.txt is written; keep.txt is as it was.",
      );
      const { agent } = await fileAgent({ call: model, folder });
      agent.commit(said);
      await agent.send("write");
      await agent.close();
      expect(readFileSync(join(folder, "keep.txt"), "utf8")).toBe("kept\n");
      expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("fine\n");
      const [, blocked] = resultsIn(requests[3]);
      expect(blocked).toContain("R-COMMITMENT-CHECK");
      expect(blocked).toContain("keep.txt");
    }
  });
});

describe("acceptance 13: children", () => {
  const brief = {
    goal: "look at a",
    system_prompt: "You look at one thing and say what it is.",
    user_prompt: "Look at the thing called a and say what you see.",
  };
  const idIn = (request: ModelRequest) =>
    /task_id="([^"]+)"/.exec(resultsIn(request).join("\n"))?.[1] ?? "none";

  /** The parent spawns and waits; the child says what it is told. */
  async function family(
    child: ScriptedAnswer,
    options: { config?: object; wait?: object; more?: boolean } = {},
  ) {
    const workspace = newFastFolder();
    const requests: ModelRequest[] = [];
    const { agent, events } = await quickAgent({
      script: thinkingModel((request) => {
        if ((request.session ?? "").includes(".")) return child;
        const mine = requests.filter(({ session = "" }) => !session.includes(".")).length;
        if (mine === 1) return call("spawn_agent", brief);
        if (mine === 2) return call("wait_for_agents", { task_ids: [idIn(request)], ...options.wait });
        if (mine === 3 && options.more === true) {
          const id = /artifact (art_\w+)/.exec(resultsIn(request).join("\n"))?.[1] ?? "";
          return call("read_artifact", { id, offset: 8_000 });
        }
        return { text: "The child has ended." };
      }, requests),
      ...{ workspace, config: options.config ?? {} },
    });
    const result = await agent.send("let a child look");
    await agent.close();
    const last = requests.findLast(({ session = "" }) => !session.includes("."));
    return { result, events, said: resultsIn(last), last };
  }

  it("[D23] say in full what they said, and whether it went well", async () => {
    const long = "the whole of it ".repeat(700);
    const { said } = await family({ text: `${long}and its end.` }, { more: true });
    expect(said[1]).toMatch(/ok after 1 rounds/);
    expect(said[1]!.length).toBeGreaterThan(400);
    expect(said[2]).toContain("and its end.");
    const failed = await family({ fail: { refused: "model_unavailable", message: "it is down" } });
    expect(failed.said[1]).toMatch(/\] error after/);
    expect(failed.last?.messages.findLast(({ role }) => role === "tool_result")).toMatchObject({
      isError: true,
    });
  });

  it("are refused where there is no room, and an id that nobody returned is an error", async () => {
    const deep = await family({ text: "x" }, { config: { childDepthMax: 0 } });
    expect(deep.said[0]).toContain("tool_unknown");
    const { call: model, requests } = inTurn([call("wait_for_agents", { task_ids: ["nobody"] })]);
    const { agent } = await quickAgent({ script: model });
    await agent.send("wait");
    await agent.close();
    expect(resultsIn(requests[1])[0]).toMatch(/ERROR \[(?:child_unknown|rule_refused)\]/);
  });

  it("no more run at once than may, one that is cancelled says so, and the end of the turn ends those that run", async () => {
    const requests: ModelRequest[] = [];
    const ports = stillPorts();
    let running = 0;
    const { agent, events } = await quickAgent({
      ports,
      config: { childrenMax: 2 },
      script: (request, options) => {
        requests.push(request);
        if ((request.session ?? "").includes(".")) {
          running++;
          return hanging(options?.signal);
        }
        const mine = requests.filter(({ session = "" }) => !session.includes(".")).length;
        const spawn = (n: number) => ({ name: "spawn_agent", arguments: { ...brief, goal: `look at ${n}` } });
        const answer: ScriptedAnswer =
          mine === 1
            ? { toolCalls: [spawn(1), spawn(2), spawn(3)] }
            : mine === 2
              ? call("cancel_agent", { task_id: idIn(request) })
              : { text: "One was cancelled." };
        return thinkingModel(() => answer)(request, options);
      },
    });
    await agent.send("let children look");
    const ended = events.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(events.length).toBe(ended);
    await agent.close();
    const said = resultsIn(requests.findLast(({ session = "" }) => !session.includes(".")));
    expect(said[2]).toContain("children_too_many");
    expect(said[3]).toContain("cancelled");
    expect(running).toBe(2);
    const complete = events.flatMap((event) => (event.type === "subtask_complete" ? [event.status] : []));
    expect(complete).toEqual(["cancelled", "cancelled"]);
  });

  async function* hanging(signal: AbortSignal | undefined) {
    yield { type: "start" } as const;
    await new Promise<void>((resolve) => {
      if (signal?.aborted === true) resolve();
      else signal?.addEventListener("abort", () => resolve(), { once: true });
    });
    yield { type: "failed", refusal: { refused: "aborted", message: "given up" } } as const;
  }
});

describe("acceptance 14: compress_context", () => {
  it("[D33] keeps the last rounds, leaves no orphan, and says honestly when there is nothing to do", async () => {
    const long = testTool(
      "long",
      ({ n }) => `number ${String(n)} ${"x".repeat(3_000)} the end of ${String(n)}`,
    );
    const { call: model, requests } = inTurn([
      call("compress_context", { summary: "nothing yet" }),
      ...Array.from({ length: 6 }, (_, n) => call("long", { n })),
      call("compress_context", { summary: "goal: look at the numbers" }),
      call("compress_context", { summary: "goal: look at the numbers" }),
    ]);
    const { agent } = await quickAgent({ script: model, tools: [long], config: { hotRounds: 2 } });
    await agent.send("look");
    await agent.close();
    const said = resultsIn(requests[1])[0];
    expect(said).not.toMatch(/^Compressed/);
    const after = JSON.stringify(requests[8]?.messages);
    expect(after).toContain("goal: look at the numbers");
    expect(after).toContain("the end of 5");
    expect(after).not.toContain("x".repeat(2_999) + "x the end of 1");
    for (const { messages } of requests) expect(findDisorder(messages)).toBeUndefined();
    const again = resultsIn(requests[9]).at(-1);
    expect(again).toBeDefined();
  });

  it("what was read and left the context is answered in full again", async () => {
    let ran = 0;
    const read = testTool("read", () => `text ${++ran} ${"x".repeat(4_000)}`, {
      intent: () => ({ key: "read", repeat: "answer", risk: "safe", says: "read", reads: ["a"] }),
    });
    const { call: model, requests } = inTurn([
      call("read"),
      call("look", { at: 1 }),
      call("look", { at: 2 }),
      call("compress_context", { summary: "read it" }),
      call("read"),
    ]);
    const { agent } = await quickAgent({ script: model, tools: [read, look], config: { hotRounds: 1 } });
    await agent.send("look");
    await agent.close();
    expect(ran).toBe(2);
    expect(resultsIn(requests[5]).at(-1)).toContain("text 2");
  });
});

describe("acceptance 16: the end of a turn", () => {
  it("[D11] out of time, a tool that runs is stopped, there is an answer, and nothing happens after it", async () => {
    const clock = new VirtualClock();
    const effects: string[] = [];
    const slow = testTool("slow", () => "", {
      run: async (_args, { signal }) => {
        const stopped = new Promise<void>((resolve) =>
          signal.addEventListener("abort", () => resolve(), { once: true }),
        );
        void clock.advance(5_000);
        await stopped;
        effects.push("stopped");
        return { ok: false, text: "stopped half-way" };
      },
    });
    const { call: model, requests } = inTurn([call("slow"), { text: "It took too long." }]);
    const { agent, events } = await quickAgent({
      ...{ script: model, tools: [slow], ports: stillPorts(clock) },
      config: { sendTimeoutMs: 1_000 },
    });
    const result = await agent.send("go");
    expect(result).toMatchObject({ reason: "timeout", text: "It took too long." });
    expect(requests[1]?.tools).toBeUndefined();
    const ended = events.length;
    await clock.advance(600_000);
    expect([events.length, effects]).toEqual([ended, ["stopped"]]);
    expect(await agent.send("and now?")).toMatchObject({ reason: "ok", text: "Done." });
    expect(findDisorder(agent.conversation.messages)).toBeUndefined();
    await agent.close();
  });

  it("[D11] two sends never run at once", async () => {
    const { call: model } = inTurn([call("look", { at: 1 })]);
    const { agent } = await quickAgent({ script: model, tools: [look] });
    const first = agent.send("one");
    await expect(agent.send("two")).rejects.toMatchObject({ failureClass: "send_running" });
    expect(await first).toMatchObject({ reason: "ok" });
    await agent.close();
  });

  it("stopped in any event of a send, nothing is told after its end and the next one works", async () => {
    const files = (folder: string) => existsSync(join(folder, "a.txt"));
    let tried = 0;
    for (let at = 0; ; at++) {
      const folder = newFastFolder();
      const stop = new AbortController();
      let told = 0;
      const events: AgentEvent[] = [];
      const { call: model } = inTurn(
        [call("write_file", { path: "a.txt", content: "x\n" }), call("read_file", { path: "a.txt" })],
        "a.txt is there.",
      );
      const { agent } = await fileAgent({
        ...{ call: model, folder },
        more: {
          onEvent: (event) => {
            events.push(event);
            if (told++ === at) stop.abort();
          },
        },
      });
      const result = await agent.send("write it", { signal: stop.signal });
      const ended = events.length;
      const there = files(folder);
      await new Promise((resolve) => setImmediate(resolve));
      expect(events.length).toBe(ended);
      expect(files(folder)).toBe(there);
      expect(events.filter(({ type }) => type === "turn_end")).toHaveLength(1);
      expect(findDisorder(agent.conversation.messages)).toBeUndefined();
      expect(await agent.send("and now?")).toMatchObject({ reason: "ok" });
      await agent.close();
      tried++;
      if (at > ended) break;
      expect(["cancelled", "ok"]).toContain(result.reason);
    }
    expect(tried).toBeGreaterThan(20);
  });
});
