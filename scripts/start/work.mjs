/**
 * The block about work: a git project with twelve issues, three workers, one of them killed at work, one flaky check
 * and one liar. Everything is real but the work itself, which is a script.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../ensure.mjs";

const issues = 12;
const [killed, flaky, liar] = ["bd-5", "bd-7", "bd-9"];

/** Told by the issue what to do; each does its own part of the project. */
const work = `set -e
attempt=$(grep -o '"attempt": [0-9]*' "$BRIDLE_STEP_FILE" | grep -o '[0-9]*')
mkdir -p parts
echo "done by $PREMATH_ISSUE_ID" > "parts/$PREMATH_ISSUE_ID"
case "$PREMATH_ISSUE_ID" in
  ${killed}) if [ ! -e "$DEMO_STATE/killed" ]; then touch "$DEMO_STATE/killed"; kill -9 "$(ps -o ppid= -p $$ | tr -d ' ')"; sleep 60; fi ;;
  ${flaky}) if [ "$attempt" = 1 ] && [ ! -e "$DEMO_STATE/flaky" ]; then touch "$DEMO_STATE/flaky"; touch parts/flaky; fi ;;
  ${liar}) echo "exit 0" > check.sh ;;
esac
`;

/** Fails once on a tree that has a flaky part. */
const check = `for part in parts/bd-*; do [ -s "$part" ] || [ "$part" = "parts/bd-*" ] || exit 1; done
if [ -e parts/flaky ] && [ ! -e .tried ]; then touch .tried; echo "a port was taken"; exit 1; fi
`;

/** What happened, and what is wrong with it, if anything. */
export function workWithWorkers({ folder, env }) {
  const project = path.join(folder, "work");
  const state = path.join(folder, "state");
  for (const each of [project, state]) mkdirSync(each, { recursive: true });
  const ours = {
    ...env,
    DEMO_STATE: state,
    XDG_STATE_HOME: path.join(state, "xdg"),
    XDG_CONFIG_HOME: path.join(state, "config"),
    ...{ GIT_AUTHOR_NAME: "Demo", GIT_AUTHOR_EMAIL: "demo@localhost" },
    ...{ GIT_COMMITTER_NAME: "Demo", GIT_COMMITTER_EMAIL: "demo@localhost" },
  };
  const git = (...words) =>
    execFileSync("git", ["-C", project, ...words], { env: ours, encoding: "utf8" }).trim();
  const run = (launcher, ...words) => {
    const program = path.join(root, "bin", launcher);
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words, "--json"], {
      ...{ cwd: project, env: ours, encoding: "utf8" },
    });
    if (status !== 0) throw new Error(`${launcher} ${words.join(" ")} ended with ${status}: ${stderr}`);
    return JSON.parse(stdout);
  };
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(path.join(project, "check.sh"), check);
  writeFileSync(path.join(project, "work.sh"), work);
  writeFileSync(path.join(project, "Makefile"), "test:\n\tbash check.sh\n");
  run("premath", "required-checks", "init");
  const map = path.join(project, "policies/control/required-checks-v1.json");
  const policy = JSON.parse(readFileSync(map, "utf8"));
  writeFileSync(
    map,
    JSON.stringify({ ...policy, protected: [...policy.protected, "check.sh", "work.sh"] }, null, 2),
  );
  run("premath", "required-checks", "seal");
  git("add", "--all");
  git("commit", "--quiet", "--message=a project");
  const rows = Array.from({ length: issues }, (_, at) =>
    JSON.stringify({
      id: `bd-${at + 1}`,
      title: `Make part ${at + 1}`,
      priority: at + 1 === Number(killed.slice(3)) ? 0 : 2,
    }),
  );
  mkdirSync(path.join(project, ".premath"), { recursive: true });
  writeFileSync(path.join(project, ".premath/issues.jsonl"), `${rows.join("\n")}\n`);
  const began = performance.now();
  const night = run("bridle", "work", "start", "--work-cmd", "bash work.sh", "--parallel", "3");
  const seconds = (performance.now() - began) / 1000;
  return { ...judge(project, night, git), seconds };
}

function judge(project, night, git) {
  const read = (file) =>
    readFileSync(path.join(project, file), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  const last = new Map(read(".premath/issues.jsonl").map((row) => [row.id, row]));
  const journal = read(`.premath/runs/${night.run}/events.jsonl`);
  const closed = [...last.values()].filter(
    ({ status, verified }) => status === "closed" && verified !== undefined,
  );
  const merged = closed.filter(({ verified }) => isIn(git, verified.commit));
  const claims = (id) =>
    journal.filter(
      ({ effect, kind, data }) => kind === "outcome" && effect === "claim" && data.issueId === id,
    );
  const stepsOf = (id) => new Set(claims(id).map(({ step }) => step));
  const failures = (id) =>
    journal
      .filter(
        ({ step, kind, data }) => kind === "outcome" && stepsOf(id).has(step) && data.failed !== undefined,
      )
      .map(({ data }) => data.failed.class);
  const reclaimed = claims(killed).at(-1);
  const [firstOf] = claims(killed);
  const problems = [
    [closed.length === issues - 1, `${closed.length} of ${issues - 1} issues were closed with witnesses`],
    [merged.length === closed.length, `${closed.length - merged.length} closed issues are not in the target`],
    [last.get(liar).status === "blocked", `the liar's issue is ${last.get(liar).status}`],
    [failures(liar).includes("check_tampered"), "the liar was not found out"],
    [failures(killed).includes("work_interrupted"), "nobody was killed"],
    [failures(flaky).includes("flaky_execution"), "no check was flaky"],
  ];
  return {
    closed: closed.length,
    killed: { worker: firstOf?.worker, issue: killed, fence: reclaimed?.data.fence, by: reclaimed?.worker },
    flaky: { issue: flaky, attempts: claims(flaky).length },
    liar: { worker: claims(liar)[0]?.worker, issue: liar },
    broken: problems.filter(([holds]) => !holds).map(([, what]) => what),
  };
}

function isIn(git, commit) {
  try {
    git("merge-base", "--is-ancestor", commit, "bridle/main");
    return true;
  } catch {
    return false;
  }
}
