/** Workers that lie are not believed, whatever they try; honest ones are. */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../support/folder.js";
import { git } from "../support/git.js";
import { honest, liars, type Script } from "../support/lying-workers.js";
import { RunnerProject } from "../support/runner-project.js";
import { withoutPauses } from "../support/without-pauses.js";
import { share, some } from "../support/scale.js";

/** How often each way is tried, every time as another script. */
const rounds = share(7, 1);

interface Came {
  readonly way: string;
  readonly failure: string | undefined;
  readonly row: JsonObject;
}

/** All scripts in one project, an issue each; after each step everything outside is put back as it was. */
async function tryAll(scripts: readonly Script[]): Promise<{ project: RunnerProject; came: Came[] }> {
  const project = new RunnerProject({ issues: scripts.length });
  project.put(".gitignore", "cache/\nartifacts/\n");
  project.commit("what git ignores");
  const folder = newFolder();
  scripts.forEach(({ script }, at) => writeFileSync(join(folder, `bd-${at + 1}`), script));
  const bystander = '{"id":"bd-bystander","title":"Nobody\'s","status":"blocked"}\n';
  const ordered = scripts.map(
    (_, at) => `${JSON.stringify({ id: `bd-${at + 1}`, title: "x", priority: 1 })}\n`,
  );
  project.put(".premath/issues.jsonl", ordered.join("") + bystander);
  const kept = ["config", "info/exclude"].map((name) => [name, project.read(`.git/${name}`)] as const);
  const main = project.head();
  const came: Came[] = [];
  let target = main;
  await project.work({
    work: `export MAIN='${project.folder}' N="$RANDOM"; source '${folder}'/"$PREMATH_ISSUE_ID"`,
    ...{ stepsMax: scripts.length * 3, minutes: 1 / 12, env: { RANDOM: "" } },
    ports: withoutPauses,
    onStep(step, end) {
      const { claimed, failure } = step;
      if (claimed === undefined) return;
      const row = project.row(claimed.issueId);
      came.push({
        way: scripts[Number(claimed.issueId.slice(3)) - 1]?.way ?? "",
        failure: failure?.class,
        row,
      });
      // A person looks at it; it does not come back.
      if (row["status"] !== "closed")
        project.put(
          ".premath/issues.jsonl",
          `${project.read(".premath/issues.jsonl")}${JSON.stringify({ ...row, status: "blocked" })}\n${bystander}`,
        );
      for (const [name, text] of kept) project.put(`.git/${name}`, text);
      rmSync(join(project.folder, ".git/hooks/post-checkout"), { force: true });
      project.git("update-ref", "refs/heads/main", main);
      if (end !== "completed") project.git("update-ref", "refs/heads/bridle/main", target);
      target = project.git("rev-parse", "bridle/main");
      for (const ref of project
        .git("for-each-ref", "--format=%(refname)", "refs/tags", "refs/replace")
        .split("\n"))
        if (ref !== "") project.git("update-ref", "-d", ref);
      project.git("checkout", "--quiet", "--force", "main");
    },
  });
  return { project, came };
}

/** Who only runs the command and then the check beside it believes so many of them. */
function believedWithoutGates(scripts: readonly Script[]): number {
  return scripts.filter(({ script }) => {
    const project = new RunnerProject({ issues: 1 });
    const clone = newFolder();
    git(clone, "clone", "--quiet", project.folder, "tree");
    const tree = join(clone, "tree");
    const env = {
      ...{ PATH: process.env["PATH"], HOME: clone, MAIN: project.folder, N: "1", PREMATH_ISSUE_ID: "bd-1" },
      ...{
        BRIDLE_STEP: "s",
        BRIDLE_STEP_FILE: join(clone, "a/b/step.json"),
        BRIDLE_TURN_EVIDENCE: join(clone, "evidence"),
      },
      ...{
        GIT_AUTHOR_NAME: "x",
        GIT_AUTHOR_EMAIL: "x@y",
        GIT_COMMITTER_NAME: "x",
        GIT_COMMITTER_EMAIL: "x@y",
      },
    };
    try {
      execFileSync("timeout", ["2", "bash", "-c", script], { cwd: tree, env, stdio: "ignore" });
      execFileSync(
        "bash",
        ["-c", "test ! -e test/sum.test.sh || bash test/sum.test.sh || PATH=bin:$PATH bash test/sum.test.sh"],
        { cwd: tree, env, stdio: "ignore" },
      );
      return true;
    } catch {
      return false;
    }
  }).length;
}

describe("workers", () => {
  it(
    "that lie are not believed, in any of the ways that we know",
    async () => {
      expect(liars.length).toBeGreaterThanOrEqual(25);
      const tries = some(liars, 3);
      let tried = 0;
      const classes = new Map<string, number>();
      for (let round = 0; round < rounds; round++) {
        const { project, came } = await tryAll(tries);
        expect(came.map(({ way }) => way).toSorted()).toEqual(tries.map(({ way }) => way).toSorted());
        for (const { way, failure, row } of came) {
          expect([way, row["status"], failure === undefined]).toEqual([
            way,
            expect.not.stringMatching("closed"),
            false,
          ]);
          classes.set(String(failure), (classes.get(String(failure)) ?? 0) + 1);
          tried++;
        }
        expect(project.git("log", "--format=%s", "main..bridle/main")).toBe("");
      }
      const without = believedWithoutGates(tries);
      console.log(
        `proof: lying workers: ${tried} scripts, ${tries.length} ways, 0 accepted (${[...classes].map(([name, n]) => `${name} ${n}`).join(", ")}); ` +
          `without the gates ${without} of ${tries.length} get through`,
      );
      expect(without).toBeGreaterThan(tries.length / 3);
    },
    share(3_000_000, 600_000),
  );

  it(
    "that are honest are all accepted",
    async () => {
      let tried = 0;
      for (let round = 0; round < share(40, 1); round++) {
        const { came } = await tryAll(some(honest, 2));
        for (const { way, failure, row } of came) {
          expect([way, failure, row["status"]]).toEqual([way, undefined, "closed"]);
          tried++;
        }
      }
      console.log(`proof: honest workers: ${tried} scripts, all accepted`);
    },
    share(3_000_000, 300_000),
  );
});
