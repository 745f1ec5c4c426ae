/** `bridle agent replay`: sessions of real processes again from their logs, after their folders have changed. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@bridle/record";
import { beforeAll, describe, expect } from "vitest";
import { buildOnce } from "../support/built.js";
import { calls, ChatWorld, type Talk } from "../support/chat.js";
import { it } from "../support/everyday.js";
import { type ChatAnswer, chat } from "../support/model-server.js";
import { until } from "../support/until.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
beforeAll(buildOnce);

// --- Sessions --------------------------------------------------------------------------------------

const write = (path: string, content: string, more: object = {}) =>
  calls("write_file", { path, ...more, content }, `call_${path}_${content.length}`);

/** The arguments end in the middle of the content. */
function cutWrite(path: string, content: string): ChatAnswer {
  const whole = JSON.stringify({ path, mode: "create", content });
  const toolCalls = [{ id: "call_cut", name: "write_file", fragments: [whole.slice(0, -40)] }];
  return { toolCalls, finish: "length" };
}

/** No two lines alike: in a text that repeats itself nobody could tell where it goes on. */
const poem = Array.from({ length: 60 }, (_, i) => `${i * 7_919} poems of ${i * 104_729}\n`).join("");
const restOf = (content: string) => content.slice(JSON.stringify(content).slice(0, -39).length - 200);

/** Everything that one conversation can go through, in four processes with flags of their own. */
async function longSession(): Promise<ChatWorld> {
  const world = await ChatWorld.with(
    // Written, refused, edited, forbidden, replaced, deleted.
    write("a.txt", "first\n"),
    write("b.txt", "never\n"),
    write("c.txt", "to be edited\n"),
    write("../out.txt", "outside\n"),
    write("a.txt", "second\n", { mode: "overwrite", confirm_overwrite: true }),
    calls("run_shell", { command: "rm a.txt", needs: "write" }, "call_rm"),
    calls("read_file", { path: ".env" }, "call_env"),
    { text: ["I wrote a.txt and deleted it; c.txt is there."] },
    // Cut off and completed.
    cutWrite("poem.txt", poem),
    write("poem.txt", restOf(poem), { mode: "append" }),
    { text: ["poem.txt is written."] },
    // Round and round.
    ...Array.from({ length: 4 }, (_, i) => calls("read_file", { path: "missing.txt" }, `call_loop_${i}`)),
    ...Array.from({ length: 5 }, (_, i) => calls("list_dir", { path: "." }, `call_list_${i}`)),
    { text: ["There is no missing.txt, only c.txt."] },
    // Bounds of a plan.
    calls("plan", { steps: ["look", "write"], contract: { max_tool_calls: 1 } }, "call_plan"),
    {
      toolCalls: [
        ...(calls("list_dir", { path: "." }, "call_in_plan").toolCalls ?? []),
        ...(calls("read_file", { path: "c.txt" }, "call_beyond").toolCalls ?? []),
      ],
    },
    { text: ["That is as far as the plan goes: c.txt."] },
    // The second process.
    calls("grep_file", { path: ".", pattern: "poem" }, "call_grep"),
    { text: ["poem.txt has it."] },
    { text: ["Thinking about"], ending: "hang" },
    // The third, which is killed.
    calls("run_shell", { command: "touch began; sleep 20", needs: "write" }, "call_sleep"),
    // The fourth.
    { text: ["It was interrupted; began may be there."] },
    { text: ["Nothing more."] },
  );
  writeFileSync(join(world.folder, "AGENTS.md"), "Write poems.\n");
  writeFileSync(join(world.folder, ".env"), "SHAPE=round\n");
  await first(world);
  await second(world);
  await third(world);
  const fourth = await world.run(["chat", "and now?", "--resume", "--max-rounds", "7"]);
  expect(fourth).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing more.") as string });
  return world;
}

/** Some files, and a loop. */
async function shortSession(): Promise<{ readonly world: ChatWorld; readonly session: string }> {
  const world = await ChatWorld.with(
    write("c.txt", "written\n"),
    ...Array.from({ length: 3 }, (_, i) => calls("read_file", { path: "missing.txt" }, `call_loop_${i}`)),
    { text: ["c.txt is there."] },
  );
  expect((await world.run(["chat", "write c.txt", "--yolo", "--max-rounds", "9"])).code).toBe(0);
  const [session = ""] = sessionsOf(world);
  return { world, session };
}

async function first(world: ChatWorld): Promise<void> {
  const talk = world.start(["chat", "--json", "--max-rounds", "40"], {
    AGENT_WRITE_STREAM_SINK_MIN_CHARS: "50",
  });
  const decisions: Record<string, JsonObject> = {
    "b.txt": { decision: "reject", reason: "not that one" },
    "c.txt": { decision: "edit", args: { path: "c.txt", content: "edited\n" } },
  };
  const turn = async (text: string) => {
    let from = talk.events.length;
    talk.line({ text });
    for (;;) {
      const event = await next(talk, from);
      from = talk.events.indexOf(event) + 1;
      if (event["type"] === "turn_end") return;
      const { path = "" } = event["args"] as { path?: string };
      talk.line({ approve: String(event["callId"]), ...(decisions[path] ?? { decision: "approve" }) });
    }
  };
  await turn("write some files, but do not touch legacy/");
  await turn("write a poem");
  await turn("look for missing.txt");
  await turn("plan it: 1. look 2. write 3. check");
  talk.end();
  // The last turn reached a bound of its plan.
  expect((await talk.ended).code).toBe(1);
}

async function next(talk: Talk, from: number): Promise<JsonObject> {
  return Promise.race([talk.hears("tool_approval", from), talk.hears("turn_end", from)]);
}

/** With hardly any context, and stopped by Ctrl-C. */
async function second(world: ChatWorld): Promise<void> {
  const env = { AGENT_CONTEXT_TOKENS: "8000", AGENT_CTX_HOT_ROUNDS: "1", AGENT_YOLO: "1" };
  const talk = world.start(["chat", "--json", "--resume"], env);
  talk.line({ text: "look for the poem" });
  const end = await talk.hears("turn_end");
  const from = talk.events.indexOf(end) + 1;
  talk.line({ text: "think about it" });
  await talk.hears("text", from);
  talk.line({ steer: "not too long" });
  const [session = ""] = sessionsOf(world);
  await until("it is in the log", () => readFileSync(logOf(world, session), "utf8").includes("not too long"));
  talk.kill("SIGINT");
  expect((await talk.ended).code).toBe(130);
}

async function third(world: ChatWorld): Promise<void> {
  const talk = world.start(["chat", "--json", "--resume", "--yolo", "run it"]);
  await until("the command runs", () => existsSync(join(world.folder, "began")));
  talk.kill("SIGKILL");
  await talk.ended;
}

// --- What is there ---------------------------------------------------------------------------------

function sessionsOf(world: ChatWorld, folder = world.folder): string[] {
  return readdirSync(join(folder, ".bridle/agent/sessions"))
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => name.slice(0, -".jsonl".length));
}

const logOf = (world: ChatWorld, session: string) =>
  join(world.folder, ".bridle/agent/sessions", `${session}.jsonl`);

function rowsIn(path: string): JsonObject[] {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as JsonObject);
}

/** Every file with its bytes and its times. */
function snapshot(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => {
    const stat = lstatSync(join(folder, name), { bigint: true });
    const bytes = stat.isFile() ? readFileSync(join(folder, name)).toString("base64") : "";
    return `${name} ${stat.ino} ${stat.mode} ${stat.mtimeNs} ${stat.ctimeNs} ${bytes}`;
  });
}

/** No model is set, so none could be asked. */
const alone = { AGENT_MODEL: "", AGENT_API_BASE_URL: "", AGENT_API_KEY: "" };

async function replay(world: ChatWorld, ...words: string[]) {
  const before = snapshot(world.folder);
  const asked = world.server.asked.length;
  const ran = await world.run(["agent", "replay", ...words], { env: alone });
  expect(snapshot(world.folder)).toEqual(before);
  expect(world.server.asked).toHaveLength(asked);
  return ran;
}

/** With one change in the log, which is taken back. */
async function tampered(
  world: ChatWorld,
  session: string,
  change: (rows: JsonObject[]) => readonly JsonObject[],
): Promise<{ readonly code: number | null; readonly stderr: string; readonly answer: JsonObject }> {
  const path = logOf(world, session);
  const whole = readFileSync(path);
  writeFileSync(
    path,
    change(rowsIn(path))
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(""),
  );
  try {
    const { code, stderr, stdout } = await replay(world, session, "--json");
    return { code, stderr, answer: JSON.parse(stdout) as JsonObject };
  } finally {
    writeFileSync(path, whole);
  }
}

const indexOf = (rows: readonly JsonObject[], is: (row: JsonObject) => boolean) => {
  const at = rows.findIndex(is);
  expect(at).toBeGreaterThanOrEqual(0);
  return at;
};

describe("bridle agent replay", () => {
  it("a long session comes out the same when its folder has changed, was emptied or moved", async () => {
    const world = await longSession();
    const [session = ""] = sessionsOf(world);
    const rows = rowsIn(logOf(world, session));
    const has = (is: (row: JsonObject) => boolean) => rows.some(is);
    const result = (code: string) => has((row) => row["type"] === "tool_result" && row["code"] === code);
    for (const code of [
      "approval_reject",
      "path_outside",
      "cut_off",
      "repeated_call",
      "contract_bound",
      "in_doubt",
    ])
      expect([code, result(code)]).toEqual([code, true]);
    for (const type of ["compacted", "stop", "resume", "steer", "violation", "approval", "tool_call"])
      expect([type, has((row) => row["type"] === type)]).toEqual([type, true]);
    // Said by each process, because each has other flags, and not twice by one.
    expect(rows.filter((row) => "under" in row).map(({ type }) => type)).toEqual([
      ...["session", "send", "send", "resume"],
    ]);
    expect(readFileSync(join(world.folder, "poem.txt"), "utf8")).toBe(poem);
    const count = (type: string) => rows.filter((row) => row["type"] === type).length;
    const says =
      `  identical  ${session}: ${rows.length} rows, ${count("send")} asks, ${count("assistant")} answers, ` +
      `${count("tool_result")} calls; nothing was run\n`;
    expect(await replay(world)).toMatchObject({ code: 0, stdout: says, stderr: "" });

    writeFileSync(join(world.folder, "AGENTS.md"), "Now write prose.\n".repeat(500));
    for (const name of [".env", "c.txt", "poem.txt", "began", ".bridle/agent/.agent_notes.json"])
      rmSync(join(world.folder, name), { force: true });
    rmSync(join(world.folder, ".bridle/agent/.agent_rule_stats.json"), { force: true });
    mkdirSync(join(world.folder, "missing.txt"));
    mkdirSync(join(world.folder, "a.txt"));
    expect(await replay(world, session.slice(0, 6))).toMatchObject({ code: 0, stdout: says });
    expect(JSON.parse((await replay(world, "last", "--json")).stdout)).toMatchObject({
      ...{
        action: "agent.replay",
        session,
        rows: rows.length,
        asks: 8,
        unfinished: false,
        requestsCompared: false,
      },
    });

    // Somewhere else altogether.
    const elsewhere = join(world.home, "elsewhere");
    renameSync(world.folder, elsewhere);
    mkdirSync(world.folder);
    expect(await replay(world, "--workspace", elsewhere)).toMatchObject({ code: 0, stdout: says });
  }, 120_000);

  it("names the row, the field and both values where the log was changed", async () => {
    const { world, session } = await shortSession();
    const rows = rowsIn(logOf(world, session));
    const digest = indexOf(rows, (row) => row["type"] === "tool_result" && row["ok"] === true);
    const changedDigest = await tampered(world, session, (all) =>
      all.with(digest, { ...all[digest], digest: "sha256:0000" }),
    );
    expect(changedDigest).toMatchObject({
      code: 1,
      answer: {
        failureClass: "replay_differs",
        detail: { session, row: digest + 1, type: "tool_result", path: "digest", recorded: '"sha256:0000"' },
      },
    });
    expect(changedDigest.stderr).toMatch(
      new RegExp(
        `row ${digest + 1} of ${session} \\(tool_result\\) comes out otherwise: digest is "sha256:0000" in the log, and "sha256:[0-9a-f]{64}" now \\(replay_differs\\)`,
      ),
    );

    const said = indexOf(rows, (row) => JSON.stringify(row).includes("c.txt is there."));
    const changedText = await tampered(world, session, (all) =>
      all.map((row, at) =>
        at === said
          ? (JSON.parse(JSON.stringify(row).replace("c.txt is there.", "c.txt is lost.")) as JsonObject)
          : row,
      ),
    );
    expect(changedText.answer).toMatchObject({
      failureClass: "replay_differs",
      detail: { type: "end", path: "text", recorded: '"c.txt is there."', again: '"c.txt is lost."' },
    });

    const violation = indexOf(rows, ({ type }) => type === "violation");
    const leftOut = await tampered(world, session, (all) => all.toSpliced(violation, 1));
    expect(leftOut).toMatchObject({
      code: 1,
      answer: { detail: { row: violation + 1, path: "type", again: '"violation"' } },
    });

    const bound = await tampered(world, session, ([head = {}, ...rest]) => {
      const under = head["under"] as JsonObject;
      return [
        { ...head, under: { ...under, settings: { ...(under["settings"] as JsonObject), roundsMax: 3 } } },
        ...rest,
      ];
    });
    expect(bound.answer).toMatchObject({
      failureClass: "replay_differs",
      detail: { type: "reminder_queue" },
    });
  });

  it("refuses a log that is damaged or does not say enough, and comes to the end of one that is cut off", async () => {
    const { world, session } = await shortSession();
    const old = await tampered(world, session, ([{ under: _under, ...head } = {}, ...rest]) => [
      head,
      ...rest,
    ]);
    expect(old.answer).toMatchObject({
      failureClass: "session_unreplayable",
      message: expect.stringContaining("which model, tools and settings") as string,
    });

    const whole = readFileSync(logOf(world, session), "utf8");
    writeFileSync(logOf(world, session), whole.replace('"type":"end"', '"type":"end'));
    const damaged = await replay(world, session);
    expect(damaged.code).toBe(1);
    expect(damaged.stderr).toMatch(/line \d+ is damaged.*session_damaged/);
    writeFileSync(logOf(world, session), whole.trimEnd().split("\n").slice(0, 20).join("\n").concat("\n"));
    expect((await replay(world, session)).stdout).toMatch(
      /20 rows, .*; the log ends in the middle of a turn\n$/,
    );
  });

  it("a session that is not there is refused, and so is one that several could be", async () => {
    const world = await ChatWorld.with({ text: ["One."] });
    expect((await replay(world)).stderr).toMatch(/there is no session in .*session_unknown/);
    await world.run(["chat", "one"]);
    const [made = ""] = sessionsOf(world);
    const log = readFileSync(logOf(world, made), "utf8");
    for (const [at, name] of ["s-aaaa1", "s-aaaa2"].entries()) {
      writeFileSync(logOf(world, name), log.replaceAll(made, name));
      utimesSync(logOf(world, name), at, at);
    }
    rmSync(logOf(world, made));
    const several = await replay(world, "s-aaaa");
    expect(several.code).toBe(1);
    expect(several.stderr).toMatch(/"s-aaaa" fits 2 sessions: s-aaaa2, s-aaaa1 .*session_unknown/);
    for (const name of ["s-zzzz", "../s-x", "s-zzzz.child"]) {
      const { code, stderr } = await replay(world, name);
      expect(code).toBe(1);
      expect(stderr).toContain(`there is no session ${JSON.stringify(name)}`);
      expect(stderr).toContain("`bridle chat --sessions` lists them");
    }
    expect((await replay(world)).stdout).toContain("identical  s-aaaa2: ");
  });

  it("of a worker's session, and of its child's, needs neither the issue nor the other's log", async () => {
    const brief = {
      goal: "Count the files",
      system_prompt: "You count files in a folder and answer with a number and nothing else.",
      user_prompt: "Count the files in the workspace folder and answer with their number.",
      tools: ["list_dir"],
      max_rounds: 3,
    };
    const world = await ChatWorld.with((response, asked) => {
      const say = (answer: ChatAnswer) => chat(answer)(response, asked);
      const heard = asked.text;
      const task = /task_id=\\+"(\w+)/.exec(heard)?.[1];
      if (!heard.includes("Work on issue bd-14")) {
        if (heard.includes("call_no")) return say({ text: ["There are 0 files."] });
        if (heard.includes("call_look")) return say(calls("read_file", { path: "a.txt" }, "call_no"));
        return say(calls("list_dir", { path: "." }, "call_look"));
      }
      if (task === undefined) return say(calls("spawn_agent", brief));
      if (!heard.includes("There are 0 files."))
        return say(calls("wait_for_agents", { task_ids: [task] }, "call_wait"));
      if (!heard.includes("call_write"))
        return say(calls("write_file", { path: "src/other.ts", content: "export {};\n" }, "call_write"));
      return say({ text: ["The child counted 0 files; src/other.ts was not checked."] });
    });
    mkdirSync(join(world.folder, ".premath"));
    const words = [
      "issue",
      "add",
      "Count",
      "--id",
      "bd-14",
      "--description",
      "Do not push.\nPaths: src/upload.ts",
    ];
    spawnSync(process.execPath, [join(root, "bin/premath"), ...words], { cwd: world.folder, env: world.env });
    const worker = { PREMATH_WORKER_ID: "worker.1" };
    expect((await world.run(["agent", "run", "--issue", "bd-14", "--yolo"], { env: worker })).code).toBe(0);
    const [parent = "", child = ""] = sessionsOf(world).toSorted((a, b) => a.length - b.length);
    const rows = rowsIn(logOf(world, parent));
    expect(rows.filter(({ rule }) => rule === "R-SCOPE-CREEP")).toHaveLength(1);
    expect(rowsIn(logOf(world, child))[0]).toMatchObject({
      depth: 1,
      under: { tools: ["list_dir"], settings: { roundsMax: 3, yolo: true } },
    });
    expect(rowsIn(logOf(world, child)).filter(({ code }) => code === "tool_unknown")).toHaveLength(1);
    for (const name of [".premath", "src"]) rmSync(join(world.folder, name), { recursive: true });
    expect(await replay(world)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`identical  ${parent}: ${rows.length} rows, 1 ask,`) as string,
    });
    rmSync(logOf(world, parent));
    expect(await replay(world, child.slice(0, -4))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`identical  ${child}: `) as string,
    });
  });

  it("with its tape compares what the model was asked, and names the first field that differs", async () => {
    const said = "a.txt says hello.";
    const world = await ChatWorld.with(calls("read_file", { path: "a.txt" }), { text: [said] });
    writeFileSync(join(world.folder, "a.txt"), "hello\n");
    writeFileSync(join(world.folder, "AGENTS.md"), "Indent with one space.\n");
    writeFileSync(join(world.folder, "voice.txt"), "You speak like a librarian.\n");
    const tape = `${world.home}/tape.jsonl`;
    const persona = ["--persona", "voice.txt"];
    expect((await world.run(["chat", "look", "--tape", tape, ...persona])).code).toBe(0);
    const [session = ""] = sessionsOf(world);
    const same = await replay(world, "--tape", tape, ...persona, "--json");
    expect(JSON.parse(same.stdout)).toMatchObject({ session, requestsCompared: true });
    const other = await replay(world, "--tape", tape);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringMatching(/system.*tape_miss/s) as string });
    writeFileSync(join(world.folder, "AGENTS.md"), "Indent with two spaces.\n");
    expect((await replay(world, "--tape", tape, ...persona)).stderr).toMatch(/call 1: system.*two spaces/);
    expect((await replay(world)).code).toBe(0);
    writeFileSync(join(world.folder, "AGENTS.md"), "Indent with one space.\n");
    // The log alone cannot say that it was asked for something else; the tape can.
    const log = readFileSync(logOf(world, session), "utf8");
    writeFileSync(logOf(world, session), log.replace('"text":"look"', '"text":"look there"'));
    expect((await replay(world)).code).toBe(0);
    const asked = await replay(world, "--tape", tape, ...persona);
    expect(asked).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/messages\[0\].*look there/) as string,
    });
    expect((await replay(world, "--tape", `${world.home}/none.jsonl`)).stderr).toContain("tape_missing");
  });

  it("with a tape that was left unfinished and taken up comes to where the log is", async () => {
    const world = await ChatWorld.with(
      calls("list_dir", { path: "." }),
      { text: ["Look"], ending: "hang" },
      { text: ["Looked again."] },
      { text: ["And more."] },
    );
    const tape = `${world.home}/tape.jsonl`;
    const talk = world.start(["chat", "--json", "look", "--tape", tape]);
    await talk.hears("text");
    talk.kill("SIGKILL");
    await talk.ended;
    expect(await replay(world, "--tape", tape)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("the log ends in the middle of a turn") as string,
    });
    expect((await world.run(["chat", "and more", "--resume", "--tape", tape])).code).toBe(0);
    expect(JSON.parse((await replay(world, "--tape", tape, "--json")).stdout)).toMatchObject({
      ...{ asks: 2, unfinished: false, requestsCompared: true },
    });
  });
});
