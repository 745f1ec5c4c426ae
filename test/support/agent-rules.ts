/**
 * Whole sends of an agent with real file tools and a scripted model, and what they
 * left behind: what the model was told, the rows of the session, the counts of rules.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  agentDefaults,
  type AgentConfig,
  type AgentEvent,
  type AgentTool,
  blockHeadings,
  type SendResult,
  sessionPath,
  type SessionRow,
} from "@bridle/agent";
import { type RuleCounts, ruleStatsName } from "@bridle/rules";
import type { ModelRequest, ScriptedAnswer, ScriptedStep } from "@bridle/model";
import { type JsonObject, nodePorts } from "@bridle/record";
import { standardTools } from "@bridle/tools";
import { expect } from "vitest";
import { testAgent, type TestAgentOptions } from "./agent.js";
import { newFastFolder } from "./folder.js";

type Row<Type extends SessionRow["type"]> = Extract<SessionRow, { readonly type: Type }>;

export interface Play {
  /** What the user says, one send each. */
  readonly asks: readonly string[];
  readonly script: readonly ScriptedStep[];
  /** In the workspace before the first send. */
  readonly files?: Readonly<Record<string, string>>;
  /** Beside the file tools and the agent's own. */
  readonly tools?: readonly AgentTool[];
  readonly config?: Partial<AgentConfig>;
  readonly more?: TestAgentOptions["more"];
  readonly folder?: string;
}

export interface Played {
  readonly results: readonly SendResult[];
  readonly requests: readonly ModelRequest[];
  readonly rows: readonly SessionRow[];
  readonly events: readonly AgentEvent[];
  readonly workspace: string;
  /** Of the requests, in order: what stands under the heading of notes. */
  readonly notes: readonly string[];
  /** Of the calls, in order. */
  readonly calls: readonly Row<"tool_result">[];
  readonly violations: readonly Row<"violation">[];
  counts(rule: string): RuleCounts;
  /** Undefined when there is no such file. */
  file(path: string): string | undefined;
}

export async function play({
  asks,
  script,
  files = {},
  tools = [],
  config,
  more,
  folder,
}: Play): Promise<Played> {
  const workspace = folder ?? newFastFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  const settings = { ...agentDefaults, yolo: true, ...config };
  const standard = await standardTools({
    root: workspace,
    session: "s-1",
    ports: nodePorts(),
    env: process.env,
    config: settings,
  });
  const { agent, events, requests, model } = await testAgent({
    script,
    workspace,
    tools: [...standard.tools, ...tools],
    config: { yolo: true, ...config },
    more: { newSession: "s-1", ...more },
  });
  const results: SendResult[] = [];
  for (const ask of asks) results.push(await agent.send(ask));
  await agent.close();
  expect(model?.remaining(), "answers of the script that were not asked for").toBe(0);
  const rows = readFileSync(sessionPath(workspace, agent.id), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as SessionRow);
  return {
    results,
    requests,
    rows,
    events,
    workspace,
    notes: requests.map(({ system = "" }) => system.split(`\n${blockHeadings.notes}\n`)[1] ?? ""),
    calls: rows.filter((row) => row.type === "tool_result"),
    violations: rows.filter((row) => row.type === "violation"),
    counts: (rule) => countsOf(workspace, rule),
    file: (path) =>
      existsSync(join(workspace, path)) ? readFileSync(join(workspace, path), "utf8") : undefined,
  };
}

function countsOf(workspace: string, rule: string): RuleCounts {
  const path = join(workspace, ".bridle/agent", ruleStatsName);
  const { rules } = existsSync(path)
    ? (JSON.parse(readFileSync(path, "utf8")) as { rules: Record<string, RuleCounts> })
    : { rules: {} };
  return rules[rule] ?? { violations: 0, injections: 0, preventions: 0 };
}

/** An answer that calls one tool. */
export function call(name: string, args: JsonObject = {}): ScriptedAnswer {
  return { toolCalls: [{ name, arguments: args }] };
}

/** An answer that calls several, each `[name, arguments]`. */
export function calls(...all: readonly (readonly [string, JsonObject])[]): ScriptedAnswer {
  return { toolCalls: all.map(([name, args]) => ({ name, arguments: args })) };
}

/** Counted once, not prevented, and told to the model in that request and in no other. */
export function expectTold(played: Played, rule: string, request: number): void {
  const found = played.violations.filter((row) => row.rule === rule);
  expect(found.map(({ prevented, told }) => ({ prevented, told }))).toEqual([
    { prevented: false, told: "note" },
  ]);
  expect(played.counts(rule)).toMatchObject({ violations: 1, preventions: 0 });
  const told = played.notes.map((note) => note.includes(`[${rule}] `));
  expect(told).toEqual(played.notes.map((_, index) => index === request));
}

/** The call with this number did not run, for that rule; it was counted as prevented, and the model was told why. */
export function expectRefused(played: Played, rule: string, number: number): void {
  const row = played.calls[number];
  expect(row).toMatchObject({ ok: false, ran: false, rule });
  expect(row?.text).toContain(`(${rule})`);
  const found = played.violations.filter((violation) => violation.rule === rule);
  expect(found.map(({ prevented, told }) => ({ prevented, told }))).toEqual([
    { prevented: true, told: "refusal" },
  ]);
  expect(played.counts(rule)).toMatchObject({ violations: 1, preventions: 1 });
}

/** The answer before this request was not delivered, for that rule. */
export function expectSentBack(played: Played, rule: string, request: number): void {
  const last = JSON.stringify(played.requests[request]?.messages.at(-1));
  expect(last).toContain("[REVISE]");
  expect(last).toContain(rule);
  const found = played.violations.filter((violation) => violation.rule === rule);
  expect(found.map(({ prevented, told }) => ({ prevented, told }))).toEqual([
    { prevented: true, told: "message" },
  ]);
  expect(played.counts(rule)).toMatchObject({ violations: 1, preventions: 1 });
}

/** The rule was not broken. */
export function expectKept(played: Played, rule: string): void {
  expect(played.violations.filter((violation) => violation.rule === rule)).toEqual([]);
  expect(played.counts(rule)).toMatchObject({ violations: 0 });
}
