/**
 * Every setting of this room, once: its key, what it may be, what it is when
 * nobody says anything, and what it is for. `bridle config` and the guide are
 * made from this table.
 *
 * What a newcomer gets wrong: 0 is a value. It switches off what it counts, and
 * is never taken for "nothing was said".
 */
import { Failure } from "@bridle/record";

interface Entry<Value> {
  readonly key: string;
  readonly help: string;
  readonly default: Value;
  /** What may stand there, for people. */
  readonly takes: string;
  /** Undefined when the text is no such value. */
  parse(text: string): Value | undefined;
}

export const agentKeys = {
  // Rules.
  ruleRecall: flag("AGENT_RULE_RECALL", true, "Recall the ids of the harness rules in round 2 of a send."),
  reflexionSemantic: flag(
    "AGENT_REFLEXION_SEMANTIC",
    true,
    "After a round in which every tool failed, let the fast model draw the lesson; off keeps a plain line.",
  ),
  ruleJudge: flag(
    "AGENT_RULE_JUDGE",
    false,
    "Before an answer is delivered, ask the fast model once which rules of prose it breaks; one that it names sends it back.",
  ),
  failureLog: flag("AGENT_FAILURE_LOG", true, "Append rounds in which every tool failed to the failure log."),

  // A send and its bounds.
  roundsMax: whole("AGENT_MAX_ROUNDS", 200, [1, 100_000], "Rounds of one send; then it ends with an answer."),
  sendTimeoutMs: whole(
    "AGENT_SEND_TIMEOUT_MS",
    600_000,
    [0, 86_400_000],
    "Wall time of one send; 0 is no limit.",
  ),
  costMaxUsd: number("AGENT_MAX_COST_USD", 0, [0, 100_000], "Cost of one send in US dollars; 0 is no limit."),

  // Length and writes.
  lengthResumeMax: whole("AGENT_LENGTH_RESUME_MAX", 3, [0, 8], "[CONTINUE] rounds of one send; 0 is none."),
  completionTokensMax: whole(
    "AGENT_MAX_COMPLETION_TOKENS",
    0,
    [0, 128_000],
    "Longest completion of the main model; 0 leaves it to the provider.",
  ),
  writeIntegrityNudge: flag(
    "AGENT_WRITE_INTEGRITY_NUDGE",
    true,
    "Tell the model once when a write looks cut off.",
  ),
  writeStreamSink: flag(
    "AGENT_WRITE_STREAM_SINK",
    true,
    "Keep the content of a write on disk while it arrives.",
  ),
  writeStreamSinkMinChars: whole(
    "AGENT_WRITE_STREAM_SINK_MIN_CHARS",
    8_000,
    [1, 10_000_000],
    "Length from which content is kept on disk while it arrives.",
  ),

  // Approval.
  approvalTimeoutMs: whole(
    "AGENT_APPROVAL_TIMEOUT_MS",
    120_000,
    [0, 86_400_000],
    "How long a yes is waited for; then it is a no. 0 does not wait at all.",
  ),
  autoApproveTools: list(
    "AGENT_AUTO_APPROVE_TOOLS",
    [],
    "Tools whose cautious calls need no yes, separated by commas.",
  ),
  yolo: flag(
    "AGENT_YOLO",
    false,
    "Say yes to everything but what is forbidden. An approved command is arbitrary code.",
  ),

  // Commands.
  shellUnasked: oneOf(
    "AGENT_SHELL_UNASKED",
    "read",
    ["read", "write", "network"],
    "The most that a command may need and still run unasked; `host` always asks.",
  ),
  shellRead: list(
    "AGENT_SHELL_READ",
    [],
    "Folders and files, absolute, that commands may read beyond the workspace, the system and toolchains, separated by commas.",
  ),

  // Context.
  contextTokensMax: whole(
    "AGENT_CONTEXT_TOKENS",
    0,
    [0, 100_000_000],
    "Tokens that a request may have; 0 takes the window of the model.",
  ),
  compressAtPercent: whole(
    "AGENT_COMPRESS_AT_PERCENT",
    80,
    [10, 100],
    "How full the context is when the harness compresses it.",
  ),
  hotRounds: whole("AGENT_CTX_HOT_ROUNDS", 4, [1, 32], "Rounds that compression keeps as they are."),
  toolOutputMaxChars: whole(
    "AGENT_TOOL_OUTPUT_MAX_CHARS",
    16_000,
    [200, 10_000_000],
    "Longest output of a tool that the model is shown; the rest is an artifact.",
  ),

  // Tools.
  toolLazy: flag("AGENT_TOOL_LAZY", true, "Offer tool families when they are activated, not all at once."),
  verifyTools: flag("AGENT_VERIFY_TOOLS", true, "Offer verify_result."),

  // Memory.
  memoryMaxAgeDays: whole(
    "AGENT_MEMORY_MAX_AGE_DAYS_DEFAULT",
    540,
    [0, 100_000],
    "Age after which a note is not recalled unless asked; 0 is no limit.",
  ),

  // Children.
  childTimeoutMs: whole(
    "AGENT_CHILD_TIMEOUT_MS",
    300_000,
    [0, 86_400_000],
    "Wall time of a child; 0 is no limit.",
  ),
  childDepthMax: whole(
    "AGENT_MAX_DEPTH",
    3,
    [0, 16],
    "How deep children may have children; 0 is no children.",
  ),
  childrenMax: whole("AGENT_MAX_CONCURRENT_AGENTS", 8, [1, 64], "Children that run at once."),
} as const;

export type AgentKey = keyof typeof agentKeys;
export type AgentConfig = {
  readonly [Name in AgentKey]: (typeof agentKeys)[Name] extends Entry<infer Value> ? Value : never;
};

export const agentDefaults: AgentConfig = Object.fromEntries(
  Object.entries(agentKeys).map(([name, entry]) => [name, entry.default]),
) as AgentConfig;

/** Throws a `Failure` that names the key, what stands there and what may. */
export function readAgentConfig(env: Readonly<Record<string, string | undefined>>): AgentConfig {
  const config: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(agentKeys)) {
    const text = env[entry.key];
    config[name] = text === undefined || text === "" ? entry.default : parsed(entry, text);
  }
  return config as AgentConfig;
}

function parsed(entry: Entry<unknown>, text: string): unknown {
  const value = entry.parse(text.trim());
  if (value !== undefined) return value;
  throw new Failure("setting_invalid", {
    message: `${entry.key} is ${JSON.stringify(text)}; it takes ${entry.takes}`,
    hint: "Set it to such a value, or unset it.",
    detail: { key: entry.key },
  });
}

function flag(key: string, standard: boolean, help: string): Entry<boolean> {
  const values: Readonly<Record<string, boolean>> = { "1": true, "0": false };
  return { key, help, default: standard, takes: "1 or 0", parse: (text) => values[text] };
}

type Range = readonly [min: number, max: number];

function whole(key: string, standard: number, range: Range, help: string): Entry<number> {
  const parse = (text: string) => (/^\d+$/.test(text) ? within(Number(text), range) : undefined);
  return { key, help, default: standard, takes: `a whole number from ${range[0]} to ${range[1]}`, parse };
}

function number(key: string, standard: number, range: Range, help: string): Entry<number> {
  const parse = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? within(Number(text), range) : undefined);
  return { key, help, default: standard, takes: `a number from ${range[0]} to ${range[1]}`, parse };
}

function within(value: number, [min, max]: Range): number | undefined {
  return value >= min && value <= max ? value : undefined;
}

function oneOf<Value extends string>(
  key: string,
  standard: Value,
  values: readonly Value[],
  help: string,
): Entry<Value> {
  const parse = (text: string) => values.find((value) => value === text);
  return { key, help, default: standard, takes: values.join(", "), parse };
}

function list(key: string, standard: readonly string[], help: string): Entry<readonly string[]> {
  const parse = (text: string) =>
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  return { key, help, default: standard, takes: "names separated by commas", parse };
}
