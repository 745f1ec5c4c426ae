/**
 * A project folder with the gate before its operations: lanes in settings of its own, turns and
 * witnesses as the tests make them. Real files; the clock can be set.
 */
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Call,
  type Envelope,
  type Operation,
  perform,
  type Standing,
  type TurnSoFar,
} from "@bridle/operation";
import { digest, isRefusal, type JsonObject, nodePorts, sha256Hex } from "@bridle/record";
import { allOperations, Lanes, workGate } from "@bridle/work";
import { joinCheck } from "../../packages/work/src/gate/join-check.js";
import { bindingsOf } from "../../packages/work/src/gate/governance.js";
import { sealedWitness } from "../../packages/work/src/evidence/instruction/witness.js";
import { joinRef } from "../../packages/work/src/gate/issue-witness.js";
import type { NewLane } from "../../packages/work/src/gate/lanes.js";
import { newFolder } from "./folder.js";

const operations = await allOperations();
const { mutationGate } = await workGate();

export function operationOf(action: string): Operation {
  const operation = operations.find(({ names }) => names.action === action);
  if (operation === undefined) throw new Error(`no ${action}`);
  return operation;
}

/** Two calls that were answered, one of them with a failure. */
export const closedTurn: TurnSoFar = {
  turnId: "mcp://test/turn-1",
  caller: "mcp-client://test",
  calls: [
    { callId: "call-1", tool: "issue_ready", answer: { digest: `sha256:${sha256Hex("one")}` } },
    {
      callId: "call-2",
      tool: "issue_show",
      answer: {
        digest: `sha256:${sha256Hex("two")}`,
        failure: { class: "issue_not_found", message: "issue not found: bd-9" },
      },
    },
  ],
};

export const onLane = (turn: TurnSoFar = closedTurn, name?: string): Standing => ({
  kind: "lane",
  turn,
  ...(name === undefined ? {} : { name }),
});

export class GateDesk {
  readonly cwd = realpathSync(newFolder());
  readonly settings = realpathSync(newFolder());
  readonly issues = join(this.cwd, ".premath/issues.jsonl");
  nowMs = Date.UTC(2026, 0, 31, 9, 30);

  constructor(...rows: JsonObject[]) {
    this.write(".premath/issues.jsonl", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }

  get callOf(): Call {
    const ports = nodePorts();
    return {
      ports: { ...ports, clock: { ...ports.clock, now: async () => this.nowMs } },
      ...{ cwd: this.cwd, env: { XDG_CONFIG_HOME: this.settings }, signal: new AbortController().signal },
      ...{ warn() {}, progress() {} },
    };
  }

  call(action: string, input: JsonObject, standing?: Standing): Promise<Envelope> {
    return perform(operationOf(action), input, {
      call: this.callOf,
      authority: { surface: "mcp", ...(standing === undefined ? {} : { standing }) },
      gates: [mutationGate],
    });
  }

  async lane(more: Partial<NewLane> = {}) {
    const lanes = await Lanes.open(this.callOf);
    return lanes.add({
      name: "test",
      openedAt: "2026-01-31T09:00:00Z",
      ...(more.process === undefined ? { expiresAt: "2026-01-31T10:00:00Z" } : {}),
      ...more,
    });
  }

  write(path: string, content: string | JsonObject): void {
    const whole = join(this.cwd, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }

  read(path: string): JsonObject {
    return JSON.parse(readFileSync(join(this.cwd, path), "utf8")) as JsonObject;
  }

  /** The last row of an issue. */
  row(id: string): JsonObject {
    const rows = readFileSync(this.issues, "utf8").trim().split("\n");
    return rows.map((line) => JSON.parse(line) as JsonObject).findLast((row) => row["id"] === id) ?? {};
  }

  /** Everything in the folder, files with their content. */
  files(): Record<string, string> {
    const entries = readdirSync(this.cwd, { recursive: true, withFileTypes: true });
    // What a process remembers for itself is no part of the project; making it is how a lock is taken.
    const files = entries
      .filter((entry) => entry.isFile() && !entry.parentPath.includes("/.premath/.local"))
      .map(({ parentPath, name }) => join(parentPath, name));
    return Object.fromEntries(files.map((path) => [path, readFileSync(path, "utf8")]));
  }

  /** An instruction that was run: its envelope, its policy and its witness, as `instruction-run` leaves them. */
  async witness(
    id: string,
    scope: JsonObject,
    claims: readonly string[],
    runFinishedAt = "2026-01-31T09:20:00Z",
  ) {
    const policy = {
      ...{ schema: 1, policyKind: "ci.instruction.policy.v1", policyId: "policy.test.v1" },
      ...{ allowedChecks: ["test"], allowedNormalizers: ["normalizer.ci.v1"] },
    };
    const policyDigest = digest("pol1_", policy);
    this.write("policies/instruction/policy-test-v1.json", { ...policy, policyDigest });
    const capabilityClaims = [
      "capabilities.change_morphisms",
      ...claims.map((claim) => `capabilities.change_morphisms.${claim}`),
    ];
    const envelope: JsonObject = {
      ...{ schema: 1, intent: "mend the upload", scope, normalizerId: "normalizer.ci.v1", policyDigest },
      ...{ requestedChecks: ["test"], capabilityClaims },
    };
    this.write(`instructions/${id}.json`, envelope);
    const instructionDigest = digest("instr1_", envelope);
    const core = [instructionDigest, "normalizer.ci.v1", policyDigest].map((part) => `${part}\0`).join("");
    const bindings = await bindingsOf(this.cwd, nodePorts());
    if (isRefusal(bindings)) throw new Error(bindings.message);
    const joinInput = joinInputFor({ ...bindings, policyDigest, id });
    const judged = joinCheck(joinInput, policyDigest);
    if (isRefusal(judged) || !judged.mutationReady) throw new Error(JSON.stringify(judged));
    const witness = {
      ...{ ciSchema: 1, witnessKind: "ci.instruction.v1", instructionId: id },
      ...{ instructionRef: `instructions/${id}.json`, instructionDigest, scope, capabilityClaims },
      ...{ normalizerId: "normalizer.ci.v1", policyDigest, authorityPayloadDigest: instructionDigest },
      typedCoreProjectionDigest: `ev1_${sha256Hex(core)}`,
      ...{ verdictClass: "accepted", failureClasses: [], runFinishedAt },
    };
    const join = {
      ...{ joinClosed: true, joinFailureClasses: [], joinEvidence: joinInput },
      joinWitnessRef: joinRef(id, judged.witness.digests.joinSetDigest),
    };
    const whole = sealedWitness({ ...witness, ...join } as never) as unknown as JsonObject;
    this.write(`artifacts/ciwitness/${id}.json`, whole);
    return whole;
  }
}

function joinInputFor(of: {
  readonly id: string;
  readonly policyDigest: string;
  readonly governancePolicyDigest: string;
  readonly decompositionPolicyDigest: string;
}): JsonObject {
  const resultDigest = `sha256:${sha256Hex("ran")}`;
  return {
    evidence: {
      callSpec: {
        ...{ callId: of.id, modelRef: "none", actionMode: "json", executionPattern: "single" },
        ...{ normalizerId: "normalizer.ci.v1", mutationPolicyDigest: of.policyDigest },
        ...{ governancePolicyDigest: of.governancePolicyDigest },
        ...{ decompositionPolicyDigest: of.decompositionPolicyDigest },
        ...{ toolRenderProtocolDigest: "r", reminderQueuePolicyDigest: "q", stateViewPolicyDigest: "v" },
      },
      toolRequests: [{ toolCallId: "check-1", toolName: "test" }],
      toolResults: [{ toolCallId: "check-1", status: "ok", resultDigest }],
      toolUse: [{ toolCallId: "check-1", disposition: "observed", resultDigest }],
      protocolState: { stopReason: "end_turn" },
      sessionRefs: ["session://run-1"],
      trajectoryRefs: ["trajectory://run-1"],
    },
  };
}
