/**
 * Whether an issue has a verified change: a witness for this issue and this claim, on a commit
 * whose tree the harness itself saw pass every check that the change requires.
 *
 * What a newcomer gets wrong: the witness file is not believed. Base and commit are looked up in
 * git, the projection is derived again from the base commit's map, and every required check must
 * stand in the results that the harness keeps by tree. A witness that somebody wrote, of another
 * issue, of an earlier claim or of another commit comes to a refusal.
 */
import { join } from "node:path";
import { gitFoldersOf, isJsonObject, isRefusal, type Ports, refuse, type Refusal } from "@bridle/record";
import { readSmallJson } from "../small-file.js";
import { findIssue } from "../memory/find.js";
import type { Issue } from "../memory/types.js";
import { memoryMissing } from "../store/issue-refusals.js";
import { engineFor } from "../store/open.js";
import { scopeOf } from "./checks/judge-change.js";
import { commitOf, treeOf } from "./checks/git-facts.js";
import { checkKey, CheckResults } from "./checks/results.js";
import { stateFolder } from "./checks/state-folder.js";
import { issueWitnessPath, mainTreeOf, witnessRefOf } from "./checks/write-witness.js";
import type { CheckMap } from "./required/check-map.js";
import { verifyWitness } from "./required/verify-witness.js";
import type { RequiredWitness } from "./required/witness.js";

export interface VerifiedChangeOptions {
  readonly ports: Ports;
  /** A folder of the repository, absolute: the one whose `.premath` holds the issue. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  /** The issue as it stands: its fence, and where its claim began. Read from the root when left out. */
  readonly issue?: Pick<Issue, "fence" | "startedFrom">;
}

export interface VerifiedChange {
  readonly commit: string;
  readonly tree: string;
  readonly policyDigest: string;
  readonly projectionDigest: string;
  readonly witnessRefs: readonly [string];
}

export async function verifiedChange(
  issueId: string,
  options: VerifiedChangeOptions,
): Promise<VerifiedChange | Refusal> {
  const { ports, root, env, signal = new AbortController().signal } = options;
  const no = (problem: string) => unverified(issueId, problem);
  const folders = await gitFoldersOf(root, ports.files);
  if (folders === undefined || ports.git === undefined) return no("there is no git repository to look in");
  const repository = { ...folders, git: ports.git };
  const witness = await readSmallJson(join(mainTreeOf(folders), issueWitnessPath(issueId)), ports.files);
  if (!isJsonObject(witness)) return no("there is no witness of its checks");
  const issue = options.issue ?? (await issueIn(root, issueId, ports));
  if (isRefusal(issue)) return issue;
  if (witness["issueId"] !== issueId) return no("the witness is of another issue");
  if (witness["fence"] !== issue.fence) return no("the witness is of another claim");
  const base = issue.startedFrom?.commit;
  if (base === undefined || witness["baseCommit"] !== base)
    return no("the witness begins elsewhere than the claim");
  const commit = await commitOf(folders.top, String(witness["commit"]), repository.git);
  if (isRefusal(commit)) return no("the witness names a commit that is not here");
  const tree = await treeOf(folders.top, commit, repository.git);
  if (witness["tree"] !== tree) return no("the witness names another tree than its commit has");
  const declaredTests = issue.startedFrom?.tests ?? [];
  const scope = await scopeOf({ repository, base, commit, declaredTests });
  if (isRefusal(scope)) return scope;
  const { errors, derived } = verifyWitness({
    ...{ map: scope.map, witness },
    changedPaths: scope.projection.changedPaths,
  });
  if (errors.length > 0) return no(`the witness does not hold: ${errors[0]}`);
  if (derived.expectedVerdict !== "accepted") return no("the witness says that checks failed");
  const passed = await passedOn(tree, scope.map, derived.requiredChecks, { repository, ports, env, signal });
  if (isRefusal(passed)) return passed;
  if (passed !== undefined) return no(`the harness has not seen ${passed} pass on ${commit.slice(0, 7)}`);
  return {
    commit,
    tree,
    policyDigest: derived.policyDigest,
    projectionDigest: derived.projectionDigest,
    witnessRefs: [witnessRefOf(witness as unknown as RequiredWitness)],
  };
}

async function issueIn(root: string, issueId: string, ports: Ports): Promise<Issue | Refusal> {
  const path = join(root, ".premath/issues.jsonl");
  const memory = await engineFor(ports).issues({ path, shown: path, ports });
  try {
    const graph = await memory.graph();
    const found = graph === undefined ? memoryMissing(path) : findIssue(graph, issueId);
    return isRefusal(found) ? found : found.issue;
  } finally {
    await memory.close();
  }
}

/** The first check that no result by tree stands behind; undefined when there is none. */
async function passedOn(
  tree: string,
  map: CheckMap,
  required: readonly string[],
  {
    repository,
    ports,
    env,
    signal,
  }: Pick<VerifiedChangeOptions, "ports" | "env"> & {
    readonly repository: Parameters<typeof stateFolder>[0];
    readonly signal: AbortSignal;
  },
): Promise<string | undefined | Refusal> {
  const state = await stateFolder(repository, { ports, env, signal });
  if (isRefusal(state)) return state;
  const known = await new CheckResults(state, ports).of(tree);
  return map.checks.find(
    (check) => required.includes(check.id) && !known.has(checkKey(check, map.setup, env)),
  )?.id;
}

function unverified(issueId: string, problem: string): Refusal {
  return refuse("mutation.verified_change_missing", {
    message: `${issueId} has no verified change: ${problem}`,
    hint: `\`premath issue finish ${issueId}\` runs its checks and closes it; a person may close it unverified with \`premath issue close ${issueId}\`.`,
    detail: { issueId },
  });
}
