/** `bridle change list|show|diff|accept|reject`: verified changes that wait for a person. */
import { type Call, defineOperation, type Operation, type Paint } from "@bridle/operation";
import { isRefusal, refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { openWorkplace } from "../run/open-worker.js";
import type { Repository } from "../repository/repository.js";
import {
  acceptChange,
  rejectChange,
  type WaitingChange,
  waitingChange,
  waitingChanges,
} from "../run/review.js";
import { byPerson, flags, issueInput, named, reading, text } from "./define.js";
import { repositoryOf, runOfInput, surroundingsOf } from "./run-of.js";

const place = {
  repoRoot: runOfInput.repoRoot,
  into: text("branch", "The branch that changes are merged into; bridle/main when left out."),
} as const;

const Row = Type.Object({
  issueId: Type.String(),
  title: Type.String(),
  branch: Type.String(),
  commit: Type.String(),
  files: Type.Array(Type.String()),
  since: Type.String(),
});

const rowOf = ({ issueId, title, branch, commit, files, since }: WaitingChange) => ({
  ...{ issueId, title, branch, commit, files: [...files], since },
});

const lineOf = ({ issueId, title, files }: Type.Static<typeof Row>, paint: Paint) =>
  `  ${paint.strong(issueId)}  ${title}  ${paint.dim(`${files.length} ${files.length === 1 ? "file" : "files"}`)}`;

const changeList = defineOperation({
  names: named("change", "list"),
  ...reading,
  summary: "List the verified changes that wait for you.",
  description: "Those of runs that were started with --merge review.",
  examples: [{ command: "bridle change list", says: "what there is to look at" }],
  input: flags({ ...place }),
  output: Type.Object({ action: Type.Literal("change.list"), changes: Type.Array(Row) }),
  async run(given, call) {
    const repository = await repositoryOf(given, call);
    if (isRefusal(repository)) return repository;
    return { action: "change.list" as const, changes: (await waitingChanges(repository, call)).map(rowOf) };
  },
  present: ({ changes }, paint) =>
    changes.length === 0 ? "  nothing waits for review" : changes.map((row) => lineOf(row, paint)).join("\n"),
});

async function found(
  given: { readonly issue: string; readonly repoRoot?: string; readonly into?: string },
  call: Call,
): Promise<{ repository: Repository; change: WaitingChange } | Refusal> {
  const repository = await repositoryOf(given, call);
  if (isRefusal(repository)) return repository;
  const change = await waitingChange(given.issue, repository, call);
  return isRefusal(change) ? change : { repository, change };
}

const changeShow = defineOperation({
  names: named("change", "show"),
  ...reading,
  summary: "Show a change that waits for you.",
  description: "Which files it touches, and on which branch it stands.",
  examples: [{ command: "bridle change show bd-5", says: "its files" }],
  input: flags({ issue: issueInput, ...place }),
  output: Type.Object({ action: Type.Literal("change.show"), change: Row, stat: Type.String() }),
  async run(given, call) {
    const at = await found(given, call);
    if (isRefusal(at)) return at;
    const { repository, change } = at;
    const stat = await repository.git.say("diff", "--stat", "--no-ext-diff", change.base, change.commit);
    return { action: "change.show" as const, change: rowOf(change), stat };
  },
  present: ({ change, stat }, paint) => `${lineOf(change, paint)}\n  ${paint.dim(change.branch)}\n${stat}`,
});

const changeDiff = defineOperation({
  names: named("change", "diff"),
  ...reading,
  summary: "Show what a change that waits for you changes.",
  description: "As git shows it, against the commit that the work began from.",
  examples: [{ command: "bridle change diff bd-5", says: "line by line" }],
  input: flags({ issue: issueInput, ...place }),
  output: Type.Object({ action: Type.Literal("change.diff"), issueId: Type.String(), diff: Type.String() }),
  async run(given, call) {
    const at = await found(given, call);
    if (isRefusal(at)) return at;
    const { repository, change } = at;
    const { base, commit } = change;
    const diff = await repository.git.say("diff", "--no-ext-diff", "--no-textconv", base, commit);
    return { action: "change.diff" as const, issueId: change.issueId, diff };
  },
  present: ({ diff }) => diff,
});

const changeAccept = defineOperation({
  names: named("change", "accept"),
  ...byPerson,
  summary: "Merge a change that you looked at, and close its issue.",
  description:
    "It is merged onto the target as it is now and checked there, as without a review. What does not merge or fails its " +
    "checks goes back to the workers with the reason.",
  examples: [{ command: "bridle change accept bd-5", says: "merges it into bridle/main" }],
  input: flags({ issue: issueInput, ...place }),
  output: Type.Object({
    action: Type.Literal("change.accept"),
    issueId: Type.String(),
    commit: Type.String({ description: "The merge commit, which the issue is closed on." }),
  }),
  async run(given, call) {
    const at = await found(given, call);
    if (isRefusal(at)) return at;
    const { repoRoot, into } = given;
    const request = { folder: repoRoot ?? call.cwd, work: "true", ...(into === undefined ? {} : { into }) };
    const workplace = await openWorkplace(request, call);
    if (isRefusal(workplace)) return workplace;
    const accepted = await acceptChange(at.change, workplace, surroundingsOf(call));
    if (isRefusal(accepted)) return accepted;
    const { end, step } = accepted;
    const commit = step.done.get("close")?.["closedOn"];
    if (end === "completed" && typeof commit === "string")
      return { action: "change.accept" as const, issueId: given.issue, commit };
    return refuse("change_refused", {
      message: `${given.issue} was not merged: ${step.failure?.message ?? String(end)}`,
      hint: "It went back to the workers with this reason; `premath issue show` tells more.",
      detail: { failureClass: step.failure?.class ?? null },
    });
  },
  present: ({ issueId, commit }, paint) =>
    `  ${paint.strong(issueId)} ${paint.good("merged")} as ${commit.slice(0, 7)}`,
});

const changeReject = defineOperation({
  names: named("change", "reject"),
  ...byPerson,
  summary: "Send a change back to the workers.",
  description: "The issue is open again, and the next attempt is told your reason. The branch stays.",
  examples: [{ command: 'bridle change reject bd-5 --reason "keep the old name"', says: "and why" }],
  input: flags({
    issue: issueInput,
    reason: Type.String({
      minLength: 1,
      "x-placeholder": "text",
      description: "What the next attempt should know.",
    }),
    ...place,
  }),
  output: Type.Object({ action: Type.Literal("change.reject"), issueId: Type.String() }),
  async run(given, call) {
    const at = await found(given, call);
    if (isRefusal(at)) return at;
    const no = await rejectChange(at.change, given.reason, at.repository, call);
    return no ?? { action: "change.reject" as const, issueId: given.issue };
  },
  present: ({ issueId }, paint) => `  ${paint.strong(issueId)} is open again, with your reason`,
});

export const changeOperations: readonly Operation[] = [
  changeList,
  changeShow,
  changeDiff,
  changeAccept,
  changeReject,
];
