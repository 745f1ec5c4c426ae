/**
 * What a judged change leaves behind in `artifacts/ciwitness/` of the main tree, which git ignores:
 * a gate witness a check, the required witness, the delta and the decision, each with its hash.
 *
 * These are copies for people, tools and other machines. What counts here are the results by
 * tree in the person's state folder, because anybody can write into an artifact folder.
 */
import { basename, dirname, join } from "node:path";
import { formatSeconds, type JsonObject, Lock, type Ports, putFile, sha256Hex } from "@bridle/record";
import { canonicalSha256, type Decision, decide } from "../required/decide.js";
import { fallbackRef, type GateWitnessRef } from "../required/gate-ref.js";
import { boundMembers } from "../required/typed-core.js";
import { type RequiredWitness, witnessOf } from "../required/witness.js";
import type { Verdict } from "./judge-change.js";
import type { CheckedRepository } from "./types.js";

export const witnessFolder = "artifacts/ciwitness";

export interface WitnessRequest {
  readonly verdict: Verdict;
  readonly repository: Pick<CheckedRepository, "top" | "commonDir">;
  readonly issue?: { readonly id: string; readonly fence: number };
  readonly startedMs: number;
  readonly everything?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ports: Ports;
}

export interface WrittenWitness {
  readonly witness: RequiredWitness;
  readonly decision: Decision;
  /** From the top of the main tree. */
  readonly witnessPath: string;
  /** Names the witness by its content. */
  readonly witnessRef: string;
}

/** Of a repository with worktrees, the tree that they share their artifacts with. */
export function mainTreeOf({ top, commonDir }: WitnessRequest["repository"]): string {
  return basename(commonDir) === ".git" ? dirname(commonDir) : top;
}

/** Where and when a run was, as every witness of one says it. */
export function timesOf(run: {
  readonly startedMs: number;
  readonly finishedMs: number;
  readonly env: WitnessRequest["env"];
}) {
  const { startedMs, finishedMs, env } = run;
  return {
    squeakSiteProfile: env["PREMATH_SQUEAK_SITE_PROFILE"] ?? env["PREMATH_EXECUTOR_PROFILE"] ?? "local",
    runStartedAt: formatSeconds(startedMs),
    runFinishedAt: formatSeconds(finishedMs),
    runDurationMs: Math.max(0, Math.round(finishedMs - startedMs)),
  };
}

export function issueWitnessPath(issueId: string): string {
  return `${witnessFolder}/${issueStem(issueId)}.json`;
}

function issueStem(issueId: string): string {
  return `issue-${encodeURIComponent(issueId)}`;
}

export function witnessRefOf(witness: RequiredWitness): string {
  const about = witness.issueId ?? witness.projectionDigest;
  return `witness://ci.required/${about}/${canonicalSha256(witness as unknown as JsonObject)}`;
}

export async function writeWitness(request: WitnessRequest): Promise<WrittenWitness> {
  const { verdict, repository, issue, ports, everything = false } = request;
  const files = await WitnessFolder.open(repository, ports);
  const gates = gatesOf(verdict, issue);
  for (const { ref, payload } of gates) {
    await files.put(ref.artifactRelPath, payload);
    await files.text(`${ref.artifactRelPath.replace(/\.json$/, "")}.source`, `${ref.source}\n`);
  }
  const witness = await witnessFor(
    request,
    gates.map(({ ref }) => ref),
  );
  const { projection, map } = verdict;
  const payloads = new Map(gates.map(({ ref, payload }) => [ref.artifactRelPath, payload] as const));
  const decision = decide({
    ...{ map, everything, payloads, witness: witness as unknown as JsonObject },
    expectedChangedPaths: projection.changedPaths,
  });
  const delta: JsonObject = {
    deltaKind: "ci.delta.v1",
    ...projection,
    deltaSource: "git_diff",
    fromRef: verdict.base,
    toRef: verdict.commit,
    ...boundMembers(projection.projectionDigest, projection.projectionPolicy),
  };
  const witnessSha256 = await files.put(`${projection.projectionDigest}.json`, witness);
  await files.together(async () => {
    await files.put("latest-required.json", witness);
    const deltaSha256 = await files.put("latest-delta.json", delta);
    await files.put("latest-decision.json", { ...decision, witnessSha256, deltaSha256 });
  });
  const named = `${issue === undefined ? projection.projectionDigest : issueStem(issue.id)}.json`;
  if (issue !== undefined) await files.put(named, witness);
  return { witness, decision, witnessPath: `${witnessFolder}/${named}`, witnessRef: witnessRefOf(witness) };
}

/** In a folder of the issue's own: another that changes the same paths has the same projection. */
function gatesOf({ projection, checks, base, commit }: Verdict, issue: WitnessRequest["issue"]) {
  const { projectionDigest, projectionPolicy: policyDigest } = projection;
  const folder = issue === undefined ? projectionDigest : issueStem(issue.id);
  return checks.map(({ checkId, exitCode }, at) => {
    const path = `gates/${folder}/${String(at + 1).padStart(2, "0")}-${checkId}.json`;
    const from = { exitCode, projectionDigest, policyDigest, ctxRef: base, dataHeadRef: commit };
    const { gateWitnessRef, gatePayload } = fallbackRef(checkId, path, from);
    return { ref: gateWitnessRef, payload: gatePayload };
  });
}

async function witnessFor(
  { verdict, issue, startedMs, env, ports }: WitnessRequest,
  gateWitnessRefs: readonly GateWitnessRef[],
): Promise<RequiredWitness> {
  const finishedMs = await ports.clock.now();
  const { projection, checks } = verdict;
  const { schema: _schema, ...projected } = projection;
  return witnessOf({
    ...projected,
    results: checks.map(({ checkId, status, exitCode, durationMs, failureClass, attempts }) => ({
      ...{ checkId, status, exitCode, durationMs, attempts: attempts.length },
      ...(failureClass === undefined ? {} : { failureClass }),
    })),
    gateWitnessRefs,
    deltaSource: "git_diff",
    fromRef: verdict.base,
    toRef: verdict.commit,
    ...timesOf({ startedMs, finishedMs, env }),
    ...{ commit: verdict.commit, tree: verdict.tree, baseCommit: verdict.base },
    ...(issue === undefined ? {} : { issueId: issue.id, fence: issue.fence }),
  });
}

export class WitnessFolder {
  private constructor(
    private readonly folder: string,
    private readonly ports: Ports,
  ) {}

  /** Nothing in it is ever committed by accident. */
  static async open(repository: WitnessRequest["repository"], ports: Ports): Promise<WitnessFolder> {
    const folder = new WitnessFolder(join(mainTreeOf(repository), witnessFolder), ports);
    if ((await ports.files.stat(join(folder.folder, ".gitignore"))) === undefined)
      await folder.text(".gitignore", "*\n");
    return folder;
  }

  /** Files that belong together, and that nobody else writes meanwhile. */
  async together(write: () => Promise<void>): Promise<void> {
    const { folder, ports } = this;
    const held = await new Lock({ path: join(folder, "latest.lock"), name: folder, ports }).acquire();
    try {
      await write();
    } finally {
      await held.release();
    }
  }

  /** The SHA-256 of what was written. */
  async put(name: string, value: object): Promise<string> {
    const text = `${JSON.stringify(value, null, 2)}\n`;
    const sha256 = sha256Hex(text);
    await this.text(name, text);
    await this.text(`${name.replace(/\.json$/, "")}.sha256`, `${sha256}\n`);
    return sha256;
  }

  async text(name: string, text: string): Promise<void> {
    const path = join(this.folder, name);
    await this.ports.files.makeDirectory(dirname(path));
    await putFile(path, Buffer.from(text), this.ports);
  }
}
