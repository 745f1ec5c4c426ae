/** What goes wrong in a first real night, each with a stand-in for the tool or the project. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "@bridle/record";
import { describe, expect } from "vitest";
import { hasWall } from "../../../../test/support/checked-project.js";
import { it, long } from "../../../../test/support/everyday.js";
import { RunnerProject } from "../../../../test/support/runner-project.js";

/** A program of that name, first on the PATH. */
function standIn(project: RunnerProject, name: string, script: string): Record<string, string> {
  const folder = join(project.home, "bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/bash\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  return { PATH: `${folder}:${process.env["PATH"]}` };
}

const outcome = (project: RunnerProject, effect: string, run = "run-1"): JsonObject =>
  project.journal(run).find((row) => row.kind === "outcome" && row.effect === effect)?.data ?? {};

describe("a tool with a preset", () => {
  it("is started as its preset says, hears the prompt and the end of it, and its cost is known", async () => {
    const project = new RunnerProject({ issues: 1 });
    const env = standIn(
      project,
      "claude",
      'cat > "$HOME/heard"; printf "%s\\n" "$*" > "$HOME/words"; tty > "$HOME/tty"; echo new > new\n' +
        `echo '{"type":"result","is_error":false,"total_cost_usd":0.12,"result":"made it","permission_denials":[{}]}'; printf '{"half'`,
    );
    const end = await project.work({ preset: "claude", env });
    expect(end.completed, JSON.stringify(end.steps_[0]?.step.failure)).toBe(1);
    expect(readFileSync(join(project.home, "heard"), "utf8")).toContain("# bd-1: Issue 1");
    expect(readFileSync(join(project.home, "words"), "utf8")).toMatch(
      /^-p --output-format stream-json --verbose --permission-mode dontAsk/,
    );
    expect(readFileSync(join(project.home, "tty"), "utf8")).toContain("not a tty");
    expect(outcome(project, "work")).toMatchObject({ costUsd: 0.12, denied: 1, says: "made it" });
  });

  it("whose limit is reached rests, and costs the issue neither an attempt nor a failure", async () => {
    const project = new RunnerProject({ issues: 2 });
    const soon = Math.round(Date.now() / 1_000) + 3_600;
    const env = standIn(
      project,
      "claude",
      `echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":${soon}}}'; exit 1`,
    );
    const end = await project.work({ preset: "claude", env, stepsMax: 5 });
    expect(end).toMatchObject({ because: "rest", steps: 1 });
    expect(project.row("bd-1")).toMatchObject({ status: "open" });
    expect(project.row("bd-1")["attempts"] ?? 0).toBe(0);
  });

  long(
    "that fails on three issues in a row and changes nothing rests, and the attempts are given back",
    async () => {
      const project = new RunnerProject({ issues: 5 });
      const end = await project.work({
        ...{ work: 'echo "please log in"; exit 1', stepsMax: 20 },
        ports: (real) => ({
          ...real,
          clock: { ...real.clock, sleep: (ms, signal) => real.clock.sleep(ms > 60_000 ? ms : 1, signal) },
        }),
      });
      expect(end.because).toBe("rest");
      for (let n = 1; n <= 5; n++) {
        expect(project.row(`bd-${n}`)["status"] ?? "open").not.toBe("blocked");
        expect(Number(project.row(`bd-${n}`)["attempts"] ?? 0)).toBeLessThan(2);
      }
    },
  );
});

describe("a worktree is ready to work in", () => {
  long("set-up runs once until a lockfile changes, and ignored files are copied", async () => {
    const project = new RunnerProject({ issues: 3 });
    project.put(".gitignore", ".env\nmade\nartifacts/\n");
    project.put("lock", "1\n");
    const setup = { command: 'echo "$SECRET-$HUSKY" >> made', lockfiles: ["lock"] };
    project.put(
      ".bridle/runner.json",
      JSON.stringify({
        schema: 1,
        work: 'cp made "$HOME/made-$PREMATH_ISSUE_ID"; cp .env "$HOME/env"; echo x > "new-$PREMATH_ISSUE_ID"',
        setup,
        copy: [".env", "gone"],
      }),
    );
    project.put(".env", "key=1\n");
    project.commit("ready");
    await project.work({ env: { SECRET: "s3cret" }, stepsMax: 2 });
    const made = (id: string) => readFileSync(join(project.home, `made-${id}`), "utf8");
    expect([made("bd-1"), made("bd-2")]).toEqual(["-0\n", "-0\n"]);
    expect(readFileSync(join(project.home, "env"), "utf8")).toBe("key=1\n");
    expect(outcome(project, "set_up")).toMatchObject({ ran: true, missing: ["gone"] });
    project.put("lock", "2\n");
    project.commit("another lock");
    await project.work({});
    expect(made("bd-3")).toBe("-0\n-0\n");
  });

  it("set-up that fails claims nobody's attempts, and says what it said", async () => {
    const project = new RunnerProject({ issues: 2 });
    project.put(
      ".bridle/runner.json",
      JSON.stringify({ schema: 1, work: "true", setup: { command: "echo no network; exit 7" } }),
    );
    project.commit("broken set-up");
    const end = await project.work({ stepsMax: 5 });
    expect(end).toMatchObject({ because: "unfit", unfit: { class: "setup_failed" } });
    expect(end.unfit?.message).toContain("no network");
    expect(project.row("bd-1")).toMatchObject({ status: "open" });
    expect(project.row("bd-1")["attempts"] ?? 0).toBe(0);
    expect(project.row("bd-2")["status"] ?? "open").toBe("open");
  });

  if (hasWall()) {
    it("behind the wall the command reaches its worktree and its step's folder, and nothing else", async () => {
      const project = new RunnerProject({ issues: 1 });
      const work = `echo new > new; echo '{"costUsd":0.5}' > "$BRIDLE_USAGE_FILE"; echo x > "$TMPDIR/x"; echo x > "${project.folder}/readme"; echo x > "$HOME/out"; true`;
      project.put(".bridle/runner.json", JSON.stringify({ schema: 1, work, wall: { work: true } }));
      project.commit("walled");
      const end = await project.work({});
      expect(end.completed, JSON.stringify(end.steps_[0]?.step.failure)).toBe(1);
      expect(outcome(project, "work")).toMatchObject({ costUsd: 0.5 });
      expect(project.read("readme")).toBe("a project\n");
      expect(existsSync(join(project.home, "out"))).toBe(false);
    });
  }
});

describe("what a command proposes", () => {
  it("becomes issues, comments and a question once its turn is closed, at most twenty and each once", async () => {
    const project = new RunnerProject({ issues: 1 });
    const proposals = [
      { kind: "issue", title: "Follow up", description: "later" },
      { kind: "comment", text: "it was the clock" },
      { kind: "question", text: "which name?" },
      { kind: "order", text: "rm -rf" },
      ...Array.from({ length: 20 }, (_, n) => ({ kind: "issue", title: `More ${n}` })),
    ];
    const file = join(project.home, "proposals.json");
    writeFileSync(file, JSON.stringify(proposals));
    const end = await project.work({ work: `cp "${file}" "$BRIDLE_PROPOSALS"; echo new > new` });
    expect(end.completed, JSON.stringify(end.steps_[0]?.step.failure)).toBe(1);
    const { made, refused } = outcome(project, "propose");
    expect([made, (refused as string[]).length]).toEqual([19, 2]);
    const rows = project
      .read(".premath/issues.jsonl")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as JsonObject);
    const follow = rows.find((row) => row["title"] === "Follow up");
    expect(follow?.["dependencies"]).toMatchObject([{ depends_on_id: "bd-1", type: "discovered-from" }]);
    const { comments, labels } = project.row("bd-1");
    const said = (comments as JsonObject[]).map((each) => (isJsonObject(each) ? each["text"] : ""));
    expect(said).toEqual(["it was the clock", "Question: which name?"]);
    expect(labels).toContain("question");
  });
});
