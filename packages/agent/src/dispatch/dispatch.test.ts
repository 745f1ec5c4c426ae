/** One call through every stage, with what stands outside of a turn in hand: who refuses, what runs, what is written down. */
import type { Secrets } from "@bridle/model";
import type { JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import type { CallAnswer, CheckedCall, RawCall } from "../outside/calls.js";
import type { Decision } from "../outside/outside.js";
import type { RowOf, SessionRow, StopPoint } from "../session/rows.js";
import type { AgentEvent, AgentTool, ArgumentStream, CutWrite, Intent } from "../types.js";
import type { BrokenBound, DispatchContext } from "./context.js";
import { Dispatch } from "./dispatch.js";
import { ResourceLocks } from "./resource-locks.js";

interface Desk {
  readonly intent?: Partial<Intent>;
  readonly tool?: Partial<AgentTool>;
  readonly stopsAt?: StopPoint;
  readonly closing?: boolean;
  readonly continues?: boolean;
  readonly findings?: readonly object[];
  readonly forbidden?: CallAnswer;
  readonly repeat?: object;
  readonly over?: BrokenBound;
  readonly broken?: (call: CheckedCall) => string | undefined;
  readonly decision?: Decision;
  readonly announces?: string;
  readonly output?: string;
  readonly secrets?: Secrets;
  readonly stream?: ArgumentStream;
  readonly kept?: CutWrite;
  readonly locks?: ResourceLocks;
  readonly signal?: AbortSignal;
  readonly charsMax?: number;
}

function desk(given: Desk = {}) {
  const did: string[] = [];
  const rows: SessionRow[] = [];
  const events: AgentEvent[] = [];
  const found: string[] = [];
  const ran: JsonObject[] = [];
  const look = {
    name: "look",
    parameters: { type: "object", properties: { at: { type: "string" } }, additionalProperties: false },
    intent: () => ({ key: "k", repeat: "run", risk: "safe", says: "look", ...given.intent }),
    ...given.tool,
  } as unknown as AgentTool;
  const context = {
    config: { toolOutputMaxChars: given.charsMax ?? 1_000 },
    tools: new Map([
      ["look", look],
      ["plan", { ...look, name: "plan" }],
    ]),
    outside: {
      forbidden: () => given.forbidden,
      approval: () => (given.decision === undefined ? undefined : Promise.resolve(given.decision)),
      announced: () => given.announces,
      kept: async () => given.kept,
      run: async (call: CheckedCall) => {
        did.push("run");
        ran.push(call.args);
        return { report: { ok: true, text: given.output ?? "seen" }, ran: true, args: call.args };
      },
    },
    log: {
      at: { send: 1, round: 2 },
      emit: (row: SessionRow) => {
        did.push(row.type);
        rows.push(row);
      },
      found: (rule: string, { what }: { what: string }, told: string) =>
        void found.push(`${rule} ${what} ${told}`),
      rendered: () => void did.push("rendered"),
      tell: (event: AgentEvent) => void events.push(event),
    },
    rules: { proposed: () => given.findings ?? [] },
    repeats: { judge: () => given.repeat },
    locks: given.locks ?? new ResourceLocks(),
    streams: { take: () => given.stream },
    artifacts: { put: async () => "art-1" },
    signal: given.signal ?? new AbortController().signal,
    secrets: given.secrets,
    isClosing: () => given.closing === true,
    stopsAt: (point: StopPoint) => (did.push(`? ${point}`), point === given.stopsAt),
    continues: () => given.continues === true,
    overBounds: () => given.over,
    brokenCommitment: (call: CheckedCall) => given.broken?.(call),
    mustAsk: () => undefined,
    keep: () => [],
    flush: async (durability?: string) => void did.push(`flush ${durability}`),
  } as unknown as DispatchContext;
  const answer = (raw: Partial<RawCall> = {}) =>
    new Dispatch(context).answer({
      ...{ id: "c", name: "look", argumentsText: '{"at": "x"}', stop: "tool_use", last: true, round: 2 },
      ...raw,
    });
  const result = () => rows.find(({ type }) => type === "tool_result") as RowOf<"tool_result">;
  return { answer, result, did, rows, events, found, ran };
}

describe("a call", () => {
  it("that nobody minds runs once, is written down, and is told", async () => {
    const { answer, result, did, events } = desk();
    expect(await answer()).toEqual({ content: "seen", isError: false });
    expect(did).toEqual(["? lock", "? run", "run", "tool_result", "rendered"]);
    expect(result()).toMatchObject({
      ...{
        send: 1,
        round: 2,
        callId: "c",
        tool: "look",
        args: { at: "x" },
        ok: true,
        text: "seen",
        ran: true,
      },
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
    });
    for (const absent of ["code", "rule", "facts", "forbidden"]) expect(result()).not.toHaveProperty(absent);
    expect(events).toMatchObject([{ type: "tool_result", callId: "c", name: "look", round: 2 }]);
  });

  it("that changes something is announced, on the disk, before it begins", async () => {
    const { answer, did, rows } = desk({ announces: "writes a" });
    await answer();
    expect(did).toEqual([
      ...["? lock", "? run", "tool_call", "flush synced", "? begin", "run", "tool_result", "rendered"],
    ]);
    expect(rows[0]).toEqual({
      type: "tool_call",
      send: 1,
      round: 2,
      callId: "c",
      tool: "look",
      says: "writes a",
    });
  });

  it.each(["lock", "run", "begin"] as const)(
    "that is to stop at %s does not run, and its arguments are kept",
    async (stopsAt) => {
      const { answer, result, did } = desk({ stopsAt, announces: "writes a" });
      expect(await answer()).toMatchObject({ isError: true });
      expect(did).not.toContain("run");
      expect(result()).toMatchObject({ ok: false, ran: false, code: "stopped", args: { at: "x" } });
    },
  );

  it("that waits for a lock when the turn is stopped does not run, and frees nobody's", async () => {
    const locks = new ResourceLocks();
    const stop = new AbortController();
    const release = locks.acquire({ reads: [], writes: ["*"] }, new AbortController().signal);
    const { answer, result, did } = desk({ locks, signal: stop.signal, intent: { changes: ["a"] } });
    const answered = answer();
    stop.abort();
    expect(await answered).toMatchObject({ isError: true });
    expect(result()).toMatchObject({ code: "stopped", ran: false, args: { at: "x" } });
    expect(did).not.toContain("run");
    let waits = true;
    void Promise.resolve(locks.acquire({ reads: ["b"], writes: [] }, new AbortController().signal)).then(
      () => (waits = false),
    );
    await new Promise(setImmediate);
    expect(waits).toBe(true);
    (release as () => void)();
    await new Promise(setImmediate);
    expect(waits).toBe(false);
  });

  it("that may change anything is alone with everything, one that reads shares it", async () => {
    const locks = new ResourceLocks();
    const held = locks.acquire({ reads: ["a"], writes: [] }, new AbortController().signal) as () => void;
    const reader = desk({ locks, intent: { reads: ["a"] } });
    await reader.answer();
    expect(reader.did).toContain("run");
    const command = desk({ locks, intent: { changes: "anything", reads: ["a"] } });
    const answered = command.answer();
    await new Promise(setImmediate);
    expect(command.did).not.toContain("run");
    held();
    await answered;
    expect(command.did).toContain("run");
  });

  it("of a turn that closes is refused, and nothing is asked", async () => {
    const { answer, result, did } = desk({ closing: true });
    await answer();
    expect(result()).toMatchObject({ code: "turn_closing", ran: false });
    expect(did).toEqual(["tool_result", "rendered"]);
  });
});

describe("what a call says", () => {
  it("is capped by its tool, or by the setting, with the whole in an artifact", async () => {
    const long = "x".repeat(101);
    expect((await desk({ output: "x".repeat(100), charsMax: 100 }).answer()).content).toBe("x".repeat(100));
    const { answer, result } = desk({ output: long, charsMax: 100 });
    expect((await answer()).content).toContain("artifact art-1");
    expect(result().facts).toMatchObject({ artifact: "art-1", chars: 101 });
    expect((await desk({ output: long, charsMax: 100, tool: { capChars: 500 } }).answer()).content).toBe(
      long,
    );
  });

  it("is as it was told where it was told already, and hides secrets where it was not", async () => {
    const hide = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll("hunter2", "***")) as never;
    const secrets = { hideIn: hide } as unknown as Secrets;
    const { answer, result, events } = desk({ output: "it is hunter2", secrets });
    expect((await answer({ argumentsText: '{"at": "hunter2"}' })).content).toBe("it is ***");
    expect(result()).toMatchObject({ text: "it is ***", args: { at: "***" } });
    expect(JSON.stringify(events)).not.toContain("hunter2");
    const final: CallAnswer = {
      report: { ok: false, text: "x".repeat(2_000) },
      ran: false,
      final: true,
      forbidden: true,
    };
    const refused = desk({ forbidden: final });
    expect((await refused.answer()).content).toHaveLength(2_000);
    expect(refused.result()).toMatchObject({ forbidden: true });
  });
});

describe("a stage that refuses", () => {
  const rule = (id: string, held: string) => ({
    rule: { id, held },
    finding: { what: `${id} broken.`, remedy: "Mend it." },
  });

  it("by a rule is told; what is only noted is noted and runs", async () => {
    const noted = desk({ findings: [rule("R-A", "noted")] });
    await noted.answer();
    expect([noted.found, noted.did.includes("run")]).toEqual([["R-A R-A broken. note"], true]);
    const { answer, result, found, did } = desk({ findings: [rule("R-A", "noted"), rule("R-B", "refused")] });
    await answer();
    expect(found).toEqual(["R-A R-A broken. note", "R-B R-B broken. refusal"]);
    expect(result()).toMatchObject({ code: "rule_refused", rule: "R-B", args: { at: "x" }, ok: false });
    expect(did).not.toContain("run");
  });

  it("by what is never allowed comes before every rule", async () => {
    const forbidden: CallAnswer = { report: { ok: false, text: "never" }, ran: false, forbidden: true };
    const { answer, found } = desk({ forbidden, findings: [rule("R-B", "refused")] });
    expect((await answer()).content).toBe("never");
    expect(found).toEqual([]);
  });

  it("a repetition answers with what was said before, or refuses it", async () => {
    const repeat = {
      rule: "R-R",
      what: "again",
      remedy: "look elsewhere",
      answer: { output: "seen", callId: "c-0" },
    };
    const same = desk({ repeat });
    expect((await same.answer()).content).toMatch(/^seen\n\[same as call c-0, .*\(R-R\)/);
    expect(same.result()).toMatchObject({ ok: true, ran: false, args: { at: "x" } });
    expect(same.found).toEqual(["R-R again refusal"]);
    const { answer: _, ...only } = repeat;
    const refused = desk({ repeat: only });
    await refused.answer();
    expect(refused.result()).toMatchObject({
      code: "repeated_call",
      rule: "R-R",
      ok: false,
      args: { at: "x" },
    });
  });

  it("a bound of the plan refuses everything but a plan", async () => {
    const over = { bound: "calls", message: "no call is left", remedy: "Answer" };
    const { answer, result, events, found } = desk({ over });
    await answer();
    expect(result()).toMatchObject({ code: "contract_bound", rule: "R-CONTRACT-BOUNDS", args: { at: "x" } });
    expect(events[0]).toEqual({ type: "contract_violation", bound: "calls", message: "no call is left" });
    expect(found).toEqual(["R-CONTRACT-BOUNDS no call is left refusal"]);
    const plan = desk({ over });
    await plan.answer({ name: "plan" });
    expect(plan.did).toContain("run");
  });

  it("a commitment refuses what would break it", async () => {
    const { answer, result, found } = desk({ broken: () => "a.txt stays" });
    await answer();
    expect(result()).toMatchObject({
      code: "commitment_broken",
      rule: "R-COMMITMENT-CHECK",
      args: { at: "x" },
    });
    expect(found).toEqual(["R-COMMITMENT-CHECK a.txt stays refusal"]);
  });
});

describe("what people decide", () => {
  it("is written down and told; a yes runs, a no and a silence do not", async () => {
    const yes = desk({ decision: { decision: "approve" } });
    await yes.answer();
    expect(yes.rows[0]).toEqual({ type: "approval", send: 1, round: 2, callId: "c", decision: "approve" });
    expect(yes.events[0]).toEqual({
      type: "approval_decision",
      callId: "c",
      name: "look",
      decision: "approve",
    });
    expect(yes.did).toContain("run");
    for (const decision of ["reject", "timeout"] as const) {
      const { answer, result, rows, did } = desk({ decision: { decision, reason: "not now" } });
      expect((await answer()).content).toContain("look was not approved: not now");
      expect(rows[0]).toMatchObject({ decision, reason: "not now" });
      expect(result()).toMatchObject({ code: `approval_${decision}`, args: { at: "x" }, ran: false });
      expect(did).not.toContain("run");
    }
  });

  it("may be an edit, which passes every check again and is not asked about twice", async () => {
    const edit = (args: JsonObject): Decision => ({ decision: "edit", args });
    const { answer, rows, ran, result } = desk({ decision: edit({ at: "y" }) });
    await answer();
    expect(rows[0]).toMatchObject({ decision: "edit", args: { at: "y" }, proposed: { at: "x" } });
    expect(ran).toEqual([{ at: "y" }]);
    expect(result().args).toEqual({ at: "y" });
    const unfit = desk({ decision: edit({ to: "y" }) });
    await unfit.answer();
    expect(unfit.result()).toMatchObject({ code: "args_invalid", args: { to: "y" } });
    const broken = desk({
      decision: edit({ at: "y" }),
      broken: ({ args }) => (args["at"] === "y" ? "y stays" : undefined),
    });
    await broken.answer();
    expect(broken.result()).toMatchObject({ code: "commitment_broken", args: { at: "y" } });
    expect(broken.did).not.toContain("run");
  });
});

describe("a call that was cut off", () => {
  const kept = { path: "a.txt", bytes: 7, tail: "tail", staged: true };
  const dropped: string[] = [];
  const stream = { drop: async () => void dropped.push("dropped") } as unknown as ArgumentStream;

  it("is not carried out: it says where it ended, and whether it is gone on with", async () => {
    const { answer, result, did } = desk({ kept, continues: true, charsMax: 400 });
    expect((await answer({ argumentsText: '{"at": "x' })).content).toMatch(
      /at 7 bytes of content for a\.txt.*Go on as the next message says/s,
    );
    expect(result()).toMatchObject({
      code: "cut_off",
      args: { path: "a.txt" },
      facts: { cut: kept },
      ran: false,
    });
    expect(did).not.toContain("run");
    const lost = desk({ charsMax: 400 });
    expect((await lost.answer({ argumentsText: '{"at": "x' })).content).toMatch(
      /after 9 characters.*It will not be continued/s,
    );
    expect(lost.result()).not.toHaveProperty("args");
    expect(lost.result()).not.toHaveProperty("facts");
  });

  it("is one that parses and looks cut in an answer that was cut short, if it is the last", async () => {
    const looksCut = { looksCut: () => true };
    const codeOf = async (raw: Partial<RawCall>) => {
      const at = desk({ tool: looksCut });
      await at.answer(raw);
      return at.result().code;
    };
    expect(await codeOf({ stop: "length" })).toBe("cut_off");
    expect(await codeOf({ stop: "none" })).toBe("cut_off");
    expect(await codeOf({ stop: "tool_use" })).toBeUndefined();
    expect(await codeOf({ stop: "length", last: false })).toBeUndefined();
    expect(await codeOf({ stop: "length", name: "lok" })).toBe("tool_unknown");
  });

  it("that arrived whole after all is carried out, and what was heard of it is dropped first", async () => {
    const { answer, did } = desk({ stream });
    await answer();
    expect([dropped, did.includes("run")]).toEqual([["dropped"], true]);
  });
});
