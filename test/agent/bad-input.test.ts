/**
 * What comes from outside and is bad: arguments, tools, providers, disks, files.
 * There is an answer or a clear error, and the conversation is intact.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentConfig, type AgentTool, sessionPath } from "@bridle/agent";
import { type ModelRequest, piModelCall } from "@bridle/model";
import { Failure, nodePorts, type Ports } from "@bridle/record";
import { FaultyFiles, VirtualClock } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { testTool } from "../support/agent.js";
import { useChildren } from "../support/children.js";
import { rejectsWith } from "../support/failure.js";
import { newFastFolder, newFolder } from "../support/folder.js";
import { chat, ModelServer, type Reply, status, stream } from "../support/model-server.js";
import { fileAgent, quickAgent, rowsOf, stillPorts, textOf, thinkingModel } from "./kit.js";
import { findDisorder } from "../support/disorder.js";

const children = useChildren();
const look = testTool("look", ({ n }) => `saw ${String(n)}`, { properties: { n: { type: "number" } } });
const resultsIn = (request: ModelRequest | undefined) =>
  (request?.messages ?? []).flatMap((message) => (message.role === "tool_result" ? [textOf(message)] : []));

describe("arguments and tools", () => {
  it("[D37] that are malformed or unknown are answered with what is wrong, in the history and in the events", async () => {
    const bad: readonly (readonly [string, string, RegExp])[] = [
      ["look", '{"n": 1,}', /args_not_json/],
      ["look", "[1]", /args_not_json/],
      ["look", '"n"', /args_not_json/],
      ["look", "not json", /args_not_json/],
      ["look", '{"n": "one"}', /args_invalid[^]*n/],
      ["look", '{"m": 1}', /args_invalid/],
      ["lok", "{}", /tool_unknown[^]*did you mean look/],
      ["delete_everything", "{}", /tool_unknown/],
      ["", "{}", /tool_unknown/],
      ["__proto__", "{}", /tool_unknown/],
    ];
    const requests: ModelRequest[] = [];
    const { agent, events } = await quickAgent({
      script: thinkingModel((_request, index) => {
        const [name, args] = bad[index] ?? [];
        if (name === undefined) return { text: "None of that worked." };
        return { toolCalls: [{ name, arguments: args ?? "", id: `c-${index}` }] };
      }, requests),
      tools: [look],
    });
    expect(await agent.send("try")).toMatchObject({ text: "None of that worked." });
    await agent.close();
    const said = resultsIn(requests.at(-1));
    for (const [at, [name, args, why]] of bad.entries()) expect(said[at], `${name} ${args}`).toMatch(why);
    expect(findDisorder(agent.conversation.messages)).toBeUndefined();
    const started = events.flatMap((event) => (event.type === "tool_start" ? [event.callId] : []));
    const ended = events.flatMap((event) => (event.type === "tool_result" ? [event.callId] : []));
    expect(ended).toEqual(started);
  });
});

describe("a provider", () => {
  async function over(
    replies: readonly Reply[],
    {
      tool = look,
      config = {},
      ports = nodePorts(),
    }: { tool?: AgentTool; config?: Partial<AgentConfig>; ports?: Ports } = {},
  ) {
    const server = await ModelServer.start();
    server.reply(...replies);
    const call = piModelCall({
      models: [{ ref: "local/tiny", provider: "local", id: "tiny", baseUrl: `${server.url}/v1` }],
      keys: { keyFor: async () => ({ value: "key-of-the-test", renewable: false }) },
      ports: nodePorts(),
      limits: { brokenRetriesMax: 1, serverErrorRetriesMax: 1, retryDelayMs: 1 },
    });
    const main = { call, model: "local/tiny", contextTokens: 100_000 };
    return { ...(await quickAgent({ script: call, tools: [tool], config, ports, more: { main } })), server };
  }

  it("that fails is said to have failed, and the next send works", async () => {
    for (const bad of [
      status(400, { error: { message: "bad request" } }),
      status(401, { error: { message: "no such key" } }),
      status(200, "<html>a login page</html>", { "content-type": "text/html" }),
      stream(["{ not json", "[1, 2]"]),
      stream([{ choices: "none" }, "[DONE]"]),
      status(200, ""),
    ]) {
      const { agent } = await over([bad, bad, chat({ text: ["back again"] })]);
      const first = await agent.send("hello");
      expect(first.text.trim()).not.toBe("");
      if (first.reason === "error") expect(first.refusal?.message).toBeTruthy();
      expect(findDisorder(agent.conversation.messages)).toBeUndefined();
      await agent.close();
      expect(JSON.stringify(rowsOf(agent.options.workspace, agent.id))).not.toContain("key-of-the-test");
    }
  });

  it("that goes down in the middle of an answer is asked again, and nothing is said or done twice", async () => {
    let ran = 0;
    const counted = testTool("look", () => `saw ${++ran}`);
    const call = { id: "c-1", name: "look" };
    const { agent, events } = await over(
      [
        chat({ text: ["half of "], toolCalls: [{ ...call, fragments: ['{"n"', ":1}"] }], ending: "break" }),
        chat({ text: ["the whole "], toolCalls: [{ ...call, fragments: ['{"n":1}'] }] }),
        chat({ text: ["seen"] }),
      ],
      { tool: counted },
    );
    const result = await agent.send("look");
    await agent.close();
    expect([result.text, ran]).toEqual(["seen", 1]);
    expect(events.filter(({ type }) => type === "provider_retry")).toHaveLength(1);
    const history = JSON.stringify(agent.conversation.messages);
    expect(history).not.toContain("half of");
    expect(history.split("the whole ").length).toBe(2);
  });

  it("that stalls is given up when the send runs out of time, with an account of the harness", async () => {
    const clock = new VirtualClock();
    const hanging: Reply = async (response, asked) => {
      await chat({ text: ["and then "], ending: "hang" })(response, asked);
      await clock.advance(1_000);
    };
    const { agent, server } = await over([hanging, chat({ text: ["back again"] })], {
      ...{ config: { sendTimeoutMs: 1_000 }, ports: stillPorts(clock) },
    });
    const result = await agent.send("hello");
    expect(result.reason).toBe("timeout");
    expect(result.text).toBe("The turn ended: the turn has used its 1 s.\nNothing was done.");
    expect(server.asked).toHaveLength(1);
    expect(await agent.send("and now?")).toMatchObject({ reason: "ok", text: "back again" });
    expect(findDisorder(agent.conversation.messages)).toBeUndefined();
    await agent.close();
  });

  const pieces = {
    words: (n: number) => ({ content: `word ${n} ` }),
    "tool arguments": (n: number) => ({
      tool_calls: [
        n === 0
          ? { index: 0, id: "c-1", type: "function", function: { name: "look", arguments: '{"n":"' } }
          : { index: 0, function: { arguments: "1" } },
      ],
    }),
  };

  it.each(["words", "tool arguments", "nothing at all"] as const)(
    "that never ends, sending %s, is given up within a second of the time of the send and asked nothing more",
    async (what) => {
      const endless: Reply = async (response) => {
        if (what === "nothing at all") return;
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (let n = 0; !response.destroyed; n++) {
          const choices = [{ index: 0, delta: pieces[what](n), finish_reason: null }];
          response.write(
            `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices })}\n\n`,
          );
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      };
      const call = chat({ toolCalls: [{ id: "c-0", name: "look", fragments: ['{"n":7}'] }] });
      const { agent, server } = await over([call, endless, chat({ text: ["back again"] })], {
        config: { sendTimeoutMs: 1_500 },
      });
      const from = performance.now();
      const result = await agent.send("hello");
      const tookMs = performance.now() - from;
      expect(result).toMatchObject({ reason: "timeout", rounds: 2, toolCalls: 1 });
      expect(result.text).toBe(
        "The turn ended: the turn has used its 1.5 s.\n1 tool calls were made; nothing was changed.",
      );
      expect(tookMs).toBeGreaterThan(1_400);
      expect(tookMs).toBeLessThan(2_500);
      expect(server.asked).toHaveLength(2);
      const rows = rowsOf(agent.options.workspace, agent.id);
      expect(rows.filter(({ type }) => type === "stop" || type === "end")).toMatchObject([
        { why: "timeout", point: "over" },
        { reason: "timeout" },
      ]);
      expect(await agent.send("and now?")).toMatchObject({ reason: "ok", text: "back again" });
      expect(findDisorder(agent.conversation.messages)).toBeUndefined();
      await agent.close();
    },
  );
});

describe("a disk", () => {
  it("without room during a write fails the call and leaves the file and the conversation", async () => {
    const folder = newFolder();
    const text = "x\n".repeat(200);
    const child = children.start(
      "agent-full-disk",
      { folder, text },
      { within: ["sh", "-c", 'ulimit -f 64; exec "$@"', "sh"] },
    );
    await child.ended;
    expect(child.lines, child.complaint).toEqual([
      "result disk_full",
      "answer ok a.txt is as it was.",
      "done",
    ]);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe(text);
    expect(rowsOf(folder, "s-1").at(-1)).toMatchObject({ type: "end", reason: "ok" });
  });

  it("that fails at any write leaves an answer or a clear error, and a log that can be gone on with", async () => {
    let tried = 0;
    for (let at = 1; ; at++) {
      const workspace = newFastFolder();
      const real = nodePorts();
      const files = new FaultyFiles(real.files, { fault: "ENOSPC", at, methods: ["append"], sticky: true });
      const touch = testTool("touch", () => "touched", {
        intent: () => ({ ...{ key: "touch", repeat: "run", risk: "safe", says: "touch" }, changes: ["x"] }),
      });
      const opened = await quickAgent({
        script: [{ toolCalls: [{ name: "touch" }] }, { text: "Touched." }],
        ...{ workspace, ports: { ...real, files }, tools: [touch] },
        more: { newSession: "s-1" },
      }).catch((error: unknown) => error);
      if (opened instanceof Error) {
        expect(opened).toBeInstanceOf(Failure);
        expect(opened.message).toContain("full");
        tried++;
        continue;
      }
      const { agent } = opened as Awaited<ReturnType<typeof quickAgent>>;
      const outcome = await agent.send("touch it").catch((error: unknown) => error);
      if (outcome instanceof Error) {
        expect(outcome).toBeInstanceOf(Failure);
        expect(outcome.message).toContain("full");
      }
      await agent.close().catch(() => {});
      if (files.fired === 0) break;
      tried++;
      const lines = existsSync(sessionPath(workspace, "s-1")) ? rowsOf(workspace, "s-1") : [];
      if (lines.length === 0) continue;
      const again = await quickAgent({
        ...{
          script: thinkingModel(() => ({ text: "Back again." })),
          workspace,
          tools: [touch],
          session: "s-1",
        },
      });
      expect(await again.agent.send("and now?")).toMatchObject({ reason: "ok", text: "Back again." });
      await again.agent.close();
      expect(findDisorder(again.agent.conversation.messages)).toBeUndefined();
    }
    expect(tried).toBeGreaterThan(2);
  });
});

describe("a file of the harness", () => {
  it("a session log that is damaged in the middle is refused by name, and not touched", async () => {
    const { agent, folder } = await fileAgent({ call: thinkingModel(() => ({ text: "Hello." })) });
    await agent.send("hello");
    await agent.close();
    const path = sessionPath(folder, agent.id);
    const lines = readFileSync(path, "utf8").split("\n");
    lines[2] = '{"type":"state_vi';
    writeFileSync(path, lines.join("\n"));
    const before = readFileSync(path, "utf8");
    const failure = await rejectsWith(
      "session_damaged",
      fileAgent({ call: thinkingModel(() => ({ text: "x" })), folder, session: agent.id }),
    );
    expect(failure.message).toContain("line 3");
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("a session log whose last row was torn is gone on with", async () => {
    const { agent, folder } = await fileAgent({ call: thinkingModel(() => ({ text: "Hello." })) });
    await agent.send("hello");
    await agent.close();
    appendFileSync(sessionPath(folder, agent.id), '{"type":"send","send":2,"te');
    const again = await fileAgent({
      call: thinkingModel(() => ({ text: "Again." })),
      folder,
      session: agent.id,
    });
    expect(await again.agent.send("still there?")).toMatchObject({ reason: "ok", text: "Again." });
    await again.agent.close();
    expect(findDisorder(again.agent.conversation.messages)).toBeUndefined();
    expect(rowsOf(folder, agent.id).filter(({ type }) => type === "send")).toHaveLength(2);
  });

  it("a session that is not there is said not to be there", async () => {
    await rejectsWith("session_unknown", fileAgent({ call: thinkingModel(() => ({})), session: "s-none" }));
  });

  it("[D7] notes that are corrupt are refused to the tool and stay byte for byte", async () => {
    const folder = newFastFolder();
    const notes = join(folder, ".agent_notes.json");
    for (const corrupt of ['{"version":1,"notes":{"fact:a":', "[]", "\u0000\u0001", ""]) {
      writeFileSync(notes, corrupt);
      const requests: ModelRequest[] = [];
      const { agent } = await fileAgent({
        call: thinkingModel((_request, index) => {
          const remember = { key: "k", value: "v", type: "fact" };
          if (index === 0) return { toolCalls: [{ name: "remember", arguments: remember, id: "c-0" }] };
          return { text: "The notes cannot be read." };
        }, requests),
        ...{ folder, newSession: `s-${corrupt.length}` },
      });
      expect(await agent.send("remember v")).toMatchObject({ reason: "ok" });
      await agent.close();
      if (corrupt.trim() !== "") {
        expect(resultsIn(requests[1])[0]).toContain("ERROR");
        expect(readFileSync(notes, "utf8")).toBe(corrupt);
      }
      expect(findDisorder(agent.conversation.messages)).toBeUndefined();
    }
  });

  it("counts of rules that are corrupt do not stop a send", async () => {
    const folder = newFastFolder();
    writeFileSync(join(folder, ".agent_rule_stats.json"), "not json");
    const { agent } = await fileAgent({ call: thinkingModel(() => ({ text: "Hello." })), folder });
    expect(await agent.send("hello")).toMatchObject({ reason: "ok" });
    await agent.close();
    expect(readFileSync(join(folder, ".agent_rule_stats.json"), "utf8")).toBe("not json");
    expect(existsSync(sessionPath(folder, agent.id))).toBe(true);
  });
});
