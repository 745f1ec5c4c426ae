/**
 * An agent in a folder, with everything that a person or a program gives it: the
 * model that was chosen, the tools, what the project says, and the secrets that
 * nobody may see. Command line and web page open their agents here.
 *
 * What a newcomer gets wrong: tools, operations and what only a program's edge may
 * ask the machine are handed in (`Surroundings`); this room knows none of them.
 */
import { join, resolve } from "node:path";
import {
  configFolder,
  type ModelChoice,
  type ModelSettings,
  openModels,
  readCatalog,
  type Secrets,
} from "@bridle/model";
import type { Call } from "@bridle/operation";
import { Failure, isRefusal, present } from "@bridle/record";
import { AllowList, withAllowList } from "../allow/allow.js";
import { type CallOperation, childIssues } from "../children/issues.js";
import { type AgentConfig, readAgentConfig } from "../config/table.js";
import { openAgent } from "../open.js";
import { findSession } from "../session/sessions.js";
import type { Agent } from "../turn/agent.js";
import type { AgentEvent, AgentTool, Approver, Speaking, World } from "../types.js";
import { recordTape, replayTape, type Tape } from "./tape.js";
import { personaOf, projectText } from "./texts.js";
import { workspaceOf } from "./workspace.js";

/** Of a model whose context window is in no table. */
const contextTokensUsual = 128_000;

export interface AgentFlags {
  readonly workspace?: string;
  readonly model?: string;
  readonly resume?: string;
  readonly persona?: string;
  readonly tape?: string;
  readonly fromTape?: string;
  readonly yolo?: boolean;
  readonly maxRounds?: number;
  readonly maxCost?: number;
}

export interface OpenedAgent {
  readonly agent: Agent;
  readonly model: string;
  /** Whose usual model it is, where nobody named one. */
  readonly defaultOf?: string;
  readonly workspace: string;
  readonly config: AgentConfig;
  /** Commands that the person always allows in this folder. */
  readonly allowed: AllowList;
  close(): Promise<void>;
}

/** What the program that opens an agent hands in. */
export interface Surroundings {
  readonly harness: World["harness"];
  /** The machine, as the model is told: who is logged in, and which system it is. */
  readonly osUser: string;
  readonly os: string;
  /** For a session in that folder. */
  tools(of: {
    readonly root: string;
    readonly session: string;
    readonly config: AgentConfig;
  }): Promise<readonly AgentTool[]>;
  readonly operations: SessionOperations;
}

/**
 * Operations of other rooms, called for one session. Nothing that its model sets off is done in a
 * person's name: changes stand on a lane of the session, which is there from `open` to `close`.
 */
export interface SessionOperations {
  readonly call: CallOperation;
  open(of: { readonly session: string; notice(sentence: string): void }): Promise<void>;
  close(): Promise<void>;
}

export interface ConversationOptions {
  readonly call: Call;
  readonly surroundings: Surroundings;
  readonly flags: AgentFlags;
  readonly approver?: Approver;
  onEvent(event: AgentEvent): void | Promise<void>;
  notice(sentence: string): void;
  readonly instructions?: readonly { readonly from: string; readonly text: string }[];
  readonly declaredPaths?: readonly string[];
  /** The issue that is worked on. */
  readonly issue?: { readonly id: string; readonly fence?: number };
}

export async function openConversation(options: ConversationOptions): Promise<OpenedAgent> {
  const { call, flags, surroundings, onEvent, notice, declaredPaths } = options;
  const { ports, env } = call;
  const config = configOf(call, flags);
  const workspace = await workspaceOf(call, flags);
  const { speaking, fast, secrets, tape, defaultOf } = await speakerOf(call, flags);
  const hint = "a message stands before --resume.";
  const session =
    flags.resume === undefined ? undefined : await findSession(flags.resume, { workspace, ports, hint });
  const newSession = `s-${await ports.ids.next()}`;
  const tools = await surroundings.tools({ root: workspace, session: session ?? newSession, config });
  const persona = flags.persona === undefined ? undefined : await personaOf(flags.persona, call);
  const project = await projectText(workspace, call);
  const instructions = [...(project === undefined ? [] : [project]), ...(options.instructions ?? [])];
  const issues = await childIssues({
    ...{ call, notice, callOperation: surroundings.operations.call },
    ...present({ parent: options.issue }),
  });
  const allowed = await AllowList.open({ ports, path: join(configFolder(env), "allow.json"), workspace });
  const approver = await approverOf(options, allowed);
  const { osUser, os, harness, operations } = surroundings;
  await operations.open({ session: session ?? newSession, notice });
  const agent = await openAgent({
    ...{ ports, workspace, main: speaking, tools, config, instructions, secrets, onEvent, notice },
    world: {
      ...{ osUser, workspace, harness, os },
      ...(env["HOME"]?.startsWith("/") === true ? { home: env["HOME"] } : {}),
    },
    ...(session === undefined ? { newSession } : { session }),
    ...present({ fast, persona, approver, declaredPaths, issues }),
  }).catch(async (error: unknown) => {
    await operations.close();
    throw error;
  });
  return {
    ...{ agent, model: speaking.model, workspace, config, allowed },
    ...present({ defaultOf }),
    async close() {
      try {
        await agent.close();
        await tape?.close({ session: agent.id, requests: agent.conversation.requests });
      } finally {
        await operations.close();
      }
    },
  };
}

/** Whoever is there, asked about what is not always allowed; nobody where there is neither. */
async function approverOf(
  { approver }: ConversationOptions,
  allowed: AllowList,
): Promise<Approver | undefined> {
  const isNobody = approver === undefined && (await allowed.rules()).length === 0;
  return isNobody ? undefined : withAllowList(approver, allowed);
}

function configOf({ env }: Call, { yolo, maxRounds, maxCost }: AgentFlags): AgentConfig {
  return {
    ...readAgentConfig(env),
    ...(yolo === true ? { yolo } : {}),
    ...present({ roundsMax: maxRounds, costMaxUsd: maxCost }),
  };
}

interface Speaker {
  readonly speaking: Speaking;
  readonly fast?: Speaking;
  readonly secrets: Secrets;
  readonly tape?: Tape;
  /** Whose usual model it is, where nobody named one. */
  readonly defaultOf?: string;
}

async function speakerOf(call: Call, { model, tape, fromTape }: AgentFlags): Promise<Speaker> {
  const { ports, env, cwd, signal } = call;
  const place = { env, cwd, ports, signal };
  const opened = await openModels({ ...place, ...(model === undefined ? {} : { flags: { model } }) });
  if (isRefusal(opened)) throw new Failure(opened.refused, { ...opened, hint: modelHint(opened.hint) });
  const { main, fast, secrets, settings, keys } = opened;
  // A key that is missing is said now, not in the middle of the first answer.
  if (fromTape === undefined) await keys.keyFor(main);
  const taped =
    fromTape !== undefined
      ? await replayTape({ path: resolve(cwd, fromTape), ports, secrets })
      : tape === undefined
        ? undefined
        : await recordTape(opened.call, { path: resolve(cwd, tape), ports, secrets });
  const speak = async (choice: ModelChoice): Promise<Speaking> => ({
    call: taped?.call ?? opened.call,
    model: choice.ref,
    contextTokens: choice.contextTokens ?? (await knownContext(choice, settings)) ?? contextTokensUsual,
  });
  return {
    speaking: await speak(main),
    ...(fast.ref === main.ref ? {} : { fast: await speak(fast) }),
    secrets,
    ...(opened.byDefault === true ? { defaultOf: main.provider } : {}),
    ...present({ tape: taped }),
  };
}

/** Read from the catalog, which takes a while and knows nothing of servers with an address of their own. */
async function knownContext(
  { ref, baseUrl }: ModelChoice,
  settings: ModelSettings,
): Promise<number | undefined> {
  if (baseUrl !== undefined) return undefined;
  return (await readCatalog(settings)).find((entry) => entry.ref === ref)?.contextTokens;
}

function modelHint(hint: string | undefined): string {
  const keys = "Keys come from the provider's variable, such as OPENAI_API_KEY, or `bridle login codex`.";
  return hint === undefined ? keys : `${hint} ${keys}`;
}
