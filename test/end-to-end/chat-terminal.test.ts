/**
 * `bridle chat` at a terminal: the built program in a real pty, with a provider
 * on loopback that speaks the real protocol. Nothing is pretended but the words.
 */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { buildOnce } from "../support/built.js";
import { calls, ChatWorld, toldIn } from "../support/chat.js";
import { it } from "../support/everyday.js";
import { chat, type Reply } from "../support/model-server.js";
import { until } from "../support/until.js";

beforeAll(buildOnce);

const enter = "\r";
const ctrlC = "\u0003";
const ctrlD = "\u0004";
const ctrlU = "\u0015";
const ask = "[y]es  [n]o  [e]dit";
const write = (content: string) => calls("write_file", { path: "note.txt", content });

describe("an answer", () => {
  it("is shown while it arrives, and the conversation goes on with what was said before", async () => {
    let release = () => {};
    const held = new Promise<void>((done) => (release = done));
    const slow: Reply = async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = (content: string, finish: string | null = null) =>
        response.write(
          `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "tiny", choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`,
        );
      chunk("The first half");
      await held;
      chunk(" and the second.", "stop");
      response.end("data: [DONE]\n\n");
    };
    const world = await ChatWorld.with(slow, { text: ["You said hello."] });
    const pty = world.terminal();
    await pty.sees("/help says what there is");
    await pty.sees("› ");
    pty.type(`hello there${enter}`);
    await pty.sees("The first half");
    release();
    await pty.sees(" and the second.");
    await pty.sees(/1 round · 0 calls/);
    pty.type(`what did I say?${enter}`);
    await pty.sees("You said hello.");
    pty.type(ctrlD);
    expect(await pty.ended).toBe(0);
    expect(JSON.stringify(world.server.asked.at(-1)?.body["messages"])).toContain("hello there");
    expect(pty.raw).not.toContain("canary-key");
  });

  it("/help, /plan, /context and /sessions answer at once and reach no model", async () => {
    const world = await ChatWorld.with(
      calls("plan", { title: "Greet", steps: ["say hello", "say goodbye"] }),
      calls("plan", { step_index: 0 }, "call_2"),
      { text: ["Hello and goodbye."] },
    );
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type(`greet me${enter}`);
    await pty.sees("plan  Greet");
    await pty.sees("· 2 say goodbye");
    await pty.sees("✓ 1 say hello");
    await pty.sees("Hello and goodbye.");
    const asked = world.server.asked.length;
    for (const [typed, shown] of [
      ["/help", "/quit"],
      ["/plan", "✓ 1 say hello"],
      ["/context", /\d+ of 128,000 tokens \(\d+ %\)/],
      ["/sessions", /s-\w+ .*1 ask .*ok .*greet me/],
      ["/sesions", "did you mean /sessions?"],
    ] as const) {
      await pty.sees("› ");
      pty.type(`${typed}${enter}`);
      await pty.sees(shown);
    }
    pty.type(`/quit${enter}`);
    expect(await pty.ended).toBe(0);
    expect(world.server.asked).toHaveLength(asked);
  });
});

describe("a call that needs a yes", () => {
  it("runs when it gets one, and was shown whole", async () => {
    const world = await ChatWorld.with(write("a line\nand \u001b[31manother\n"), {
      text: ["note.txt is written."],
    });
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type(`write it${enter}`);
    await pty.sees(/Create note.txt \(\d+ bytes\)\? +\+2 −0 · [12]:\d\d left/);
    await pty.sees("+a line");
    await pty.sees("+and \\u001b[31manother");
    await pty.sees("[y]es  [n]o  [e]dit  [a]lways write_file in this conversation");
    expect(existsSync(join(world.folder, "note.txt"))).toBe(false);
    pty.type(`y${enter}`);
    await pty.sees("✓ write_file");
    await pty.sees("note.txt is written.");
    expect(readFileSync(join(world.folder, "note.txt"), "utf8")).toBe("a line\nand \u001b[31manother\n");
  });

  it("does not run on a no, and the model hears why", async () => {
    const world = await ChatWorld.with(write("x\n"), { text: ["All right."] });
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type(`write it${enter}`);
    await pty.sees(ask);
    pty.type(`n not in this folder${enter}`);
    await pty.sees(/✗ write_file.*\n.*not in this folder.*approval_reject/);
    await pty.sees("All right.");
    expect(existsSync(join(world.folder, "note.txt"))).toBe(false);
    expect(toldIn(world.server.asked.at(-1)).join()).toContain("not in this folder");
  });

  it("runs with the arguments that were edited on the line", async () => {
    const world = await ChatWorld.with(write("theirs\n"), { text: ["Done: mine.txt, note.txt."] });
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type(`write it${enter}`);
    await pty.sees(ask);
    pty.type(`e${enter}`);
    await pty.sees('arguments: {"path":"note.txt","content":"theirs\\n"}');
    pty.type(`${ctrlU}{"path": nonsense${enter}`);
    await pty.sees("That is no JSON object");
    await pty.sees(ask);
    pty.type(`e${enter}`);
    await pty.sees("arguments: ");
    pty.type(`${ctrlU}{"path":"mine.txt","content":"mine\\n"}${enter}`);
    await pty.sees("Done: mine.txt");
    expect(readFileSync(join(world.folder, "mine.txt"), "utf8")).toBe("mine\n");
    expect(existsSync(join(world.folder, "note.txt"))).toBe(false);
  });

  it("runs with the arguments that were edited in $EDITOR", async () => {
    const world = await ChatWorld.with(write("theirs\n"), { text: ["Done: mine.txt, note.txt."] });
    const editor = join(world.home, "an editor");
    writeFileSync(editor, `#!/bin/sh\nsed -i 's/theirs/edited/' "$1"\n`);
    chmodSync(editor, 0o755);
    const pty = world.terminal([], { EDITOR: `"${editor}"` });
    await pty.sees("› ");
    pty.type(`write it${enter}`);
    await pty.sees(ask);
    pty.type(`e${enter}`);
    await pty.sees("Done: mine.txt");
    expect(readFileSync(join(world.folder, "note.txt"), "utf8")).toBe("edited\n");
    pty.type(ctrlD);
    expect(await pty.ended).toBe(0);
  });

  it("always holds for its tool and this session", async () => {
    const world = await ChatWorld.with(
      write("one\n"),
      calls("write_file", { path: "second.txt", content: "two\n" }, "call_2"),
      { text: ["note.txt and second.txt are there."] },
    );
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type(`write two${enter}`);
    await pty.sees(ask);
    pty.type(`a${enter}`);
    await pty.sees("second.txt are there.");
    expect(readFileSync(join(world.folder, "second.txt"), "utf8")).toBe("two\n");
  });

  it("is a no when nobody answers in time", async () => {
    const world = await ChatWorld.with(write("x\n"), { text: ["Nobody was there."] });
    const pty = world.terminal([], { AGENT_APPROVAL_TIMEOUT_MS: "300" });
    await pty.sees("› ");
    pty.type(`write it${enter}`);
    await pty.sees("nobody answered within 0.3 s");
    await pty.sees("Nobody was there.");
    expect(existsSync(join(world.folder, "note.txt"))).toBe(false);
  });
});

describe("Ctrl-C", () => {
  it("once stops the turn, which is answered, and the conversation goes on", async () => {
    const world = await ChatWorld.with(
      { text: ["Thinking about"], ending: "hang" },
      { text: ["Still here."] },
    );
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type(`a long thing${enter}`);
    await pty.sees("Thinking about");
    pty.type(ctrlC);
    await pty.sees("stopping; Ctrl-C again quits at once");
    await pty.sees("The turn was stopped.");
    await pty.sees(/cancelled · 1 round/);
    await pty.sees("› ");
    pty.type(`are you there?${enter}`);
    await pty.sees("Still here.");
    await pty.sees("› ");
    pty.type(`half a line${ctrlC}`);
    pty.type(`/quit${enter}`);
    expect(await pty.ended).toBe(0);
  });

  it("twice quits in the middle of a turn, and the session is gone on with", async () => {
    const world = await ChatWorld.with({ text: ["Thinking"], ending: "hang" }, { text: ["Gone on with."] });
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type(`a long thing${enter}`);
    await pty.sees("Thinking");
    pty.type(ctrlC + ctrlC);
    expect(await pty.ended).toBe(130);
    const again = world.terminal(["--resume"]);
    await again.sees("the session was interrupted; going on");
    await again.sees("Gone on with.");
    again.type(ctrlD);
    expect(await again.ended).toBe(0);
  });

  it("twice leaves where nothing runs", async () => {
    const world = await ChatWorld.with({ text: ["unused"] });
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type(ctrlC);
    await pty.sees("Ctrl-C again leaves.");
    pty.type(ctrlC);
    expect(await pty.ended).toBe(0);
  });
});

describe("a session that was killed", () => {
  it("goes on after SIGKILL where its log ends, and repeats no call", async () => {
    const world = await ChatWorld.with(
      write("once\n"),
      { text: ["half an ans"], ending: "hang" },
      { text: ["note.txt was written before."] },
    );
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type(`write it${enter}`);
    await pty.sees(ask);
    pty.type(`y${enter}`);
    await pty.sees("half an ans");
    pty.kill();
    await pty.ended;
    const again = world.terminal(["--resume"]);
    await again.sees("the session was interrupted; going on");
    await again.sees("note.txt was written before.");
    again.type(ctrlD);
    expect(await again.ended).toBe(0);
    expect(readFileSync(join(world.folder, "note.txt"), "utf8")).toBe("once\n");
    expect(toldIn(world.server.asked.at(-1))).toHaveLength(1);
    expect(world.server.asked).toHaveLength(3);
  });
});

describe("what is typed while it works", () => {
  it("is told to the agent before its next step", async () => {
    let release = () => {};
    const held = new Promise<void>((done) => (release = done));
    const first = calls("list_dir", { path: "." });
    const world = await ChatWorld.with(
      async (response, asked) => {
        await held;
        await chat(first)(response, asked);
      },
      { text: ["In French, then."] },
    );
    const pty = world.terminal();
    await pty.sees("› ");
    pty.type(`list the folder${enter}`);
    await until("the model is asked", () => world.server.asked.length === 1);
    pty.type(`in French please${enter}`);
    await pty.sees("in French please  (told before the next step)");
    release();
    await pty.sees("In French, then.");
    expect(JSON.stringify(world.server.asked.at(-1)?.body["messages"])).toContain("in French please");
  });
});

describe("text of models and tools", () => {
  it("steers no terminal: escape sequences in answers, arguments and results are shown", async () => {
    const evil = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eabc";
    const world = await ChatWorld.with(
      calls("read_file", { path: `missing${evil}.txt` }),
      calls("write_file", { path: "x.txt", content: `${evil}\n` }, "call_2"),
      { text: ["Look: ", "\u001b", "]0;owned\u0007 done"] },
    );
    const pty = world.terminal([], { NO_COLOR: "1" });
    await pty.sees("› ");
    pty.type(`try it${enter}`);
    await pty.sees("read_file");
    await pty.sees("\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u202eabc");
    await pty.sees(ask);
    pty.type(`n${enter}`);
    await pty.sees("Look: \\u001b]0;owned\\u0007 done");
    expect(pty.raw).not.toContain("\u001b]0;");
    expect(pty.raw).not.toContain("\u001b[2J");
    expect(pty.raw).not.toMatch(/[\u009b\u202e]/);
  });
});
