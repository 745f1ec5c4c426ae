/** `bridle work start`: through the night with several workers. */
import { join } from "node:path";
import { ownProgram, startProgram } from "@bridle/host";
import { type Call, defineOperation, type Paint } from "@bridle/operation";
import { isRefusal, type JsonObject, refuse, type Refusal } from "@bridle/record";
import { present } from "@bridle/record";
import * as Type from "typebox";
import { setupOf } from "../live/set-up.js";
import type { Workplace } from "../run/open-worker.js";
import { runNight } from "../run/run-night.js";
import { listRuns, readyRuns, RunFiles } from "../run/run-files.js";
import { checkLogin, tellPerson } from "../work/person-commands.js";
import { NightLines } from "../run/night-lines.js";
import { byPerson, flag, flags, named, nullable, text, whole } from "./define.js";
import { budgetInput, runInput } from "./loop-input.js";
import { budgetsOf, placeFor, wordsOf, workerWords } from "./loop-worker.js";
import { surroundingsOf } from "./run-of.js";

const input = flags({
  parallel: whole("number", "Workers at once; 2 when left out.", { maximum: 64 }),
  maxSteps: whole("number", "Begin no step after so many."),
  ...runInput,
  ...budgetInput,
  onEvent: text("command", "Run for what needs a person, with the event as JSON on its standard input."),
  detach: flag("Go on in the background; `bridle work status` shows it."),
  dryRun: flag("Show what would be run, and change nothing."),
});
type Input = Type.Static<typeof input>;

const output = Type.Object({
  action: Type.Literal("work.start"),
  run: nullable(Type.String()),
  state: Type.Enum(["planned", "detached", "ended"]),
  because: nullable(Type.String()),
  source: Type.String({ description: "The branch that you are on." }),
  target: Type.String(),
  preset: Type.String(),
  command: Type.Array(Type.String(), { description: "The words that do the work of a step." }),
  setup: nullable(Type.String()),
  parallel: Type.Integer(),
  told: Type.Array(Type.String(), { description: "What a person should know before the night." }),
});
type Answer = Type.Static<typeof output>;

export const workStart = defineOperation({
  names: named("work", "start"),
  ...byPerson,
  summary: "Let several workers work on the issues that are ready.",
  description:
    "Each works in a git worktree of its own. What is verified is merged into a branch of its own, bridle/main; your " +
    "tree and your branch are not touched until `bridle work land`. What does the work: a preset, a command of yours, or " +
    "what .bridle/runner.json says. docs/guides/overnight.md takes you through it.",
  examples: [
    {
      command: "bridle work start --preset claude --parallel 3 --max-cost 20 --max-steps 60",
      says: "with Claude Code, until $20 are spent",
    },
    { command: "bridle work start --work-cmd ./work.sh --dry-run", says: "what would be run" },
  ],
  input,
  output,
  async run(given, call) {
    const place = await placeFor(given, call);
    if (isRefusal(place)) return place;
    const unpriced = place.settings.preset.output === "plain";
    if (given.maxCost !== undefined && given.maxSteps === undefined && unpriced)
      return refuse("input_invalid", {
        message: `nobody knows what ${place.settings.preset.name} costs, so --max-cost alone ends nothing`,
        hint: "Name --max-steps as well.",
      });
    const told = await toldOf(place);
    const plan = await planOf(place, given, told, call);
    if (given.dryRun === true) return plan;
    const { env, signal } = call;
    const login = await checkLogin(place.settings.preset, {
      ...{ folder: place.repository.mainTree, env, signal },
    });
    if (login !== undefined) return login;
    for (const sentence of told) call.warn(sentence);
    return given.detach === true ? detached(plan, place, given, call) : here(plan, place, given, call);
  },
  present: presentStart,
});

async function planOf(
  { repository, settings }: Workplace,
  given: Input,
  told: readonly string[],
  { ports }: Call,
): Promise<Answer> {
  const { preset, wall, wrapper } = settings;
  const setup = await setupOf(settings, repository.mainTree, "HEAD", ports.git!);
  const words = wall.work && preset.ownWalls !== true ? (preset.walledWords ?? preset.words) : preset.words;
  return {
    ...{ action: "work.start", run: null, state: "planned", because: null },
    ...{ source: repository.source, target: repository.target, preset: preset.name },
    ...{ command: [...wrapper, ...words], setup: setup?.command ?? null },
    ...{ parallel: given.parallel ?? 2, told: [...told] },
  };
}

/** What makes a night go wrong, and can be seen in the evening. */
async function toldOf({ repository: { git, mainTree } }: Workplace): Promise<string[]> {
  const told: string[] = [];
  const submodules = (await git.in(mainTree).maybe("submodule", "status")) ?? "";
  const empty = submodules.split("\n").filter((line) => line.startsWith("-"));
  if (submodules.trim() !== "")
    told.push(
      `there are submodules${empty.length > 0 ? `, ${empty.length} of them empty` : ""}: they are empty in a worker's worktree unless set-up fills them`,
    );
  return told;
}

async function here(plan: Answer, place: Workplace, given: Input, call: Call): Promise<Answer | Refusal> {
  const budgets = { ...budgetsOf(given), ...present({ stepsMax: given.maxSteps }) };
  const lines = new NightLines();
  let shown: Promise<void> = Promise.resolve();
  const show = (line: string) => {
    if (call.wantsJson !== true) shown = shown.then(() => call.emit?.(line, line));
  };
  const night = await runNight(
    place,
    {
      ...{ merge: given.merge ?? "auto", parallel: plan.parallel, budgets },
      ...{ workerPrefix: "worker", worktrees: [], workerWords: workerWords(given), stepsPerWorker: 1_000 },
      async onEvent(event) {
        call.warn(`needs a person: ${sentenceOf(event)}`);
        if (given.onEvent !== undefined)
          await tellPerson(given.onEvent, event, { folder: place.repository.mainTree, env: call.env });
      },
      onRow(row) {
        const line = lines.take(row);
        call.progress({ doing: lines.doing });
        if (line !== undefined) show(line);
      },
    },
    surroundingsOf(call),
  );
  await shown;
  if (isRefusal(night)) return night;
  const answer: Answer = { ...plan, state: "ended", run: night.run, because: night.because };
  // Where lines were shown, they are what a person sees of the answer.
  if (lines.count > 0) show(endedLine(night.run, night.because));
  await shown;
  return answer;
}

/** What there is to say of it; programs get it whole, by `--on-event`. */
function sentenceOf({ run: _run, kind, message, ...rest }: JsonObject): string {
  if (typeof message === "string") return message;
  const more = Object.entries(rest).filter(([, value]) => value !== null);
  return [kind, ...more.map(([name, value]) => `${name} ${String(value)}`)].join(", ");
}

const begunWithinMs = 20_000;

/** The same command again without --detach, in a session of its own; resolves when its run has begun. */
async function detached(
  plan: Answer,
  { runs, repository }: Workplace,
  given: Input,
  call: Call,
): Promise<Answer | Refusal> {
  const { ports, env } = call;
  const before = new Set(await listRuns(runs, ports));
  await readyRuns(runs, ports);
  const { maxCost, maxMinutes, maxSteps, merge, onEvent, parallel } = given;
  const words = wordsOf({
    ...{ "max-cost": maxCost, "max-minutes": maxMinutes, "max-steps": maxSteps },
    ...{ merge, "on-event": onEvent, parallel },
  });
  const outputPath = join(runs, "start.log");
  await ports.files.remove(outputPath);
  const program = startProgram({
    words: [...ownProgram(undefined), "work", "start", ...words, ...workerWords(given)],
    ...{ cwd: repository.mainTree, env, outputPath },
  });
  let over = false;
  void program.ended.then(() => (over = true));
  const deadline = (await ports.clock.monotonic()) + begunWithinMs;
  while ((await ports.clock.monotonic()) < deadline) {
    const fresh = (await listRuns(runs, ports)).filter((run) => !before.has(run));
    const [run] = fresh;
    if (run !== undefined && (await new RunFiles(join(runs, run), ports).describe()) !== undefined) {
      program.leave();
      return { ...plan, state: "detached", run };
    }
    if (over) break;
    await ports.clock.sleep(100);
  }
  program.stop();
  return refuse("run_unknown", { message: "the run did not begin", hint: `${outputPath} says why.` });
}

function endedLine(run: string, because: string): string {
  return `  ${run} ended: ${because}; \`bridle work report\` says what it did`;
}

function presentStart(plan: Answer, paint: Paint): string {
  const { run, state, because, source, target, preset, command, setup, parallel } = plan;
  if (state === "ended") return endedLine(paint.strong(run ?? ""), String(because));
  if (state === "detached")
    return `  ${paint.strong(run ?? "")} works in the background; \`bridle work status\` shows it`;
  return [
    `  ${paint.strong(preset)}  ${command.join(" ")}`,
    `  ${parallel} workers, ${source} → ${target}`,
    ...(setup === null ? [] : [`  set-up  ${setup}`]),
    ...plan.told.map((sentence) => `  ${paint.note(sentence)}`),
    `  ${paint.dim("nothing was changed")}`,
  ].join("\n");
}
