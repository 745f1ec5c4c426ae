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
import { type AskTrust, changedSinceRecorded, type Extensions, openExtensions } from "@bridle/extensions";
import { standardTools } from "@bridle/tools";
import { loadManifest } from "../manifest/load.js";
import { runOf } from "../standing.js";
import { sessionOperations } from "./operations.js";

export type { AgentFlags, OpenedAgent } from "@bridle/agent";

export interface OpenOptions extends Omit<ConversationOptions, "surroundings"> {
  /** What was called for the session before it was there; without it the session begins its own. */
  readonly operations?: SessionOperations;
  /** Who is asked about what would be started outside the wall; nobody when left out. */
  readonly askTrust?: AskTrust;
}

export async function openConversation(options: OpenOptions): Promise<OpenedAgent> {
  const made: { extensions?: Extensions } = {};
  const close = async () => made.extensions?.close();
  try {
    const opened = await openIn({ ...options, surroundings: surroundingsOf(options, made) });
    return { ...opened, close: () => opened.close().finally(close) };
  } catch (error) {
    await close();
    throw error;
  }
}

function surroundingsOf(options: OpenOptions, made: { extensions?: Extensions }): Surroundings {
  const { call, notice, askTrust: ask } = options;
  const { ports, env, signal } = call;
  return {
    harness: harness(),
    osUser: osUser(env),
    os: osName(),
    async tools(of) {
      const { root, session } = of;
      // Whatever the tools start says what it is a part of.
      const standard = await standardTools({
        ...of,
        ports,
        env: { ...env, BRIDLE_RUN: runOf(env) ?? session },
      });
      const extensions = await openExtensions({
        ...{ root, env, ports, signal, notice },
        ...(ask === undefined ? {} : { ask }),
      });
      made.extensions = extensions;
      const changed = await changedSinceRecorded(extensions, { root, session, ports });
      if (changed !== undefined) notice(changed);
      return [...standard.tools, ...extensions.tools];
    },
    operations: options.operations ?? sessionOperations(call),
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
