/** `premath issue finish`: what changed since the claim is checked, witnessed, and the issue closed. */
import { type Call, defineOperation, type Paint } from "@bridle/operation";
import { gitFoldersOf, isRefusal, refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { commitOf } from "../evidence/checks/git-facts.js";
import { checkingOf, CheckTold } from "../evidence/checks/types.js";
import { finishIssue, type Finished } from "../evidence/finish.js";
import { changedOutput, changeIssue } from "./issue-changed.js";
import { issueIdInput } from "./issue-fields-input.js";
import { issuesInput, issuesPlace, withMemory } from "../calls/issues.js";
import { asActor, mutationInput } from "./mutation-input.js";
import { cell } from "./text-layout.js";
import { closeIssue } from "../memory/edit/close.js";
import { findIssue } from "../memory/find.js";
import { guardHolder } from "../memory/lease.js";
import { memoryMissing } from "../store/issue-refusals.js";

/** Clients give up after a minute; before that they are told to ask again. */
const answerWithinMs = 40_000;

const FinishInput = Type.Object(
  {
    id: issueIdInput,
    commit: Type.Optional(
      Type.String({
        minLength: 1,
        "x-placeholder": "commit",
        description: "The commit that holds the work; the one that you stand on when left out.",
      }),
    ),
    reason: Type.Optional(Type.String({ "x-placeholder": "text", description: "How it ended." })),
    ...issuesInput,
    ...mutationInput,
  },
  { additionalProperties: false },
);
type Input = Type.Static<typeof FinishInput>;

export const issueFinish = defineOperation({
  names: {
    id: "op/issue.finish",
    action: "issue.finish",
    command: ["issue", "finish"],
    tool: "issue_finish",
  },
  family: "premath",
  effect: "mutate",
  needs: "instruction",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Run the required checks on a change and close its issue.",
  description:
    "Takes what was committed since the claim, runs the checks that the project requires for it in a worktree of its " +
    "own, writes a witness, and closes the issue as verified. A failing check is run once more and told with its last " +
    "lines; then nothing is changed. Where it takes long, a server answers checks_running: the same call again waits on.",
  examples: [
    { command: "premath issue finish bd-5", says: "what is committed here" },
    { command: "premath issue finish bd-5 --commit my-branch", says: "what is committed there" },
  ],
  input: FinishInput,
  output: Type.Object({
    ...changedOutput("issue.finish"),
    commit: Type.String({ description: "What was checked." }),
    baseCommit: Type.String({ description: "Where the work began; its map of checks judged." }),
    policyDigest: Type.String(),
    projectionDigest: Type.String(),
    checks: Type.Array(Type.Pick(CheckTold, ["checkId", "command", "durationMs", "walled", "reused"])),
    witnessPath: Type.String(),
    witnessRefs: Type.Array(Type.String()),
    unblocked: Type.Array(Type.String(), { description: "Issues that are ready now." }),
  }),
  async run(given, call) {
    const input = asActor(given, call);
    const issue = await heldIssue(input, call);
    if (isRefusal(issue)) return issue;
    const repository = await gitFoldersOf(call.cwd, call.ports.files);
    if (repository === undefined || call.ports.git === undefined) {
      return refuse("git_unavailable", {
        message: `${call.cwd} is not in a git repository, so there is no commit to check`,
        hint: `A person closes it with \`premath issue close ${input.id}\`.`,
      });
    }
    const place = await issuesPlace(input, call);
    const commit = await commitOf(repository.top, input.commit ?? "HEAD", call.ports.git);
    if (isRefusal(commit)) return commit;
    const finished = await waitFor(call, {
      key: `${place.path} ${issue.id} ${issue.fence} ${repository.top} ${commit}`,
      start: (signal) =>
        finishIssue(
          {
            issue,
            repository: { ...repository, git: call.ports.git! },
            ...(input.commit === undefined ? {} : { commit: input.commit }),
          },
          { ...checkingOf(call), signal },
        ),
    });
    if (isRefusal(finished)) return finished;
    return close(input, finished, issue.fence, call);
  },
  present({ issue, commit, checks, unblocked }, paint) {
    const told = checks.map(
      ({ command, durationMs, reused }) => `${command} ${reused ? "passed before" : secondsOf(durationMs)}`,
    );
    return [
      `  ${paint.strong(cell(issue.id))} ${paint.good("finished")}: ${told.join(", ")} on ${commit.slice(0, 7)}`,
      ...readyLine(unblocked, paint),
    ].join("\n");
  },
});

/** The issue, if this asker may finish it. Asked before the checks run, and again when it is closed. */
async function heldIssue(input: Input, call: Call) {
  return withMemory(input, call, async (memory, { shown }) => {
    const graph = await memory.graph();
    if (graph === undefined) return memoryMissing(shown);
    const found = findIssue(graph, input.id);
    if (isRefusal(found)) return found;
    const { issue } = found;
    if (issue.status === "closed") {
      return refuse("issue_claim_closed", {
        message: `${issue.id} is closed already${issue.verified === undefined ? ", unverified" : ""}`,
        hint: `\`premath issue show ${issue.id}\` says how; \`premath issue reopen ${issue.id}\` opens it again.`,
      });
    }
    const held = guardHolder(issue, input, await call.ports.clock.now());
    if (held !== undefined) return held;
    if (issue.startedFrom !== undefined && issue.status === "in_progress") return issue;
    return refuse("claim_missing", {
      message: `${issue.id} is not claimed in this repository, so nobody knows what was changed for it`,
      hint: `Claim it before the work with \`premath issue claim ${issue.id} --assignee <name>\`; a person closes it unverified with \`premath issue close ${issue.id}\`.`,
      detail: { issueId: issue.id },
    });
  });
}

async function close(input: Input, { verdict, written }: Finished, fence: number, call: Call) {
  const { commit, tree, projection } = verdict;
  const verified = {
    commit,
    tree,
    policyDigest: projection.projectionPolicy,
    projectionDigest: projection.projectionDigest,
    witnessRef: written.witnessRef,
  };
  // Under the fence that the checks ran under: whoever claimed it since is not overruled.
  const closing = { ...input, fence, verified };
  const closed = await changeIssue("issue.finish", input, call, closeIssue(input.id, closing));
  if (isRefusal(closed)) return closed;
  return {
    ...closed.payload,
    commit,
    baseCommit: verdict.base,
    policyDigest: projection.projectionPolicy,
    projectionDigest: projection.projectionDigest,
    checks: verdict.checks.map(({ checkId, command, durationMs, walled, reused }) => ({
      ...{ checkId, command, durationMs, walled, reused },
    })),
    witnessPath: written.witnessPath,
    witnessRefs: [written.witnessRef],
    unblocked: closed.answer.unblocked,
  };
}

// --- Waiting on ------------------------------------------------------------------------------------

interface Started {
  readonly key: string;
  start(signal: AbortSignal): Promise<Finished | Refusal>;
}

/** Runs that a server goes on with between calls; ended when the server is. */
class Runs {
  private readonly stop = new AbortController();
  private readonly going = new Map<string, Promise<Finished | Refusal>>();

  /** Undefined when it takes longer. */
  async join({ key, start }: Started, ms: number, call: Call): Promise<Finished | Refusal | undefined> {
    const run = this.going.get(key) ?? start(this.stop.signal);
    this.going.set(key, run);
    // Told to the next who asks, where nobody waits any more; then it is done with.
    run.catch(() => {});
    const waited = new AbortController();
    const late = call.ports.clock
      .sleep(ms, AbortSignal.any([call.signal, waited.signal]))
      .then(() => undefined);
    let told = true;
    try {
      const answer = await Promise.race([run, late]);
      told = answer !== undefined;
      return answer;
    } finally {
      waited.abort();
      // Whoever waited too may have been told first, and somebody may have begun another since.
      if (told && this.going.get(key) === run) this.going.delete(key);
    }
  }

  async close(): Promise<void> {
    this.stop.abort();
    await Promise.allSettled(this.going.values());
  }
}

async function waitFor(call: Call, started: Started): Promise<Finished | Refusal> {
  if (call.kept === undefined) return started.start(call.signal);
  const answer = await call.kept.use(
    "required checks",
    async () => new Runs(),
    (runs) => runs.join(started, answerWithinMs, call),
  );
  call.signal.throwIfAborted();
  return (
    answer ??
    refuse("checks_running", {
      message: "the required checks are still running",
      hint: "Call again with the same arguments: it waits on, and nothing is run twice.",
    })
  );
}

function secondsOf(ms: number): string {
  return ms < 950 ? `${Math.max(0.1, Math.round(ms / 100) / 10)} s` : `${Math.round(ms / 1000)} s`;
}

function readyLine(unblocked: readonly string[], paint: Paint): string[] {
  return unblocked.length === 0 ? [] : [`  ${paint.good("ready now")}: ${unblocked.map(cell).join(", ")}`];
}
