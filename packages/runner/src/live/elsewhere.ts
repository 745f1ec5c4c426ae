/**
 * Steps whose work is another place's: an issue labelled `elsewhere:<name>` is handed over by Squeak to the folder that
 * the project's settings name so, and waits. That it arrived verifies nothing; it counts as verified once the
 * destination has closed it with a witness and that ref is recorded here. Closing it here stays with a person.
 */
import { resolve } from "node:path";
import { isRefusal } from "@bridle/record";
import type { Begun, Outcome } from "../types.js";
import type { WorkerContext } from "./context.js";
import { failed, failedBy } from "./failed.js";
import { withIssues } from "./issue-door.js";

const prefix = "elsewhere:";
/** Of an issue that waits for its destination. */
export const elsewhereLabel = "elsewhere";
const verifiedLabel = "elsewhere-verified";

const nameIn = (labels: readonly string[]) =>
  labels.find((label) => label.startsWith(prefix))?.slice(prefix.length);

/** Undefined for an issue whose work is done here. */
export async function sendElsewhere(
  { claimed: { issueId } }: Begun,
  { issues, settings }: WorkerContext,
): Promise<Outcome | undefined> {
  const name = nameIn((await issues.issue(issueId))?.labels ?? []);
  if (name === undefined) return undefined;
  const folder = settings.elsewhere[name];
  if (folder === undefined)
    return failed("transport_context_unresolved", `.bridle/runner.json names no folder for ${prefix}${name}`);
  const sent = await issues.send(issueId, folder);
  if (isRefusal(sent)) return failedBy(sent);
  const { result, failureClasses, outcomes, transportId, deliveredIssueId, witnessRefs } = sent;
  if (result === "accepted") return { sent: true, to: name, transportId, deliveredIssueId, witnessRefs };
  const says = outcomes.flatMap((each) => ("says" in each ? [String(each.says)] : [])).join(" ");
  return failed(
    failureClasses[0] ?? "transport_context_unresolved",
    `${name} did not take it. ${says}`.trim(),
  );
}

/** What destinations have verified meanwhile: their gate refs go into the trajectory, once. */
export async function recordElsewhere(context: WorkerContext): Promise<void> {
  const { issues, settings, repository, worker } = context;
  for (const { id, status, issue } of [...((await issues.graph())?.nodes() ?? [])]) {
    if (status !== "blocked" || "problem" in issue || issue.labels.includes(verifiedLabel)) continue;
    const name = nameIn(issue.labels);
    const folder = name === undefined ? undefined : settings.elsewhere[name];
    if (folder === undefined || !issue.labels.includes(elsewhereLabel)) continue;
    const sent = await issues.send(id, folder);
    if (isRefusal(sent) || sent.deliveredIssueId === null) continue;
    const witness = await witnessAt(resolve(repository.mainTree, folder), sent.deliveredIssueId, context);
    if (witness === undefined) continue;
    const row = await issues.call("harness.trajectory.append", {
      ...{ stepId: `elsewhere.${id}.${issue.fence}`, issueId: id, action: "squeak.verified", once: true },
      ...{ resultClass: "verified_accept", witnessRefs: [...sent.witnessRefs, witness] },
      nextStep: `a person closes ${id}: ${name} has done it`,
    });
    if (!isRefusal(row)) await issues.call("issue.label", { id, add: [verifiedLabel], actor: worker });
  }
}

/** The witness that the destination closed it with; undefined while it has not. */
async function witnessAt(folder: string, id: string, { ports }: WorkerContext): Promise<string | undefined> {
  return withIssues(folder, ports, async (store) => {
    const issue = (await store.graph())?.get(id)?.issue;
    if (issue === undefined || "problem" in issue || issue.status !== "closed") return undefined;
    return issue.verified?.witnessRef;
  });
}
