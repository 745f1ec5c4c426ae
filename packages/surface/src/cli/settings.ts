/**
 * Every setting that is read from the environment, and what is not one.
 *
 * The keys that the five seeds name are known from the start, including those of
 * rooms that do not exist yet. A key close to one of ours is taken for a slip of
 * the pen and refused, because a setting that is silently ignored is worse than
 * an error. A key that only shares a prefix with ours belongs to another program
 * (build servers set several that start with AGENT) and is left alone.
 */
import { distance } from "@bridle/operation";
import { refuse, type Refusal } from "@bridle/record";
import { agentSettings } from "./settings-agent.js";

/** The seed that the setting comes from; `bridle` for our own. */
export type SettingSource = "AGENT" | "TRAJ" | "TUSK" | "RUNTIME" | "bridle";

export interface Setting {
  readonly key: string;
  readonly meaning: string;
  readonly source: SettingSource;
  readonly default?: string;
  /** What may stand there, for people. */
  readonly takes?: string;
  /** Whether a text is such a value; anything is, without it. */
  readonly fits?: (text: string) => boolean;
  /** Named by a seed; nothing reads it yet. */
  readonly comesLater?: true;
  /** Never shown, only whether it is set. */
  readonly secret?: true;
  /** Other programs read it as well, so keys that look like it are none of our business. */
  readonly shared?: true;
}

type Row = readonly [key: string, meaning: string, standard?: string];

const from = (source: SettingSource, rows: readonly Row[]): Setting[] =>
  rows.map(([key, meaning, standard]) =>
    whole(source, { key, meaning, ...(standard === undefined ? {} : { default: standard }) }),
  );

const whole = (source: SettingSource, draft: Omit<Setting, "source">): Setting => ({
  ...draft,
  source,
  ...(/_(API_KEY|TOKEN)$/.test(draft.key) ? { secret: true as const } : {}),
  ...(/^(AGENT|HLQ|PREMATH|BRIDLE)_/.test(draft.key) ? {} : { shared: true as const }),
});

export const settings: readonly Setting[] = [
  ...from("bridle", [
    ["BRIDLE_DEBUG", "1 prints where a bug happened, not only that it did.", "0"],
    ["BRIDLE_MCP_TOKEN", "Token that clients of `mcp-serve --http` must show."],
    [
      "BRIDLE_RUN",
      "Set for what an agent or a runner starts: which run it is a part of, whose instructions hold there.",
    ],
    ["BRIDLE_WORKTREES", "Folder of workers' worktrees; in your state folder when unset."],
    ["BRIDLE_STEP", "Set for a work command: its step."],
    ["BRIDLE_STEP_FILE", "Set for a work command: JSON with the issue, the last failure and the budgets."],
    [
      "BRIDLE_PROMPT_FILE",
      "Set for a work command: the same in words, which also come on its standard input.",
    ],
    ["BRIDLE_TURN_EVIDENCE", "Set for a work command: where it may write the evidence of its tool use."],
    ["BRIDLE_USAGE_FILE", 'Set for a work command: where it may write what it used, as `{"costUsd": 0.12}`.'],
    [
      "BRIDLE_PROPOSALS",
      "Set for a work command: where it may write follow-up issues, comments and a question.",
    ],
    ["BRIDLE_PORT_BASE", "Set for a work command: the first of the ports that are its own."],
    ["BRIDLE_FIXTURES", "Folder of data that `npm run conformance` reads."],
    ["BRIDLE_SEED", "Runs only this seed of a simulation, to see a failure again."],
    ["BRIDLE_PROVE", "1 makes the tests of `npm run prove` run at full length.", "0"],
    ["BRIDLE_PROVE_PART", "With BRIDLE_PROVE, the part of that length, from 0 to 1.", "1"],
    ["BRIDLE_DRY_RUN", "1 makes npm scripts print their steps instead of running them.", "0"],
    ["PREMATH_ROOT", "Folder whose .premath is used; found upwards from here when unset."],
    [
      "PREMATH_WORKTREE_MEMORY",
      "shared or own: whether a git worktree uses the main tree's .premath.",
      "shared",
    ],
    [
      "HLQ_SOURCE",
      "Where `hlq ask` takes its data from: synthetic, info, bigquery or files, separated by commas.",
      "synthetic",
    ],
    ["HLQ_BIGQUERY_PROJECT", "Google Cloud project that `--source bigquery` asks in."],
    ["HLQ_BIGQUERY_DATASET", "Dataset with the tables that `--source bigquery` reads."],
    ["NO_COLOR", "Any value turns colour off."],
    ["FORCE_COLOR", "1 turns colour on where there is no terminal."],
  ]),
  ...from("TUSK", [
    ["PREMATH_ACTIVE_ISSUE_ID", "Issue that escalations belong to; must agree with PREMATH_ISSUE_ID."],
    ["PREMATH_ISSUE_ID", "Issue that escalations belong to."],
    ["PREMATH_HARNESS_SESSION_PATH", "Where the harness session is kept.", ".premath/harness_session.json"],
    ["PREMATH_ISSUES_PATH", "Where issue memory is kept.", ".premath/issues.jsonl"],
    ["PREMATH_CI_BASE_REF", "Git ref that changed paths are counted from.", "origin/main"],
  ]),
  ...from("RUNTIME", [
    [
      "PREMATH_WORK_CMD",
      "Command that does a worker's step, where no flag names one; before .bridle/runner.json.",
    ],
    [
      "PREMATH_VERIFY_CMD",
      "A check of a worker's step besides those that the project requires; none when unset.",
    ],
    ["PREMATH_WORKER_ID", "Name that a worker claims with."],
    ["PREMATH_WORKTREES", "Worktrees that a coordinator dispatches to, separated by commas."],
    ["PREMATH_HOST_ACTION_TRANSPORT", "How a worker reaches host actions: mcp or local-repl.", "mcp"],
    ["PREMATH_BIN", "The premath command that loops start."],
    ["PREMATH_SQUEAK_SITE_PROFILE", "Site profile that instruction witnesses are bound to."],
    ["PREMATH_EXECUTOR_PROFILE", "Executor profile where no site profile is given.", "local"],
  ]),
  ...from("TRAJ", [
    ["HLQ_TRAJECTORY_LOG_DIR", "Folder of one-shot search logs; nothing is logged without it."],
  ]),
  ...agentSettings.map((draft) => whole("AGENT", draft)),
];

/** Slips within which a key is taken for one of ours. */
const slipsMax = 2;
/** Ours alone: a key that starts so and is not known cannot be anyone else's. */
const ownPrefix = "BRIDLE_";
/** Except these, which tests and scripts use among themselves. */
const testPrefix = "BRIDLE_TEST_";

export interface UnknownSetting {
  readonly key: string;
  readonly nearest: string | undefined;
}

/** Keys that look like ours and are not, in order. */
export function unknownSettings(env: Readonly<Record<string, string | undefined>>): UnknownSetting[] {
  const unknown: UnknownSetting[] = [];
  for (const key of Object.keys(env).sort()) {
    if (known.has(key) || key.startsWith(testPrefix)) continue;
    const nearest = nearestSetting(key);
    if (nearest !== undefined || key.startsWith(ownPrefix)) unknown.push({ key, nearest });
  }
  return unknown;
}

const known: ReadonlySet<string> = new Set(settings.map(({ key }) => key));

function nearestSetting(key: string): string | undefined {
  const upper = key.toUpperCase();
  const letters = lettersOf(upper);
  let best: string | undefined;
  let fewest = slipsMax + 1;
  for (const candidate of (candidates ??= ownKeys())) {
    if (Math.abs(candidate.key.length - upper.length) > slipsMax) continue;
    // One slip changes at most two of the letters that occur; this spares nearly every key a closer look.
    if (bitsIn(letters ^ candidate.letters) > 2 * slipsMax) continue;
    const slips = distance(upper, candidate.key, fewest - 1);
    if (slips < fewest) [best, fewest] = [candidate.key, slips];
  }
  return best;
}

interface Candidate {
  readonly key: string;
  readonly letters: number;
}

let candidates: readonly Candidate[] | undefined;

function ownKeys(): readonly Candidate[] {
  return settings.filter(({ shared }) => !shared).map(({ key }) => ({ key, letters: lettersOf(key) }));
}

/** Which characters occur, one bit for each of 32 kinds. */
function lettersOf(key: string): number {
  let letters = 0;
  for (let i = 0; i < key.length; i++) letters |= 1 << (key.charCodeAt(i) & 31);
  return letters;
}

function bitsIn(letters: number): number {
  let bits = 0;
  for (let rest = letters; rest !== 0; rest &= rest - 1) bits++;
  return bits;
}

/** Settings whose value is none that they take; blank is the same as unset. */
export function unfitSettings(env: Readonly<Record<string, string | undefined>>): Setting[] {
  return settings.filter(({ key, fits }) => {
    const text = env[key]?.trim();
    return fits !== undefined && text !== undefined && text !== "" && !fits(text);
  });
}

export function settingRefusal({ key, nearest }: UnknownSetting): Refusal {
  const instead = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return refuse("setting_unknown", {
    message: `unknown setting ${key}${instead} (\`bridle config\` lists them)`,
    detail: { key, ...(nearest === undefined ? {} : { nearest }) },
  });
}
