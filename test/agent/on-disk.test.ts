/**
 * What a session leaves in its workspace when it used everything there is: one log
 * that is the only authority on it, and files that ARCHITECTURE.md names all.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { agentDefaults, listSessions, replayLog, sessionPath } from "@bridle/agent";
import type { ModelRequest, ScriptedAnswer, ScriptedStep } from "@bridle/model";
import { nodePorts } from "@bridle/record";
import { standardTools } from "@bridle/tools";
import { expect, it } from "vitest";
import { testAgent, testTool } from "../support/agent.js";
import { call, type Played, play } from "../support/agent-rules.js";
import { newFastFolder } from "../support/folder.js";
import { linesOf, rowsOf } from "./kit.js";

const long = testTool("long", () => "line of text\n".repeat(4_000));
const ofChild = "You count files in folders and report exact numbers.";
const returnedId = (request: ModelRequest) =>
  /task_id=\\"([\w-]+)\\"/.exec(JSON.stringify(request.messages))?.[1] ?? "";

/** Each kind of thing that an agent writes, in one send. */
const everything: readonly ((request: ModelRequest) => ScriptedAnswer)[] = [
  () => call("write_file", { path: "a.txt", content: "one\n" }),
  () => call("edit_file", { path: "a.txt", replacements: [{ search: "one", replace: "two" }] }),
  () => call("remember", { key: "release", value: "In May.", type: "fact" }),
  () => call("read_file", { path: "gone.txt" }),
  () => call("long"),
  () => call("run_shell", { command: "echo hi > made.txt", needs: "write" }),
  () =>
    call("spawn_agent", {
      goal: "Count the files",
      system_prompt: ofChild,
      user_prompt: "Count the files of this folder and answer with the number alone.",
    }),
  (request) => call("wait_for_agents", { task_ids: [returnedId(request)] }),
  () => call("compress_context", { summary: "a.txt is written; the release is in May." }),
  () => ({ ...call("write_file", { path: "b.txt", content: "word ".repeat(400) }), cutAfterChars: 1_500 }),
  () => ({ text: "a.txt is written, b.txt in part." }),
];

/** `seen` is called before each answer of the model. */
async function usedEverything(folder: string, seen: () => void = () => {}): Promise<Played> {
  const left = [...everything];
  const step = (request: ModelRequest): ScriptedAnswer => {
    seen();
    if (request.system?.includes(ofChild)) return { text: "Two files." };
    return left.shift()?.(request) ?? { text: "nothing is left" };
  };
  const script: ScriptedStep[] = Array.from({ length: everything.length + 1 }, () => step);
  const config = { writeStreamSinkMinChars: 200, hotRounds: 2 };
  return play({ asks: ["Do all of it."], tools: [long], script, config, folder });
}

async function toolsIn(root: string) {
  const ports = nodePorts();
  const standard = await standardTools({
    root,
    session: "s-1",
    ports,
    env: process.env,
    config: agentDefaults,
  });
  return [...standard.tools, long];
}

it("[AGENT-15.1] a session's log only grows, and the list, a replay and a resume need nothing else", async () => {
  const folder = newFastFolder();
  const log = sessionPath(folder, "s-1");
  const grown: string[] = [];
  await usedEverything(folder, () => grown.push(readFileSync(log, "utf8")));
  grown.push(readFileSync(log, "utf8"));
  expect(grown.length).toBeGreaterThan(everything.length);
  for (const [index, before] of grown.slice(0, -1).entries())
    expect(grown[index + 1]?.startsWith(before), `request ${index}`).toBe(true);

  // As if the process had died after a result: here with all that it left, there with the log alone.
  const lines = linesOf(folder, "s-1");
  const last = rowsOf(folder, "s-1").findLastIndex((row) => row.type === "tool_result" && row.ok);
  const kept = `${lines.slice(0, last + 1).join("\n")}\n`;
  const alone = newFastFolder();
  for (const workspace of [folder, alone]) {
    mkdirSync(dirname(sessionPath(workspace, "s-1")), { recursive: true });
    writeFileSync(sessionPath(workspace, "s-1"), kept);
  }
  const listed = async (workspace: string) =>
    (await listSessions(workspace, nodePorts())).map(({ changedMs: _, ...facts }) => facts);
  expect(await listed(alone)).toMatchObject([{ id: "s-1", sends: 1, ended: "interrupted" }]);
  expect(await listed(alone)).toEqual(await listed(folder));

  const resumed = async (workspace: string) => {
    const { agent, requests } = await testAgent({
      ...{ script: [{ text: "a.txt is written." }], workspace, session: "s-1" },
      ...{ tools: await toolsIn(workspace), config: { yolo: true, hotRounds: 2 } },
    });
    expect((await agent.resume())?.text).toBe("a.txt is written.");
    await agent.close();
    return requests.map(({ messages }) => messages);
  };
  const messages = await resumed(alone);
  expect(JSON.stringify(messages)).toContain("the release is in May.");
  expect(messages).toEqual(await resumed(folder));

  const rows = rowsOf(alone, "s-1");
  const tools = await toolsIn(newFastFolder());
  expect(await replayLog({ ports: nodePorts(), rows, toolsFor: () => tools })).toEqual({ rows: rows.length });
});

const architecture = readFileSync(new URL("../../ARCHITECTURE.md", import.meta.url), "utf8");
const table = /^## On disk\n([\s\S]*?)\n\n[^|\n]/m.exec(architecture)?.[1] ?? "";

/** The paths of the table, as patterns: `<id>` stands for a name, a folder for all that is in it. */
function namedPlaces(): ReadonlyMap<string, RegExp> {
  const paths = [...table.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, path = ""]) => path);
  return new Map(
    paths.map((path) => {
      const parts = path.split(/<\w+>/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
      return [path, new RegExp(`^${parts.join("[^/]+")}${path.endsWith("/") ? ".+" : ""}$`)];
    }),
  );
}

it("[AGENT-15.2] counts, notes, failures, sessions, artifacts and drafts have one place each, and ARCHITECTURE.md names it", async () => {
  const folder = newFastFolder();
  await usedEverything(folder);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    // What it was asked to write.
    .filter((path) => !["a.txt", "made.txt"].includes(path));

  const places = namedPlaces();
  const placesOf = (file: string) => [...places].flatMap(([place, is]) => (is.test(file) ? [place] : []));
  const found = new Map(files.map((file) => [file, placesOf(file)]));
  const used = new Set([...found.values()].flat());
  expect([...used].toSorted()).toEqual([
    ...[".bridle/agent/.agent_notes.json", ".bridle/agent/.agent_rule_stats.json"],
    ...[".bridle/agent/artifacts/", ".bridle/agent/before/", ".bridle/agent/failures.jsonl"],
    ...[".bridle/agent/sessions/<id>.jsonl", ".bridle/agent/staging/"],
  ]);
  expect(table).toContain("| `.bridle/` beside such a file");
  const folders = new Set([...found].flatMap(([file, of]) => (of.length === 1 ? [dirname(file)] : [])));
  for (const [file, of] of found) {
    // The locks of a log or document stand in a folder beside it, which the table names as such.
    if (file === ".bridle/agent/.gitignore") continue;
    const [, beside] = /^(.*?)\/?\.bridle\/(?:\.gitignore|locks\/[^/]+)$/.exec(file) ?? [];
    if (beside === undefined) expect(of, file).toHaveLength(1);
    else expect(folders, file).toContain(beside === "" ? "." : beside);
  }
});
