/**
 * `premath observe`: what there is to see, made of the files at this moment; with `--surface`, as it
 * was written down, and then how old that is is part of the answer.
 *
 * One command for four questions, told apart by `--mode`.
 */
import { join } from "node:path";
import { type Call, defineOperation, fits, type Paint } from "@bridle/operation";
import {
  isJsonObject,
  isRefusal,
  type JsonObject,
  locateRoot,
  putFile,
  refuse,
  type Refusal,
} from "@bridle/record";
import * as Type from "typebox";
import { workLimits } from "../limits.js";
import { formatTime } from "../memory/issue-row.js";
import type { Attention } from "../projection/attention.js";
import { type Observation, observationKind, observationOf } from "../projection/observation.js";
import { readWitnesses } from "../projection/witness-files.js";
import { projectionDigestOf, textOf } from "../projection/witness-rows.js";
import { issuesInput, withMemory } from "../calls/issues.js";
import { readJsonFile } from "./json-file.js";
import { cell } from "./text-layout.js";

export const observationDefault = "artifacts/observation/latest.json";

const surfaceInput = {
  surfacePath: Type.Optional(
    Type.String({
      minLength: 1,
      "x-flag": "surface",
      "x-placeholder": "path",
      "x-path": true,
      "x-brief": "One that was written down.",
      description: "An observation that was written down; made afresh when left out.",
    }),
  ),
  ...issuesInput,
} as const;

interface ObserveInput {
  readonly surfacePath?: string;
  readonly issuesPath?: string;
  readonly root?: string;
}

const AttentionItem = Type.Object({
  reason: Type.String(),
  says: Type.String(),
  since: Type.Union([Type.String(), Type.Null()]),
  command: Type.String({ description: "What deals with it." }),
});
const anyObject = (description: string) => Type.Object({}, { description });
const orNull = (description: string) => Type.Union([anyObject(description), Type.Null()]);

/** The file `artifacts/observation/latest.json`. */
export const ObservationSurface = Type.Object(
  {
    schema: Type.Literal(1),
    surfaceKind: Type.Literal(observationKind),
    observedAt: Type.String(),
    summary: Type.Object({
      state: Type.Enum(["accepted", "rejected", "error", "running", "empty"]),
      needsAttention: Type.Boolean(),
      topFailureClass: Type.Union([Type.String(), Type.Null()]),
      coherence: anyObject("Policies, instructions, issues, dependencies, leases and workers."),
    }),
    attention: Type.Array(AttentionItem),
    latest: Type.Object({
      delta: orNull("What changed."),
      required: orNull("The witness of the last required checks."),
      decision: orNull("The decision on it."),
    }),
    instructions: Type.Array(anyObject("The witness of an instruction.")),
  },
  { title: "Observation", description: "What there is to see of the work at one moment." },
);

const common = {
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
} as const;

export const observeLatest = defineOperation({
  ...common,
  names: {
    id: "op/mcp.observe_latest",
    action: "observe.latest",
    command: ["observe"],
    mode: "latest",
    tool: "observe_latest",
  },
  summary: "Show the last required checks, and how issues, leases and workers stand.",
  examples: [{ command: "premath observe", says: "how things stand" }],
  input: Type.Object(surfaceInput, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("observe.latest"),
    observedAt: Type.String(),
    summary: anyObject("See the observation."),
    latest: anyObject("Delta, required witness and decision; each null where there is none."),
  }),
  async run(input, call) {
    const seen = await observe(input, call);
    if (isRefusal(seen)) return seen;
    const { observedAt, summary, latest } = seen;
    return { action: "observe.latest" as const, observedAt, summary, latest };
  },
  present({ summary, observedAt }, paint) {
    const { state, requiredCheckCount, executedCheckCount, coherence } = summary as Observation["summary"];
    const { issuePartition, leaseHealth, workerLaneThroughput } = coherence;
    const checks =
      state === "empty" ? "none yet" : `${state}, ${executedCheckCount} of ${requiredCheckCount} ran`;
    return [
      `  checks   ${checks}`,
      `  issues   ${issuePartition.readyCount} ready, ${issuePartition.blockedCount} blocked, ${workerLaneThroughput.inProgressCount} in progress`,
      `  leases   ${leaseHealth.staleIssueIds.length} stale, ${leaseHealth.contendedIssueIds.length} contended`,
      `  ${attentionWord(coherence.attentionReasons, paint)} ${paint.dim(`at ${observedAt}`)}`,
    ].join("\n");
  },
});

export const observeNeedsAttention = defineOperation({
  ...common,
  names: {
    id: "op/mcp.observe_needs_attention",
    action: "observe.needs_attention",
    command: ["observe"],
    mode: "needs_attention",
    tool: "observe_needs_attention",
  },
  summary: "List what needs somebody, since when, and the command that deals with it.",
  examples: [{ command: "premath observe --mode needs_attention", says: "a line a problem" }],
  input: Type.Object(surfaceInput, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("observe.needs_attention"),
    observedAt: Type.String(),
    needsAttention: Type.Boolean(),
    state: Type.String(),
    topFailureClass: Type.Union([Type.String(), Type.Null()]),
    attentionReasons: Type.Array(Type.String()),
    items: Type.Array(AttentionItem),
  }),
  async run(input, call) {
    const seen = await observe(input, call);
    if (isRefusal(seen)) return seen;
    const { observedAt, summary, attention } = seen;
    return {
      action: "observe.needs_attention" as const,
      observedAt,
      needsAttention: summary.needsAttention,
      state: summary.state,
      topFailureClass: summary.topFailureClass,
      attentionReasons: summary.coherence.attentionReasons,
      items: attention,
    };
  },
  present({ items }, paint) {
    if (items.length === 0) return `  ${paint.good("nothing needs attention")}`;
    return items
      .map(({ reason, says, since, command }) =>
        [
          `  ${paint.note(reason)}  ${cell(says)}${since === null ? "" : paint.dim(` since ${since}`)}`,
          `      ${command}`,
        ].join("\n"),
      )
      .join("\n");
  },
});

export const observeInstruction = defineOperation({
  ...common,
  names: {
    id: "op/mcp.observe_instruction",
    action: "observe.instruction",
    command: ["observe"],
    mode: "instruction",
    tool: "observe_instruction",
  },
  summary: "Show the witness of one instruction.",
  examples: [
    {
      command: "premath observe --mode instruction --instruction-id 20260131T0930Z-bootstrap",
      says: "how that instruction went",
    },
  ],
  input: Type.Object(
    {
      instructionId: Type.String({ minLength: 1, "x-placeholder": "id", description: "Which instruction." }),
      ...surfaceInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("observe.instruction"),
    instructionId: Type.String(),
    instruction: anyObject("Its witness."),
  }),
  async run(input, call) {
    const seen = await observe(input, call);
    if (isRefusal(seen)) return seen;
    const { instructionId } = input;
    const instruction = seen.instructions.find((row) => row["instructionId"] === instructionId);
    if (instruction !== undefined)
      return { action: "observe.instruction" as const, instructionId, instruction };
    const known = seen.instructions.map((row) => textOf(row, "instructionId") ?? "?");
    return refuse("observation_not_found", {
      message: `no witness is of the instruction ${JSON.stringify(instructionId)}`,
      hint: known.length === 0 ? "No instruction ran here." : `There are: ${known.slice(-5).join(", ")}.`,
    });
  },
});

export const observeProjection = defineOperation({
  ...common,
  names: {
    id: "op/mcp.observe_projection",
    action: "observe.projection",
    command: ["observe"],
    mode: "projection",
    tool: "observe_projection",
  },
  summary: "Show the checks of one projection: what changed, what ran, what was decided.",
  examples: [
    { command: "premath observe --mode projection --projection-digest proj1_…", says: "those checks" },
  ],
  input: Type.Object(
    {
      projectionDigest: Type.String({ minLength: 1, "x-placeholder": "digest", description: "Which one." }),
      projectionMatch: Type.Optional(
        Type.Enum(["typed", "compatibility_alias"], {
          description: "By the typed digest, or by the alias (proj1_…); either when left out.",
        }),
      ),
      ...surfaceInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("observe.projection"),
    projectionDigest: Type.String(),
    required: orNull("The witness."),
    delta: orNull("What changed."),
    decision: orNull("The decision."),
  }),
  async run(input, call) {
    const seen = await observe(input, call);
    if (isRefusal(seen)) return seen;
    const { projectionDigest, projectionMatch } = input;
    const matches = (row: JsonObject | null): row is JsonObject => {
      if (row === null) return false;
      const typed = projectionMatch !== "compatibility_alias" && projectionDigestOf(row) === projectionDigest;
      return typed || (projectionMatch !== "typed" && row["projectionDigest"] === projectionDigest);
    };
    const { required, delta, decision } = seen.latest;
    if (![required, delta, decision].some(matches)) {
      return refuse("observation_not_found", {
        message: `the last checks are of another projection than ${projectionDigest}`,
        hint: `Theirs is ${seen.summary.latestProjectionDigest ?? "not there"}.`,
      });
    }
    const ofIt = (row: JsonObject | null) => (matches(row) ? row : null);
    return {
      action: "observe.projection" as const,
      projectionDigest,
      required: ofIt(required),
      delta: ofIt(delta),
      decision: ofIt(decision),
    };
  },
});

export const observeBuild = defineOperation({
  names: {
    id: "op/ci.observe_build",
    action: "observe.build",
    command: ["observe-build"],
    tool: "observe_build",
  },
  family: "premath",
  effect: "mutate",
  needs: "nothing",
  surfaces: ["cli"],
  summary: "Write the observation down, for those who read files.",
  description: `The same as \`premath observe\` sees, as ${observationDefault} of the main tree; replaced whole.`,
  examples: [{ command: "premath observe-build", says: "writes it" }],
  input: Type.Object(issuesInput, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("observe.build"),
    path: Type.String(),
    needsAttention: Type.Boolean(),
  }),
  async run(input, call) {
    const seen = await observe(input, call);
    if (isRefusal(seen)) return seen;
    const path = join(await rootOf(input, call), observationDefault);
    await call.ports.files.makeDirectory(join(path, ".."));
    await putFile(path, new TextEncoder().encode(`${JSON.stringify(seen, null, 2)}\n`), call.ports);
    return {
      action: "observe.build" as const,
      path: observationDefault,
      needsAttention: seen.summary.needsAttention,
    };
  },
  present: ({ path, needsAttention }) =>
    `  wrote ${path}${needsAttention ? "; `premath observe --mode needs_attention` says what needs somebody" : ""}`,
});

// --- Where it comes from ---------------------------------------------------------------------------

async function observe(input: ObserveInput, call: Call): Promise<Observation | Refusal> {
  const isAsked = input.root === undefined && input.issuesPath === undefined;
  const surface = input.surfacePath ?? (isAsked ? call.surfacePath : undefined);
  if (surface !== undefined) return readSurface(surface, call);
  const { witnesses, broken } = await readWitnesses(await rootOf(input, call), call.ports.files);
  for (const sentence of broken) call.warn(`${sentence}.`);
  return withMemory(input, call, async (memory) => {
    const nowMs = await call.ports.clock.now();
    return observationOf({ witnesses, graph: await memory.graph(), nowMs });
  });
}

function rootOf({ root }: ObserveInput, { cwd, env, ports: { files } }: Call): Promise<string> {
  return locateRoot({ files, cwd, env, ...(root === undefined ? {} : { root }) });
}

async function readSurface(shown: string, call: Call): Promise<Observation | Refusal> {
  const read = await readJsonFile(shown, call, "observation_invalid");
  if (isRefusal(read)) return read;
  const { value } = read;
  if (!isJsonObject(value) || !(await fits(ObservationSurface, value))) {
    return refuse("observation_invalid", {
      message: `${shown} is no ${observationKind}`,
      hint: "`premath observe-build` writes one.",
    });
  }
  return aged(value as unknown as Observation, await call.ports.clock.now(), shown);
}

/** A record of how things stood yesterday is itself something that needs somebody. */
function aged(seen: Observation, nowMs: number, shown: string): Observation {
  const oldMs = nowMs - Date.parse(seen.observedAt);
  if (oldMs <= workLimits.observationFreshMsMax) return seen;
  const item: Attention = {
    reason: "observation_stale",
    says: `${shown} tells how things stood at ${seen.observedAt}, and it is ${formatTime(nowMs)}`,
    since: seen.observedAt,
    command: "premath observe-build",
  };
  const { summary } = seen;
  const attentionReasons = [...summary.coherence.attentionReasons, item.reason];
  return {
    ...seen,
    attention: [...seen.attention, item],
    summary: {
      ...summary,
      needsAttention: true,
      topFailureClass: summary.topFailureClass ?? item.reason,
      coherence: { ...summary.coherence, needsAttention: true, attentionReasons },
    },
  };
}

function attentionWord(reasons: readonly string[], paint: Paint): string {
  return reasons.length === 0 ? paint.good("nothing needs attention") : paint.note(reasons.join(", "));
}
