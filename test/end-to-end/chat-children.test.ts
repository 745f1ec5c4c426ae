/** Children of `bridle chat`, as programs see them: their events fit the schema, and a tape plays them again. */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@bridle/record";
import { Compile } from "typebox/compile";
import { beforeAll, describe, expect } from "vitest";
import { calls, ChatWorld } from "../support/chat.js";
import { it } from "../support/everyday.js";
import { type ChatAnswer, chat, type Reply } from "../support/model-server.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
beforeAll(() => void execFileSync(process.execPath, [join(root, "scripts/build.mjs")]));

const fits = Compile(
  JSON.parse(readFileSync(join(root, "schemas/bridle.agent.event.v1.json"), "utf8")) as never,
);

function brief(what: string) {
  return {
    goal: `Count the ${what}`,
    system_prompt: "You count things in a folder and answer with a number and nothing else.",
    user_prompt: `Count the ${what} in the workspace folder and answer with their number.`,
  };
}

/** Two children at once, of whom the first answers last; each looks before it answers, and one look fails. */
function counting(): Reply {
  let otherIsDone = () => {};
  const later = new Promise<void>((done) => (otherIsDone = done));
  return async (response, asked) => {
    const heard = asked.text;
    const say = (answer: ChatAnswer) => chat(answer)(response, asked);
    const what = /Count the (\w+) in the workspace/.exec(heard)?.[1];
    if (heard.includes("You look back at one round"))
      return say({ text: ['{"lesson":"Look first.","root_cause":"a guess","fix_pattern":"list it"}'] });
    if (heard.includes("Count both")) {
      const tasks = [...new Set([...heard.matchAll(/task_id=\\+"([\w-]+)/g)].map(([, id]) => id))];
      if (heard.includes("There are 2 folders")) return say({ text: ["3 files and 2 folders."] });
      if (tasks.length === 2) return say(calls("wait_for_agents", { task_ids: tasks }));
      const toolCalls = ["files", "folders"].flatMap(
        (each) => calls("spawn_agent", brief(each), `call_${each}`).toolCalls ?? [],
      );
      return say({ toolCalls });
    }
    if (what === "files") {
      // Its first answer comes after all of the other's.
      await later;
      if (!heard.includes('"role":"tool"')) return say(calls("read_file", { path: "missing.txt" }));
      return say({ text: ["There are 3 files."] });
    }
    if (!heard.includes('"role":"tool"')) return say(calls("list_dir", { path: "." }));
    otherIsDone();
    return say({ text: ["There are 2 folders."] });
  };
}

/** What was counted and remembered is a file as any other, and a tape wants the same files. */
function forget(folder: string): void {
  for (const name of [".agent_rule_stats.json", ".agent_notes.json"])
    rmSync(join(folder, ".bridle/agent", name), { force: true });
}

const types = (events: readonly JsonObject[]) => events.map(({ type }) => String(type));

describe("children", () => {
  it("are told of in lines that fit the published schema, down to what happens within them", async () => {
    const world = await ChatWorld.with(counting());
    const talk = world.start(["chat", "--json", "Count both"], { AGENT_REFLEXION_SEMANTIC: "1" });
    const { code, stdout } = await talk.ended;
    expect(code).toBe(0);
    for (const line of stdout.trimEnd().split("\n"))
      expect([line, fits.Check(JSON.parse(line))]).toEqual([line, true]);
    const told = talk.events.filter(({ type }) => type === "subtask_event");
    const within = types(told.map(({ event }) => event as JsonObject));
    for (const type of [
      "send_start",
      "round_start",
      "tool_start",
      "tool_result",
      "status",
      "text",
      "turn_end",
    ])
      expect(within).toContain(type);
    expect(
      types(talk.events).filter((type) => type.startsWith("subtask_") && type !== "subtask_event"),
    ).toEqual([...["subtask_spawned", "subtask_spawned"], ...["subtask_complete", "subtask_complete"]]);
    // What stands within is checked too.
    const [some] = told;
    expect(fits.Check(some)).toBe(true);
    expect(fits.Check({ ...some, event: { type: "round_start", round: "one" } })).toBe(false);
    expect(fits.Check({ ...some, event: { type: "made_up" } })).toBe(false);
    expect(fits.Check({ ...some, event: some })).toBe(true);
    console.log(
      `proof: events: ${talk.events.length} lines fit the schema, ${told.length} of them from children`,
    );
  });

  it("play from a tape without the model, whichever of them was faster, and their lessons with them", async () => {
    const world = await ChatWorld.with(counting());
    const tape = join(world.home, "tape.jsonl");
    const env = { AGENT_REFLEXION_SEMANTIC: "1" };
    const said = "3 files and 2 folders.\n";
    expect(await world.run(["chat", "Count both", "--tape", tape], { env })).toMatchObject({ stdout: said });
    const asked = world.server.asked.length;
    expect(readFileSync(tape, "utf8")).toContain(":lessons");
    for (let i = 0; i < 2; i++) {
      forget(world.folder);
      const played = await world.run(["chat", "Count both", "--from-tape", tape], { env });
      expect([played.code, played.stdout, played.stderr]).toEqual([0, said, expect.anything()]);
    }
    expect(world.server.asked).toHaveLength(asked);
    forget(world.folder);
    const other = await world.run(["chat", "Count both", "--from-tape", tape, "--persona", "Somebody"], {
      env,
    });
    expect(other.code).toBe(1);
    expect(other.stderr).toMatch(/system/);
  });
});
