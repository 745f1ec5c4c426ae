/** A coordinator's passes, with workers that end at once: what it asks before it sends anybody to work. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { IssueGraph } from "@bridle/work";
import { describe, expect } from "vitest";
import { it } from "../../../../test/support/everyday.js";
import { newFolder } from "../../../../test/support/folder.js";
import type { IssueDoor } from "../live/issue-door.js";
import { coordinate } from "./coordinate.js";
import { RunFiles } from "./run-files.js";

describe("each pass of a coordinator", () => {
  it("checks dependencies and asks again what is ready before workers are started [RUNTIME-7.3] [RUNTIME-7.4]", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, "run-1"));
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, PREMATH_BIN: "true" };
    const ports = nodePorts();
    const asked: string[] = [];
    const events: unknown[] = [];
    const graph = { claimable: () => ({ id: "bd-1" }) } as unknown as IssueGraph;
    const answers: Record<string, object> = {
      "dep.diagnostics": { integrity: { hasCycle: true, cyclePath: ["bd-8", "bd-9", "bd-8"] } },
      "issue.ready": { count: 1 },
      "harness.kpi.report": {},
    };
    const issues = {
      async call(action: string, input: object) {
        asked.push(`${action} ${JSON.stringify(input)}`);
        return answers[action];
      },
      graph: async () => graph,
    } as unknown as IssueDoor;
    const end = await coordinate({
      ...{
        files: new RunFiles(join(folder, "run-1"), ports),
        issues,
        budgets: {},
        workerWords: [],
        cwd: folder,
      },
      ...{
        env,
        ports,
        signal: new AbortController().signal,
        roundsMax: 3,
        stepsPerWorker: 1,
        unsettled: false,
      },
      slots: [{ worker: "worker.1", index: 1, worktree: folder }],
      onEvent: async (event) => void events.push(event),
    });
    expect(end).toMatchObject({ because: "rounds", rounds: 3, started: 3, died: 0 });
    const round = ['dep.diagnostics {"graphScope":"active"}', "issue.ready {}", "harness.kpi.report {}"];
    expect(asked).toEqual([...round, ...round, ...round]);
    expect(events).toMatchObject([{ kind: "cycle", cyclePath: ["bd-8", "bd-9", "bd-8"] }]);
  });
});
