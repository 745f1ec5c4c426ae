/**
 * An agent in a folder, with everything that a command gives it: the model that
 * was chosen, the standard tools, what the project says, and the secrets that
 * nobody may see.
 */
import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import {
  type Agent,
  type AgentConfig,
  type AgentEvent,
  type Approver,
  openAgent,
  readAgentConfig,
  type Speaking,
} from "@bridle/agent";
import { type ModelChoice, type ModelSettings, openModels, readCatalog, type Secrets } from "@bridle/model";
import type { Call } from "@bridle/operation";
import { codeOf, Failure, isRefusal } from "@bridle/record";
import { standardTools } from "@bridle/tools";
import { loadManifest } from "../manifest/load.js";
import { childIssues } from "./child-issues.js";
import { findSession } from "./sessions.js";
import { recordTape, replayTape, type Tape } from "./tape.js";
import { workspaceOf } from "./workspace.js";

/** What nobody says anything about. */
const contextTokensUsual = 128_000;
const textBytesMax = 1_000_000;

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
  readonly workspace: string;
  readonly config: AgentConfig;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly call: Call;
  readonly flags: AgentFlags;
  readonly approver?: Approver;
  onEvent(event: AgentEvent): void | Promise<void>;
  notice(sentence: string): void;
  readonly instructions?: readonly { readonly from: string; readonly text: string }[];
  readonly declaredPaths?: readonly string[];
  /** The issue that is worked on. */
  readonly issue?: { readonly id: string; readonly fence?: number };
}

export async function openConversation(options: OpenOptions): Promise<OpenedAgent> {
  const { call, flags, approver, onEvent, notice, declaredPaths } = options;
  const { ports, env } = call;
  const config = configOf(call, flags);
  const workspace = await workspaceOf(call, flags);
  const { speaking, fast, secrets, tape } = await speakerOf(call, flags);
  const session = flags.resume === undefined ? undefined : await findSession(flags.resume, workspace, ports);
  const newSession = `s-${await ports.ids.next()}`;
  const { tools } = await standardTools({
    root: workspace,
    session: session ?? newSession,
    ports,
    env,
    config,
  });
  const persona = flags.persona === undefined ? undefined : await personaOf(flags.persona, call);
  const agents = await textAt(join(workspace, "AGENTS.md"), call);
  const instructions = [
    ...(agents === undefined ? [] : [{ from: "AGENTS.md", text: agents }]),
    ...(options.instructions ?? []),
  ];
  const issues = await childIssues({
    call,
    notice,
    ...(options.issue === undefined ? {} : { parent: options.issue }),
  });
  const agent = await openAgent({
    ports,
    workspace,
    main: speaking,
    ...(fast === undefined ? {} : { fast }),
    tools,
    config,
    world: {
      osUser: osUser(env),
      workspace,
      harness: { name: "Bridle", version: loadManifest().version },
      os: `${process.platform} ${process.arch}`,
    },
    ...(persona === undefined ? {} : { persona }),
    instructions,
    secrets,
    onEvent,
    notice,
    ...(session === undefined ? { newSession } : { session }),
    ...(approver === undefined ? {} : { approver }),
    ...(declaredPaths === undefined ? {} : { declaredPaths }),
    ...(issues === undefined ? {} : { issues }),
  });
  return {
    agent,
    model: speaking.model,
    workspace,
    config,
    async close() {
      await agent.close();
      await tape?.close({ session: agent.id, requests: agent.conversation.requests });
    },
  };
}

function configOf({ env }: Call, { yolo, maxRounds, maxCost }: AgentFlags): AgentConfig {
  return {
    ...readAgentConfig(env),
    ...(yolo === true ? { yolo } : {}),
    ...(maxRounds === undefined ? {} : { roundsMax: maxRounds }),
    ...(maxCost === undefined ? {} : { costMaxUsd: maxCost }),
  };
}

interface Speaker {
  readonly speaking: Speaking;
  readonly fast?: Speaking;
  readonly secrets: Secrets;
  readonly tape?: Tape;
}

async function speakerOf(call: Call, { model, tape, fromTape }: AgentFlags): Promise<Speaker> {
  const { ports, env, cwd, signal } = call;
  const at = (path: string) => (isAbsolute(path) ? path : join(cwd, path));
  const place = { env, cwd, ports, signal };
  const opened = await openModels({ ...place, ...(model === undefined ? {} : { flags: { model } }) });
  if (isRefusal(opened)) throw new Failure(opened.refused, { ...opened, hint: modelHint(opened.hint) });
  const { main, fast, secrets, settings, keys } = opened;
  // Better now than in the middle of the first answer.
  if (fromTape === undefined) await keys.keyFor(main);
  const taped =
    fromTape !== undefined
      ? await replayTape({ path: at(fromTape), ports, secrets })
      : tape === undefined
        ? undefined
        : await recordTape(opened.call, { path: at(tape), ports, secrets });
  const speak = async (choice: ModelChoice): Promise<Speaking> => ({
    call: taped?.call ?? opened.call,
    model: choice.ref,
    contextTokens: choice.contextTokens ?? (await knownContext(choice, settings)) ?? contextTokensUsual,
  });
  return {
    speaking: await speak(main),
    ...(fast.ref === main.ref ? {} : { fast: await speak(fast) }),
    secrets,
    ...(taped === undefined ? {} : { tape: taped }),
  };
}

/** A server of one's own is in no table, and reading it takes a while. */
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

/** A file where there is one of that name, and the words themselves otherwise. */
async function personaOf(given: string, call: Call): Promise<string> {
  if (/\n/.test(given) || given.length > 1000) return given;
  return (await textAt(isAbsolute(given) ? given : join(call.cwd, given), call)) ?? given;
}

/** Undefined where there is no such file. */
async function textAt(path: string, { ports }: Call): Promise<string | undefined> {
  try {
    if ((await ports.files.stat(path))?.kind !== "file") return undefined;
    const file = await ports.files.open(path, "read");
    try {
      return Buffer.from(await file.read(0, textBytesMax)).toString("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(codeOf(error) ?? "")) return undefined;
    throw new Failure("file_unreadable", {
      message: `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
}

function osUser(env: Call["env"]): string {
  try {
    return userInfo().username;
  } catch {
    return env["USER"] ?? "unknown";
  }
}
