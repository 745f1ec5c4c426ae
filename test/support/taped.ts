/** Sessions of an agent on a tape, which may be lived in several processes, and their replay. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  agentDefaults,
  type AgentTool,
  replayAgent,
  replayLog,
  sessionPath,
  type SessionRow,
} from "@bridle/agent";
import { type ModelCall, type ScriptedStep, scriptedModel, TapeRecorder, TapeReplay } from "@bridle/model";
import { nodePorts } from "@bridle/record";
import { VirtualClock } from "@bridle/testing";
import { expect } from "vitest";
import { testAgent, type TestAgentOptions } from "./agent.js";
import { newFolder } from "./folder.js";

export interface ReplayedHow extends Partial<Parameters<typeof replayAgent>[0]> {
  readonly wants?: boolean;
}

export class Taped {
  readonly workspace = newFolder();
  readonly clock = new VirtualClock();
  readonly ports = { ...nodePorts(), clock: this.clock };
  private readonly tape = join(newFolder(), "tape.jsonl");

  constructor(
    readonly tools: readonly AgentTool[],
    readonly config: NonNullable<TestAgentOptions["config"]> = {},
  ) {}

  async open(script: readonly ScriptedStep[] | ModelCall, more: TestAgentOptions["more"] = {}) {
    const recorder = await TapeRecorder.open({ path: this.tape, ports: this.ports });
    const { tools, config, workspace, ports } = this;
    const before = this.rows().length > 0;
    const speaks = typeof script === "function" ? script : scriptedModel(script).call;
    /** Those that spoke in this life. */
    const children = new Set<string>();
    const { agent, events } = await testAgent({
      script: recorder.record((request, options) => {
        if (request.session !== undefined && request.session !== "s-1") children.add(request.session);
        return speaks(request, options);
      }),
      ...{ tools, config, workspace, ports },
      ...(before ? { session: "s-1" } : {}),
      more: { newSession: "s-1", ...more },
    });
    const close = async (last = true) => {
      await agent.close();
      if (last) await recorder.finish("s-1", { place: agent.conversation.requests });
      for (const child of last ? children : []) await recorder.finish(child);
      await recorder.close();
    };
    return { agent, events, close };
  }

  rows(session = "s-1"): SessionRow[] {
    try {
      return readFileSync(sessionPath(this.workspace, session), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as SessionRow);
    } catch {
      return [];
    }
  }

  types(): string[] {
    return this.rows().map((row) => (row.type === "stop" ? `stop ${row.why} ${row.point ?? ""}` : row.type));
  }

  /** What is behind the last row of that type is lost. */
  loseBehind(type: SessionRow["type"]): void {
    const rows = this.rows();
    const kept = rows.slice(0, rows.findLastIndex((row) => row.type === type) + 1);
    writeFileSync(sessionPath(this.workspace, "s-1"), kept.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }

  /** `wants`: whether all that is on the tape of the session must be asked for. */
  async replay({ rows = this.rows(), wants = true, ...more }: ReplayedHow = {}) {
    const { workspace, tools } = this;
    const replay = await TapeReplay.open({ path: this.tape, ports: nodePorts() });
    const replayed = await replayAgent({
      ...{ ports: nodePorts(), workspace, tools, rows },
      main: { call: replay.call, model: "script/one", contextTokens: 200_000 },
      config: { ...agentDefaults, toolLazy: false, reflexionSemantic: false, ...this.config },
      world: { osUser: "ada", workspace, harness: { name: "Bridle", version: "0.0.0" }, os: "test" },
      ...more,
    });
    const [session] = rows;
    if (wants && session?.type === "session") replay.finish(session.id);
    return replayed;
  }

  /** Without the tape. */
  replayLog(rows = this.rows()) {
    return replayLog({ ports: nodePorts(), rows, toolsFor: () => this.tools });
  }

  async comesOutTheSame(): Promise<void> {
    expect(await this.replay()).toEqual({ rows: this.rows().length });
    expect(await this.replayLog()).toEqual({ rows: this.rows().length });
  }
}
