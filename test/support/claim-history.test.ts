/** The judge of claim histories finds each thing that must not happen, so its silence means something. */
import { describe, expect, it } from "vitest";
import {
  type Answered,
  type Deed,
  type History,
  type IssueAtEnd,
  type JournalLine,
  judgeHistory,
  type Step,
  workerOf,
} from "./claim-history.js";

const secondMs = 1_000;

/** A history that is told change by change, one after the other, each a millisecond long. */
class Tale {
  private readonly journal: JournalLine[] = [];
  private readonly trails = new Map<string, Step[]>();
  private us = 0;

  /** What took effect and was acknowledged. */
  done(step: Step, issue: string): this {
    this.effect(step, issue);
    return this.acknowledged(step, issue);
  }

  /** In the file, whatever its worker was told. */
  effect(step: Step, issue: string): this {
    this.trails.set(issue, [...(this.trails.get(issue) ?? []), step]);
    return this;
  }

  acknowledged({ deed, token, fence, atMs, endMs }: Step, issue: string): this {
    this.begun(deed, token, deed === "claim" ? {} : { issue, fence });
    return this.answered(token, { issue, fence, atMs, endMs });
  }

  refused(deed: Deed, token: string, issue: string, fence: number): this {
    return this.begun(deed, token, { issue, fence }).answered(token, { refused: "lease_fence_stale" });
  }

  begun(deed: Deed, token: string, where: { readonly issue?: string; readonly fence?: number } = {}): this {
    this.journal.push({ kind: "begin", token, deed, us: (this.us += 1000), ...where });
    return this;
  }

  answered(token: string, answer: Partial<Answered>): this {
    this.journal.push({ kind: "answer", token, us: (this.us += 1000), ...answer });
    return this;
  }

  history(alter: Partial<IssueAtEnd> = {}): History {
    const issues = [...this.trails].map(([id, trail]) => {
      const update = trail.findLast(({ deed }) => deed === "update");
      return {
        id,
        trail,
        fence: trail.filter(({ deed }) => deed === "claim").length,
        status: trail.some(({ deed }) => deed === "close") ? "closed" : "open",
        ...(update === undefined ? {} : { work: `${workerOf(update.token)} ${update.fence}` }),
        ...alter,
      };
    });
    return { journal: this.journal, issues };
  }
}

const step = (deed: Deed, token: string, fence: number, atMs: number, endMs = 0): Step => ({
  ...{ deed, token, fence, atMs, endMs },
});
const claim = (token: string, fence: number, atMs: number) =>
  step("claim", token, fence, atMs, atMs + secondMs);
const findings = (tale: Tale, alter?: Partial<IssueAtEnd>) => judgeHistory(tale.history(alter)).findings;

/** One worker slept past its lease, another took over. */
const takenOver = () => new Tale().done(claim("a-1", 1, 0), "bd-1").done(claim("b-1", 2, secondMs), "bd-1");

describe("the judge of claim histories", () => {
  it("finds nothing where everything went as it should, and counts it", () => {
    const tale = takenOver()
      .refused("update", "a-2", "bd-1", 1)
      .done(step("update", "b-2", 2, 1_100, 2_000), "bd-1")
      .done(step("renew", "b-3", 2, 1_200, 2_200), "bd-1")
      .done(step("release", "b-4", 2, 1_300), "bd-1")
      .done(claim("a-3", 3, 1_400), "bd-1")
      .begun("update", "a-4", { issue: "bd-1", fence: 3 })
      .begun("close", "a-5", { issue: "bd-1", fence: 3 })
      .effect(step("close", "a-5", 3, 1_500), "bd-1");
    expect(judgeHistory(tale.history())).toEqual({
      findings: [],
      ...{ claims: 3, reclaims: 1, changes: 7, inDoubt: 2, inDoubtTookEffect: 1, staleRefused: 1 },
    });
  });

  it("finds a claim under somebody's live lease", () => {
    const tale = new Tale().done(claim("a-1", 1, 0), "bd-1").done(claim("b-1", 2, 999), "bd-1");
    expect(findings(tale)).toEqual([
      "bd-1: claimed while a had a live lease: claim by b-1 with fence 2",
      "bd-1: b-1 was given a claim under the live lease of a-1",
    ]);
  });

  it("finds a claim under a lease that was renewed", () => {
    const tale = new Tale()
      .done(claim("a-1", 1, 0), "bd-1")
      .done(step("renew", "a-2", 1, 900, 1_900), "bd-1")
      .done(claim("b-1", 2, 1_500), "bd-1");
    expect(findings(tale)).toHaveLength(2);
  });

  it("knows that a renewal can bring the end of a lease closer", () => {
    const tale = new Tale()
      .done(step("claim", "a-1", 1, 0, 5_000), "bd-1")
      .done(step("renew", "a-2", 1, 900, 1_900), "bd-1")
      .done(claim("b-1", 2, 2_000), "bd-1");
    expect(findings(tale)).toEqual([]);
  });

  it("finds two winners of one claim, of whom the file remembers one", () => {
    const tale = new Tale().done(claim("a-1", 1, 0), "bd-1").acknowledged(claim("b-1", 1, 0), "bd-1");
    expect(findings(tale)).toEqual([
      "bd-1: the acknowledged claim by b-1 with fence 1 is lost",
      "bd-1: a-1 and b-1 were both given fence 1",
      "bd-1: b-1 was given a claim under the live lease of a-1",
    ]);
  });

  it("finds an acknowledged change that is lost", () => {
    const tale = new Tale()
      .done(claim("a-1", 1, 0), "bd-1")
      .acknowledged(step("update", "a-2", 1, 10, secondMs), "bd-1");
    expect(findings(tale)).toEqual(["bd-1: the acknowledged update by a-2 with fence 1 is lost"]);
  });

  it("finds a lost change whose trail was kept but whose content was not", () => {
    const tale = new Tale()
      .done(claim("a-1", 1, 0), "bd-1")
      .done(step("update", "a-2", 1, 10, secondMs), "bd-1");
    expect(findings(tale, { work: "b 1" })).toEqual([
      "bd-1: the work is b 1, the last that was written is a 1",
    ]);
  });

  it("finds a stale write that was accepted", () => {
    const tale = takenOver().done(step("update", "a-2", 1, 1_100, 2_000), "bd-1");
    expect(findings(tale)).toEqual([
      "bd-1: a stale write was accepted, the fence was 2: update by a-2 with fence 1",
      "bd-1: the stale write a-2 was acknowledged after b-1",
    ]);
  });

  it("finds a stale write in the journals also when the file hides it", () => {
    const tale = new Tale()
      .done(claim("a-1", 1, 0), "bd-1")
      .effect(step("update", "a-2", 1, 10, secondMs), "bd-1")
      .done(claim("b-1", 2, secondMs), "bd-1")
      .acknowledged(step("update", "a-2", 1, 10, secondMs), "bd-1");
    expect(findings(tale)).toEqual([
      "bd-1: a-2 stands before b-1, but began after its answer",
      "bd-1: the stale write a-2 was acknowledged after b-1",
    ]);
  });

  it("finds a fence that is not the number of claims", () => {
    expect(findings(takenOver(), { fence: 1 })).toEqual([
      "bd-1: the fence is 1 after 2 claims that took effect",
    ]);
    const skipped = new Tale().done(claim("a-1", 2, 0), "bd-1");
    expect(findings(skipped)).toContain("bd-1: the fence is not one more than 0: claim by a-1 with fence 2");
  });

  it("finds a change that was refused and took effect", () => {
    const tale = takenOver()
      .refused("update", "a-2", "bd-1", 1)
      .effect(step("update", "a-2", 1, 1_100), "bd-1");
    expect(findings(tale)).toContain("bd-1: update by a-2 was refused, but took effect");
  });

  it("finds a claim that took effect twice, though its request was one", () => {
    const tale = new Tale().done(claim("a-1", 1, 0), "bd-1").effect(claim("a-1", 1, 10), "bd-2");
    expect(findings(tale)).toContain("a-1 took effect twice, on bd-1 and on bd-2");
  });

  it("finds a change that nobody made, one after the end, and an answer to no question", () => {
    expect(findings(new Tale().effect(claim("a-1", 1, 0), "bd-1"))).toEqual([
      "bd-1: nobody tried this: claim by a-1 with fence 1",
    ]);
    const closed = new Tale()
      .done(claim("a-1", 1, 0), "bd-1")
      .done(step("close", "a-2", 1, 10), "bd-1")
      .done(step("update", "a-3", 1, 20), "bd-1");
    expect(findings(closed)).toEqual(["bd-1: changed after it was closed: update by a-3 with fence 1"]);
    expect(findings(new Tale().answered("a-1", {}))).toEqual(["a-1 was answered, but never tried"]);
  });
});
