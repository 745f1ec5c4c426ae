/** `premath instruction-run`: the checks that an instruction asks for, run and witnessed. */
import { relative, resolve } from "node:path";
import { type Call, defineOperation } from "@bridle/operation";
import { isJsonObject, isRefusal, type Refusal, sha256Hex } from "@bridle/record";
import * as Type from "typebox";
import { commitOf } from "../../evidence/checks/git-facts.js";
import { runChecks } from "../../evidence/checks/run-checks.js";
import { checkingOf } from "../../evidence/checks/types.js";
import { mainTreeOf, timesOf, witnessFolder, WitnessFolder } from "../../evidence/checks/write-witness.js";
import { type Instruction, instructionDigest } from "../../evidence/instruction/envelope.js";
import { joinOfRun } from "../../gate/instruction-turn.js";
import {
  instructionWitness,
  InstructionWitness,
  type InstructionRuntime,
  preExecutionWitness,
  sealedWitness,
} from "../../evidence/instruction/witness.js";
import { bindingsOf } from "../../gate/governance.js";
import { mapAtCommit } from "../../evidence/required/read-map.js";
import { readSmallJson } from "../../small-file.js";
import { sessionPlace, trajectoryPlace } from "../../calls/place.js";
import { sessionWrite } from "../session-write.js";
import { trajectoryAppend } from "../trajectory-append.js";
import {
  checkedInstruction,
  instructionInput,
  type ReadInstruction,
  readInstruction,
} from "./instruction-check.js";
import { type Repository, repositoryOf } from "./repository.js";

export const instructionRun = defineOperation({
  names: {
    id: "op/mcp.instruction_run",
    action: "instruction.run",
    command: ["instruction-run"],
    tool: "instruction_run",
  },
  family: "premath",
  effect: "mutate",
  needs: "own-envelope",
  surfaces: ["cli", "mcp", "scheme", "http"],
  checker: true,
  summary: "Run the checks that an instruction asks for, and write its witness.",
  description:
    "Each is a check of the project's map, run on the commit that is checked out, in a worktree of its own. The witness, with " +
    "the join of the run, goes to artifacts/ciwitness/<instruction id>.json of the main tree; a row goes to the trajectory, " +
    "and the session refers to both. An instruction that is not sound, or of an unknown type, is witnessed as rejected and " +
    "nothing runs. Exit code 1 when it was rejected.",
  examples: [
    {
      command: "premath instruction-run --instruction instructions/20260221T000000Z-bootstrap-gate.json",
      says: "one instruction",
    },
  ],
  input: Type.Object(
    {
      ...instructionInput,
      allowFailure: Type.Optional(
        Type.Boolean({ description: "A rejected witness is an answer, and the exit code is 0." }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("instruction.run"),
    result: Type.Optional(Type.Enum(["accepted", "rejected"])),
    verdictClass: Type.Enum(["accepted", "rejected"]),
    failureClasses: Type.Array(Type.String()),
    instructionId: Type.String(),
    instructionDigest: Type.String(),
    witnessPath: Type.String(),
    witnessRef: Type.String(),
    witness: InstructionWitness,
  }),
  async run(input, call) {
    const repository = await repositoryOf(input, call);
    if (isRefusal(repository)) return repository;
    const read = await readInstruction(input.instructionPath, call);
    if (isRefusal(read)) return read;
    const run = {
      ...read,
      shown: input.instructionPath,
      repository,
      startedMs: await call.ports.clock.now(),
    };
    const checked = await checkedInstruction(input, read, call);
    const made = isRefusal(checked)
      ? preExecutionWitness(read.envelope, await runtimeOf(run, [], call), {
          failureClass: checked.refused,
          reason: checked.message,
        })
      : await executed(checked, run, call);
    if (isRefusal(made)) return made;
    return record(sealedWitness(made), input.allowFailure === true, repository, call);
  },
  present: ({ instructionId, verdictClass, failureClasses, witnessPath }, paint) =>
    `  ${paint.strong(instructionId)} ${verdictClass === "accepted" ? paint.good("accepted") : paint.bad(`rejected: ${failureClasses.join(", ")}`)}  ${paint.dim(witnessPath)}`,
});

interface Run extends ReadInstruction {
  /** How its file was named. */
  readonly shown: string;
  readonly repository: Repository;
  readonly startedMs: number;
}

async function executed(checked: Instruction, run: Run, call: Call): Promise<InstructionWitness | Refusal> {
  const { instructionId, repository } = run;
  const results =
    checked.executionDecision.state === "execute" ? await runRequested(checked, repository, call) : [];
  if (isRefusal(results)) return results;
  const runtime = await runtimeOf(run, results, call);
  const witness = instructionWitness(checked, runtime);
  if (isRefusal(witness) || checked.executionDecision.state !== "execute") return witness;
  const session = await sessionPlace({}, call);
  const trajectory = await trajectoryPlace({}, call);
  const refs = {
    sessionRefs: [`session://${instructionId}/${sha256Hex(session.path).slice(0, 16)}`],
    trajectoryRefs: [`trajectory://${instructionId}/${sha256Hex(trajectory.path).slice(0, 16)}`],
  };
  const bound = await bindingsOf(mainTreeOf(repository), call.ports);
  if (isRefusal(bound)) return bound;
  return { ...witness, ...joinOfRun(checked, runtime, refs, bound) };
}

/** By the map of the commit that is checked out; a check that it does not have cannot be started. */
async function runRequested(
  { requestedChecks }: Instruction,
  repository: Repository,
  call: Call,
): Promise<InstructionRuntime["results"] | Refusal> {
  const commit = await commitOf(repository.top, "HEAD", repository.git);
  if (isRefusal(commit)) return commit;
  const map = await mapAtCommit(repository.top, commit, repository.git);
  if (isRefusal(map)) return map;
  const checkIds = requestedChecks.filter((id) => map.checks.some((check) => check.id === id));
  const report = await runChecks({ repository, commit, map, checkIds }, checkingOf(call));
  if (isRefusal(report)) return report;
  return requestedChecks.map((checkId) => {
    const found = report.checks.find((check) => check.checkId === checkId);
    if (found === undefined)
      return {
        checkId,
        status: "failed" as const,
        exitCode: 127,
        durationMs: 0,
        failureClass: "executor_unavailable",
      };
    const { status, exitCode, durationMs, failureClass } = found;
    return { checkId, status, exitCode, durationMs, ...(failureClass === undefined ? {} : { failureClass }) };
  });
}

async function runtimeOf(
  { instructionId, envelope, startedMs, repository: { top }, shown }: Run,
  results: InstructionRuntime["results"],
  call: Call,
): Promise<InstructionRuntime> {
  const finishedMs = await call.ports.clock.now();
  const below = relative(top, resolve(call.cwd, shown));
  return {
    instructionId,
    instructionRef: below.startsWith("..") ? shown : below,
    instructionDigest: instructionDigest(envelope),
    ...timesOf({ startedMs, finishedMs, env: call.env }),
    results,
  };
}

/** The witness first, then what refers to it. */
async function record(
  witness: InstructionWitness,
  allowFailure: boolean,
  repository: Repository,
  call: Call,
) {
  const { instructionId, instructionDigest: digest, verdictClass, failureClasses } = witness;
  const text = `${JSON.stringify(witness, null, 2)}\n`;
  const folder = await WitnessFolder.open(repository, call.ports);
  await folder.text(`${instructionId}.json`, text);
  const witnessRef = `witness://ci.instruction/${instructionId}/${sha256Hex(text)}`;
  const refs = { instructionRefs: [witness.instructionRef], witnessRefs: [witnessRef] };
  const step = {
    stepId: `${instructionId}.${sha256Hex(text).slice(0, 12)}`,
    action: "instruction.run",
    resultClass: verdictClass === "accepted" ? "completed" : (failureClasses[0] ?? "rejected"),
    ...refs,
    finishedAt: witness.runFinishedAt,
    once: true,
  };
  const appended = await trajectoryAppend.run(step as Parameters<typeof trajectoryAppend.run>[0], call);
  if (isRefusal(appended)) return appended;
  const session = await sessionPlace({}, call);
  const known = await readSmallJson(session.path, call.ports.files);
  if (known !== undefined) {
    const stopped = isJsonObject(known) && known["state"] === "stopped";
    const update = { state: stopped ? "stopped" : "active", ...refs };
    const written = await sessionWrite.run(update as Parameters<typeof sessionWrite.run>[0], call);
    if (isRefusal(written)) return written;
  }
  return {
    action: "instruction.run" as const,
    ...(allowFailure ? {} : { result: verdictClass }),
    verdictClass,
    failureClasses,
    instructionId,
    instructionDigest: digest,
    witnessPath: `${witnessFolder}/${instructionId}.json`,
    witnessRef,
    witness,
  };
}
