/** What issue memory and git say now about what a step is about. */
import { present } from "@bridle/record";
import { leftBy } from "@bridle/work";
import { earlierMerges } from "../step/earlier.js";
import type { Begun, Facts, StepState } from "../types.js";
import type { WorkerContext } from "./context.js";
import { branchOf, stepTrailer } from "./names.js";

export async function look(step: StepState, context: WorkerContext): Promise<Facts> {
  const { repository, ports, journal } = context;
  const { git } = repository;
  const nowMs = await ports.clock.now();
  const { claimed } = step;
  if (claimed === undefined) return { nowMs };
  const issue = await issueFacts(claimed.issueId, context);
  const branch =
    step.doubt?.effect === "commit" ? await branchFacts({ ...step, claimed }, context) : undefined;
  const facts: Facts = { nowMs, ...present({ issue, branch }) };
  // Before there is a commit nothing depends on where the target is, unless somebody merged this issue before.
  const merges = earlierMerges(await journal.rows(), step);
  const { done } = step;
  // Nor does anything once its own change is part of the target.
  const isMerged = typeof done.get("move")?.["moved"] === "string";
  const isOver = isMerged || done.has("close") || done.has("give_back") || done.has("park");
  if (isOver || (!done.has("commit") && merges.length === 0)) return facts;
  const target = await git.commit(`refs/heads/${repository.target}`);
  if (target === undefined) return facts;
  const candidate = done.get("merge")?.["candidate"];
  // Asked only of a move whose outcome is not known: git answers no question that nobody has.
  const isInDoubt = step.doubt?.effect === "move" && typeof candidate === "string";
  const held = isInDoubt && (await git.isAncestor(candidate, target));
  const earlier = await firstHeld(merges, target, context);
  return { ...facts, target: { head: target, holdsCandidate: held }, ...present({ earlier }) };
}

async function issueFacts(id: string, { issues }: WorkerContext): Promise<Facts["issue"]> {
  const node = (await issues.graph())?.get(id);
  if (node === undefined || "problem" in node.issue) return undefined;
  const { fence, lease, status, verified } = node.issue;
  const left = leftBy(node);
  return {
    ...{ status, fence },
    ...present({ owner: lease?.owner, leaseEndsMs: node.leaseEndMs }),
    ...present({ closedOn: verified?.commit, leftBy: left?.step, escalation: left?.escalation }),
  };
}

async function branchFacts(step: Begun, { repository: { git } }: WorkerContext): Promise<Facts["branch"]> {
  const format = `--format=%H%n%(trailers:key=${stepTrailer},valueonly)`;
  const told = await git.maybe("log", "-1", format, `refs/heads/${branchOf(step)}`, "--");
  if (told === undefined) return undefined;
  const [head = "", by = ""] = told.split("\n");
  return { head, ...(by.trim() === "" ? {} : { step: by.trim() }) };
}

async function firstHeld(
  merges: readonly NonNullable<Facts["earlier"]>[],
  target: string,
  { repository: { git } }: WorkerContext,
): Promise<Facts["earlier"]> {
  for (const merge of merges) if (await git.isAncestor(merge.candidate, target)) return merge;
  return undefined;
}
