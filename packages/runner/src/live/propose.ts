/**
 * What a work command proposes besides its change: follow-up issues, comments, a question to a person. At most twenty,
 * and each passes the gate on the turn that was just closed. Asked for again after a crash, what is there already is
 * not made twice.
 */
import { isJsonObject, isRefusal, type JsonObject, type JsonValue, sha256Hex } from "@bridle/record";
import type { IssueGraph } from "@bridle/work";
import type { Claimed, Outcome, StepState } from "../types.js";
import { isProblem, StepFiles } from "../work/step-files.js";
import type { WorkerContext } from "./context.js";
import { stepFolder } from "./names.js";

type Begun = StepState & { readonly claimed: Claimed };

const proposalsMax = 20;
export const questionLabel = "question";

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
  return { made, ...(refused.length === 0 ? {} : { refused }) };
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
  if (kind === "issue" && typeof title === "string" && title.trim() !== "") {
    if (wasDiscovered(graph, issueId, title)) return undefined;
    const more = typeof description === "string" ? { description } : {};
    return call("issue.discover", { parentIssueId: issueId, title, ...more });
  }
  if ((kind === "comment" || kind === "question") && typeof text === "string" && text.trim() !== "") {
    const said = kind === "question" ? `Question: ${text}` : text;
    const no = wasSaid(graph, issueId, said)
      ? undefined
      : await call("issue.comment", { id: issueId, text: said, fence });
    if (no !== undefined || kind === "comment") return no;
    return call("issue.label", { id: issueId, add: [questionLabel], fence });
  }
  return `a proposal is an issue with a title, or a comment or a question with a text, and not ${JSON.stringify(proposal).slice(0, 100)}`;
}

function wasDiscovered(graph: IssueGraph | undefined, parent: string, title: string): boolean {
  for (const node of graph?.nodes() ?? []) {
    if (node.title !== title || "problem" in node.issue) continue;
    if (
      node.issue.dependencies.some(
        ({ type, dependsOnId }) => type === "discovered-from" && dependsOnId === parent,
      )
    )
      return true;
  }
  return false;
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
