import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/folder.js";
import { NoteStore } from "./memory/store.js";
import { keptFile, makeStateFolder, stateFolder } from "./state-paths.js";

const { files } = nodePorts();
const name = ".agent_notes.json";

it("a file of before is found where it was; one of now comes first, and a new one stands with the sessions", async () => {
  const workspace = newFolder();
  const now = join(stateFolder(workspace), name);
  expect((await keptFile(workspace, name, files)).path).toBe(now);
  writeFileSync(join(workspace, name), "{}");
  expect((await keptFile(workspace, name, files)).path).toBe(join(workspace, name));
  mkdirSync(stateFolder(workspace), { recursive: true });
  writeFileSync(now, "{}");
  expect((await keptFile(workspace, name, files)).path).toBe(now);
});

it("[AGENT-15.4] git sees what is meant to be committed in .bridle, and nothing of the agent's state", async () => {
  const workspace = newFolder();
  execFileSync("git", ["-C", workspace, "init", "--quiet"]);
  await makeStateFolder(workspace, files);
  await makeStateFolder(workspace, files);
  const note = { key: "port", value: "8080", type: "fact" as const };
  for (const before of [false, true]) {
    if (before) writeFileSync(join(workspace, "other.json"), '{"version":1,"notes":{}}');
    const kept = await keptFile(workspace, before ? "other.json" : name, files);
    await new NoteStore({ ...kept, ports: nodePorts() }).put(note);
  }
  writeFileSync(join(workspace, ".bridle/settings.json"), "{}");
  const status = execFileSync("git", ["-C", workspace, "status", "--porcelain", "-uall"], {
    encoding: "utf8",
  });
  expect(status).toBe("?? .bridle/settings.json\n?? other.json\n");
});
