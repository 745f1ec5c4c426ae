import { rmSync } from "node:fs";
import { scriptedModel, type ScriptedStep } from "@bridle/model";
import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { testTool } from "../../../../test/support/agent.js";
import { rejectsWith } from "../../../../test/support/failure.js";
import { Taped } from "../../../../test/support/taped.js";
import { agentDefaults } from "../config/table.js";
import { replayLog } from "./replay-log.js";
import type { SessionRow } from "../session/rows.js";
import type { AgentOptions, AgentTool, Approver, Intent } from "../types.js";

const call = (name: string, args: object = {}) => ({ toolCalls: [{ name, arguments: args as never }] });
const look = testTool("look", ({ n }) => `saw ${String(n)} ${"and more of it ".repeat(60)}`);

async function lived(
  taped: Taped,
  script: readonly ScriptedStep[],
  more: Partial<AgentOptions> = {},
): Promise<SessionRow[]> {
  const { agent, close } = await taped.open(script, more);
  await agent.send("go");
  await close(false);
  return taped.rows();
}

/** What its calls are after depends on something outside, as on a file that is there or not. */
function fickle(outside: { now: Partial<Intent> }): AgentTool {
  return testTool("touch", ({ n }) => `touched ${String(n)}`, {
    intent: (args) => ({
      ...{
        key: `touch ${JSON.stringify(args)}`,
        repeat: "run",
        risk: "safe",
        says: `touch ${String(args["n"])}`,
      },
      ...outside.now,
    }),
  });
}

const link = { code: "path_link", because: "it is a link", remedy: "Name a file" };
const intents: readonly Partial<Intent>[] = [
  {},
  { changes: ["a"] },
  { changes: ["a"], risk: "cautious" },
  { risk: "destructive" },
  { forbidden: link },
  { forbidden: link, changes: ["a"], risk: "destructive" },
];

describe("a replay from the log alone", () => {
  it("does not depend on what tools find outside: a call is forbidden, asked for and announced as it was", async () => {
    const approver: Approver = async ({ args }) => {
      if (args["n"] === 1) return { decision: "approve" };
      return args["n"] === 2 ? { decision: "reject", reason: "no" } : { decision: "edit", args: { n: 4 } };
    };
    for (const then of intents) {
      const outside = { now: then };
      const taped = new Taped([fickle(outside)]);
      const toolCalls = [1, 2, 3].map((n) => ({ name: "touch", arguments: { n } }));
      const rows = await lived(taped, [{ toolCalls }, { text: "Done." }], { approver });
      const marks = rows.flatMap((row) => (row.type === "tool_result" ? [row.forbidden] : []));
      expect(marks).toEqual(Array(3).fill(then.forbidden === undefined ? undefined : true));
      rmSync(taped.workspace, { recursive: true });
      for (const now of intents) {
        outside.now = now;
        expect(await taped.replayLog(rows)).toEqual({ rows: rows.length });
      }
    }
  });

  it("of an edited call that is forbidden asks first and refuses then", async () => {
    const touch = testTool("touch", () => "touched", {
      intent: ({ n }) => ({
        ...{ key: `touch ${String(n)}`, repeat: "run", risk: "cautious", says: "touch" },
        ...(n === 2 ? { forbidden: link } : {}),
      }),
    });
    const taped = new Taped([touch]);
    const approver: Approver = async () => ({ decision: "edit", args: { n: 2 } });
    const rows = await lived(taped, [call("touch", { n: 1 }), { text: "No." }], { approver });
    expect(rows.filter(({ type }) => type === "approval")).toHaveLength(1);
    expect(rows.find((row) => row.type === "tool_result")).toMatchObject({ forbidden: true, args: { n: 2 } });
    expect(await taped.replayLog(rows)).toEqual({ rows: rows.length });
  });

  it("opens an agent anew where somebody went on under something else, with other bounds, window and prompt", async () => {
    const looks = [1, 2, 3, 4, 5, 6].map((n) => call("look", { n }));
    const taped = new Taped([look], { roundsMax: 5 });
    await lived(taped, [...looks.slice(0, 5), { text: "As far as I got." }]);
    const { call: speaks } = scriptedModel([...looks, { text: "All seen." }]);
    const config = { ...agentDefaults, reflexionSemantic: false, compressAtPercent: 50, hotRounds: 1 };
    const rows = await lived(taped, [], {
      ...{ config, persona: "You speak in rhymes. ".repeat(100) },
      main: { call: speaks, model: "script/small", contextTokens: 9_000 },
      declaredPaths: ["src/a.ts"],
      commitments: [{ text: "no network", paths: [], tools: [], needs: ["network"] }],
    });
    const types = rows.map(({ type }) => type);
    expect(types.indexOf("compacted")).toBeGreaterThan(types.indexOf("end"));
    expect(rows.filter((row) => row.type === "end").map(({ reason }) => reason)).toEqual(["round_cap", "ok"]);
    expect(await taped.replayLog(rows)).toEqual({ rows: rows.length });
    // How full the context was is heard from the log: tools that are described at more length change nothing.
    const second = rows.findLastIndex((row) => "under" in row);
    const { under, ...send } = rows[second] as { under: object } & SessionRow;
    const other = { ...send, under: { ...under, promptTokens: 1 } };
    const again = rows.with(second, other as SessionRow);
    expect(await taped.replayLog(again)).toEqual({ rows: rows.length });
  });

  it("names the first row that comes out otherwise, and goes no further", async () => {
    const taped = new Taped([look]);
    const rows = await lived(taped, [call("look", { n: 1 }), call("look", { n: 2 }), { text: "Seen." }]);
    const at = (type: SessionRow["type"]) => rows.findIndex((row) => row.type === type);
    const changed = (row: number, change: object) =>
      taped.replayLog(rows.with(row, { ...(rows[row] as SessionRow), ...change } as SessionRow));
    for (const [type, change, path] of [
      ["state_view", { viewDigest: "sha256:0" }, "viewDigest"],
      ["tool_result", { text: "something else" }, "digest"],
      ["tool_use", { uses: [] }, "uses.0"],
      ["end", { toolCalls: 7 }, "toolCalls"],
      ["end", { more: 1 }, "more"],
    ] as const) {
      const { difference, rows: count } = await changed(at(type), change);
      expect([difference?.row, difference?.type, difference?.path]).toEqual([at(type) + 1, type, path]);
      expect(count).toBe(at(type) + 1);
    }
    const answer = at("assistant");
    const withoutAnswer = rows.toSpliced(answer, 1);
    expect((await taped.replayLog(withoutAnswer)).difference).toMatchObject({
      ...{ row: answer + 1, type: "tool_result", path: "(the row)", again: undefined },
      because: expect.stringContaining("the answer to the request") as string,
    });
  });

  it("refuses a log that does not say what it went under, one of a tool that is not there, and rows that are none", async () => {
    const taped = new Taped([look]);
    const [head, ...rest] = (await lived(taped, [{ text: "Hello." }])) as [SessionRow & { under: object }];
    const { under: _under, ...old } = head;
    await rejectsWith("session_unreplayable", taped.replayLog([old as SessionRow, ...rest]));
    const without = replayLog({ ports: nodePorts(), rows: [head, ...rest], toolsFor: () => [] });
    const { message } = await rejectsWith("session_unreplayable", without);
    expect(message).toContain('a tool "look", which is not there');
    await rejectsWith("session_damaged", taped.replayLog([]));
    const odd = rest.map((row: SessionRow) => (row.type === "assistant" ? { ...row, message: 5 } : row));
    const damaged = await rejectsWith("session_damaged", taped.replayLog([head, ...(odd as SessionRow[])]));
    expect(damaged.message).toMatch(/^row 6 cannot be carried out again/);
  });

  it("refuses a log of 0.1.0 in which something followed from words, and names the version; it can be gone on with", async () => {
    const shell = testTool("run_shell", () => "exit=0");
    const taped = new Taped([look, shell]);
    const rows = await lived(taped, [
      call("plan", { steps: ["look"], commitments: [{ text: "no pushes" }] }),
      ...[call("run_shell", { command: "ls" }), call("look", { n: 1 }), { text: "Seen." }],
    ]);
    expect(await taped.replayLog(rows)).toEqual({ rows: rows.length });
    const aged = (kept: (row: SessionRow) => boolean) =>
      rows.filter(kept).map((row) => {
        if (!("under" in row) || row.under === undefined) return row;
        const { rules: _rules, ...under } = row.under;
        return { ...row, under, ...(row.type === "session" ? { harness: "Bridle 0.1.0" } : {}) };
      });
    const isOf = (tool: string) => (row: SessionRow) => row.type === "tool_result" && row.tool === tool;
    const finding: SessionRow = {
      type: "violation",
      ...{ send: 1, round: 1, rule: "R-SEQ-SETUP", what: "w", remedy: "r", prevented: false },
      told: "note",
    };
    for (const [old, what] of [
      [aged((row) => !isOf("plan")(row)), "the result of a command"],
      [aged((row) => !isOf("run_shell")(row)), "of a commitment in words"],
      [
        [...aged((row) => !isOf("plan")(row) && !isOf("run_shell")(row)), finding],
        "a finding of R-SEQ-SETUP",
      ],
    ] as const) {
      const { message } = await rejectsWith("session_unreplayable", taped.replayLog([...old]));
      expect(message).toContain(what);
      expect(message).toContain("recorded by Bridle 0.1.0");
    }
  });

  it("is given up when somebody says so", async () => {
    const taped = new Taped([look]);
    const rows = await lived(taped, [call("look", { n: 1 }), { text: "Seen." }]);
    const options = { ports: nodePorts(), rows, toolsFor: () => [look] };
    await rejectsWith("aborted", replayLog({ ...options, signal: AbortSignal.abort() }));
  });
});
