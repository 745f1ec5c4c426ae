/**
 * `npm start`: the guided run is real, and it says what it did.
 *
 * Run as a person runs it, in a folder with a space in its name.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { it } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

function start(...args: string[]) {
  const script = path.join(root, "scripts/run.mjs");
  const started = performance.now();
  const env = { ...process.env, INIT_CWD: undefined };
  const ended = spawnSync(process.execPath, [script, "start", ...args], {
    encoding: "utf8",
    env,
    timeout: 120_000,
  });
  return { ...ended, seconds: (performance.now() - started) / 1000 };
}

function read(folder: string, file: string): string {
  return readFileSync(path.join(folder, file), "utf8");
}

describe("npm start", () => {
  it("shows search, work and an agent, each of them real, and says where to look closer", () => {
    const folder = path.join(newFolder(), "a demo");
    const { status, stdout, stderr, seconds } = start("--out", folder);
    expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^ {2}search +58 episodes · heuristic policy +17 signal/m);
    expect(stdout).toMatch(/replayed in a fresh process +58 of 58 identical/);
    expect(stdout).toMatch(/asked: top 3 movers last 24h +(SYN-[A-Z]+ -?\d+\.\d % *){3}$/m);
    expect(stdout).toMatch(
      /^ {2}work +12 issues · 3 workers +11 closed with witnesses and merged +[\d.]+ s$/m,
    );
    expect(stdout).toMatch(
      /worker\.\d was killed at work +bd-5 given back, finished by worker\.\d \(fence 2\)/,
    );
    expect(stdout).toMatch(/a check of bd-7 was flaky +not merged on a doubt; attempt 2 passed/);
    expect(stdout).toMatch(/worker\.\d changed the check of bd-9 +refused: check_tampered, blocked/);
    expect(stdout).toMatch(/^ {2}agent +3rd identical failing call +refused by R-ONE-SHOT-RETRY/m);
    expect(stdout).toMatch(
      /a write cut off at [\d,]+ bytes +nothing written; completed after one \[CONTINUE\]/,
    );
    expect(stdout).toContain("Look closer:");
    const rows = read(folder, "work/.premath/issues.jsonl").trimEnd().split("\n");
    const last = new Map(
      rows
        .map((row) => JSON.parse(row) as { id: string; status: string; verified?: object })
        .map((row) => [row.id, row]),
    );
    expect(
      [...last.values()].filter((row) => row.status === "closed" && row.verified !== undefined),
    ).toHaveLength(11);
    expect(last.get("bd-9")?.status).toBe("blocked");
    const work = Number(/merged +([\d.]+) s$/m.exec(stdout)?.[1]);
    console.log(`npm start: ${seconds.toFixed(1)} s, work ${work} s`);
    expect(seconds).toBeLessThan(120);
  }, 130_000);
});

describe("the guided run", () => {
  it("writes, is killed half way through a write, recovers, tells the truth about it and cleans up", () => {
    const folder = path.join(newFolder(), "a demo");
    const { status, stdout, stderr, seconds } = start("--tell", "--out", folder);
    expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });

    const rows = read(folder, ".premath/harness_trajectory.jsonl").trimEnd().split("\n");
    const steps = rows.map((row) => (JSON.parse(row) as { stepId: string }).stepId);
    expect(steps).toEqual(["s-1", "s-2", "s-3"]);

    const [kept = "", ...others] = readdirSync(path.join(folder, ".premath/.local/set-aside"));
    const fragment = read(folder, `.premath/.local/set-aside/${kept}`);
    expect(others).toEqual([]);
    expect(() => JSON.parse(fragment) as unknown).toThrow();
    expect(stdout).toContain(`then ${fragment.length} bytes of the third:\n                ${fragment}\n`);
    expect(stdout).toMatch(/process \d+ appended s-3 and was ended by SIGKILL inside the write/);
    expect(stdout).toMatch(/ended in an unfinished row/);
    expect(stdout).toMatch(/^ {7}resume {2,}hs1_\S+ stopped at /m);
    expect(stdout).toContain("3 rows were acknowledged and 3 are there");
    expect(stdout).toMatch(/bd-14 is yours until/);
    expect(stdout).toMatch(/identical {2}run_\w+, [\d,]+ steps/);
    expect(stdout).toMatch(/heuristic\.v1 +\d+\.\d %/);
    expect(read(folder, "runs/eval.svg")).toMatch(/^<svg /);
    expect(stdout).toMatch(/✗ read_file .*upload\.test\.ts\n.*R-ONE-SHOT-RETRY\) \(repeated_call\)/);
    expect(stdout).toMatch(
      /a write to report\.md was cut off at [\d,]+ bytes; nothing was written; \[CONTINUE\] 1 of 3/,
    );
    expect(read(folder, "agent/report.md").split("\n")).toHaveLength(241);
    expect(stdout).toContain("Look closer:");
    console.log(`npm start: ${seconds.toFixed(1)} s`);
    expect(seconds).toBeLessThan(30);

    // It leaves nothing behind but the project.
    expect(readdirSync(folder).sort()).toEqual([".premath", "agent", "packs", "runs"]);
    const locks = path.join(folder, ".premath/.local/locks");
    // What stays is the description of the machine, and lines in which nobody stands.
    for (const name of readdirSync(locks)) {
      expect(name).toMatch(/^\.machine-|\.line$/);
      if (name.endsWith(".line")) expect(readdirSync(path.join(locks, name))).toEqual([]);
    }
  });
});

describe("asked for something else", () => {
  it("--help says what it can do and does nothing", () => {
    const { status, stdout, stderr } = start("--help");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("npm start -- --out <dir>");
  });

  it("a folder with something in it is refused and left as it was", () => {
    const folder = newFolder();
    mkdirSync(path.join(folder, "mine"));
    writeFileSync(path.join(folder, "mine/notes.txt"), "keep me");
    const { status, stderr } = start("--out", folder);
    expect(status).toBe(2);
    expect(stderr).toContain("is not empty");
    expect(read(folder, "mine/notes.txt")).toBe("keep me");
    expect(readdirSync(folder)).toEqual(["mine"]);
  });

  it("an unknown flag is refused", () => {
    const { status, stderr } = start("--fast");
    expect(status).toBe(2);
    expect(stderr).toContain("--fast");
  });
});
