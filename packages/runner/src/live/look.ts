/** What issue memory and git say now about what a step is about. */
import { leftBy } from "@bridle/work";
import { earlierMerges } from "../step/earlier.js";
import type { Facts, StepState } from "../types.js";
import type { WorkerContext } from "./context.js";
import { branchOf, stepTrailer } from "./names.js";

export async function look(step: StepState, context: WorkerContext): Promise<Facts> {
  const { repository, ports, journal } = context;
  const { git } = repository;
  const nowMs = await ports.clock.now();
  const { claimed } = step;
  const issue = claimed === undefined ? undefined : await issueFacts(claimed.issueId, context);
  const target = await git.commit(`refs/heads/${repository.target}`);
  const candidate = step.done.get("merge")?.["candidate"];
  const facts: Facts = { nowMs, ...(issue === undefined ? {} : { issue }) };
  if (claimed === undefined || target === undefined) return facts;
  const held = typeof candidate === "string" && (await git.isAncestor(candidate, target));
  const earlier = await firstHeld(earlierMerges(await journal.rows(), step), target, context);
  const branch = await branchFacts({ ...step, claimed }, context);
  return {
    ...facts,
    ...(branch === undefined ? {} : { branch }),
    target: { head: target, holdsCandidate: held },
    ...(earlier === undefined ? {} : { earlier }),
  };
}

async function issueFacts(id: string, { issues }: WorkerContext): Promise<Facts["issue"]> {
  const node = (await issues.graph())?.get(id);
  if (node === undefined || "problem" in node.issue) return undefined;
  const { fence, lease, status, verified } = node.issue;
  const left = leftBy(node);
  return {
    status,
    fence,
    ...(lease === undefined ? {} : { owner: lease.owner }),
    ...(node.leaseEndMs === undefined ? {} : { leaseEndsMs: node.leaseEndMs }),
    ...(verified === undefined ? {} : { closedOn: verified.commit }),
    ...(left === undefined ? {} : { leftBy: left.step }),
  };
}

async function branchFacts(
  step: StepState & { readonly claimed: NonNullable<StepState["claimed"]> },
  { repository: { git } }: WorkerContext,
): Promise<Facts["branch"]> {
  const format = `--format=%H%n%(trailers:key=${stepTrailer},valueonly)`;
  const told = await git.maybe("log", "-1", format, `refs/heads/${branchOf(step)}`, "--");
  if (told === undefined) return undefined;
  const [head = "", by = ""] = told.split("\n");
  return { head, ...(by.trim() === "" ? {} : { step: by.trim() }) };
}

async function firstHeld<Each extends { readonly candidate: string }>(
  merges: readonly Each[],
  target: string,
  { repository: { git } }: WorkerContext,
): Promise<Each | undefined> {
  for (const merge of merges) if (await git.isAncestor(merge.candidate, target)) return merge;
  return undefined;
}
