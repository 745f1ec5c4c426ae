/** Carries a step's effects out in the simulator: real issue memory, journal, trajectory and lock on its disk, a toy git. */
import type { JsonObject, Ports, Refusal } from "@bridle/record";
import type { EffectName, Facts, Outcome, StepState, World } from "@bridle/runner";
import type { Random } from "@bridle/testing";
import type { Decide } from "@bridle/work";
import type * as Room from "./runner-room.js";
import type { ToyGit } from "./toy-git.js";

export const paths = {
  issues: "/data/.premath/issues.jsonl",
  journal: "/data/.premath/runs/run-1/events.jsonl",
  trajectory: "/data/.premath/harness_trajectory.jsonl",
  lock: "/data/.premath/merge.lock",
} as const;

/** How the work command of an issue behaves, told by its title. */
export type Habit = "good" | "nothing" | "fails" | "red" | "shared";

/** What happened, seen from outside: no worker can forget it. */
export interface Books {
  /** How often the work command was begun, by step. */
  readonly begun: Map<string, number>;
  /** Trees that passed the checks. */
  readonly passed: Set<string>;
  /** Closings that were acknowledged or not: the row decides. */
  readonly closed: { readonly issueId: string; readonly fence: number; readonly witness: string }[];
}

export class SimWorld implements World {
  private readonly lock: Room.Lock;
  private store: Promise<Store> | undefined;
  private held: Awaited<ReturnType<Room.Lock["acquire"]>> | undefined;

  constructor(
    private readonly room: typeof Room,
    private readonly ports: Ports,
    private readonly git: ToyGit,
    private readonly books: Books,
    private readonly random: Random,
    private readonly leaseTtlSeconds: number,
    private readonly journal: Room.Journal,
  ) {
    this.lock = new room.Lock({ path: paths.lock, name: "the target", ports, waitMsMax: 3_600_000 });
  }

  async takeTurnToMerge(): Promise<boolean> {
    this.held = await this.lock.acquire();
    return true;
  }

  async leaveTurnToMerge(): Promise<void> {
    await this.held?.release();
    this.held = undefined;
  }

  async look(step: StepState): Promise<Facts> {
    const nowMs = await this.ports.clock.now();
    const node = step.claimed && (await this.withIssues((store) => store.graph()))?.get(step.claimed.issueId);
    // The moment at which git is looked at is another one.
    await this.ports.clock.now();
    const head = this.git.branches.get(branchOf(step));
    const target = this.git.branches.get("target")!;
    const candidate = step.done.get("merge")?.["candidate"];
    const before = this.room.earlierMerges(await this.journal.rows(), step);
    const earlier = before.find((each) =>
      this.git.contains(this.git.branches.get("target")!, each.candidate),
    );
    const by = head === undefined ? undefined : this.git.get(head).step;
    return {
      nowMs,
      ...(node === undefined || "problem" in node.issue
        ? {}
        : {
            issue: {
              status: node.status,
              fence: node.issue.fence,
              ...(node.issue.lease === undefined ? {} : { owner: node.issue.lease.owner }),
              ...(node.leaseEndMs === undefined ? {} : { leaseEndsMs: node.leaseEndMs }),
              ...(typeof node.row["close_reason"] === "string" ? { closedOn: node.row["close_reason"] } : {}),
              ...(this.room.leftBy(node) === undefined ? {} : { leftBy: this.room.leftBy(node)!.step }),
            },
          }),
      ...(head === undefined ? {} : { branch: { head, ...(by === undefined ? {} : { step: by }) } }),
      ...(earlier === undefined ? {} : { earlier }),
      target: {
        head: target,
        holdsCandidate: typeof candidate === "string" && this.git.contains(target, candidate),
      },
    };
  }

  async perform(effect: EffectName, plan: JsonObject, step: StepState): Promise<Outcome> {
    const { clock } = this.ports;
    switch (effect) {
      case "claim":
        return this.claim(step);
      case "open":
      case "set_up":
      case "turn":
      case "propose":
        await clock.sleep(this.random.between(0, 20));
        return {};
      case "base_checks":
        return {};
      case "branch": {
        const base = this.git.branches.get("target")!;
        this.git.branches.set(branchOf(step), base);
        await clock.now();
        return { base };
      }
      case "work":
        return this.work(step);
      case "commit":
        return this.commit(step);
      case "merge":
        return this.merge(plan, step);
      case "checks":
      case "branch_checks":
        return this.check(effect, plan);
      case "move": {
        await clock.now();
        const moved = this.git.moveTarget(String(plan["candidate"]), String(plan["onto"]));
        await clock.now();
        return { moved: moved ? String(plan["candidate"]) : null };
      }
      case "close":
        return this.close(plan, step);
      case "renew": {
        const { issueId, fence, leaseId } = step.claimed!;
        const answer = await this.change(
          this.room.decideRenew(issueId, {
            assignee: step.worker,
            leaseId,
            fence,
            leaseTtlSeconds: this.leaseTtlSeconds,
          }),
        );
        return this.room.isRefusal(answer) ? failed(answer.refused) : {};
      }
      case "give_back":
        return this.giveBack(plan, step);
      case "park":
        throw new Error("nothing is parked here");
      case "stop":
        return this.stop(plan, step);
    }
  }

  private async claim(step: StepState): Promise<Outcome> {
    const request = { assignee: step.worker, requestId: step.id, leaseTtlSeconds: this.leaseTtlSeconds };
    const answer = await this.change(this.room.decideClaimNext(request));
    if (answer === null) return { issueId: null };
    if (this.room.isRefusal(answer)) return failed(answer.refused);
    const { id, fence, lease } = answer.issue;
    const node = (await this.withIssues((store) => store.graph()))?.get(id);
    if (answer.superseded === true || lease === undefined || node === undefined) return { issueId: null };
    return { issueId: id, fence, leaseId: lease.leaseId, attempt: this.room.attemptsOf(node) + 1 };
  }

  private async work(step: StepState): Promise<Outcome> {
    this.books.begun.set(step.id, (this.books.begun.get(step.id) ?? 0) + 1);
    if (step.done.has("close")) throw new Error(`the work of ${step.id} was begun although it is closed`);
    await this.ports.clock.sleep(this.random.between(1, 400));
    return (await this.habitOf(step)) === "fails" ? failed("work_failed") : {};
  }

  private async commit(step: StepState): Promise<Outcome> {
    const branch = branchOf(step);
    const base = this.git.branches.get(branch)!;
    const habit = await this.habitOf(step);
    if (habit === "nothing") return failed("no_change");
    const { issueId } = step.claimed!;
    const files = new Map(this.git.get(base).files);
    files.set(habit === "shared" ? "shared" : issueId, habit === "red" ? "red" : `work on ${issueId}`);
    await this.ports.clock.now();
    const commit = this.git.commit([base], files, step.id);
    this.git.branches.set(branch, commit);
    await this.ports.clock.now();
    return { commit };
  }

  private async merge(plan: JsonObject, step: StepState): Promise<Outcome> {
    await this.ports.clock.sleep(this.random.between(0, 30));
    const base = String(step.done.get("branch")!["base"]);
    const [onto, commit] = [String(plan["onto"]), String(plan["commit"])];
    const candidate = this.git.merge(base, onto, commit, step.id);
    return candidate === undefined ? failed("merge_conflict") : { onto, candidate };
  }

  private async check(effect: EffectName, plan: JsonObject): Promise<Outcome> {
    await this.ports.clock.sleep(this.random.between(1, 60));
    const commit = String(plan["candidate"] ?? plan["commit"]);
    const red = [...this.git.get(commit).files.values()].includes("red");
    if (effect === "branch_checks") return failed(red ? "check_failed" : "merged_check_failed");
    if (!red) this.books.passed.add(commit);
    return { commit, passed: !red };
  }

  private async close(plan: JsonObject, step: StepState): Promise<Outcome> {
    const { issueId, fence } = step.claimed!;
    const commit = String(plan["candidate"]);
    const answer = await this.change(
      this.room.closeIssue(issueId, { actor: step.worker, fence, reason: commit }),
    );
    if (this.room.isRefusal(answer)) return failed(answer.refused);
    return { closedOn: commit };
  }

  private async giveBack(plan: JsonObject, step: StepState): Promise<Outcome> {
    const { issueId, fence, attempt } = step.claimed!;
    const { class: failureClass, message } = plan["failure"] as { class: string; message: string };
    const costsAttempt = !this.room.costsNothing(failureClass);
    const answer = await this.change(
      this.room.leaveIssue(issueId, {
        actor: step.worker,
        fence,
        step: step.id,
        failureClass,
        message,
        status: costsAttempt && attempt >= 3 ? "blocked" : "open",
        costsAttempt,
      }),
    );
    return this.room.isRefusal(answer) ? failed(answer.refused) : { leftBy: step.id };
  }

  private async stop(plan: JsonObject, step: StepState): Promise<Outcome> {
    const end = String(plan["end"]);
    const steps = await this.room.engineFor(this.ports).steps({ path: paths.trajectory, ports: this.ports });
    const finishedAt = new Date(await this.ports.clock.now()).toISOString();
    const row = {
      ...{ schema: 1, stepKind: "premath.harness.step.v1", stepId: step.id, issueId: step.claimed!.issueId },
      ...{ action: "worker.loop", resultClass: step.failure?.class ?? "completed", finishedAt },
    };
    await steps.append(row, { durability: "synced", once: true });
    await steps.close();
    return { end };
  }

  private async habitOf(step: StepState): Promise<Habit> {
    const node = (await this.withIssues((store) => store.graph()))?.get(step.claimed!.issueId);
    return (node?.title.split(" ")[0] ?? "good") as Habit;
  }

  private change<Answer>(decide: Decide<Answer>): Promise<Answer | Refusal> {
    return this.withIssues((store) => store.change(decide));
  }

  private async withIssues<Answer>(use: (store: Store) => Promise<Answer>): Promise<Answer> {
    this.store ??= this.room.engineFor(this.ports).issues({ path: paths.issues, ports: this.ports });
    return use(await this.store);
  }

  async hasClaimed(step: string): Promise<boolean> {
    const rows = await this.journal.rows();
    return rows.some((row) => row.step === step && typeof row.data["issueId"] === "string");
  }

  async leave(): Promise<void> {
    await (await this.store)?.close();
  }
}

type Store = Awaited<ReturnType<ReturnType<typeof Room.engineFor>["issues"]>>;

export function branchOf(step: StepState): string {
  return `bridle/${step.id}`;
}

function failed(name: string): Outcome {
  return { failed: { class: name, message: name } };
}
