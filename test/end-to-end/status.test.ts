/** `bridle status`, before a run, while one works and after it: in this process, on real git and real steps. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { describe, expect, test } from "vitest";
import { statusOperation } from "../../packages/surface/src/status/operation.js";
import { commandHere } from "../support/command-here.js";
import { it as everyday } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { RunnerProject } from "../support/runner-project.js";
import { withoutPauses } from "../support/without-pauses.js";

const bridle = (project: RunnerProject, ...words: string[]) =>
  commandHere(words, { cwd: project.folder, env: project.env, launcher: "bridle" });

async function status(project: RunnerProject) {
  const asked = await bridle(project, "status", "--json");
  expect(asked.code, asked.stderr).toBe(0);
  const { stdout } = await bridle(project, "status");
  expect(stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(24);
  return { json: asked.json(), text: stdout };
}

describe("bridle status", () => {
  test("where nothing is set up says what does that", async () => {
    const { stdout } = await commandHere(["status"], { cwd: newFolder(), launcher: "bridle" });
    expect(stdout).toBe("  nothing is set up here; bridle init does that\n");
  });

  everyday("is one screen: ready, held, waiting for a person, and how the run ended", async () => {
    const project = new RunnerProject({ issues: 4 });
    const before = await status(project);
    expect(before.text).toMatch(/^ {2}ready +4 +bd-1 P2 Issue 1 · bd-2 · bd-3 · bd-4$/m);
    expect(before.json).toMatchObject({ running: [], forYou: [], lastRun: null });

    await bridle(project, "issue", "claim", "bd-4", "--assignee", "ada");
    const claimed = await status(project);
    expect(claimed.text).toMatch(/^ {2}running +1 +bd-4 {2}ada {2}until \d{4}-/m);

    let during: { json: JsonObject; text: string } | undefined;
    const seen: Promise<void>[] = [];
    await project.work({
      work: 'mkdir -p out; echo "$PREMATH_ISSUE_ID" > "out/$PREMATH_ISSUE_ID"; [ "$PREMATH_ISSUE_ID" != bd-2 ]',
      merge: "review",
      stepsMax: 2,
      continueOnFailure: true,
      onStep() {
        seen.push(status(project).then((now) => void (during ??= now)));
      },
    });
    await Promise.all(seen);
    expect(during?.json["lastRun"]).toMatchObject({ run: "run-1" });
    const after = await status(project);
    expect(after.json["forYou"]).toContainEqual({
      id: "bd-1",
      says: "review: Issue 1",
      command: "bridle change show bd-1",
    });
    expect(after.json["lastRun"]).toMatchObject({ review: 1, steps: 2 });
    expect(after.text).toMatch(/run-1 {2}0 closed with witnesses · 1 for review · .*2 steps · \$0\.00/);
  });

  test("--watch tells each change once, and ends when it is interrupted", async () => {
    const project = new RunnerProject({ issues: 1 });
    const drawn: string[] = [];
    const stop = new AbortController();
    const watching = commandHere(["status", "--watch"], {
      cwd: project.folder,
      env: { ...project.env, NO_COLOR: "1" },
      launcher: "bridle",
      signal: stop.signal,
      ports: withoutPauses(project.ports),
      load: async () => statusOperation(() => ({ isTerminal: true, write: (text) => void drawn.push(text) })),
    });
    await expect.poll(() => drawn.length).toBe(1);
    writeFileSync(
      join(project.folder, ".premath/issues.jsonl"),
      '{"id":"bd-1","title":"Issue 1"}\n{"id":"bd-2","title":"Issue 2"}\n',
    );
    await expect.poll(() => drawn.length, { timeout: 5_000 }).toBe(2);
    stop.abort("SIGINT");
    await watching;
    expect(drawn[1]?.startsWith("\u001b[H\u001b[J")).toBe(true);
    expect(drawn[1]).toMatch(/ {2}ready +2 +bd-1/);
  });
});
