/** Agents from outside: a conversation, a worker's step, and either of them again. */
import type { Operation } from "@bridle/operation";
import { agentReplayOperation } from "./agent-replay.js";
import { agentRunOperation } from "./agent-run.js";
import { chatOperation } from "./chat.js";

const streams = async () => (await import("./process-streams.js")).processStreams();

export const operations: readonly Operation[] = [
  chatOperation(streams),
  agentRunOperation(streams),
  agentReplayOperation,
];
