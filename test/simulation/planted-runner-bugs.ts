/** Bugs that a step of the runner could have, and the scenario that must bring each to light. */
import type { Change } from "../support/broken-copy.js";
import type { runnerScenarios } from "./runner-scenarios.js";

export interface PlantedRunnerBug {
  readonly name: string;
  readonly scenario: keyof typeof runnerScenarios;
  readonly changes: readonly Change[];
}

const next = "runner/src/step/next.ts";
const state = "runner/src/step/state.ts";
const drive = "runner/src/step/drive.ts";
const types = "runner/src/types.ts";
const costless = "runner/src/step/costless.ts";
const journal = "runner/src/journal/journal.ts";
const leave = "work/src/memory/edit/leave.ts";

export const plantedRunnerBugs: readonly PlantedRunnerBug[] = [
  {
    name: "work that was interrupted is begun again",
    scenario: "killed",
    changes: [{ file: types, find: 'work: "never_repeat",', replace: 'work: "repeat",' }],
  },
  {
    name: "an intent is written after its effect",
    scenario: "killed",
    changes: [
      {
        file: drive,
        find: 'await write("intent", coming.effect, coming.plan);',
        replace: "",
      },
    ],
  },
  {
    name: "an intent without an outcome is forgotten",
    scenario: "killed",
    changes: [
      {
        file: state,
        find: 'if (row.kind === "intent") return { ...step, doubt: { effect, plan: row.data } };',
        replace: 'if (row.kind === "intent") return step;',
      },
    ],
  },
  {
    name: "a move of the target that happened is taken for one that did not",
    scenario: "clocksSet",
    changes: [
      {
        file: next,
        find: "if (target?.holdsCandidate === true) return settled(effect, { moved: candidateOf(step) ?? null });",
        replace: "",
      },
    ],
  },
  {
    name: "a move in doubt is simply made again",
    scenario: "clocksSet",
    changes: [{ file: types, find: 'move: "look",', replace: 'move: "repeat",' }],
  },
  {
    name: "nobody looks whether an issue was merged by a worker that died",
    scenario: "slept",
    changes: [
      {
        file: next,
        find: 'if (facts.earlier !== undefined && done.has("open")) return "close";',
        replace: "",
      },
    ],
  },
  {
    name: "a row that could not be written, because somebody stood still at the file, is not tried again",
    scenario: "slept",
    changes: [{ file: next, find: "(step.stopsFailed ?? 0) >= stopsMax", replace: "stopsMax > 0" }],
  },
  {
    name: "an issue that was merged before is closed, and then worked on all the same",
    scenario: "slept",
    changes: [
      {
        file: next,
        find: 'if (done.has("close") || done.has("park")) return "stop";',
        replace: 'if (done.has("commit") && (done.has("close") || done.has("park"))) return "stop";',
      },
      {
        file: next,
        find: 'if (facts.earlier !== undefined && done.has("open")) return "close";',
        replace: 'if (facts.earlier !== undefined && done.has("open") && !done.has("close")) return "close";',
      },
    ],
  },
  {
    name: "an issue that was merged before is closed on a commit of its own",
    scenario: "slept",
    changes: [
      {
        file: next,
        find: "candidate: facts.earlier?.candidate ?? candidateOf(step) ?? null,",
        replace: "candidate: candidateOf(step) ?? null,",
      },
    ],
  },
  {
    name: "what fails its checks is merged",
    scenario: "undisturbed",
    changes: [{ file: next, find: 'if (checked["passed"] !== true) return "branch_checks";', replace: "" }],
  },
  {
    name: "a worker that died costs its issue an attempt",
    scenario: "killed",
    changes: [{ file: costless, find: 'failureClass === "work_interrupted" ||', replace: "" }],
  },
  {
    name: "an intent is acknowledged before it is on disk",
    scenario: "powerLost",
    changes: [{ file: journal, find: '{ durability: "synced" }', replace: '{ durability: "written" }' }],
  },
  {
    name: "an issue is given back under an old fence",
    scenario: "slept",
    changes: [
      {
        file: leave,
        find: "const late = fenceMismatch(issue, request.fence) ?? guardHolding(issue, request, nowMs);",
        replace: "const late = undefined as ReturnType<typeof fenceMismatch>;",
      },
      { file: next, find: 'if (isLost(step, facts)) return { kind: "over", how: "lost" };', replace: "" },
    ],
  },
];
