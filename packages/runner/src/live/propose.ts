/**
 * What a work command proposes besides its change: follow-up issues, comments, a question to a person. At most twenty,
 * and each passes the gate on the turn that was just closed. Asked for again after a crash, what is there already is
 * not made twice.
 */
import { isJsonObject, isRefusal, type JsonObject, type JsonValue, sha256Hex } from "@bridle/record";
import type { IssueGraph, IssueNode } from "@bridle/work";
import type { Begun, Outcome } from "../types.js";
import { isProblem, StepFiles } from "../work/step-files.js";
import type { WorkerContext } from "./context.js";
import { failed } from "./failed.js";
import { stepFolder } from "./names.js";

const proposalsMax = 20;
const questionLabel = "question";

export async function propose(step: Begun, context: WorkerContext): Promise<Outcome> {
  const files = new StepFiles(stepFolder(context.runFolder, step), context.ports);
  const told = await files.told("proposals");
  if (told === undefined) return {};
  if (isProblem(told)) return { made: 0, refused: [told.problem] };
  const all = listOf(told as JsonValue);
  const refused: string[] =
    all.length > proposalsMax ? [`${all.length - proposalsMax} more than ${proposalsMax}`] : [];
  let made = 0;
  for (const proposal of all.slice(0, proposalsMax)) {
    const no = await makeOne(proposal, step, context);
    if (no === undefined) made += 1;
    else refused.push(no);
  }
  const outcome = { made, ...(refused.length === 0 ? {} : { refused }) };
  const open = await openParts(step, context);
  if (open.length === 0) return outcome;
  // Nothing of it is merged before its parts are; what it changed meanwhile is kept on a branch.
  return { ...outcome, parts: open, ...waiting(open) } as Outcome;
}

function waiting(parts: readonly string[]): Outcome {
  return failed("waits_for_parts", `it was divided, and waits for ${parts.join(", ")}`);
}

function listOf(told: JsonValue): readonly JsonValue[] {
  if (Array.isArray(told)) return told;
  return isJsonObject(told) && Array.isArray(told["proposals"]) ? told["proposals"] : [told];
}

/** Why not; undefined when it is there now. */
async function makeOne(
  proposal: JsonValue,
  step: Begun,
  context: WorkerContext,
): Promise<string | undefined> {
  const { issues, worktree, worker } = context;
  const { issueId, fence } = step.claimed;
  const graph = await issues.graph();
  const call = async (action: string, input: JsonObject) => {
    const answer = await issues.call(
      action,
      { actor: worker, ...input },
      { cwd: worktree.folder, turn: turnOf(step) },
    );
    return isRefusal(answer) ? `${answer.refused}: ${answer.message}` : undefined;
  };
  if (!isJsonObject(proposal)) return "a proposal is a JSON object";
  const { kind, title, text, description } = proposal;
  if ((kind === "issue" || kind === "part") && typeof title === "string" && title.trim() !== "") {
    const told = { title, ...(typeof description === "string" ? { description } : {}) };
    if (kind === "part") return makePart(told, step, context, call);
    if (discovered(graph, issueId).some((each) => each.title === title)) return undefined;
    return call("issue.discover", { parentIssueId: issueId, ...told });
  }
  if ((kind === "comment" || kind === "question") && typeof text === "string" && text.trim() !== "") {
    const said = kind === "question" ? `Question: ${text}` : text;
    const no = wasSaid(graph, issueId, said)
      ? undefined
      : await call("issue.comment", { id: issueId, text: said, fence });
    if (no !== undefined || kind === "comment") return no;
    return call("issue.label", { id: issueId, add: [questionLabel], fence });
  }
  return `a proposal is an issue or a part with a title, or a comment or a question with a text, and not ${JSON.stringify(proposal).slice(0, 100)}`;
}

/**
 * A part of the issue: work that was discovered from it, and that it waits for. Fan-out is refused unless the project
 * allows it, and all parts that an issue ever had are counted.
 */
async function makePart(
  part: JsonObject & { readonly title: string },
  { claimed: { issueId, fence } }: Begun,
  { issues, settings: { partsMax } }: WorkerContext,
  call: (action: string, input: JsonObject) => Promise<string | undefined>,
): Promise<string | undefined> {
  const find = async () => {
    const graph = await issues.graph();
    const own = graph?.get(issueId);
    const there = discovered(graph, issueId);
    const waited = there.filter(({ id }) => own !== undefined && dependsOn(own, "waits-for", id));
    return { waited, part: there.find(({ title }) => title === part.title) };
  };
  const { waited, part: known } = await find();
  if (known !== undefined && waited.includes(known)) return undefined;
  if (waited.length >= partsMax)
    return `coordination.decomposition_policy_violation: ${partsMax} parts at most are allowed here`;
  const no =
    known === undefined
      ? await call("issue.discover", { parentIssueId: issueId, fence, ...part })
      : undefined;
  if (no !== undefined) return no;
  const { part: made } = await find();
  if (made === undefined) return `${part.title} is not there`;
  return call("dep.add", { issueId, dependsOnId: made.id, depType: "waits-for", fence });
}

/** What was discovered from the issue. */
function discovered(graph: IssueGraph | undefined, parent: string) {
  return [...(graph?.nodes() ?? [])].filter((node) => dependsOn(node, "discovered-from", parent));
}

function dependsOn({ issue }: IssueNode, type: string, on: string): boolean {
  if ("problem" in issue) return false;
  return issue.dependencies.some((each) => each.type === type && each.dependsOnId === on);
}

/** Parts of the issue that are not done. */
async function openParts({ claimed: { issueId } }: Begun, { issues }: WorkerContext): Promise<string[]> {
  const graph = await issues.graph();
  const own = graph?.get(issueId);
  if (own === undefined) return [];
  return discovered(graph, issueId)
    .filter(({ id, status }) => status !== "closed" && dependsOn(own, "waits-for", id))
    .map(({ id }) => id)
    .sort();
}

function wasSaid(graph: IssueGraph | undefined, issueId: string, text: string): boolean {
  const comments = graph?.get(issueId)?.row["comments"];
  return Array.isArray(comments) && comments.some((each) => isJsonObject(each) && each["text"] === text);
}

/** The command as the one call of the turn, answered. */
function turnOf({ id, done }: Begun) {
  const digest = `sha256:${sha256Hex(JSON.stringify(done.get("work") ?? {}))}` as const;
  return {
    turnId: `step://${id}`,
    caller: "runner://worker",
    calls: [{ callId: `${id}.work`, tool: "work_command", answer: { digest } }],
  };
}
