/** Agents from outside: a conversation, and a worker's step. */
import type { Operation } from "@bridle/operation";
import { agentRunOperation } from "./agent-run.js";
import { chatOperation } from "./chat.js";

const desk = async () => (await import("./desk.js")).processDesk();

export const operations: readonly Operation[] = [chatOperation(desk), agentRunOperation(desk)];
