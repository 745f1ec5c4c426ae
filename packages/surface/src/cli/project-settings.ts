/**
 * What a project's settings file may say. It comes with a clone, so it lowers no guard: it may choose
 * what is nobody's risk, and make a bound or a rule stricter than you have it, never looser.
 *
 * What a newcomer gets wrong: what is missing here is refused. A setting that is new has to be
 * thought about before somebody else's repository may set it.
 */
type May =
  /** Nobody's risk. */
  | { readonly may: "choose" }
  /** This value and no other: the one that guards. */
  | { readonly may: "insist"; readonly on: string }
  /** A bound: the smaller one holds. `zeroIsNone`: 0 stands for no bound at all. */
  | { readonly may: "lower"; readonly zeroIsNone: boolean };

const choose: May = { may: "choose" };
const insistOn = (on: string): May => ({ may: "insist", on });
const lower: May = { may: "lower", zeroIsNone: false };
const lowerOrNone: May = { may: "lower", zeroIsNone: true };

const table: Readonly<Record<string, May>> = {
  AGENT_MODEL: choose,
  AGENT_FAST_MODEL: choose,
  AGENT_REFLEXION_SEMANTIC: choose,
  AGENT_LENGTH_RESUME_MAX: choose,
  AGENT_MAX_COMPLETION_TOKENS: choose,
  AGENT_WRITE_STREAM_SINK_MIN_CHARS: choose,
  AGENT_CONTEXT_TOKENS: choose,
  AGENT_COMPRESS_AT_PERCENT: choose,
  AGENT_CTX_HOT_ROUNDS: choose,
  AGENT_TOOL_OUTPUT_MAX_CHARS: choose,
  AGENT_TOOL_LAZY: choose,
  AGENT_MEMORY_MAX_AGE_DAYS_DEFAULT: choose,
  AGENT_RULE_RECALL: insistOn("1"),
  AGENT_RULE_JUDGE: insistOn("1"),
  AGENT_FAILURE_LOG: insistOn("1"),
  AGENT_WRITE_INTEGRITY_NUDGE: insistOn("1"),
  AGENT_WRITE_STREAM_SINK: insistOn("1"),
  AGENT_VERIFY_TOOLS: insistOn("1"),
  AGENT_YOLO: insistOn("0"),
  AGENT_SHELL_UNASKED: insistOn("read"),
  AGENT_MAX_ROUNDS: lower,
  AGENT_SEND_TIMEOUT_MS: lowerOrNone,
  AGENT_MAX_COST_USD: lowerOrNone,
  AGENT_APPROVAL_TIMEOUT_MS: lower,
  AGENT_CHILD_TIMEOUT_MS: lowerOrNone,
  AGENT_MAX_DEPTH: lower,
  AGENT_MAX_CONCURRENT_AGENTS: lower,
};

/** Why a project's file may not say this, or undefined. */
export function notForProjects(key: string, value: string): string | undefined {
  const may = table[key];
  if (may === undefined) return `${key} is yours to set, and no project's`;
  if (may.may !== "insist" || may.on === value) return undefined;
  return `a project may set ${key} to ${may.on} and to nothing else, because that would lower a guard`;
}

/** The project's value where it counts against what stands otherwise; it has been found to be allowed. */
export function projectWins(key: string, project: string, otherwise: string | undefined): boolean {
  const may = table[key];
  if (may?.may !== "lower") return true;
  const bound = (text: string | undefined) => {
    const number = Number(text);
    return text === undefined || (may.zeroIsNone && number === 0) ? Infinity : number;
  };
  return bound(project) <= bound(otherwise);
}
