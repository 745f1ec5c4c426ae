/** What a step leaves for whoever comes next: rows that can be derived again, a bounded handoff, and what it was told. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, sha256Hex } from "@bridle/record";
import { usualRetryPolicy } from "@bridle/work";
import { describe, expect } from "vitest";
import { repository } from "../../../../test/support/built.js";
import { it } from "../../../../test/support/everyday.js";
import { RunnerProject } from "../../../../test/support/runner-project.js";
import { bounded, handoffBytesMax } from "../live/checkpoint.js";
import { IssueDoor } from "../live/issue-door.js";
import { commandTurn } from "../live/turn.js";
import { next } from "../step/next.js";
import { stepFrom } from "../step/state.js";
import type { JournalRow } from "../types.js";
import { NightLines } from "./night-lines.js";
import { replayRun } from "./replay.js";

/** Waits between attempts are told, not sat through. */
const hurried = (project: RunnerProject, work: string, more: object = {}) =>
  project.work({
    ...{ work, ...more },
    ports: (real) => ({
      ...real,
      clock: { ...real.clock, sleep: (ms, signal) => real.clock.sleep(ms === 2_000 ? 1 : ms, signal) },
    }),
  });

const stepPath = (project: RunnerProject, step: string, name: string) =>
  join(project.folder, ".premath/runs/run-1/steps", step, name);

describe("a run of two steps, the first of which failed at length", () => {
  it("leaves rows, a bounded handoff, a checkpoint and what it was told, and all of it can be derived again [RUNTIME-3.3.3] [TUSK-3.3.3] [TUSK-4.3] [RUNTIME-3.2.4] [RUNTIME-3.2.5] [TUSK-6.4] [TUSK-2.5]", async () => {
    const project = new RunnerProject({ issues: 1 });
    const work =
      'if [ -e "$HOME/once" ]; then echo new > new; else touch "$HOME/once"; for i in $(seq 400); do echo "é $i ' +
      `${"x".repeat(200)}"; done; exit 3; fi`;
    const sizes: number[] = [];
    const ended = await hurried(project, work, {
      stepsMax: 2,
      onStep: () => sizes.push(statSync(join(project.worktree(), ".premath/harness_session.json")).size),
    });
    const all = project.journal();

    // It appends rows that link issue, mutation, verdict, witnesses and lineage, and recommend what comes next.
    {
      expect(ended.completed).toBe(1);
      const [failed, done = {}] = project.trajectory();
      expect(failed).toMatchObject({
        ...{ issueId: "bd-1", resultClass: "retry_needed_work_failed", failureClasses: ["work_failed"] },
        nextStep: "try bd-1 again",
      });
      expect(done).toMatchObject({ resultClass: "completed", nextStep: "claim next ready issue" });
      expect((done["instructionRefs"] as string[])[0]).toMatch(/^instruction:\/\/lane\/run-1\.worker\.1\//);
      expect((done["witnessRefs"] as string[]).map((ref) => ref.split("://")[0])).toEqual([
        "lease",
        "step",
        "witness",
      ]);
      expect(done["lineageRefs"]).toHaveLength(3);
    }

    // It keeps session and handoff within 16 KiB and everything else in a checkpoint that the session names.
    {
      for (const size of sizes) expect(size).toBeLessThanOrEqual(handoffBytesMax);
      const left = (project.row("bd-1")["left"] as JsonObject)["message"];
      expect(Buffer.byteLength(String(left))).toBeLessThanOrEqual(4_000);
      const refs = project.session()["witnessRefs"] as string[];
      const [, step = "", digest] =
        /^checkpoint:\/\/([^/]+)\/([0-9a-f]{64})$/.exec(
          refs.join("\n").match(/^checkpoint.*$/m)?.[0] ?? "",
        ) ?? [];
      const text = readFileSync(stepPath(project, step, "checkpoint.json"), "utf8");
      expect(sha256Hex(text)).toBe(digest);
      const first = JSON.parse(
        readFileSync(stepPath(project, "run-1.worker.1.1", "checkpoint.json"), "utf8"),
      );
      expect(Buffer.byteLength(first.failure.message)).toBeGreaterThan(8_000);
      const huge = bounded({
        ...{ summary: "é".repeat(100_000), nextStep: "x".repeat(100_000) },
        ...{
          witnessRefs: Array.from({ length: 9_000 }, (_, n) => `witness://${n}`),
          lineageRefs: ["ctx://a"],
        },
      });
      expect(Buffer.byteLength(JSON.stringify(huge))).toBeLessThanOrEqual(handoffBytesMax - 2_000);
      expect(huge.summary).toMatch(/^é+…$/);
      expect(huge.witnessRefs[0]).toBe("witness://0");
    }

    // It was told a view of the journal and each failure class once, the same again for whoever derives it.
    {
      const brief = JSON.parse(readFileSync(stepPath(project, "run-1.worker.1.2", "step.json"), "utf8"));
      expect(brief.reminders).toMatchObject([{ step: "run-1.worker.1.1", class: "work_failed" }]);
      const turnOf = (journal: readonly JournalRow[], id = "run-1.worker.1.2") => {
        const step = stepFrom(id, "worker.1", journal);
        const { evidence } = commandTurn({ ...step, claimed: step.claimed! }, journal) as {
          evidence: JsonObject;
        };
        return {
          queue: (evidence["reminderQueue"] as JsonObject[])[0]?.["reducedDigest"],
          view: (evidence["stateViews"] as JsonObject[])[0]?.["viewDigest"],
        };
      };
      expect(turnOf(all)).toEqual(turnOf([...all]));
      expect(turnOf(all).view).not.toBe(turnOf(all, "run-1.worker.1.1").view);
      expect(turnOf(all).queue).not.toBe(turnOf(all, "run-1.worker.1.1").queue);
      // Rows of others, and of what came later, are no part of what it was told.
      const more: JournalRow = { ...all.at(-1)!, step: "run-1.worker.2.1", worker: "worker.2" };
      expect(turnOf([...all, more])).toEqual(turnOf(all));
      // The same failure again is told once, the latest.
      const again = all
        .filter(({ step }) => step === "run-1.worker.1.1")
        .map((row) => ({ ...row, step: "run-1.worker.1.0" }));
      expect(turnOf([...again, ...all]).queue).toBe(turnOf(all).queue);
      for (const row of all.filter(({ kind, effect }) => kind === "outcome" && effect === "turn"))
        expect(row.data).toMatchObject({ own: false, stateViewSetDigest: expect.stringMatching(/^sha256:/) });
    }

    // It is derived again from its journal, and the first difference is named.
    {
      const trajectory = new Map(project.trajectory().map((row) => [String(row["stepId"]), row]));
      const input = { merge: "auto", policy: usualRetryPolicy(), trajectory } as const;
      expect(replayRun(all, input)).toEqual({ rows: all.length, steps: 2, ended: 2, difference: null });
      const at = (effect: string, kind = "outcome") =>
        all.findLastIndex((row) => row.effect === effect && row.kind === kind);
      const changed = (index: number, data: JsonObject) =>
        replayRun(
          all.map((row, n) => (n === index ? { ...row, data: { ...row.data, ...data } } : row)),
          input,
        ).difference;
      expect(changed(at("stop"), { resultClass: "accepted" })).toMatchObject({
        ...{ row: at("stop") + 1, about: "verdict", expected: "completed", found: "accepted" },
      });
      expect(changed(at("give_back"), { retry: false })).toMatchObject({ about: "retry" });
      expect(changed(at("claim"), { fence: 1 })).toMatchObject({
        about: "lease",
        expected: "a fence above 1",
      });
      expect(changed(at("worker_started", "note"), { policyDigest: "pol1_x" })).toMatchObject({
        about: "policy",
      });
      const without = (index: number) => replayRun(all.toSpliced(index, 1), input).difference;
      expect(without(at("move", "intent"))).toMatchObject({ about: "order", found: "an outcome of move" });
      expect(without(at("base_checks") - 1)).toMatchObject({ about: "order" });
      // A verdict that nobody checked: the move comes before its checks.
      const checks = [at("checks", "intent"), at("checks")];
      const unchecked = all.filter((_, n) => !checks.includes(n));
      expect(replayRun(unchecked, input).difference).toMatchObject({
        about: "order",
        expected: expect.stringContaining("checks"),
      });
      const rowless = { ...input, trajectory: new Map() };
      expect(replayRun(all, rowless).difference).toMatchObject({ about: "trajectory", found: "no such row" });
    }

    // It can be asked for by its lineage: rows and the worker's session together.
    {
      const { ports, env } = project;
      const door = new IssueDoor({ gates: [], mainTree: project.folder, env, ports, warn() {} });
      const ask = (lineage: string) => door.call("harness.trajectory.query", { lineage });
      const [ref = ""] = project.session()["lineageRefs"] as string[];
      for (const lineage of [ref, "ctx://issue/bd-1"]) {
        const found = (await ask(lineage)) as JsonObject;
        expect(found).toMatchObject({ count: 2, totalCount: 2 });
        expect(found["sessions"]).toMatchObject([
          {
            path: join(project.worktree(), ".premath/harness_session.json"),
            state: "stopped",
            issueId: "bd-1",
          },
        ]);
      }
      expect(await ask("ctx://issue/bd-11")).toMatchObject({ count: 0, totalCount: 2, sessions: [] });
    }

    // It adds no member to issues, sessions and rows that the contract's schemas do not know.
    {
      const known = (kind: string) => {
        const schema = JSON.parse(readFileSync(join(repository, `schemas/${kind}.json`), "utf8"));
        return new Set(Object.keys(schema.properties));
      };
      const strange = (row: JsonObject, kind: string) =>
        Object.keys(row).filter((name) => !known(kind).has(name));
      expect(strange(project.session(), "premath.harness.session.v1")).toEqual([]);
      for (const row of project.trajectory()) expect(strange(row, "premath.harness.step.v1")).toEqual([]);
    }

    // It is told to whoever watches, a line a step.
    {
      const lines = new NightLines();
      const told = all.flatMap((row) => lines.take(row) ?? []);
      expect(told).toHaveLength(2);
      expect(told[0]).toMatch(/^ {2}\d\d:\d\d {2}bd-1 {2}worker\.1 {2}work_failed, attempt 1: again/);
      expect(told[1]).toMatch(/bd-1 {2}worker\.1 {2}merged [0-9a-f]{7} {2}test [\d.]+ s/);
      expect(lines.doing).toBe("waiting for work");
    }
  });
});

const row = (kind: "intent" | "outcome", effect: string, data: JsonObject): JournalRow => ({
  ...{ schema: "bridle.run.event.v1", at: "2026-01-01T00:00:00Z", worker: "w", step: "s" },
  ...{ kind, effect, data },
});
const begun = [
  row("outcome", "claim", { issueId: "bd-1", fence: 2, leaseId: "l", attempt: 1 }),
  row("outcome", "open", {}),
];
const rules = { merge: "auto", renewBeforeMs: 0 } as const;

describe("a change that somebody merged and did not live to close", () => {
  it("is closed, and its work is not begun again", () => {
    const closed = [...begun, row("outcome", "close", { closedOn: "c" })];
    const facts = {
      ...{ nowMs: 0, issue: { status: "closed", fence: 2 }, target: { head: "c", holdsCandidate: false } },
      earlier: { step: "x", candidate: "c", onto: "o" },
    };
    expect(next(stepFrom("s", "w", begun), facts, rules)).toMatchObject({ effect: "close" });
    expect(next(stepFrom("s", "w", closed), facts, rules)).toMatchObject({ effect: "stop" });
  });
});

describe("what the journal says of a step", () => {
  it("checks of an earlier merge do not count for a later one", () => {
    const committed = (["branch", "set_up", "base_checks", "work", "turn", "propose"] as const).map(
      (effect) => row("outcome", effect, {}),
    );
    const merged = (candidate: string, onto: string) => row("outcome", "merge", { candidate, onto });
    const rows = [
      ...[...begun, ...committed, row("outcome", "commit", { commit: "m" }), merged("c1", "o1")],
      ...[row("outcome", "checks", { commit: "c1", passed: true }), merged("c2", "o2")],
    ];
    const facts = {
      ...{ nowMs: 0, issue: { status: "in_progress", fence: 2 } },
      target: { head: "o2", holdsCandidate: false },
    };
    expect(next(stepFrom("s", "w", rows), facts, rules)).toMatchObject({
      ...{ effect: "checks", plan: { candidate: "c2" } },
    });
  });

  it.each([
    [undefined, true],
    ["mark_blocked", false],
  ])(
    "an issue that is given back is not given back again, and is tried again unless %s",
    (escalation, retry) => {
      const rows = [
        ...[...begun, row("outcome", "work", { failed: { class: "work_failed", message: "" } })],
        row("intent", "give_back", {}),
      ];
      const issue = {
        status: "open",
        fence: 2,
        leftBy: "s",
        ...(escalation === undefined ? {} : { escalation }),
      };
      expect(next(stepFrom("s", "w", rows), { nowMs: 0, issue }, rules)).toMatchObject({
        ...{ kind: "settled", effect: "give_back", outcome: { leftBy: "s", retry } },
      });
    },
  );
});
