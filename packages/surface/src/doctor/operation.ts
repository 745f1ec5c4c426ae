/**
 * `bridle doctor`: what is wrong here, a line for each fault with the command that mends it.
 *
 * It only looks; with --fix it also does what can do no harm, looks again, and says what is left.
 */
import { join } from "node:path";
import { type Call, defineOperation } from "@bridle/operation";
import { Failure, gitFoldersOf, locateRoot } from "@bridle/record";
import * as Type from "typebox";
import { lookAtMachine } from "./look-machine.js";
import { lookAtMemory } from "./look-memory.js";
import { lookAtModels, lookAtSettings } from "./look-models.js";
import { lookAtClients, lookAtWork } from "./look-work.js";
import type { Check, Finding, Machine, Place } from "./types.js";

/** In the order in which one would mend them. */
const checks: readonly Check[] = [
  lookAtMachine,
  lookAtSettings,
  lookAtMemory,
  lookAtWork,
  lookAtClients,
  lookAtModels,
];

const Row = Type.Object({
  fault: Type.String({ description: "One word for it." }),
  level: Type.Enum(["fault", "note"], { description: "A note is worth knowing and no fault." }),
  says: Type.String(),
  mend: Type.String({ description: "What mends it, as it is typed." }),
});

export function doctorOperation(machineOf: (env: Call["env"]) => Machine) {
  return defineOperation({
    names: { id: "op/bridle.doctor", action: "bridle.doctor", command: ["doctor"], tool: "bridle_doctor" },
    family: "bridle",
    effect: "mutate",
    needs: "nothing",
    needsWhen: [{ input: "fix", needs: "person" }],
    surfaces: ["cli"],
    summary: "Say what is wrong here, and the command that mends it.",
    description:
      "Looks at Node, git, the wall, the disk, settings, issue memory, leases, worktrees, the map of checks, the door of " +
      "MCP clients, model and key. The exit code is 1 while there is a fault; a note is no fault. With --fix it does what " +
      "can do no harm: the merge driver of this clone, worktrees whose folder is gone, files with a key that others can read.",
    examples: [
      { command: "bridle doctor", says: "a line for each fault" },
      { command: "bridle doctor --fix", says: "mends what is harmless, and says what is left" },
    ],
    input: Type.Object(
      { fix: Type.Optional(Type.Boolean({ description: "Mend what can do no harm." })) },
      { additionalProperties: false },
    ),
    output: Type.Object({
      action: Type.Literal("bridle.doctor"),
      result: Type.Enum(["accepted", "rejected"]),
      failureClasses: Type.Array(Type.String()),
      folder: Type.String(),
      findings: Type.Array(Row),
      fixed: Type.Array(Type.String({ description: "What --fix mended." })),
    }),
    async run({ fix = false }, call) {
      call.progress({ doing: "looking" });
      const machine = machineOf(call.env);
      let found = await findings(call, machine);
      const fixed: string[] = [];
      if (fix) {
        for (const each of found) {
          if (each.fix === undefined) continue;
          await each.fix();
          fixed.push(each.fault);
        }
        if (fixed.length > 0) found = await findings(call, machine);
      }
      const faults = found.filter(({ level }) => level === "fault");
      return {
        action: "bridle.doctor" as const,
        result: faults.length === 0 ? ("accepted" as const) : ("rejected" as const),
        failureClasses: faults.length === 0 ? [] : ["faults_found"],
        folder: (await placeOf(call, machine)).root,
        findings: found.map(({ fault, level, says, mend }) => ({ fault, level, says, mend })),
        fixed,
      };
    },
    present({ findings: rows, fixed, folder }, paint) {
      const lines = rows.flatMap(({ level, says, mend }) => [
        `  ${level === "fault" ? paint.bad("fault") : paint.note("note ")}  ${says}`,
        `         ${mend}`,
      ]);
      const mended = fixed.map((fault) => `  ${paint.good("mended")} ${fault}`);
      const end =
        rows.length === 0 ? [`  ${paint.good("nothing is wrong")} ${paint.dim(`in ${folder}`)}`] : [];
      return [...mended, ...lines, ...end].join("\n");
    },
  });
}

async function findings(call: Call, machine: Machine): Promise<Finding[]> {
  const place = await placeOf(call, machine);
  const found: Finding[] = [];
  for (const check of checks) for await (const finding of check(place)) found.push(finding);
  return found;
}

async function placeOf(call: Call, machine: Machine): Promise<Place> {
  const { files } = call.ports;
  const root = await locateRoot({ files, cwd: call.cwd, env: call.env });
  return {
    call,
    machine,
    root,
    hasMemory: (await files.stat(join(root, ".premath"))) !== undefined,
    git: await gitFoldersOf(call.cwd, files),
    gitRuns: await gitRuns(call),
  };
}

async function gitRuns({ ports, cwd }: Call): Promise<boolean> {
  try {
    return (await ports.git?.run(cwd, ["--version"]))?.code === 0;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}
