/**
 * What a person can do at the terminal of `bridle chat` beside talking: paste, complete,
 * look at changes and take them back, go on with another model, and see how it ended.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { buildOnce } from "../support/built.js";
import { calls, ChatWorld, toldIn } from "../support/chat.js";
import { it } from "../support/everyday.js";
import { type ChatAnswer, chat } from "../support/model-server.js";
import type { Pty } from "../support/pty.js";
import { wallStands } from "../support/wall/stands.js";

beforeAll(buildOnce);

const enter = "\r";
const ctrlD = "\u0004";
const tab = "\t";
const ask = "[y]es  [n]o  [e]dit";
const edit = (search: string, replace: string, id = "call_edit") =>
  calls("edit_file", { path: "a.txt", replacements: [{ search, replace }] }, id);

async function leave(pty: Pty): Promise<void> {
  pty.type(ctrlD);
  expect(await pty.ended).toBe(0);
}

/** The session comes out the same from its log, in a new process. */
async function replays(world: ChatWorld): Promise<void> {
  const { code, stdout } = await world.run(["agent", "replay", "--json"]);
  expect([code, stdout]).toEqual([0, expect.not.stringContaining("difference")]);
}

/** The words of the user in the last request. */
function lastAsk(world: ChatWorld): string {
  const messages = (world.server.asked.at(-1)?.body["messages"] ?? []) as {
    role: string;
    content: unknown;
  }[];
  return JSON.stringify(messages.findLast(({ role }) => role === "user")?.content);
}

describe("what is typed", () => {
  it("may be pasted, and is one message however many lines it has", async () => {
    const world = await ChatWorld.with({ text: ["Thank you."] });
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type("look: \u001b[200~first 👩‍💻\nsecond\u001b[201~");
    await pty.sees("second");
    expect(world.server.asked).toHaveLength(0);
    pty.type(enter);
    await pty.sees("Thank you.");
    expect(world.server.asked).toHaveLength(1);
    expect(lastAsk(world)).toContain("look: first 👩‍💻\\nsecond");
    await leave(pty);
  });

  it("is completed: commands by their beginning, files of the folder", async () => {
    const world = await ChatWorld.with({ text: ["Read."] });
    writeFileSync(join(world.folder, "unusual-name.txt"), "x\n");
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type("/se");
    await pty.sees("the sessions of this folder");
    pty.type(`${tab}`);
    await pty.sees("/sessions ");
    pty.type(enter);
    await pty.sees("There is no session here yet.");
    pty.type("read unus");
    await pty.sees("unus");
    pty.type(tab);
    await pty.sees("read unusual-name.txt");
    pty.type(enter);
    await pty.sees("Read.");
    expect(lastAsk(world)).toContain("read unusual-name.txt");
    await leave(pty);
  });

  it("when a question comes is put aside, is no answer to it, and stands there again", async () => {
    let release = () => {};
    const held = new Promise<void>((done) => (release = done));
    const world = await ChatWorld.with(
      async (response, asked) => {
        await held;
        await chat(calls("write_file", { path: "note.txt", content: "x\n" }))(response, asked);
      },
      { text: ["All right."] },
      { text: ["Heard."] },
    );
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type(`write it${enter}`);
    await pty.sees("» ");
    const pasted = Array.from({ length: 30 }, (_, i) => `pasted ${i}`).join("\n");
    pty.type(`y but half \u001b[200~${pasted}\u001b[201~`);
    await pty.sees("» y but half [paste #1 +30 lines]");
    release();
    await pty.sees(ask);
    pty.type(`yes of course${enter}`);
    await pty.sees("Answer with y, n, e or a");
    pty.type(`n${enter}`);
    await pty.sees("the user said no");
    await pty.sees("All right.");
    await pty.sees(/1 call/);
    await pty.sees("› ");
    expect(existsSync(join(world.folder, "note.txt"))).toBe(false);
    expect(toldIn(world.server.asked.at(-1)).join()).toContain("the user said no");
    pty.type(` a word${enter}`);
    await pty.sees("Heard.");
    expect(lastAsk(world)).toContain("y but half pasted 0\\npasted 1\\n");
    expect(lastAsk(world)).toContain("pasted 29 a word");
    await leave(pty);
  });
});

describe("an edit", () => {
  it("is asked for as a diff in colour", async () => {
    const world = await ChatWorld.with(edit("two", "zwei"), { text: ["a.txt is changed."] });
    writeFileSync(join(world.folder, "a.txt"), "one\ntwo\nthree\n");
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type(`change it${enter}`);
    await pty.sees(/Edit a\.txt\? +\+1 −1 · [12]:\d\d left/);
    await pty.sees(ask);
    expect(pty.raw).toContain("\u001b[31m-two\u001b[39m");
    expect(pty.raw).toContain("\u001b[32m+zwei\u001b[39m");
    pty.type(`y${enter}`);
    await pty.sees("a.txt is changed.");
    expect(readFileSync(join(world.folder, "a.txt"), "utf8")).toBe("one\nzwei\nthree\n");
    await leave(pty);
  });
});

// Where nothing can hold a command it is asked for in another way.
if (wallStands)
  describe("a command", () => {
    const touch = (name: string, id: string) =>
      calls("run_shell", { command: `touch -c ${name}`, needs: "write" }, id);

    it("is asked for with what it may do, and always holds in this folder until it is taken back", async () => {
      const world = await ChatWorld.with(
        touch("one.txt", "call_1"),
        touch("two.txt", "call_2"),
        { text: ["Both ran."] },
        touch("three.txt", "call_3"),
        { text: ["Ran unasked."] },
        touch("four.txt", "call_4"),
        { text: ["Did not run."] },
      );
      const pty = world.terminal();
      await pty.sees("› ");
      pty.type(`run them${enter}`);
      await pty.sees(/Run this command\? +write · no network · [12]:\d\d left/);
      await pty.sees("touch -c one.txt");
      await pty.sees("It may change files of this folder, but for .git/config");
      await pty.sees("[y]es  [n]o  [e]dit  [a]lways here: touch -c *  e[x]actly this, always");
      pty.type(`a${enter}`);
      await pty.sees("Both ran.");
      await leave(pty);
      expect(readFileSync(join(world.home, ".config/bridle/allow.json"), "utf8")).toContain("touch -c *");
      const again = world.terminal();
      await again.sees("› ");
      again.type(`once more${enter}`);
      await again.sees("Ran unasked.");
      await again.sees("› ");
      again.type(`/allow${enter}`);
      await again.sees(/1 +write +touch -c \*/);
      again.type(`/allow remove 1${enter}`);
      await again.sees("touch -c * is asked for again.");
      again.type(`and now${enter}`);
      await again.sees(ask);
      again.type(`n${enter}`);
      await again.sees("Did not run.");
      await leave(again);
    });

    it("can be edited on the line, as a command and not as JSON", async () => {
      const world = await ChatWorld.with(
        calls("run_shell", { command: "echo theirs > out.txt", needs: "write" }),
        { text: ["out.txt is written."] },
      );
      const pty = world.terminal();
      await pty.sees("› ");
      pty.type(`run it${enter}`);
      await pty.sees(ask);
      pty.type(`e${enter}`);
      await pty.sees("command: echo theirs > out.txt");
      pty.type(`\u0015echo mine > out.txt${enter}`);
      await pty.sees("out.txt is written.");
      expect(readFileSync(join(world.folder, "out.txt"), "utf8")).toBe("mine\n");
      await leave(pty);
    });
  });

describe("/undo", () => {
  it("takes back what file tools wrote for the last ask, names what commands changed, and the model is told", async () => {
    const world = await ChatWorld.with(
      edit("two", "zwei"),
      edit("three", "drei", "call_edit2"),
      calls("write_file", { path: "made/new.txt", content: "new\n" }),
      calls("run_shell", { command: "echo c > by-command.txt", needs: "write" }),
      { text: ["a.txt, made/new.txt and by-command.txt are changed."] },
      { text: ["I see."] },
    );
    writeFileSync(join(world.folder, "a.txt"), "one\ntwo\nthree\n");
    const pty = world.terminal(["--yolo"]);
    await pty.sees("› ");
    pty.type(`change it${enter}`);
    await pty.sees("by-command.txt are changed.");
    await pty.sees("› ");
    pty.type(`/diff${enter}`);
    await pty.sees("a.txt +2 −2");
    await pty.sees("+drei");
    await pty.sees("made/new.txt +1 −0");
    pty.type(`/undo${enter}`);
    await pty.sees("✓ a.txt is as it was");
    await pty.sees("✓ made/new.txt is gone again");
    await pty.sees(
      wallStands
        ? "commands changed, and it stays so: by-command.txt"
        : "what these commands changed is not known, and stays so: echo c > by-command.txt",
    );
    expect(readFileSync(join(world.folder, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    expect(existsSync(join(world.folder, "made/new.txt"))).toBe(false);
    pty.type(`/undo${enter}`);
    await pty.sees("a.txt is left as it is: it is already as it was before");
    pty.type(`go on${enter}`);
    await pty.sees("I see.");
    expect(lastAsk(world)).toContain("I took back what you wrote in a.txt, made/new.txt.");
    await leave(pty);
  });

  it("does not touch a file that somebody changed since", async () => {
    const world = await ChatWorld.with(
      edit("two", "zwei"),
      calls("write_file", { path: "b.txt", content: "b\n" }),
      { text: ["a.txt and b.txt are changed."] },
    );
    writeFileSync(join(world.folder, "a.txt"), "one\ntwo\n");
    const pty = world.terminal(["--yolo"]);
    await pty.sees("› ");
    pty.type(`change it${enter}`);
    await pty.sees("b.txt are changed.");
    writeFileSync(join(world.folder, "a.txt"), "one\nzwei\nmine\n");
    await pty.sees("› ");
    pty.type(`/undo${enter}`);
    await pty.sees("a.txt is left as it is: it was changed since");
    await pty.sees("✓ b.txt is gone again");
    expect(readFileSync(join(world.folder, "a.txt"), "utf8")).toBe("one\nzwei\nmine\n");
    await leave(pty);
  });

  it("takes back what children wrote as well", async () => {
    const world = await ChatWorld.with(async (response, asked) => {
      const say = (answer: ChatAnswer) => chat(answer)(response, asked);
      const isChild = !asked.text.includes("let a child do it");
      if (isChild && !asked.text.includes('"role":"tool"'))
        return say(calls("write_file", { path: "by-child.txt", content: "c\n" }));
      if (isChild) return say({ text: ["by-child.txt is written."] });
      if (asked.text.includes("by-child.txt is written")) return say({ text: ["It is done: by-child.txt."] });
      const [, task] = /task_id=\\+"([\w-]+)/.exec(asked.text) ?? [];
      if (task !== undefined) return say(calls("wait_for_agents", { task_ids: [task] }));
      return say(
        calls("spawn_agent", {
          goal: "Write a file",
          system_prompt: "You write one file in the folder and say which one it was.",
          user_prompt: "Write the file by-child.txt in the workspace folder with one letter in it.",
        }),
      );
    });
    const pty = world.terminal(["--yolo"]);
    await pty.sees("› ");
    pty.type(`let a child do it${enter}`);
    await pty.sees("It is done: by-child.txt.");
    expect(existsSync(join(world.folder, "by-child.txt"))).toBe(true);
    await pty.sees("› ");
    pty.type(`/undo${enter}`);
    await pty.sees("✓ by-child.txt is gone again");
    expect(existsSync(join(world.folder, "by-child.txt"))).toBe(false);
    await leave(pty);
  });

  it("works in a session that was gone on with", async () => {
    const world = await ChatWorld.with(edit("two", "zwei"), { text: ["a.txt is **changed**."] });
    writeFileSync(join(world.folder, "a.txt"), "one\ntwo\n");
    const pty = world.terminal(["--yolo"]);
    await pty.sees("› ");
    pty.type(`change it please${enter}`);
    await pty.sees("1 call");
    await leave(pty);
    const again = world.terminal(["--resume"]);
    // How the conversation ended: the last ask and its answer.
    await again.sees("› change it please");
    await again.sees("a.txt is changed.");
    await again.sees("› ");
    again.type(`/undo${enter}`);
    await again.sees("✓ a.txt is as it was");
    expect(readFileSync(join(world.folder, "a.txt"), "utf8")).toBe("one\ntwo\n");
    again.type(`/cost${enter}`);
    await again.sees(/\$0\.00 · 24 tokens in, 0 more from a cache, 10 out · 1 ask/);
    await leave(again);
  });
});

describe("what a person rules out", () => {
  it("holds for the rest of the session, after a resume too, whoever says yes", async () => {
    const world = await ChatWorld.with(
      edit("two", "zwei"),
      { text: ["a.txt is kept."] },
      calls("run_shell", { command: "echo x > b.txt", needs: "network" }),
      edit("two", "drei", "call_again"),
      { text: ["Neither is allowed: a.txt, b.txt."] },
    );
    writeFileSync(join(world.folder, "a.txt"), "one\ntwo\n");
    const pty = world.terminal(["--yolo"]);
    await pty.sees("› ");
    pty.type(`/keep${enter}`);
    await pty.sees("/keep needs the paths that must stay as they are");
    pty.type(`/keep "./a.txt" docs/*.md${enter}`);
    await pty.sees("kept as they are: a.txt, docs/*.md");
    pty.type(`/never everything${enter}`);
    await pty.sees("/never needs one of write, network and host");
    pty.type(`/never network${enter}`);
    await pty.sees("no command may need network from here on");
    pty.type(`change it${enter}`);
    await pty.sees(/✗ edit_file.*\n.*commitment_broken/);
    await pty.sees("a.txt is kept.");
    await pty.sees("› ");
    await leave(pty);
    const again = world.terminal(["--resume", "--yolo"]);
    await again.sees("a.txt is kept.");
    await again.sees("› ");
    again.type(`and now${enter}`);
    await again.sees(/✗ run_shell.*\n.*commitment_broken/);
    await again.sees(/✗ edit_file.*\n.*commitment_broken/);
    await again.sees("Neither is allowed");
    await again.sees("› ");
    await leave(again);
    expect(readFileSync(join(world.folder, "a.txt"), "utf8")).toBe("one\ntwo\n");
    expect(existsSync(join(world.folder, "b.txt"))).toBe(false);
    await replays(world);
  });
});

describe("/model", () => {
  it("says which model answers, and goes on with another in the same session", async () => {
    const world = await ChatWorld.with({ text: ["First."] }, { text: ["Second."] });
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type(`one${enter}`);
    await pty.sees("First.");
    await pty.sees("› ");
    pty.type(`/model${enter}`);
    await pty.sees("api/tiny · 128,000 tokens of context");
    pty.type(`/model nobody/knows-this${enter}`);
    await pty.sees(/nobody/);
    await pty.sees("› ");
    pty.type(`/model larger${enter}`);
    await pty.sees("api/larger answers from here on.");
    pty.type(`two${enter}`);
    await pty.sees("Second.");
    expect(world.server.asked.map(({ body }) => body["model"])).toEqual(["tiny", "larger"]);
    expect(JSON.stringify(world.server.asked.at(-1)?.body["messages"])).toContain("First.");
    await leave(pty);
    expect(
      readdirSync(join(world.folder, ".bridle/agent/sessions")).filter((name) => name.endsWith(".jsonl")),
    ).toHaveLength(1);
    await replays(world);
  });
});

describe("/compact", () => {
  it("makes the conversation smaller before what is said next, and the log replays", async () => {
    const long = "word ".repeat(2000);
    const rounds = Array.from({ length: 12 }, (_, i) =>
      calls("read_file", { path: `f${i}.txt` }, `call_${i}`),
    );
    const world = await ChatWorld.with(...rounds, { text: ["Read."] }, { text: ["Smaller."] });
    for (let i = 0; i < 12; i++) writeFileSync(join(world.folder, `f${i}.txt`), `${i} ${long}\n`);
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type(`read them all${enter}`);
    await pty.sees("Read.");
    await pty.sees("› ");
    pty.type(`/compact${enter}`);
    await pty.sees("made smaller before what you say next");
    pty.type(`go on${enter}`);
    await pty.sees(/context compressed from [\d,]+ to [\d,]+ tokens/);
    await pty.sees("Smaller.");
    const [before, after] = world.server.asked.slice(-2).map(({ text }) => text.length);
    expect(after).toBeLessThan((before ?? 0) / 2);
    await leave(pty);
    await replays(world);
  });
});

describe("what a project says to agents", () => {
  it("is read from CLAUDE.md where there is no AGENTS.md", async () => {
    const world = await ChatWorld.with({ text: ["Yes."] });
    writeFileSync(join(world.folder, "CLAUDE.md"), "Speak like a pirate.\n");
    await world.run(["chat", "hello"]);
    expect(world.server.asked.at(-1)?.text).toContain("Speak like a pirate.");
    writeFileSync(join(world.folder, "AGENTS.md"), "Speak like a judge.\n");
    await world.run(["chat", "hello"]);
    expect(world.server.asked.at(-1)?.text).toContain("Speak like a judge.");
    expect(world.server.asked.at(-1)?.text).not.toContain("pirate");
  });
});

describe("a terminal", () => {
  it("that cannot move its cursor is told how to ask instead", async () => {
    const world = await ChatWorld.with({ text: ["unused"] });
    const pty = world.terminal([], { TERM: "dumb" });
    await pty.sees("TERM is dumb");
    expect(await pty.ended).not.toBe(0);
  });

  it("keeps its history: nothing that clears it is ever written", async () => {
    const long = Array.from({ length: 200 }, (_, i) => `${i + 1}. line`).join("\n");
    const world = await ChatWorld.with({ text: long.match(/[^]{1,9}/g) ?? [] });
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type(`count${enter}`);
    await pty.sees("200. line");
    await pty.sees("1 round");
    expect(pty.raw).not.toContain("\u001b[3J");
    expect(pty.raw).not.toContain("\u001b[2J");
    await leave(pty);
  });
});
