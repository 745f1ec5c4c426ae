/**
 * What the runner costs: how much faster eight workers are than one, what a step costs besides what git, walls, spawns
 * and synced appends cost anyway, and whether a worker that lives long grows.
 *
 * A night is started with the built command line, so `npm run build` comes first. By itself it takes two to three
 * minutes on two cores, and a worker's memory is compared after 160 and after 32 steps; with `--full`, after 1,000 and
 * after 200, which takes about ten minutes more.
 */
import { execFileSync, spawn } from "node:child_process";
import { closeSync, fsyncSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type HeldCommand, isRefusal, type JsonObject, type Ports } from "@bridle/record";
import { beginRun, type StepState, openWorker, openWorkplace, workerLoop } from "@bridle/runner";
import { alterFiles } from "@bridle/testing";
import { surfacePorts } from "../packages/surface/src/ports.js";
import { sealedDigest } from "../packages/work/src/seal.js";
import { judge, type Line, timed } from "./measure.js";

const middle = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] as number;
const identity = {
  ...{ GIT_AUTHOR_NAME: "Bench", GIT_AUTHOR_EMAIL: "bench@example.org", GIT_COMMITTER_NAME: "Bench" },
  ...{ GIT_COMMITTER_EMAIL: "bench@example.org" },
  ...{ GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
};

/** A repository with checks and issues, and a home of its own. */
class Project {
  readonly home: string;
  readonly folder: string;

  constructor(folder: string, name: string, { issues, check }: { issues: number; check: string }) {
    this.home = join(folder, name);
    this.folder = join(this.home, "project");
    mkdirSync(join(this.folder, "policies/control"), { recursive: true });
    mkdirSync(join(this.folder, ".premath"));
    const map: JsonObject = {
      ...{ schema: 1, policyKind: "premath.required_checks.v1", policyId: "policy.bench.v1" },
      checks: [{ id: "check", command: check }],
      ...{ rules: [], fallback: { checks: ["check"], reason: "every_change" }, protected: ["policies/**"] },
    };
    const sealed = { ...map, policyDigest: sealedDigest(map) };
    writeFileSync(join(this.folder, "policies/control/required-checks-v1.json"), JSON.stringify(sealed));
    writeFileSync(join(this.folder, ".gitignore"), ".premath/\nartifacts/\n");
    const rows = Array.from({ length: issues }, (_, n) =>
      JSON.stringify({ id: `bd-${n + 1}`, title: `${n}` }),
    );
    writeFileSync(join(this.folder, ".premath/issues.jsonl"), `${rows.join("\n")}\n`);
    this.git("init", "--quiet", "--initial-branch=main");
    this.git("add", ".");
    this.git("commit", "--quiet", "--message=first");
  }

  get env(): Record<string, string> {
    return { HOME: this.home, PATH: process.env["PATH"] ?? "", ...identity };
  }

  git(...args: string[]): void {
    execFileSync("git", ["-C", this.folder, ...args], { env: this.env, stdio: "ignore" });
  }
}

export async function benchRunner(folder: string, root: string): Promise<Line[]> {
  return [await benchParallel(folder, root), ...(await benchLiving(folder))];
}

/** Work that waits five seconds, a check of a tenth of a second, whole nights as people start them. */
async function benchParallel(folder: string, root: string): Promise<Line> {
  const perWorker = 3;
  const night = async (workers: number) => {
    const issues = workers * perWorker;
    const project = new Project(folder, `night-${workers}`, { issues, check: "sleep 0.1" });
    const work = 'sleep 5; echo x > "$PREMATH_ISSUE_ID"';
    const words = ["work", "start", "--work-cmd", work, "--parallel", String(workers), "--json"];
    const ms = await timed(() => ended([join(root, "bin/bridle"), ...words], project));
    return issues / ms;
  };
  const [one, eight] = [await night(1), await night(8)];
  return judge(
    {
      ...{ name: "issues done by 8 workers, 5 s of work each", against: "by one worker", ratio: eight / one },
      note: `${(1 / eight / 1_000).toFixed(2)} s an issue`,
    },
    { atLeast: 6 },
  );
}

function ended(words: readonly string[], { folder: cwd, env }: Project): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { cwd, env, stdio: ["ignore", "ignore", "inherit"] });
    child.once("error", reject);
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`it ended with ${code}`))));
  });
}

/** What a step asked of the machine. */
interface Asked {
  readonly git: { readonly folder: string; readonly args: readonly string[] }[];
  readonly held: HeldCommand[];
  syncs: number;
}

function watched(real: Ports, asked: () => Asked): Ports {
  const files = alterFiles(real.files, {
    openFile: (file) => ({ sync: () => ((asked().syncs += 1), file.sync()) }),
  });
  const git = {
    run: (folder: string, args: readonly string[]) => (
      asked().git.push({ folder, args }),
      real.git!.run(folder, args)
    ),
  };
  const commands = {
    run: (command: HeldCommand) => (asked().held.push(command), real.commands!.run(command)),
    holds: (at: string) => real.commands!.holds(at),
    discard: (at: string) => real.commands!.discard(at),
  };
  return { ...real, files, git, commands };
}

/** One worker in this process, for so many steps. */
async function worker(project: Project, ports: Ports, stepsMax: number, onStep: () => void): Promise<void> {
  const around = { env: project.env, ports, signal: new AbortController().signal, say() {} };
  const work = 'echo x > "$PREMATH_ISSUE_ID"';
  const place = await openWorkplace({ folder: project.folder, work }, around);
  if (isRefusal(place)) throw new Error(place.message);
  const files = await beginRun(place, { merge: "auto", parallel: 1, budgets: {} }, ports);
  const opened = await openWorker(
    place,
    files,
    { worker: "worker.1", index: 1, leaseTtlSeconds: 3_600 },
    around,
  );
  if (isRefusal(opened)) throw new Error(opened.message);
  try {
    let failure: string | undefined;
    const { completed } = await workerLoop(opened.context, {
      ...{ files, rules: { merge: "auto", renewBeforeMs: 60_000 }, budgets: {} },
      ...{
        stepsMax,
        continueOnFailure: false,
        onStep: (step: StepState) => ((failure = step.failure?.message), onStep()),
      },
    });
    if (completed !== stepsMax) throw new Error(`step ${completed + 1} failed: ${failure}`);
  } finally {
    await opened.close();
  }
}

/** The same git commands, walls, spawns and synced appends by a plain program, one after the other. */
async function plainly(
  { git, held, syncs }: Asked,
  { env, home, folder }: Project,
  real: Ports,
): Promise<void> {
  for (const { folder: at, args } of git) await real.git!.run(at, args);
  for (const command of held) await real.commands!.run({ ...command, folder });
  execFileSync("bash", ["-c", "true"], { env });
  const file = openSync(join(home, "plain.jsonl"), "a");
  for (let n = 0; n < syncs; n++) {
    writeSync(file, `${JSON.stringify({ n, effect: "work", data: {} })}\n`);
    fsyncSync(file);
  }
  closeSync(file);
}

/** Steps whose calls are kept and made again plainly; the first ones open what later ones find open. */
const [replayedFrom, replayedTo] = [10, 22];

/** One worker that takes step after step: what each costs, and how large it is early and late. */
async function benchLiving(folder: string): Promise<Line[]> {
  const [early, late] = process.argv.includes("--full") ? [200, 1_000] : [32, 160];
  const project = new Project(folder, "living", { issues: late, check: "true" });
  const real = surfacePorts(project.env);
  const none = (): Asked => ({ git: [], held: [], syncs: 0 });
  let asked = none();
  const steps: { readonly ms: number; readonly asked: Asked }[] = [];
  const bytesAfter = new Map<number, number>();
  let since = performance.now();
  await worker(
    project,
    watched(real, () => asked),
    late,
    () => {
      const at = steps.push({
        ms: performance.now() - since,
        asked: steps.length >= replayedFrom && steps.length < replayedTo ? asked : none(),
      });
      if (at === early || at === late) {
        globalThis.gc?.();
        bytesAfter.set(at, process.memoryUsage().rss);
      }
      asked = none();
      since = performance.now();
    },
  );
  const kept = steps.slice(replayedFrom, replayedTo);
  const plainMs: number[] = [];
  for (const step of kept) plainMs.push(await timed(() => plainly(step.asked, project, real)));
  const { git, held, syncs } = kept[0]!.asked;
  const [before = 1, after = Infinity] = [bytesAfter.get(early), bytesAfter.get(late)];
  return [
    judge(
      {
        name: "a step with no-op work, in a living worker",
        against: "the same git, walls, spawns and synced appends",
        ratio: middle(kept.map(({ ms }, at) => ms / plainMs[at]!)),
        note: `${middle(plainMs).toFixed(0)} ms plainly: ${git.length} git, ${held.length} held, ${syncs} syncs`,
      },
      { atMost: 2 },
    ),
    judge(
      {
        name: `memory of a worker after ${late.toLocaleString("en")} steps`,
        against: `after ${early} steps`,
        ratio: after / before,
        note: `${(after / 2 ** 20).toFixed(0)} MiB`,
      },
      { atMost: 1.2 },
    ),
  ];
}
