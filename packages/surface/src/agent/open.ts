/** What the command line hands to an agent: the standard tools, the operations of this program, this machine. */
import { userInfo } from "node:os";
import {
  type ConversationOptions,
  type OpenedAgent,
  openConversation as openIn,
  type SessionOperations,
  type Surroundings,
} from "@bridle/agent";
import type { Call } from "@bridle/operation";
import { standardTools } from "@bridle/tools";
import { loadManifest } from "../manifest/load.js";
import { runOf } from "../standing.js";
import { sessionOperations } from "./operations.js";

export type { AgentFlags, OpenedAgent } from "@bridle/agent";

export interface OpenOptions extends Omit<ConversationOptions, "surroundings"> {
  /** What was called for the session before it was there; without it the session begins its own. */
  readonly operations?: SessionOperations;
}

export function openConversation({ operations, ...options }: OpenOptions): Promise<OpenedAgent> {
  const { call } = options;
  return openIn({ ...options, surroundings: surroundingsOf(call, operations ?? sessionOperations(call)) });
}

function surroundingsOf({ ports, env }: Call, operations: SessionOperations): Surroundings {
  return {
    harness: harness(),
    osUser: osUser(env),
    os: osName(),
    // Whatever the tools start says what it is a part of.
    tools: async (of) =>
      (await standardTools({ ...of, ports, env: { ...env, BRIDLE_RUN: runOf(env) ?? of.session } })).tools,
    operations,
  };
}

export function harness(): Surroundings["harness"] {
  return { name: "Bridle", version: loadManifest().version };
}

export function osName(): string {
  return `${process.platform} ${process.arch}`;
}

function osUser(env: Call["env"]): string {
  try {
    return userInfo().username;
  } catch {
    return env["USER"] ?? "unknown";
  }
}
