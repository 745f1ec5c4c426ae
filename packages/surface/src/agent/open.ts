/** What the command line hands to an agent: the standard tools, the operations of this program, this machine. */
import { userInfo } from "node:os";
import {
  type ConversationOptions,
  type OpenedAgent,
  openConversation as openIn,
  type Surroundings,
} from "@bridle/agent";
import type { Call } from "@bridle/operation";
import { standardTools } from "@bridle/tools";
import { loadManifest } from "../manifest/load.js";
import { callOperation } from "../call-operation.js";

export type { AgentFlags, OpenedAgent } from "@bridle/agent";
export type OpenOptions = Omit<ConversationOptions, "surroundings">;

export function openConversation(options: OpenOptions): Promise<OpenedAgent> {
  return openIn({ ...options, surroundings: surroundingsOf(options.call) });
}

function surroundingsOf({ ports, env }: Call): Surroundings {
  return {
    harness: harness(),
    osUser: osUser(env),
    os: osName(),
    tools: async (of) => (await standardTools({ ...of, ports, env })).tools,
    callOperation,
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
