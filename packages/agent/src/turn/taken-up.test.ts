/** A send whose rows another process wrote: what it knows of them, and how it ends when the log ends behind a stop. */
import { readFileSync, writeFileSync } from "node:fs";
import { noUsage } from "@bridle/model";
import { describe, expect, it } from "vitest";
import { testAgent, testTool } from "../../../../test/support/agent.js";
import { sessionPath } from "../state-paths.js";
import type { RowOf, SessionRow } from "../session/rows.js";
import type { AgentTool, Intent } from "../types.js";
import { notesOf } from "./notes-of.js";
import { SendProjection } from "./projection.js";
import { SendState } from "./state.js";
import { Toolbox } from "./toolbox.js";

const at = { send: 1, round: 1 };
const call = (name: string, args: object = {}) => ({ toolCalls: [{ name, arguments: args as never }] });

describe("what rules are told of rows", () => {
  /** A projection whose rules write down what they are told. */
  function watched(intent: Partial<Intent> = {}) {
    const told: string[] = [];
    const ran: object[] = [];
    const tool = {
      name: "look",
      family: "web",
      intent: () => ({ key: "k", risk: "safe", ...intent }),
    } as unknown as AgentTool;
    const toolbox = new Toolbox([tool], { lazy: true });
    const projection = new SendProjection({
      ...{ ask: "ask", options: {}, toolbox, untold: [], said: () => [] },
      conversation: { callNamed: (id: string) => (id === "c" ? "look" : undefined) } as never,
    });
    const finding = { rule: { id: "R-A" }, finding: { what: "what" } };
    Object.assign(projection, {
      rules: {
        said: (text: string) => (told.push(`said ${text}`), [finding]),
        proposed: ({ tool: name, args }: { tool: string; args: object }) => (
          told.push(`proposed ${name} ${JSON.stringify(args)}`),
          []
        ),
        answered: (text: string) => (told.push(`answered ${text}`), []),
        ran: (_: object, outcome: object) => (told.push("ran"), ran.push(outcome), []),
      },
    });
    return { projection, told, ran, toolbox };
  }
  const said = (text: string, calls: boolean): SessionRow => ({
    ...{ type: "assistant", ...at, usage: noUsage },
    message: {
      ...{ role: "assistant", stop: "stop" },
      content: [
        { kind: "text", text },
        ...(calls ? [{ kind: "tool_call", id: "c", name: "look", argumentsText: "{}" } as const] : []),
      ],
    } as never,
  });
  const result = (members: Partial<RowOf<"tool_result">> = {}): RowOf<"tool_result"> => ({
    ...{
      type: "tool_result",
      ...at,
      callId: "c",
      tool: "look",
      args: { n: 1 },
      ok: true,
      text: "seen",
      digest: "d",
      ran: true,
    },
    ...members,
  });

  it("is what was said beside calls, and not an answer, which is looked at when it is the answer", () => {
    const { projection, told } = watched();
    expect(projection.apply(said("I look", true))).toHaveLength(1);
    expect(projection.apply(said("", true))).toEqual([]);
    expect(projection.apply(said("Done.", false))).toEqual([]);
    expect(told).toEqual(["said I look"]);
  });

  it("of rows that another process wrote is also what the guard had asked, and what had been sent back", () => {
    const { projection, told } = watched();
    projection.takeUp(said("Done.", false));
    projection.takeUp({ type: "user", ...at, origin: "steer", text: "x" });
    projection.takeUp({ type: "user", ...at, origin: "revise", text: "x" });
    projection.takeUp({ type: "approval", ...at, callId: "c", decision: "approve" });
    projection.takeUp({
      type: "approval",
      ...at,
      callId: "c",
      decision: "edit",
      args: {},
      proposed: { n: 0 },
    });
    projection.takeUp({ type: "approval", ...at, callId: "other", decision: "edit", proposed: { n: 0 } });
    projection.takeUp(result());
    projection.takeUp(result({ code: "cut_off", ok: false }));
    const { args: _, ...unparsed } = result();
    projection.takeUp(unparsed);
    expect(told).toEqual([
      ...["answered Done.", 'proposed look {"n":0}', 'proposed look {"n":1}', "ran", "ran"],
    ]);
  });

  it("comes back as findings that have no row yet, once", () => {
    const { projection } = watched();
    projection.takeUp(said("I look", true));
    projection.takeUp(said("I look", true));
    const violation = { type: "violation", ...at, remedy: "", prevented: false, told: "note" } as const;
    projection.takeUp({ ...violation, rule: "R-B", what: "what" });
    projection.takeUp({ ...violation, rule: "R-A", what: "other" });
    expect(projection.takeDue()).toHaveLength(2);
    expect(projection.takeDue()).toEqual([]);
    projection.takeUp(said("I look", true));
    projection.takeUp({ ...violation, rule: "R-A", what: "what" });
    expect(projection.takeDue()).toEqual([]);
  });

  it("of a result is what it changed as far as that is known, its size, and whether it ran", () => {
    const outcome = (intent: Partial<Intent>, members: Partial<RowOf<"tool_result">> = {}) => {
      const { projection, ran } = watched(intent);
      projection.apply(result(members));
      return ran[0];
    };
    expect(outcome({})).toEqual({ ok: true, output: "seen", digest: "d", changed: [] });
    expect(outcome({ changes: ["a"] })).toEqual({ ok: true, output: "seen", digest: "d" });
    expect(outcome({ needs: "write" })).toEqual({ ok: true, output: "seen", digest: "d" });
    expect(outcome({ changes: ["a"] }, { facts: { changed: ["b", 7] } })).toMatchObject({ changed: ["b"] });
    expect(outcome({}, { facts: { bytes: 5, chars: 9 } })).toMatchObject({ bytes: 5 });
    expect(outcome({}, { facts: { chars: 9 } })).toMatchObject({ bytes: 9 });
    expect(outcome({}, { facts: { bytes: "5" } })).not.toHaveProperty("bytes");
    expect(outcome({}, { ran: false })).toMatchObject({ ran: false });
  });

  it("activates the family of a tool that was called, and one that was asked for", () => {
    const { projection, toolbox } = watched();
    expect(toolbox.offered).toEqual([]);
    projection.apply(result({ code: "cut_off" }));
    expect(toolbox.offered).toEqual([]);
    projection.apply(result());
    expect(toolbox.offered).toHaveLength(1);
    projection.apply(result({ tool: "unknown" }));
  });
});

describe("a log that ends behind a stop", () => {
  const rowsIn = (workspace: string, id: string) =>
    readFileSync(sessionPath(workspace, id), "utf8").trimEnd().split("\n");

  /** The session cut behind its row of a stop, and gone on with. */
  async function resumedBehindStop(workspace: string, id: string, instead: Partial<RowOf<"stop">> = {}) {
    const lines = rowsIn(workspace, id);
    const stop = lines.findIndex((line) => (JSON.parse(line) as SessionRow).type === "stop");
    expect(stop).toBeGreaterThan(0);
    const row = JSON.stringify({ ...(JSON.parse(lines[stop] ?? "") as SessionRow), ...instead });
    writeFileSync(sessionPath(workspace, id), `${[...lines.slice(0, stop), row].join("\n")}\n`);
    const { agent } = await testAgent({
      workspace,
      session: id,
      tools: [testTool("look", () => "seen")],
      script: [],
    });
    const result = await agent.resume();
    await agent.close();
    return { result, lines, now: rowsIn(workspace, id) };
  }
  const typesOf = (lines: readonly string[]) => lines.map((line) => (JSON.parse(line) as SessionRow).type);

  it("of a harness that broke down ends with that error, and every call has its result", async () => {
    const look = testTool("look", () => "seen", {
      run: () => Promise.reject(new TypeError("a bug")),
      intent: () => ({ key: "look", repeat: "run", risk: "safe", says: "look", changes: ["a"] }),
    });
    const { agent, workspace, events } = await testAgent({ tools: [look], script: [call("look")] });
    await expect(agent.send("go")).rejects.toThrow("a bug");
    await agent.close();
    expect(events.at(-1)).toMatchObject({ type: "turn_end", result: { reason: "error" } });
    const { result, lines, now } = await resumedBehindStop(workspace, agent.id);
    expect(result).toMatchObject({
      reason: "error",
      refusal: { refused: "internal_error", message: "a bug" },
    });
    expect(typesOf(now).filter((type) => type !== "resume")).toEqual(typesOf(lines));
    expect(now.join("\n")).toContain("the harness failed while this call may have run");
  });

  it("of a person who came between a call and its beginning says that the turn was stopped, and not that it broke down", async () => {
    const look = testTool("look", () => "seen", {
      run: () => Promise.reject(new TypeError("a bug")),
      intent: () => ({ key: "look", repeat: "run", risk: "safe", says: "look", changes: ["a"] }),
    });
    const { agent, workspace } = await testAgent({ tools: [look], script: [call("look")] });
    await expect(agent.send("go")).rejects.toThrow("a bug");
    await agent.close();
    const { result, now } = await resumedBehindStop(workspace, agent.id, { why: "user", point: "begin" });
    expect(result).toMatchObject({ reason: "cancelled" });
    const [doubt] = now
      .map((line) => JSON.parse(line) as SessionRow)
      .filter((row) => row.type === "tool_result");
    expect(doubt).toMatchObject({
      ...{ code: "in_doubt", ran: true },
      text: "ERROR [in_doubt] the turn was stopped while this call may have run.",
    });
  });

  it("of a person ends as cancelled, with what was not begun said so", async () => {
    const stop = new AbortController();
    const look = testTool("look", () => (stop.abort(), "seen"));
    const { agent, workspace } = await testAgent({
      tools: [look],
      script: [{ toolCalls: [1, 2].map((n) => ({ name: "look", arguments: { n } })) }],
    });
    expect(await agent.send("go", { signal: stop.signal })).toMatchObject({ reason: "cancelled" });
    await agent.close();
    const { result, lines, now } = await resumedBehindStop(workspace, agent.id);
    expect(result).toMatchObject({ reason: "cancelled" });
    expect(typesOf(now).filter((type) => type !== "resume")).toEqual(typesOf(lines));
  });
});

describe("a call that the log ends before", () => {
  it.each([
    ["tool_use", "seen", undefined],
    ["length", "ended early", "cut_off"],
    ["none", "ended early", "cut_off"],
  ])("of an answer that ended with %s is judged by that", async (stop, text, code) => {
    const look = testTool("look", () => "seen", { looksCut: () => true });
    const script = [{ ...call("look"), stop: "tool_use" as const }, { text: "Done." }];
    const { agent, workspace } = await testAgent({ tools: [look], script });
    await agent.send("go");
    await agent.close();
    const path = sessionPath(workspace, agent.id);
    const rows = readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as SessionRow);
    const answer = rows.findIndex(({ type }) => type === "assistant");
    const { message, ...row } = rows[answer] as RowOf<"assistant">;
    const cut = [...rows.slice(0, answer), { ...row, message: { ...message, stop } }];
    writeFileSync(path, cut.map((each) => `${JSON.stringify(each)}\n`).join(""));
    const resumed = await testAgent({
      ...{ workspace, session: agent.id, tools: [look], script: [{ text: "Done." }] },
      config: { lengthResumeMax: 0 },
    });
    await resumed.agent.resume();
    await resumed.agent.close();
    const [result] = resumed.events.filter(({ type }) => type === "tool_result");
    expect(result).toMatchObject({ report: { text: expect.stringContaining(text) as string } });
    expect((result as { report: { refusal?: { code: string } } }).report.refusal?.code).toBe(code);
  });
});

describe("what a send begins with, and tells", () => {
  it("says that room is to be made where a person asked for it, and nothing where not", async () => {
    const { agent, workspace } = await testAgent({ script: [{ text: "one" }, { text: "two" }] });
    await agent.send("a", { compact: true });
    await agent.send("b");
    await agent.close();
    const sends = readFileSync(sessionPath(workspace, agent.id), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as SessionRow)
      .filter((row) => row.type === "send");
    expect(sends.map(({ compact }) => compact)).toEqual([true, undefined]);
  });

  it("tells of a plan when there is one, and of nothing else as a plan", async () => {
    const { agent, events } = await testAgent({
      tools: [testTool("look", () => "seen")],
      script: [call("look"), { text: "done" }],
    });
    await agent.send("look");
    await agent.close();
    expect(events.filter(({ type }) => type === "plan")).toEqual([]);
  });
});

describe("the notes of a request", () => {
  it("have a kind and an id each, by what the state says", () => {
    const state = new SendState();
    Object.assign(state, {
      told: [
        { rule: "R-A", what: "what", remedy: "do" },
        { rule: "R-B", what: "x", remedy: "y", earlier: true },
      ],
      integrityNudge: "a.txt",
      reflexion: "lesson",
      results: [{ tool: "look" }],
    });
    state.failuresByTool.set("look", 2);
    const bounds = { roundsMax: 3, sendTimeoutMs: 0, costMaxUsd: 0 };
    const facts = { state, config: bounds, plan: undefined, stuck: undefined, overBounds: () => undefined };
    const config = { ruleRecall: true, writeIntegrityNudge: true };
    const next: Parameters<typeof notesOf>[1] = {
      ...{
        round: 2,
        closing: undefined,
        config,
        planText: "the plan",
        contextPercent: 60,
        recall: () => "rules",
      },
    };
    const idsOf = (given: Partial<typeof next>) =>
      notesOf(facts, { ...next, ...given }).map(({ kind, id }) => `${kind} ${id}`);
    expect(idsOf({ closing: "timeout" })).toEqual([
      ...[
        "closing closing-timeout",
        "recall rule-recall",
        "plan plan",
        "violation R-A-what",
        "violation R-B-x",
      ],
      ...["integrity write-integrity", "failures reflexion", "failures hint-look", "context context"],
    ]);
    expect(idsOf({ contextPercent: 59, planText: undefined, round: 3 })).toEqual([
      ...[
        "violation R-A-what",
        "violation R-B-x",
        "integrity write-integrity",
        "failures reflexion",
        "failures hint-look",
      ],
    ]);
    const quiet = { ruleRecall: false, writeIntegrityNudge: false };
    expect(idsOf({ config: quiet })).not.toContain("recall rule-recall");
    expect(idsOf({ config: quiet })).not.toContain("integrity write-integrity");
    const [, , , , told] = notesOf(facts, { ...next, closing: "timeout" });
    expect(told?.text).toBe("[R-B] In the turn before: x y");
  });
});
