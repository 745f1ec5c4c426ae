/** `bridle agent run` as the work command of a worker: the turn that is judged is the agent's own. */
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { beforeAll, expect } from "vitest";
import { buildOnce, repository } from "../support/built.js";
import { calls } from "../support/chat.js";
import { chat, ModelServer } from "../support/model-server.js";
import { it } from "../support/everyday.js";
import { RunnerProject } from "../support/runner-project.js";

beforeAll(buildOnce);

it("a worker with the preset bridle judges the turn by the agent's own evidence, and merges what it made", async () => {
  const server = await ModelServer.start();
  const write = calls("write_file", { path: "note.txt", content: "written\n" });
  server.reply(chat(write), chat({ text: ["Done."] }));
  const project = new RunnerProject({ issues: 1 });
  const bin = join(project.home, "bin");
  mkdirSync(bin);
  symlinkSync(join(repository, "bin/bridle"), join(bin, "bridle"));
  const env = {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    ...{
      AGENT_API_BASE_URL: `${server.url}/v1`,
      AGENT_API_KEY: "canary-key-of-the-test",
      AGENT_MODEL: "tiny",
    },
    ...{ AGENT_REFLEXION_SEMANTIC: "0", AGENT_AUTO_APPROVE_TOOLS: "write_file" },
  };
  const end = await project.work({ preset: "bridle", env });
  const [worked] = end.steps_;
  expect(end.completed, JSON.stringify(worked?.step.failure)).toBe(1);
  expect(worked?.step.done.get("turn")).toMatchObject({ own: true });
  expect(project.inTarget("note.txt")).toBe("written\n");
  const path = ".premath/runs/run-1/steps/run-1.worker.1.1/turn-evidence.json";
  const { evidence } = JSON.parse(readFileSync(join(project.folder, path), "utf8")) as {
    evidence: JsonObject;
  };
  expect(evidence["toolRequests"]).toMatchObject([{ toolName: "write_file" }]);
  expect(evidence["toolUse"]).toMatchObject([{ disposition: "consumed" }]);
});
