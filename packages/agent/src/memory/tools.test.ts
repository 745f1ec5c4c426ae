/** What a model gets from memory, and what the harness learns from a call before it runs. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, nodePorts } from "@bridle/record";
import { VirtualClock } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import { NoteIndex } from "./recall.js";
import { NoteStore, notesFileName } from "./store.js";
import { memoryTools } from "./tools.js";

function newMemory() {
  const clock = new VirtualClock({ startMs: Date.parse("2026-03-01T10:00:00Z") });
  const store = new NoteStore({ path: join(newFolder(), notesFileName), ports: { ...nodePorts(), clock } });
  const tools = memoryTools({ index: new NoteIndex(store), clock, maxAgeDays: 540 });
  const tool = (name: string) => {
    const found = tools.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found;
  };
  const call = (name: string, args: JsonObject) =>
    tool(name).run(args, { callId: "c", round: 1, signal: new AbortController().signal, update: () => {} });
  return { clock, store, call, intent: (name: string, args: JsonObject) => tool(name).intent(args), tools };
}

const remember = (key: string, value: string, more: JsonObject = {}): JsonObject => ({
  key,
  value,
  type: "fact",
  ...more,
});

describe("the tools of memory", () => {
  it("remember, find by words, key and type, and forget", async () => {
    const { call } = newMemory();
    expect((await call("remember", remember("deploy host", "alpha.example"))).text).toBe(
      "Remembered fact:deploy host.",
    );
    await call("remember", remember("lunch", "at noon", { type: "belief" }));
    const again = await call("remember", remember("deploy host", "beta.example"));
    expect(again.text).toContain("It said before: alpha.example");
    const hits = await call("recall_relevant", { query: "Which HOST do we deploy to?" });
    expect(hits.text).toContain("beta.example");
    expect(hits.text).not.toContain("noon");
    expect(hits.facts).toMatchObject({
      found: 1,
      notes: [{ id: "fact:deploy host", score: expect.any(Number) }],
    });
    expect((await call("memory_query", { mode: "exact", key: "lunch" })).text).toContain("at noon");
    expect((await call("memory_query", { mode: "type", memory_type: "belief" })).text).toContain(
      "belief:lunch",
    );
    expect((await call("memory_query", { mode: "lexical", query: "noon" })).text).toContain("belief:lunch");
    expect((await call("forget", { key: "lunch" })).text).toContain("It said: at noon");
    expect((await call("memory_query", { mode: "lexical", query: "noon" })).text).toBe('No note for "noon".');
  });

  it("say which notes are near when no note has the key", async () => {
    const { call } = newMemory();
    await call("remember", remember("deploy host", "alpha"));
    const { text } = await call("memory_query", { mode: "exact", key: "deploy-host" });
    expect(text).toBe('No note has the key "deploy-host". Notes that share words with it: fact:deploy host.');
  });

  it("name what they leave out, because asking again for more is the same question", async () => {
    const { call, intent } = newMemory();
    for (let i = 0; i < 12; i++) await call("remember", remember(`host ${i}`, "a server"));
    const { text, facts } = await call("recall_relevant", { query: "server", k: 3 });
    expect(text).toContain("3 of 12");
    expect(facts).toMatchObject({ found: 12 });
    for (let i = 0; i < 12; i++) expect(text).toContain(`fact:host ${i}`);
    const [few, many] = [3, 30].map((k) => intent("recall_relevant", { query: "server", k }).key);
    expect(few).toBe(many);
  });

  it("keep to a scope, and count notes without one to all of them", async () => {
    const { call } = newMemory();
    await call("remember", remember("a", "cache size 10", { scope: "web" }));
    await call("remember", remember("b", "cache size 20", { scope: "worker" }));
    await call("remember", remember("c", "cache size is in MB"));
    const ids = async (args: JsonObject) => {
      const { facts = {} } = await call("recall_relevant", { query: "cache size", ...args });
      return (facts["notes"] as unknown as { id: string }[]).map(({ id }) => id).toSorted();
    };
    expect(await ids({ scope: "web" })).toEqual(["fact:a", "fact:c"]);
    expect(await ids({ scope: "worker" })).toEqual(["fact:b", "fact:c"]);
    expect(await ids({})).toEqual(["fact:a", "fact:b", "fact:c"]);
  });

  it("do not recall what is too old, unless asked, and 0 is no limit", async () => {
    const { call, clock } = newMemory();
    await call("remember", remember("old", "server alpha"));
    await clock.advance(600 * 86_400_000);
    await call("remember", remember("new", "server beta"));
    const found = async (args: JsonObject) =>
      (await call("recall_relevant", { query: "server", ...args })).facts?.["found"];
    expect(await found({})).toBe(1);
    expect(await found({ max_age_days: 601 })).toBe(2);
    expect(await found({ max_age_days: 0 })).toBe(2);
    await clock.advance(86_400_000);
    expect(await found({ max_age_days: 0.5 })).toBe(0);
  });

  it("ask the same with the same words in another order, case and with small words, and not with another scope", () => {
    const { intent } = newMemory();
    const key = (args: JsonObject) => intent("recall_relevant", args).key;
    const one = key({ query: "deploy host of the proxy" });
    expect(key({ query: "Proxy, deploy HOST?" })).toBe(one);
    expect(key({ query: "deploy port of the proxy" })).not.toBe(one);
    expect(key({ query: "deploy host of the proxy", scope: "web" })).not.toBe(one);
    expect(intent("memory_query", { mode: "lexical", query: "deploy host of the proxy" }).key).not.toBe(one);
    expect(intent("memory_query", { mode: "exact", key: "a b" }).key).not.toBe(
      intent("memory_query", { mode: "exact", key: "b a" }).key,
    );
    expect(key({ query: "сервер базы" })).toBe(key({ query: "БАЗЫ сервер" }));
    expect(key({ query: "сервер" })).not.toBe(key({ query: "клиент" }));
  });

  it("read memory or change it, and only forgetting takes something away", () => {
    const { intent } = newMemory();
    expect(intent("remember", remember("a", "b"))).toMatchObject({
      risk: "safe",
      repeat: "run",
      changes: ["memory"],
    });
    expect(intent("forget", { key: "a" })).toMatchObject({ risk: "cautious" });
    for (const name of ["memory_query", "recall_relevant"]) {
      const asked = intent(name, { mode: "lexical", query: "x" });
      expect(asked).toMatchObject({ risk: "safe", repeat: "answer", reads: ["memory"] });
      expect(asked.changes).toBeUndefined();
    }
  });

  it("refuse a mode without what it needs, by name", async () => {
    const { call } = newMemory();
    for (const [mode, needs] of [
      ["exact", "key"],
      ["type", "memory_type"],
      ["lexical", "query"],
    ] as const) {
      const failure = await rejectsWith("input_invalid", call("memory_query", { mode }));
      expect(failure.message).toBe(`mode ${mode} needs ${needs}`);
    }
  });

  it("tell the model about a damaged file instead of finding nothing", async () => {
    const { call, store } = newMemory();
    writeFileSync(store.path, '{"version":1,"notes":{"fact:a"');
    for (const [name, args] of [
      ["remember", remember("a", "b")],
      ["forget", { key: "a" }],
      ["memory_query", { mode: "exact", key: "a" }],
      ["recall_relevant", { query: "a" }],
    ] as const) {
      await rejectsWith("notes_damaged", call(name, args));
    }
    expect(readFileSync(store.path, "utf8")).toBe('{"version":1,"notes":{"fact:a"');
  });

  it("[D6] change a note only when they are told its key, however much another one contradicts it", async () => {
    const { call } = newMemory();
    await call("remember", remember("retry limit of the client", "the retry limit of the client is 3"));
    await call(
      "remember",
      remember("observed", "the retry limit of the client is 7", { type: "experience" }),
    );
    const { text } = await call("memory_query", { mode: "exact", key: "retry limit of the client" });
    expect(text).toContain("is 3");
  });

  it("have closed schemas and a family", () => {
    for (const { name, parameters, family } of newMemory().tools) {
      expect(parameters, name).toMatchObject({ type: "object", additionalProperties: false });
      expect(family).toBe("memory");
    }
  });
});
