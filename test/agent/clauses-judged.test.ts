/**
 * The rules of AGENT whose evidence is prose. The model is told them in every request;
 * with AGENT_RULE_JUDGE the fast model is asked once, before an answer is delivered,
 * which of them the send broke, and what it names sends the answer back.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { sessionPath, type SessionRow } from "@bridle/agent";
import { scriptedModel } from "@bridle/model";
import { rules } from "@bridle/rules";
import { describe, expect, it } from "vitest";
import { testAgent, testTool } from "../support/agent.js";
import { call, expectSentBack, play } from "../support/agent-rules.js";
import { newFolder } from "../support/folder.js";
import { Taped } from "../support/taped.js";

const verdict = (...broken: readonly { readonly rule: string; readonly why: string }[]) => ({
  text: JSON.stringify({ broken }),
});
const judging = { config: { ruleJudge: true } };

async function sentBack(rule: string) {
  const why = "The second part is missing.";
  const played = await play({
    ...judging,
    asks: ["Name the year and the place."],
    script: [{ text: "1921." }, verdict({ rule, why }), { text: "1921, in the old town." }],
  });
  expectSentBack(played, rule, 2);
  expect(played.results[0]?.text).toBe("1921, in the old town.");
  expect(played.rows.filter(({ type }) => type === "judgement")).toMatchObject([
    { round: 1, broken: [{ rule, why }] },
  ]);
  // It is the harness that speaks, with words of its own kind.
  expect(played.rows.filter(({ type }) => type === "user")).toMatchObject([{ origin: "revise", round: 1 }]);
  // The judge has read the rule, the ask and the answer.
  const [, asked] = played.requests;
  expect(asked?.system).toContain(`- ${rule}: `);
  expect(JSON.stringify(asked?.messages)).toContain("Name the year and the place.");
}

describe("an answer is sent back when the judge names a rule", () => {
  it("[AGENT-5.33] a live claim without a time", () => sentBack("R-LIVE-DATA-HONESTY"));
  it("[AGENT-5.34] words surer than their source", () => sentBack("R-SOURCE-TIER"));
  it("[AGENT-5.35] one side of two that conflict", () => sentBack("R-CONTRADICT-SURFACE"));
  it("[AGENT-5.36] a part of the ask without an answer", () => sentBack("R-MULTI-PART-USER"));
  it("[AGENT-5.37] prerequisites out of order", () => sentBack("R-SEQ-SETUP"));
  it("[AGENT-5.38] a briefing that says one thing twice", () => sentBack("R-SYNTHESIZE-VARY"));
  it("[AGENT-5.39] a search about what memory said", () => sentBack("R-MEMORY-SCOPE"));
  it("[AGENT-5.40] an answer that takes the OS account", () => sentBack("R-MEMORY-FIRST-IDENTITY"));
  it("[AGENT-5.41] a rename without a search", () => sentBack("R-GREP-BEFORE-REFACTOR"));
  it("[AGENT-6.10] a long reply that opens with details", () => sentBack("R-EXECUTIVE-READ"));
  it("[AGENT-6.11] failures without what remains unknown", () => sentBack("R-KNOWN-UNKNOWNS"));
  it("names that are blended", () => sentBack("R-HARNESS-VS-MODEL"));

  it("and for no rule that is not among these", () => {
    const judged = rules.filter(({ held }) => held === "judged").map(({ id }) => id);
    expect(judged).toEqual([
      ...["R-SEQ-SETUP", "R-SYNTHESIZE-VARY", "R-MEMORY-SCOPE", "R-MEMORY-FIRST-IDENTITY"],
      ...["R-LIVE-DATA-HONESTY", "R-SOURCE-TIER", "R-CONTRADICT-SURFACE", "R-GREP-BEFORE-REFACTOR"],
      ...["R-MULTI-PART-USER", "R-EXECUTIVE-READ", "R-KNOWN-UNKNOWNS", "R-HARNESS-VS-MODEL"],
    ]);
  });
});

describe("the judge", () => {
  it("is asked once in a send, and what it says later is not asked for", async () => {
    const look = testTool("look", () => "seen");
    const played = await play({
      ...judging,
      tools: [look],
      asks: ["Look.", "Again."],
      script: [
        call("look"),
        ...[{ text: "Seen." }, verdict({ rule: "R-KNOWN-UNKNOWNS", why: "What failed?" }), { text: "Seen!" }],
        ...[{ text: "Seen again." }, verdict()],
      ],
    });
    expect(played.results.map(({ text }) => text)).toEqual(["Seen!", "Seen again."]);
    expect(played.rows.filter(({ type }) => type === "judgement")).toHaveLength(2);
  });

  it("is nobody by default", async () => {
    const played = await play({ asks: ["Name it."], script: [{ text: "1921." }] });
    expect(played.rows.some(({ type }) => type === "judgement")).toBe(false);
    expect(played.requests).toHaveLength(1);
  });

  it("costs what its answers cost, and an answer that is none holds up nothing", async () => {
    const usage = { inputTokens: 5, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0.5 };
    const played = await play({
      ...judging,
      asks: ["Name it."],
      script: [{ text: "1921." }, { text: "I like it.", usage }],
    });
    expect(played.results[0]).toMatchObject({ text: "1921.", usage: { costUsd: 0.5 } });
    expect(played.rows.find(({ type }) => type === "judgement")).toMatchObject({
      ...{ broken: [], unheard: "its answer was no verdict" },
    });
  });

  it("is heard from the log and from the tape in a replay, and asked by nobody", async () => {
    const taped = new Taped([], { ruleJudge: true });
    const { agent, close } = await taped.open([
      { text: "1921." },
      verdict({ rule: "R-SOURCE-TIER", why: "Who says so?" }),
      { text: "1921, says the plaque." },
    ]);
    await agent.send("Name the year.");
    await close();
    const rows = taped.rows();
    expect(rows.filter(({ type }) => type === "judgement")).toHaveLength(1);
    expect(await taped.replayLog(rows)).toEqual({ rows: rows.length });
  });

  it("is not asked again where a process died right after its verdict, and the answer goes back all the same", async () => {
    const workspace = newFolder();
    const script = [{ text: "1921." }, verdict({ rule: "R-SOURCE-TIER", why: "Who?" }), { text: "1921!" }];
    const config = { ruleJudge: true };
    const first = await testAgent({ script, workspace, config, more: { newSession: "s-1" } });
    await first.agent.send("Name the year.");
    await first.agent.close();
    const path = sessionPath(workspace, "s-1");
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const types = lines.map((line) => (JSON.parse(line) as SessionRow).type);
    writeFileSync(path, `${lines.slice(0, types.indexOf("judgement") + 1).join("\n")}\n`);
    const { agent, requests } = await testAgent({
      script: [{ text: "1921, again." }],
      workspace,
      config,
      session: "s-1",
    });
    expect((await agent.resume())?.text).toBe("1921, again.");
    expect(JSON.stringify(requests[0]?.messages)).toContain("[REVISE]");
    await agent.close();
  });
});

describe("what a person ruled out", () => {
  const write = testTool("write_file", ({ path }) => `wrote ${String(path)}`, {
    intent: ({ path }) => ({
      ...{ key: `write ${String(path)}`, repeat: "run", risk: "safe", says: "write" },
      changes: [String(path)],
    }),
  });
  const kept: (readonly string[])[] = [];
  const shell = testTool("run_shell", () => "", {
    intent: ({ needs, command }) => ({
      ...{ key: `run ${String(command)}`, repeat: "run", risk: "safe", says: "run" },
      needs: needs === undefined ? "read" : (String(needs) as "read"),
    }),
    run: async (_args, { keep = [] }) => {
      kept.push(keep);
      return { ok: true, text: "exit=0" };
    },
  });
  const rowsIn = (workspace: string) =>
    readFileSync(sessionPath(workspace, "s-1"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as SessionRow);
  const codes = (rows: readonly SessionRow[]) =>
    rows.flatMap((row) => (row.type === "tool_result" ? [row.code ?? "ok"] : []));

  it("holds in every send, for paths, globs, tools and what commands need, also after a resume, and replays", async () => {
    const taped = new Taped([write, shell], { yolo: true });
    const first = await taped.open([
      call("write_file", { path: "keep/a" }),
      call("write_file", { path: "keep-not/a" }),
      { text: "Done: keep-not/a." },
    ]);
    first.agent.commit({ paths: ["keep/", "*.lock"] });
    await first.agent.send("Write.");
    first.agent.commit({ needs: ["network"] });
    await first.close(false);
    const second = await taped.open([
      call("write_file", { path: "deep/yarn.lock" }),
      call("run_shell", { command: "curl x", needs: "host" }),
      call("run_shell", { command: "make", needs: "write" }),
      { text: "Done, but for deep/yarn.lock." },
    ]);
    await second.agent.send("Go on.");
    await second.close(false);
    const rows = taped.rows();
    expect(codes(rows)).toEqual(["commitment_broken", "ok", "commitment_broken", "commitment_broken", "ok"]);
    expect(kept).toEqual([["keep/", "*.lock"]]);
    expect(rows.filter(({ type }) => type === "commitment")).toMatchObject([
      { from: "person", text: "keep/, *.lock stays as it is", paths: ["keep/", "*.lock"] },
      { from: "person", needs: ["network"] },
    ]);
    expect(await taped.replayLog(rows)).toEqual({ rows: rows.length });
  });

  it("holds from the moment in which it is said", async () => {
    const script = [
      call("write_file", { path: "a" }),
      call("write_file", { path: "a" }),
      { text: "Done: a." },
    ];
    const agents: Awaited<ReturnType<typeof testAgent>>[] = [];
    const says = testTool(
      "write_file",
      () => {
        agents[0]?.agent.commit({ paths: ["a"] });
        return "wrote";
      },
      { intent: write.intent },
    );
    const opened = await testAgent({ script, tools: [says], more: { newSession: "s-1" } });
    agents.push(opened);
    await opened.agent.send("Write it twice.");
    await opened.agent.close();
    expect(codes(rowsIn(opened.workspace))).toEqual(["ok", "commitment_broken"]);
  });

  it("is said by the project itself in the `keep:` list of its AGENTS.md, and no other file can", async () => {
    const text = '# Rules\n\nkeep:\n- migrations/\n- "*.lock"\n\nBe kind.\n';
    for (const [from, expected] of [
      ["AGENTS.md", ["commitment_broken", "ok"]],
      ["issue i-1", ["ok", "ok"]],
    ] as const) {
      const workspace = newFolder();
      const { call: model } = scriptedModel([
        call("write_file", { path: "migrations/1.sql" }),
        call("write_file", { path: "src/a" }),
        { text: "Wrote src/a." },
      ]);
      const { agent } = await testAgent({
        ...{ script: model, tools: [write], workspace },
        more: { newSession: "s-1", instructions: [{ from, text }] },
      });
      await agent.send("Write.");
      await agent.close();
      expect(codes(rowsIn(workspace))).toEqual(expected);
    }
  });
});
