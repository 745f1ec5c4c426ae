import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Journal } from "../session/journal.js";
import type { RowOf, SessionRow, StopWhy } from "../session/rows.js";
import type { AgentTool } from "../types.js";
import { Stops } from "./stops.js";
import { Toolbox } from "./toolbox.js";
import { Writing } from "./writing.js";

/** Stops with a clock in hand; `told` is what a log would say at the next look. */
function watched({ aborted = false } = {}) {
  const rows: SessionRow[] = [];
  const timers: { readonly ms: number; readonly signal: AbortSignal; ring(): void }[] = [];
  const person = new AbortController();
  if (aborted) person.abort();
  const stops = new Stops({
    log: { at: { send: 1, round: 2 }, emit: (row) => void rows.push(row) },
    outside: {
      stop: (_point: string, _callId: string | undefined, noticed: () => StopWhy | undefined) => noticed(),
      timer: (ms: number, signal: AbortSignal) =>
        new Promise<void>((ring) => timers.push({ ms, signal, ring })),
    } as never,
    signal: person.signal,
  });
  return { stops, rows: rows as RowOf<"stop">[], timers, person };
}

describe("a send that is to stop", () => {
  it("stops at the next look, which writes a row; later looks find it and write nothing", async () => {
    const { stops, rows, person } = watched();
    stops.begin(undefined);
    expect(stops.at("call", "c-1")).toBeUndefined();
    person.abort();
    expect([stops.signal.aborted, stops.speaking.aborted, rows.length]).toEqual([true, true, 0]);
    expect(stops.at("lock", "c-1")).toBe("user");
    expect(stops.at("answered")).toBe("user");
    expect(rows).toEqual([{ type: "stop", send: 1, round: 2, why: "user", point: "lock", callId: "c-1" }]);
    expect(stops.before).toBe("user");
  });

  it("stops by a word of its own, and when it was told before it began", () => {
    const own = watched();
    own.stops.begin(undefined);
    own.stops.stop();
    expect(own.stops.at("judged")).toBe("user");
    expect(own.rows[0]).not.toHaveProperty("callId");
    const early = watched({ aborted: true });
    early.stops.begin(undefined);
    expect(early.stops.at("call")).toBe("user");
  });

  it("stops when its time is up, if it is not over by then", async () => {
    const { stops, rows, timers } = watched();
    stops.begin(500);
    expect(timers.map(({ ms }) => ms)).toEqual([500]);
    timers[0]?.ring();
    await settled();
    expect([stops.at("run", "c"), rows[0]?.why]).toEqual(["timeout", "timeout"]);
    const ended = watched();
    ended.stops.begin(500);
    ended.stops.end();
    ended.timers[0]?.ring();
    await settled();
    expect([ended.stops.signal.aborted, ended.stops.at("over")]).toEqual([true, undefined]);
    expect(watched().timers).toEqual([]);
  });

  it("out of time has a closing answer that its time does not stop, but a bound of its own and a person do", async () => {
    const late = watched();
    late.stops.begin(500);
    late.timers[0]?.ring();
    await settled();
    expect(late.stops.at("over")).toBe("timeout");
    const over = late.stops.close(60);
    expect([late.stops.speaking.aborted, late.stops.signal.aborted]).toEqual([false, true]);
    expect(late.stops.at("answered")).toBeUndefined();
    expect(late.timers[1]?.ms).toBe(60);
    late.timers[1]?.ring();
    await settled();
    expect(late.stops.speaking.aborted).toBe(true);
    expect(late.stops.at("closed")).toBe("late");
    over();
    late.person.abort();
    expect(late.stops.at("closed")).toBe("user");
    expect(late.rows.map(({ why }) => why)).toEqual(["timeout", "late", "user"]);
  });

  it("told during its closing answer is stopped by the person; told after it nothing speaks any more", async () => {
    const during = watched();
    during.stops.begin(undefined);
    during.stops.close(60);
    during.person.abort();
    expect([during.stops.speaking.aborted, during.stops.at("closed")]).toEqual([true, "user"]);
    const before = watched();
    before.stops.begin(undefined);
    before.stops.stop();
    before.stops.close(60);
    expect(before.stops.speaking.aborted).toBe(true);
    const after = watched();
    after.stops.begin(undefined);
    after.stops.close(60)();
    after.timers[0]?.ring();
    await settled();
    expect(after.stops.speaking.aborted).toBe(false);
  });

  it("out of time goes on with its closing answer, which every other stop of its log ends", () => {
    const closing = watched();
    closing.stops.begin(500);
    closing.stops.close(60);
    const row = { type: "stop", send: 1, round: 2 } as const;
    closing.stops.apply({ ...row, why: "timeout" });
    expect([closing.stops.speaking.aborted, closing.stops.at("answered")]).toEqual([false, undefined]);
    closing.stops.apply({ ...row, why: "broken", message: "a bug" });
    expect([closing.stops.speaking.aborted, closing.stops.at("answered")]).toEqual([true, "broken"]);
  });

  it("has ended: what still runs is told, and its closing answer may be spoken to its end", () => {
    const { stops } = watched();
    stops.begin(undefined);
    stops.close(60);
    stops.end();
    expect([stops.signal.aborted, stops.speaking.aborted, stops.at("closed")]).toEqual([
      ...[true, false, undefined],
    ]);
  });

  it.each<[StopWhy, StopWhy, StopWhy]>([
    ["timeout", "late", "late"],
    ["timeout", "user", "user"],
    ["late", "user", "user"],
    ["user", "late", "user"],
    ["user", "timeout", "user"],
  ])("with %s in its log and told of %s is stopped by %s", (first, second, strongest) => {
    const rows: SessionRow[] = [];
    const stops = new Stops({
      log: { at: { send: 1, round: 1 }, emit: (row) => void rows.push(row) },
      outside: { stop: () => second, timer: () => new Promise<void>(() => {}) } as never,
      signal: new AbortController().signal,
    });
    stops.apply({ type: "stop", send: 1, round: 1, why: first });
    expect(stops.at("over")).toBe(strongest);
    expect(rows).toHaveLength(strongest === first ? 0 : 1);
  });

  it("breaks down with the reason, which outranks everything", () => {
    const { stops, rows } = watched();
    stops.begin(undefined);
    stops.stop();
    stops.at("call");
    stops.broke("the disk is full");
    expect(rows.at(-1)).toEqual({
      type: "stop",
      send: 1,
      round: 2,
      why: "broken",
      message: "the disk is full",
    });
    expect([stops.before, stops.brokenBy, stops.at("over")]).toEqual([
      "broken",
      "the disk is full",
      "broken",
    ]);
  });
});

describe("writing", () => {
  function journal(waiting = 0) {
    const flushed: (string | undefined)[] = [];
    const waits: (() => void)[] = [];
    const stub = {
      waiting,
      flush: (durability?: string) => {
        flushed.push(durability);
        return new Promise<void>((done) => waits.push(done));
      },
    };
    return { writing: new Writing(stub as unknown as Journal), stub, flushed, waits };
  }

  it("is due at once, then every five milliseconds, and not while the disk is busy unless too much waits", async () => {
    const { writing, stub, waits } = journal();
    expect(writing.isDue(0)).toBe(true);
    await writing.begin(0);
    expect(writing.isDue(10)).toBe(false);
    stub.waiting = 1_000_001;
    expect(writing.isDue(10)).toBe(true);
    stub.waiting = 1_000_000;
    expect(writing.isDue(10)).toBe(false);
    waits[0]?.();
    await settled();
    expect([writing.isDue(4), writing.isDue(5)]).toEqual([false, true]);
  });

  it("is waited for by who needs everything on the disk, and tells how it went", async () => {
    const { writing, flushed, waits } = journal();
    await writing.begin(0);
    let done = false;
    const synced = writing.flush("synced").then(() => (done = true));
    await settled();
    expect([flushed, done]).toEqual([[undefined], false]);
    waits[0]?.();
    await settled();
    expect(flushed).toEqual([undefined, "synced"]);
    waits[1]?.();
    await synced;
    const broken = new Writing({ waiting: 0, flush: () => Promise.reject(new Error("full")) } as never);
    await broken.begin(0);
    await settled();
    await expect(broken.flush()).rejects.toThrow("full");
    const now = new Writing({ waiting: 0, flush: () => Promise.reject(new Error("full")) } as never);
    now.now();
    await settled();
    await expect(now.flush()).rejects.toThrow("full");
  });
});

describe("the toolbox", () => {
  const tool = (name: string, family: string) => ({ name, family }) as AgentTool;
  const tools = [tool("z", "web"), tool("b", "files"), tool("a", "web"), tool("c", "core")];
  const names = (box: Toolbox) => box.offered.map(({ name }) => name);

  it("offers everything by name, or when it is lazy the core families until another one joins", () => {
    expect(names(new Toolbox(tools, { lazy: false }))).toEqual(["a", "b", "c", "z"]);
    const lazy = new Toolbox(tools, { lazy: true });
    expect(names(lazy)).toEqual(["b", "c"]);
    const before = lazy.offered;
    expect(lazy.activate("files")).toBe(true);
    expect(lazy.offered).toBe(before);
    expect(lazy.activate("web")).toBe(true);
    expect(names(lazy)).toEqual(["a", "b", "c", "z"]);
    expect(lazy.activate("none")).toBe(false);
    expect(lazy.families()).toEqual([
      { name: "core", active: true, tools: ["c"] },
      { name: "files", active: true, tools: ["b"] },
      { name: "web", active: true, tools: ["a", "z"] },
    ]);
    expect(new Toolbox(tools, { lazy: true }).families()[2]?.active).toBe(false);
  });

  it("holds a name once", () => {
    expect(() => new Toolbox([...tools, tool("a", "other")], { lazy: false })).toThrow(
      "two tools have one name",
    );
  });
});
