/** Many workers on many issues, as processes of one coordinator: nothing is lost, nothing is done twice. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { beforeAll, expect } from "vitest";
import { it } from "../support/everyday.js";
import { Premath } from "../support/premath.js";
import { RunnerProject } from "../support/runner-project.js";
import { share } from "../support/scale.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

/** Every fifth changes a file that others change as well, and every eleventh fails its check. */
const work = [
  'n="${PREMATH_ISSUE_ID#bd-}"',
  'echo "$PREMATH_ISSUE_ID $BRIDLE_STEP" >> "$HOME/log"',
  'mkdir -p out; echo "$n" > "out/$n"',
  'if [ $((n % 5)) = 0 ]; then echo "$n" >> shared; fi',
  "if [ $((n % 11)) = 0 ]; then echo bad > src/sum.sh; fi",
].join("; ");

it("twenty workers and two hundred issues: each closed once, its merge in the target, every branch merged or told", async () => {
  const [workers, issues] = [share(20, 2), share(200, 4)];
  const project = new RunnerProject({ issues });
  project.put("shared", "begin\n");
  project.commit("shared");
  const words = ["work", "start", "--work-cmd", work, "--parallel", String(workers), "--json"];
  const ended = await premath.bridle(words, { cwd: project.folder, env: project.env }).ended;
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.json()).toMatchObject({ because: "done" });

  const rows = Array.from({ length: issues }, (_, at) => project.row(`bd-${at + 1}`));
  const closed = rows.filter(({ status }) => status === "closed");
  const blocked = rows.filter(({ status }) => status === "blocked");
  expect(closed.length + blocked.length).toBe(issues);
  expect(project.git("fsck", "--full", "--no-dangling")).toBe("");
  // No step was begun twice, and each issue was merged once.
  const begun = readFileSync(join(project.home, "log"), "utf8").trim().split("\n");
  expect(new Set(begun).size).toBe(begun.length);
  const merges = project.git(
    "log",
    "--merges",
    "--format=%H %(trailers:key=Bridle-Issue,valueonly,separator=)",
    "bridle/main",
  );
  const merged = merges.split("\n").map((line) => line.split(" ") as [string, string]);
  expect(merged.map(([, id]) => id).toSorted()).toEqual(closed.map(({ id }) => String(id)).toSorted());
  for (const { id, verified } of closed) {
    expect(merged.find(([, issue]) => issue === id)?.[0]).toBe((verified as JsonObject)["commit"]);
    expect(project.inTarget(`out/${String(id).slice(3)}`)).toBe(`${String(id).slice(3)}\n`);
  }
  // Every branch is merged, or its issue needs a person.
  const status = await premath.bridle(["work", "status", "--json"], { cwd: project.folder, env: project.env })
    .ended;
  const attention = (status.json()["attention"] as JsonObject[]).map(({ issueId }) => String(issueId));
  expect(attention).toEqual([...new Set(attention)]);
  const branches = project.branches("refs/heads/bridle/work", "refs/heads/bridle/kept");
  const inTarget = new Set(project.branches("--merged=bridle/main", "refs/heads/bridle"));
  const left = branches.filter((branch) => !inTarget.has(branch));
  for (const branch of left) {
    const [, id = ""] = /^bridle\/(?:work|kept)\/(.*)-\d+$/.exec(branch) ?? [];
    expect(attention, branch).toContain(id);
    expect(project.row(id)["status"], branch).toBe("blocked");
  }
  expect(existsSync(join(project.folder, "out"))).toBe(false);
  const told = `${closed.length} closed and merged, ${blocked.length} need a person, ${begun.length} steps, ${left.length} unmerged branches, all of issues that need a person`;
  console.log(`proof: ${workers} workers, ${issues} issues: ${told}`);
}, 1_800_000);
