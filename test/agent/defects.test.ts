/**
 * The defects of the original that we do not repeat, each shown through the whole
 * agent. Elsewhere in this folder: D1, D11, D15, D16, D17, D23, D24, D28 and D33 in
 * acceptance.test.ts, D3, D4 and D10 in cuts.test.ts, D13 in order.test.ts, D14 in
 * compactions.test.ts, D7 and D37 in bad-input.test.ts.
 *
 * Not here: D9, D29 and D30 (the web) and D26 (the heartbeat), parts that are not
 * there yet; D38, generated docs, which `npm run check` keeps.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentConfig } from "@bridle/agent";
import { HARNESS_RULES, RuleStats, ruleStatsName } from "@bridle/rules";
import { type ModelRequest, piModelCall, type ScriptedAnswer } from "@bridle/model";
import { Failure, nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { testTool } from "../support/agent.js";
import { newFastFolder } from "../support/folder.js";
import { chat, ModelServer, type Reply } from "../support/model-server.js";
import { wallStands } from "../support/wall/stands.js";
import { fileAgent, quickAgent, rowsOf, textOf, thinkingModel } from "./kit.js";

const call = (name: string, args: object = {}): ScriptedAnswer => ({
  toolCalls: [{ name, arguments: args as never }],
});
const look = testTool("look", ({ at }) => `saw ${String(at)}`);
const fails = testTool("fails", () => {
  throw new Failure("file_missing", { message: "it is not there", hint: "Look elsewhere." });
});
const resultsIn = (request: ModelRequest | undefined) =>
  (request?.messages ?? []).flatMap((message) => (message.role === "tool_result" ? [textOf(message)] : []));

function inTurn(answers: readonly ScriptedAnswer[], last = "Done.") {
  const requests: ModelRequest[] = [];
  return { call: thinkingModel((_request, index) => answers[index] ?? { text: last }, requests), requests };
}

/** One send in a folder with real file tools. */
async function inFolder(
  answers: readonly ScriptedAnswer[],
  {
    last,
    folder = newFastFolder(),
    config = {},
  }: { last?: string; folder?: string; config?: Partial<AgentConfig> } = {},
) {
  const { call: model, requests } = inTurn(answers, last);
  const made = await fileAgent({ call: model, folder, config, tools: [look, fails] });
  const result = await made.agent.send("do it");
  await made.agent.close();
  return { ...made, requests, result, said: resultsIn(requests.at(-1)) };
}

function stagedIn(folder: string): string[] {
  const staging = join(folder, ".bridle/agent/staging");
  if (!existsSync(staging)) return [];
  return readdirSync(staging, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [entry.name] : [],
  );
}

describe("writes", () => {
  const content = Array.from({ length: 900 }, (_, i) => `const value${i} = "${i}";\n`).join("");

  it("[D2] a large write that was staged while it arrived is written from its arguments, once and whole", async () => {
    const { folder, agent } = await inFolder(
      [{ ...call("write_file", { path: "a.ts", content }), chunkChars: 7 }],
      {
        ...{ last: "a.ts is written.", config: { writeStreamSinkMinChars: 10 } },
      },
    );
    expect(readFileSync(join(folder, "a.ts"), "utf8")).toBe(content);
    const rows = rowsOf(folder, agent.id).filter(({ type }) => type === "tool_result");
    expect(rows).toHaveLength(1);
  });

  it("[D34] leaves no staged file and no manifest behind", async () => {
    const whole = JSON.stringify({ path: "a.ts", mode: "create", content });
    const { folder } = await inFolder(
      [
        { toolCalls: [{ name: "write_file", arguments: whole.slice(0, 15_000), id: "cut" }], stop: "length" },
        call("write_file", { path: "b.ts", content }),
        call("write_file", { path: "a.ts", mode: "overwrite", confirm_overwrite: true, content: "short\n" }),
      ],
      { last: "a.ts and b.ts are written.", config: { writeStreamSinkMinChars: 10 } },
    );
    expect(stagedIn(folder)).toEqual([]);
  });

  it("[D5] a good edit stays when a later round fails", async () => {
    const folder = newFastFolder();
    writeFileSync(join(folder, "a.txt"), "one\n");
    const edit = { path: "a.txt", replacements: [{ search: "one", replace: "two" }] };
    await inFolder([call("edit_file", edit), call("fails"), call("fails", { n: 2 })], {
      folder,
      last: "a.txt says two.",
    });
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("two\n");
  });

  it("[D21] a complete file is written, however it ends and whatever the provider says about the end", async () => {
    const files = {
      "a.md": "# To do\n\nWhat is left:\n",
      "b.css": "a {\n  color: red;\n}",
      "c.ts": 'export const open = "{ [ (";\n',
      "d.json": '{"a": ["{"]}',
      "e.txt": "and so on …",
      "f.py": 'print("""x""")\n',
    };
    for (const stop of ["tool_use", "length", "none"] as const) {
      const answers = Object.entries(files).map(([path, text]) => ({
        ...call("write_file", { path, content: text }),
        stop,
      }));
      const { folder } = await inFolder(answers, { last: "a.md and the others are written." });
      for (const [path, text] of Object.entries(files))
        expect(readFileSync(join(folder, path), "utf8"), `${path} ${stop}`).toBe(text);
    }
  });

  it("[D22] every hunk of a diff is applied or none, and a text that stands twice is not replaced silently", async () => {
    const folder = newFastFolder();
    const before = Array.from({ length: 40 }, (_, i) => `line ${i}`).join("\n");
    writeFileSync(join(folder, "a.txt"), `${before}\nsame\nsame\n`);
    const hunk = (at: number, to: string) => `@@ -${at + 1},1 +${at + 1},1 @@\n-line ${at}\n+${to}\n`;
    const { said } = await inFolder(
      [
        call("edit_file", { path: "a.txt", diff: hunk(3, "three") + hunk(30, "thirty") }),
        call("edit_file", { path: "a.txt", diff: hunk(5, "five") + hunk(30, "never") }),
        call("edit_file", { path: "a.txt", replacements: [{ search: "same", replace: "other" }] }),
      ],
      { folder, last: "a.txt has two new lines." },
    );
    const after = readFileSync(join(folder, "a.txt"), "utf8");
    expect([after.includes("three"), after.includes("thirty"), after.includes("five")]).toEqual([
      true,
      true,
      false,
    ]);
    expect(after).toContain("same\nsame\n");
    expect(said[2]).toMatch(/ERROR[^]*2/);
  });
});

describe("memory", () => {
  it("[D6] nothing rewrites a note because a number in another one differs", async () => {
    const { folder } = await inFolder([
      call("remember", { key: "port", value: "the server listens on port 8080", type: "fact" }),
      call("remember", { key: "server", value: "the server listens on port 9090", type: "fact" }),
    ]);
    const notes = readFileSync(join(folder, ".bridle/agent/.agent_notes.json"), "utf8");
    expect(notes).toContain("port 8080");
    expect(notes).toContain("port 9090");
  });

  it("[D31] words of any script are said, stored, found and told apart", async () => {
    const text = "数据库 — Größe 🦊 пример";
    const { events, said, result } = await inFolder(
      [
        call("remember", { key: "база", value: "Сервер базы данных стоит в Берлине", type: "fact" }),
        call("remember", { key: "库", value: "数据库服务器位于北京", type: "fact" }),
        call("memory_query", { mode: "lexical", query: "сервер" }),
        call("memory_query", { mode: "lexical", query: "北京" }),
      ],
      { last: text },
    );
    expect(result.text).toBe(text);
    const streamed = events.flatMap((event) => (event.type === "text" ? [event.delta] : [])).join("");
    expect(streamed).toBe(text);
    expect(said[2]).toContain("Берлине");
    expect(said[3]).toContain("位于北京");
  });
});

describe("the shell", () => {
  it.each(["read", "write"])(
    "[D8] a harmless first word does not carry anything behind it past the question: %s",
    async (needs) => {
      const folder = newFastFolder();
      const commands = [
        "ls; touch hit",
        "ls && touch hit",
        "ls | tee hit",
        "ls\ntouch hit",
        "ls $(touch hit)",
        "ls `touch hit`",
        "ls > hit",
        "git status & touch hit",
        "cat <(touch hit)",
        "echo x >> hit",
      ];
      const { call: model, requests } = inTurn(
        commands.map((command) => call("run_shell", { command, needs })),
      );
      const asked: string[] = [];
      const { agent } = await fileAgent({
        ...{ call: model, folder },
        approver: async ({ args }) => {
          asked.push(String(args["command"]));
          return { decision: "reject", reason: "no" };
        },
      });
      await agent.send("look around");
      await agent.close();
      expect(existsSync(join(folder, "hit"))).toBe(false);
      // Behind the wall nobody need be asked about what only reads: what it writes vanishes.
      const isAsked = needs === "write" || !wallStands;
      expect(asked.length > 0).toBe(isAsked);
      if (isAsked) expect(resultsIn(requests.at(-1)).every((text) => text.startsWith("ERROR"))).toBe(true);
    },
  );
});

describe("notes and rules", () => {
  it("[D12] recalls and other notes do not pile up in the history", async () => {
    const { call: model, requests } = inTurn(
      Array.from({ length: 12 }, (_, i) => (i % 3 === 2 ? { text: "Seen." } : call("look", { at: i }))),
    );
    const { agent } = await quickAgent({ script: model, tools: [look] });
    for (let send = 0; send < 4; send++) await agent.send(`look ${send}`);
    await agent.close();
    const recalled = requests.map(({ system = "" }) => system.split("[Harness rules in force").length - 1);
    expect(recalled).toEqual(requests.map((_, i) => (i % 3 === 1 ? 1 : 0)));
    expect(agent.conversation.messages.filter(({ role }) => role === "user")).toHaveLength(4);
  });

  it("[D18] to recall a rule does not count as having broken it", async () => {
    const { folder } = await inFolder([call("look", { at: 1 }), call("look", { at: 2 })]);
    const stats = JSON.parse(readFileSync(join(folder, ".bridle/agent/.agent_rule_stats.json"), "utf8")) as {
      rules: Record<string, { violations: number; injections: number; hitCount: number }>;
    };
    for (const id of Object.keys(HARNESS_RULES))
      expect(stats.rules[id], id).toMatchObject({ violations: 0, injections: 1, hitCount: 0 });
  });

  it("[D19] a refusal names its rule, and the rule is counted as broken and as prevented", async () => {
    const { folder, said } = await inFolder(
      [
        call("read_file", { path: "a.txt" }),
        call("read_file", { path: "a.txt" }),
        call("read_file", { path: "a.txt" }),
      ],
      { last: "a.txt is not there." },
    );
    expect(said[2]).toContain("(R-ONE-SHOT-RETRY)");
    const counts = await new RuleStats({
      path: join(folder, ".bridle/agent", ruleStatsName),
      ports: nodePorts(),
    }).violations();
    expect(counts.get("R-ONE-SHOT-RETRY")).toBe(1);
  });

  it("[D20] two agents that end at once lose no count of each other", async () => {
    const folder = newFastFolder();
    const same = call("look", { at: 1 });
    const one = async (session: string) => {
      const { call: model } = inTurn([same, same, same, same]);
      const { agent } = await fileAgent({
        ...{ call: model, folder, tools: [testTool("look", () => "the same")], newSession: session },
        ports: nodePorts(),
      });
      await agent.send("look");
      await agent.close();
      return rowsOf(folder, session).filter((row) => row.type === "violation" && row.rule === "R-DEDUP-TOOLS")
        .length;
    };
    const found = await Promise.all(["s-1", "s-2", "s-3", "s-4"].map(one));
    const counts = await new RuleStats({
      path: join(folder, ".bridle/agent", ruleStatsName),
      ports: nodePorts(),
    }).violations();
    expect(counts.get("R-DEDUP-TOOLS")).toBe(found.reduce((sum, each) => sum + each, 0));
    expect(counts.get("R-DEDUP-TOOLS")).toBeGreaterThan(0);
  });

  it("[D25] failing reads of three files do not block a fourth", async () => {
    const folder = newFastFolder();
    writeFileSync(join(folder, "there.txt"), "found me\n");
    const missing = ["one", "two", "three", "four"].map((name) =>
      call("read_file", { path: `${name}/${name}.md` }),
    );
    const { said } = await inFolder([...missing, call("read_file", { path: "there.txt" })], {
      folder,
      last: "there.txt says found me.",
    });
    expect(said.at(-1)).toContain("found me");
  });

  it("[D35] what stands before the notes is the same in every request", async () => {
    const { requests } = await inFolder([call("look", { at: 1 }), call("look", { at: 2 }), call("fails")]);
    const fixed = requests.map(({ system = "" }) => system.split("\n\n# Notes of the harness")[0]);
    expect(new Set(fixed).size).toBe(1);
    const tools = requests.map((request) => JSON.stringify(request.tools));
    expect(new Set(tools).size).toBe(1);
    expect(JSON.stringify(requests.at(-1)?.messages)).not.toContain("read_file_chunked");
  });

  it("[D36] a plan is the model's own after 60 rounds", async () => {
    const plan = { steps: ["count the foxes", "count the hens"] };
    const rounds = Array.from({ length: 60 }, (_, at) => call("look", { at }));
    const { requests } = await inFolder([call("plan", plan), ...rounds]);
    for (const { system = "" } of requests.slice(1)) {
      expect(system).toContain("count the foxes");
      expect(system).toContain("count the hens");
    }
    expect(requests).toHaveLength(62);
  });
});

describe("the provider", () => {
  async function local(replies: readonly Reply[], config: Partial<AgentConfig> = {}) {
    const server = await ModelServer.start();
    server.reply(...replies);
    const model = piModelCall({
      models: [{ ref: "local/tiny", provider: "local", id: "tiny", baseUrl: `${server.url}/v1` }],
      keys: { keyFor: async () => ({ value: "k", renewable: false }) },
      ports: nodePorts(),
      limits: { retryDelayMs: 1 },
    });
    const main = { call: model, model: "local/tiny", contextTokens: 100_000 };
    return { server, ...(await quickAgent({ script: model, tools: [look, fails], config, more: { main } })) };
  }

  it("[D27] a side call of the fast model has no field that a strict server refuses, and ends with the send", async () => {
    const failing = chat({ toolCalls: [{ id: "c-1", name: "fails", fragments: ["{}"] }] });
    const stop = new AbortController();
    const hanging: Reply = async (response, asked) => {
      await chat({ text: ["{"], ending: "hang" })(response, asked);
      stop.abort();
    };
    const { agent, server } = await local([failing, hanging], { reflexionSemantic: true });
    const result = await agent.send("find it", { signal: stop.signal });
    await agent.close();
    expect(result).toMatchObject({ reason: "cancelled", rounds: 1 });
    expect(server.asked).toHaveLength(2);
    for (const { body } of server.asked) expect(Object.keys(body)).not.toContain("signal");
  });

  it("[D32] a stream that starts again tells that the text before is void, and runs no call of it", async () => {
    const half = { id: "c-1", name: "look", fragments: ['{"at":1}'] };
    const { agent, events } = await local([
      chat({ text: ["twice "], toolCalls: [half], ending: "break" }),
      chat({ text: ["once"] }),
    ]);
    const result = await agent.send("say it");
    await agent.close();
    expect(result).toMatchObject({ text: "once", toolCalls: 0 });
    const order = events.map(({ type }) => type);
    expect(order.indexOf("provider_retry")).toBeGreaterThan(order.indexOf("text"));
    expect(order.lastIndexOf("text")).toBeGreaterThan(order.indexOf("provider_retry"));
  });
});
