/**
 * The settings of a session: model, tools, workspace and configuration, as far as
 * they decide how its sends go and no other row says so.
 *
 * They stand in the row of the session as its member `under`, and again in the row of
 * a send or a resume where somebody resumes it with other flags, another model or
 * another prompt. With them a log replays from itself alone, whatever the folder and
 * the configuration are by then.
 *
 * What a newcomer gets wrong: in a replay the settings come from the log, as time and
 * people do. The agent is opened with them, and the new rows repeat them.
 */
import { Failure, isJsonObject, type JsonObject, present } from "@bridle/record";
import { type AgentConfig, agentDefaults, agentKeys } from "../config/table.js";
import type { AgentOptions, AgentTool, Commitment } from "../types.js";
import type { SessionRow } from "./rows.js";

export type ToolDefinition = Pick<AgentTool, "name" | "family" | "description" | "parameters">;

export interface SessionSettings {
  readonly model: string;
  /** Size of the model's context window. */
  readonly contextTokens: number;
  /** Size of the prompt without its tools, by estimate. A later version may word the prompt otherwise and still replays the log. */
  readonly promptTokens: number;
  readonly osUser: string;
  /** Absolute. */
  readonly workspace: string;
  readonly home?: string;
  /** Names of the tools that it was given; its own tools follow from its configuration. */
  readonly tools: readonly string[];
  /** What those are that are not ours; a replay needs neither their server nor their module. */
  readonly defined?: readonly ToolDefinition[];
  /** 2: its rules go by structure. Logs without it were written before that, by Bridle 0.1.0. */
  readonly rules?: 2;
  /** Where the configuration is not the usual one. */
  readonly settings?: Partial<AgentConfig>;
  readonly declaredPaths?: readonly string[];
  /** What whoever started it had ruled out. */
  readonly commitments?: readonly Commitment[];
}

export function settingsOf(options: AgentOptions, promptTokens: number): SessionSettings {
  const { main, world, tools, config, declaredPaths, commitments = [], secrets } = options;
  const settings = unusual(config);
  const defined = tools.flatMap(({ name, family, description, parameters, foreign }) =>
    foreign === true ? [{ name, family, description, parameters }] : [],
  );
  const stated: SessionSettings = {
    model: main.model,
    contextTokens: main.contextTokens,
    promptTokens,
    osUser: world.osUser,
    workspace: world.workspace,
    ...present({ home: world.home }),
    tools: tools.map(({ name }) => name),
    ...(defined.length === 0 ? {} : { defined }),
    rules: 2,
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    ...present({ declaredPaths }),
    ...(commitments.length === 0 ? {} : { commitments }),
  };
  return (
    (secrets?.hideIn(stated as unknown as JsonObject) as unknown as SessionSettings | undefined) ?? stated
  );
}

/** As the last row states them that does. */
export function lastSettings(rows: readonly SessionRow[]): SessionSettings | undefined {
  for (let at = rows.length - 1; at >= 0; at--) {
    const under = settingsIn(rows[at]);
    if (under !== undefined) return under;
  }
  return undefined;
}

export function settingsIn(row: SessionRow | undefined): SessionSettings | undefined {
  return row !== undefined && "under" in row ? row.under : undefined;
}

export function configOf({ settings }: SessionSettings): AgentConfig {
  return { ...agentDefaults, ...settings };
}

function unusual(config: AgentConfig): Partial<AgentConfig> {
  const names = Object.keys(agentKeys) as (keyof AgentConfig)[];
  const other = names.filter((name) => JSON.stringify(config[name]) !== JSON.stringify(agentDefaults[name]));
  return Object.fromEntries(other.map((name) => [name, config[name]]));
}

/** Checked before an agent is opened with what a log says. */
export function requireSettings(under: unknown): SessionSettings {
  const texts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === "string");
  if (
    isJsonObject(under) &&
    [under["model"], under["osUser"], under["workspace"]].every((each) => typeof each === "string") &&
    [under["contextTokens"], under["promptTokens"]].every((each) => typeof each === "number") &&
    texts(under["tools"]) &&
    (under["settings"] === undefined || isJsonObject(under["settings"]))
  )
    return under as unknown as SessionSettings;
  throw new Failure("session_unreplayable", {
    message: "the log does not say which model, tools and settings the session had",
    hint: "It was recorded by an older version: it can be gone on with, and read, but not replayed from its log alone.",
  });
}
