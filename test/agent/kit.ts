/**
 * Whole agents with real file tools, for the proofs of this folder: a model that
 * answers by a function, a clock that stands still, rows read back from the disk.
 */
import { readFileSync } from "node:fs";
import {
  type AgentConfig,
  type Approver,
  type OpenOptions,
  sessionPath,
  type SessionRow,
} from "@bridle/agent";
import { type ModelCall, type ModelRequest, scriptedModel, type ScriptedAnswer } from "@bridle/model";
import { nodePorts, type Ports } from "@bridle/record";
import { VirtualClock } from "@bridle/testing";
import { standardTools } from "@bridle/tools";
import type { AgentTool } from "@bridle/agent";
import { testAgent } from "../support/agent.js";
import { newFastFolder } from "../support/folder.js";

/** Real files; time passes only where a test lets it. */
export function stillPorts(clock = new VirtualClock()): Ports {
  return { ...nodePorts(), clock };
}

/** A model that looks at each request. The index counts requests from 0. */
export function thinkingModel(
  answer: (request: ModelRequest, index: number) => ScriptedAnswer,
  seen: ModelRequest[] = [],
): ModelCall {
  return (request, options) => {
    const index = seen.push(request) - 1;
    return scriptedModel([answer(request, index)]).call(request, options);
  };
}

export interface FileAgentOptions {
  readonly call: ModelCall;
  readonly config?: Partial<AgentConfig>;
  readonly folder?: string;
  readonly session?: string;
  readonly newSession?: string;
  readonly ports?: Ports;
  readonly approver?: Approver;
  readonly tools?: readonly AgentTool[];
  readonly more?: Partial<OpenOptions>;
}

/** Writes need no yes unless there is an approver. */
export async function fileAgent(options: FileAgentOptions) {
  const { call, folder = newFastFolder(), ports = stillPorts(), tools = [] } = options;
  const id = options.session ?? options.newSession ?? "s-1";
  const config = {
    ...(options.approver === undefined ? { autoApproveTools: ["write_file", "edit_file"] } : {}),
    ...options.config,
  };
  const standard = await standardTools({
    root: folder,
    session: id,
    env: { PATH: process.env["PATH"] },
    ports,
    config: { writeStreamSink: true, writeStreamSinkMinChars: 8_000, ...config },
  });
  const made = await testAgent({
    script: call,
    tools: [...standard.tools, ...tools],
    config,
    workspace: folder,
    ports,
    ...(options.session === undefined ? {} : { session: options.session }),
    ...(options.approver === undefined ? {} : { approver: options.approver }),
    more: { newSession: id, ...options.more },
  });
  return { ...made, folder, id };
}

export function rowsOf(workspace: string, id: string): SessionRow[] {
  return linesOf(workspace, id).map((line) => JSON.parse(line) as SessionRow);
}

export function linesOf(workspace: string, id: string): string[] {
  return readFileSync(sessionPath(workspace, id), "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

export function textOf(message: ModelRequest["messages"][number] | undefined): string {
  return (message?.content ?? []).map((part) => (part.kind === "text" ? part.text : "")).join("");
}

/** So many of them, spread evenly, the first and the last among them. */
export function spread<Item>(all: readonly Item[], count: number): Item[] {
  if (count >= all.length) return [...all];
  return Array.from(
    { length: count },
    (_, i) => all[Math.floor((i * (all.length - 1)) / (count - 1))] as Item,
  );
}
