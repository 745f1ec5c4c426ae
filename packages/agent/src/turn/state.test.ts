/** What a send knows after each row, and what it concludes: without a loop, a model or a disk. */
import { type AssistantMessage, noUsage, type StopReason } from "@bridle/model";
import { describe, expect, it } from "vitest";
import type { RowOf, SessionRow } from "../session/rows.js";
import { afterAnswer, revisionFor } from "./after-answer.js";
import { sendBound } from "./bounds.js";
import { because, doubtRow, type EndingFacts, finalText } from "./ending.js";
import { type Note, queueRow, reduceNotes } from "./notes.js";
import { SendState } from "./state.js";

const at = { send: 1, round: 1 };
const paid = (costUsd: number) => ({ ...noUsage, costUsd });

const request = (members: Partial<RowOf<"request">> = {}): SessionRow => ({
  type: "request",
  ...at,
  elapsedMs: 10,
  ...members,
});
const said = (text: string, stop: StopReason = "stop", costUsd = 0): SessionRow => ({
  type: "assistant",
  ...at,
  message: { role: "assistant", content: [{ kind: "text", text }], stop } as unknown as AssistantMessage,
  usage: paid(costUsd),
});
const result = (members: Partial<RowOf<"tool_result">> = {}): RowOf<"tool_result"> => ({
  type: "tool_result",
  ...at,
  callId: "c-1",
  tool: "look",
  ok: true,
  text: "seen",
  digest: "sha256:0",
  ran: true,
  args: {},
  ...members,
});
const user = (origin: RowOf<"user">["origin"]): SessionRow => ({
  type: "user",
  ...at,
  origin,
  text: "go on",
});
const violation = (members: Partial<RowOf<"violation">> = {}): SessionRow => ({
  type: "violation",
  ...at,
  ...{ rule: "R-A", what: "what", remedy: "remedy", prevented: false, told: "note" },
  ...members,
});

function after(...rows: readonly SessionRow[]): SendState {
  const state = new SendState();
  for (const row of rows) state.apply(row);
  return state;
}

describe("what a send knows", () => {
  it("of a request is its round, its time and its cost; what the round before left is told and gone", () => {
    const failed = result({ ok: false, text: "no" });
    const before = [
      failed,
      violation(),
      user("continue"),
      result({ code: "cut_off", args: undefined } as never),
    ];
    const state = after(
      { type: "send", send: 3, text: "ask" },
      ...before,
      request({ round: 2, othersUsd: 0.5 }),
    );
    expect(state).toMatchObject({
      ...{ send: 3, ask: "ask", round: 2, elapsedMs: 10, othersUsd: 0.5, toolCalls: 2 },
      ...{ results: [], told: [], cut: undefined, used: false, closings: 0, late: false, closing: undefined },
    });
    expect(state.open).toMatchObject({ round: 2 });
    expect(after(request()).othersUsd).toBe(0);
    expect(after(request({ closing: "timeout" }), request({ closing: "timeout" }))).toMatchObject({
      ...{ closing: "timeout", closings: 2 },
    });
    expect(after(request(), said("x")).open).toBeUndefined();
  });

  it("of a stop is that the request was given up, and that what follows is late", () => {
    const stop: SessionRow = { type: "stop", ...at, why: "timeout" };
    expect(after(request(), stop).open).toBeUndefined();
    expect(after(request(), stop).late).toBe(false);
    expect(after(request(), stop, request({ round: 2 })).late).toBe(true);
  });

  it("of its cost is what its models took, those for lessons and judgement among them, and what others took", () => {
    const lesson: SessionRow = { type: "reflexion", ...at, text: "lesson", usage: paid(0.25) };
    const judgement: SessionRow = { type: "judgement", ...at, broken: [], usage: paid(0.5) };
    const state = after(request({ othersUsd: 4 }), said("a", "stop", 1), lesson, judgement);
    expect([state.usage.costUsd, state.costUsd]).toEqual([1.75, 5.75]);
    expect(state).toMatchObject({ reflexion: "lesson", lessons: 1, lessonFailed: false });
    const untold = after({ type: "reflexion", ...at, text: "lesson" }, lesson);
    expect(untold).toMatchObject({ lessons: 2, lessonFailed: true });
    expect(after({ type: "judgement", ...at, broken: [] }).usage.costUsd).toBe(0);
  });

  it("of an answer in parts is the whole, joined where text goes on and new after a call that was cut", () => {
    expect(after(said("The cat sat on", "length"), user("continue"), said(" the mat.")).answer).toBe(
      "The cat sat on the mat.",
    );
    const state = after(said("one", "length"), user("continue"), said(" two"), said("three"));
    expect([state.answer, state.lastText, state.lastStop, state.resumes]).toEqual([
      "three",
      "three",
      "stop",
      1,
    ]);
    const cut = result({ code: "cut_off", ok: false });
    expect(after(said("I write"), cut, user("continue"), said("Written.")).answer).toBe("Written.");
    expect(after(said("one"), user("revise"), said("two")).answer).toBe("two");
    expect(after(said("one"), user("revise")).revised).toBe(true);
    expect(after(said("one"), user("steer"))).toMatchObject({ revised: false, resumes: 0 });
    expect(after(said("one", "length"), user("continue"), user("steer"), said("two")).answer).toBe("two");
  });

  it("of failures is how often a tool failed in a row by itself, and the last error that says something", () => {
    const failed = result({ ok: false, text: "broke" });
    const refusals = [
      result({ ok: false, ran: false, text: "not allowed", code: "approval_reject" }),
      result({ ok: false, ran: false, text: "again", code: "repeated_call" }),
      result({ ok: false, ran: false, text: "closing", code: "turn_closing" }),
    ];
    expect([...after(failed, failed).failuresByTool]).toEqual([["look", 2]]);
    expect([...after(failed, result()).failuresByTool]).toEqual([]);
    expect([...after(failed, result({ tool: "other" })).failuresByTool]).toEqual([["look", 1]]);
    expect([...after(...refusals).failuresByTool]).toEqual([]);
    expect(after(failed, ...refusals).lastError).toBe("not allowed");
    expect(after(result()).lastError).toBeUndefined();
    // Arguments that never became a call are a failure of the tool's caller; one that was cut is none.
    const { args: _, ...unparsed } = result({ ok: false, ran: false, code: "args_not_json" });
    expect([...after(unparsed).failuresByTool]).toEqual([["look", 1]]);
    expect([...after({ ...unparsed, code: "cut_off" }).failuresByTool]).toEqual([]);
  });

  it("of a call that was cut is its tool and what is kept of it", () => {
    const kept = { path: "a", bytes: 3, tail: "abc", staged: true };
    expect(after(result({ code: "cut_off", ok: false, facts: { cut: kept } })).cut).toEqual({
      tool: "look",
      kept,
    });
    expect(after(result({ code: "cut_off", ok: false })).cut).toEqual({ tool: "look" });
    expect(after(result({ code: "stopped", ok: false })).cut).toBeUndefined();
  });

  it("of room is that somebody asked for it, until it was made or a request went out", () => {
    const asked = result({ tool: "compress_context", args: { summary: "so far" } });
    expect(after(asked).compress).toEqual({ summary: "so far" });
    expect(after(result({ tool: "compress_context" })).compress).toEqual({ summary: "" });
    expect(after({ ...asked, ok: false }).compress).toBeUndefined();
    expect(after(asked, request()).compress).toBeUndefined();
    const made: SessionRow = {
      ...{ type: "compacted", ...at, messages: [], tokensBefore: 2, tokensAfter: 1, rounds: 1, left: [] },
    };
    expect(after(asked, made).compress).toBeUndefined();
    expect(after({ type: "send", send: 1, text: "", compact: true }).compress).toEqual({});
    expect(after({ type: "send", send: 1, text: "" }).compress).toBeUndefined();
  });

  it("of files is which were changed, once each, and the first write that looks cut", () => {
    const wrote = (path: string, more: object = {}) =>
      result({ facts: { path, changed: [path], likelyTruncated: true, ...more } });
    const state = after(wrote("a"), wrote("a"), wrote("b"));
    expect([...state.changed]).toEqual(["a", "b"]);
    expect([state.integrityNudge, state.integrityNudged]).toEqual(["a", true]);
    expect(after(wrote("a"), request(), wrote("b")).integrityNudge).toBeUndefined();
    expect(after({ ...wrote("a"), ok: false }).integrityNudge).toBeUndefined();
    expect(after(wrote("a", { likelyTruncated: false })).integrityNudge).toBeUndefined();
    expect([...after(result({ facts: { changed: "a" } })).changed]).toEqual([]);
  });

  it("of rules is how often each was broken and prevented, and which findings a note is to tell", () => {
    const state = after(
      violation(),
      violation({ told: "refusal", prevented: true }),
      violation({ rule: "R-B" }),
    );
    expect([...state.violations]).toEqual([
      ["R-A", 2],
      ["R-B", 1],
    ]);
    expect([...state.preventions]).toEqual([["R-A", 1]]);
    expect(state.told.map(({ rule }) => rule)).toEqual(["R-A", "R-B"]);
  });

  it("of results is which the next request shows, whether that is written, and the one not rendered", () => {
    const state = after(result(), result({ callId: "c-2", ok: false }));
    expect(state.results).toEqual([
      { callId: "c-1", tool: "look", ok: true, text: "seen", digest: "sha256:0" },
      { callId: "c-2", tool: "look", ok: false, text: "seen", digest: "sha256:0" },
    ]);
    expect(state.unrendered?.callId).toBe("c-2");
    const rendered = { type: "tool_render", ...at } as unknown as SessionRow;
    expect(after(result(), rendered).unrendered).toBeUndefined();
    expect(after(result(), { type: "tool_use", ...at, uses: [] }).used).toBe(true);
  });

  it("of what was prepared for a request is whether this very row is there", () => {
    const view = {
      type: "state_view",
      ...at,
      viewId: "v",
      viewDigest: "d",
      policyDigest: "",
      sourceRefs: [],
    } as const;
    const queue = queueRow(at, [{ id: "rule-recall", text: "x" }], "p");
    const state = after(view, queue);
    expect([state.isPrepared(view), state.isPrepared(queue)]).toEqual([true, true]);
    expect(state.isPrepared({ ...view, viewId: "w" })).toBe(false);
    expect(state.isPrepared({ ...view, viewDigest: "e" })).toBe(false);
    expect(state.isPrepared({ ...queue, queueId: "w" })).toBe(false);
    expect(state.isPrepared({ ...queue, reducedDigest: "e" })).toBe(false);
    expect(after().isPrepared(view)).toBe(false);
    expect([state.recalled, state.notes]).toEqual([true, queue.notes]);
    expect(after(queueRow(at, [{ id: "plan", text: "" }], "p")).recalled).toBe(false);
  });
});

describe("after an answer", () => {
  const blocking = {
    rule: { id: "R-A", held: "refused" },
    finding: { what: "what.", remedy: "do." },
  } as never;
  const noted = { rule: { id: "R-B", held: "noted" }, finding: { what: "what.", remedy: "do." } } as never;
  const next = (state: SendState, mayContinue = true, found: readonly never[] = []) =>
    afterAnswer(state, { rules: { answered: () => found }, mayContinue });

  it("with results the next request shows them; where every call failed a lesson comes first, once", () => {
    const failed = result({ ok: false });
    expect(next(after(said("x"), failed, result()))).toEqual({ kind: "request" });
    expect(next(after(said("x"), failed, failed))).toEqual({ kind: "learn" });
    const lesson: SessionRow = { type: "reflexion", ...at, text: "lesson" };
    expect(next(after(said("x"), failed, lesson))).toEqual({ kind: "request" });
  });

  it("that was cut in a call is gone on with as long as it may", () => {
    const kept = { path: "a", bytes: 3, tail: "abc", staged: true };
    const cut = after(said(""), result({ code: "cut_off", ok: false, facts: { cut: kept } }));
    expect(next(cut)).toMatchObject({ kind: "continue", cut: kept });
    expect(next(cut, false)).toEqual({ kind: "request" });
    expect(next(after(said(""), result({ code: "cut_off", ok: false })))).not.toHaveProperty("cut");
  });

  it("that was cut in its text, or that said nothing, is gone on with as long as it may", () => {
    expect(next(after(said("half", "length")))).toMatchObject({
      kind: "continue",
      text: expect.stringContaining("<<<half>>>") as string,
    });
    expect(next(after(said("half", "length")), false)).toMatchObject({ kind: "end", judge: true });
    expect(next(after(said(" ", "length")))).toMatchObject({
      kind: "continue",
      text: expect.stringContaining("You said nothing") as string,
    });
    expect(next(after(said(" ")), false)).toEqual({ kind: "end", findings: [], judge: false });
    // What is empty behind an answer is its end.
    expect(next(after(said("whole", "length"), user("continue"), said("")))).toMatchObject({ kind: "end" });
    expect(next(after(said("half", "none")))).toMatchObject({ kind: "end" });
  });

  it("that breaks a rule that is held is sent back, once; what is only noted does not hold it up", () => {
    const state = after(said("x"));
    expect(next(state, true, [blocking, noted])).toMatchObject({
      kind: "revise",
      findings: [blocking, noted],
      text: expect.stringMatching(/- R-A: what\. do\.\n(?!.*R-B)/) as string,
    });
    expect(next(state, true, [noted])).toMatchObject({ kind: "end", findings: [noted], judge: true });
    expect(next(after(said("x"), user("revise"), said("y")), true, [blocking])).toMatchObject({
      kind: "end",
    });
  });

  it("of a turn that closes it ends, or has one more request for a call that was made all the same", () => {
    const closing = request({ closing: "timeout" });
    expect(next(after(closing, said("x")))).toEqual({ kind: "end", findings: [], judge: false });
    expect(next(after(closing, said(""), result({ ok: false })))).toEqual({ kind: "request" });
    expect(next(after(closing, closing, said(""), result({ ok: false })))).toMatchObject({ kind: "end" });
  });

  it("the judge's objection to this answer sends it back, one to an earlier answer does not", () => {
    const broken = [{ rule: "R-C", why: "because\nof" }];
    const judgement = { type: "judgement", ...at, broken } as const;
    expect(revisionFor({ judgement, round: 1 })).toMatchObject({
      broken,
      text: expect.stringContaining('- R-C: "because\\nof" Mend that') as string,
    });
    expect(revisionFor({ judgement, round: 2 })).toBeUndefined();
    expect(revisionFor({ judgement: { ...judgement, broken: [] }, round: 1 })).toBeUndefined();
    expect(revisionFor({ judgement: undefined, round: 1 })).toBeUndefined();
  });
});

describe("the bounds of a send", () => {
  const config = { roundsMax: 3, sendTimeoutMs: 1_000, costMaxUsd: 2 };
  const spent = { rounds: 2, elapsedMs: 999, costUsd: 1.99 };

  it("are reached exactly, in the order of rounds, time and cost; without a limit of time and cost there is none", () => {
    expect(sendBound(spent, config)).toBeUndefined();
    expect(sendBound({ ...spent, rounds: 3 }, config)?.reason).toBe("round_cap");
    expect(sendBound({ ...spent, elapsedMs: 1_000 }, config)?.reason).toBe("timeout");
    expect(sendBound({ ...spent, costUsd: 2 }, config)?.reason).toBe("cost_cap");
    expect(sendBound({ rounds: 3, elapsedMs: 5_000, costUsd: 9 }, config)?.reason).toBe("round_cap");
    expect(sendBound({ rounds: 2, elapsedMs: 5_000, costUsd: 9 }, config)?.reason).toBe("timeout");
    const free = { roundsMax: 3, sendTimeoutMs: 0, costMaxUsd: 0 };
    expect(sendBound({ rounds: 2, elapsedMs: 1e9, costUsd: 1e9 }, free)).toBeUndefined();
    expect(sendBound({ ...spent, elapsedMs: 1_000 }, config)?.message).toContain("1 s");
  });
});

describe("the end of a send", () => {
  const config = { roundsMax: 3, sendTimeoutMs: 0, costMaxUsd: 0 };
  const facts = (state: SendState, more: Partial<EndingFacts> = {}): EndingFacts => ({
    ...{ state, config, plan: undefined, stuck: undefined, overBounds: () => undefined },
    ...more,
  });
  const step = (title: string, status: string) => ({ title, status });
  const plan = {
    steps: [step("one", "done"), step("two", "done"), step("three", "doing"), step("four", "todo")],
  };

  it("has the model's answer, except where it broke down or was stopped", () => {
    const state = after(said(" Done. "));
    expect(finalText(facts(state), { reason: "ok" })).toBe(" Done. ");
    expect(finalText(facts(state), { reason: "timeout" })).toBe(" Done. ");
    expect(finalText(facts(state), { reason: "cancelled" })).toBe("The turn was stopped.\nNothing was done.");
    const refusal = { refused: "model_unavailable", message: "it is away" } as const;
    expect(finalText(facts(state), { reason: "error", refusal })).toBe(
      "The model could not answer: it is away.\nNothing was done.",
    );
    expect(finalText(facts(after(said(" "))), { reason: "ok" })).toMatch(/^The model ended the turn without/);
  });

  it("without an answer is an account: why, what is done and left, what was changed, and the last error", () => {
    const many = Array.from({ length: 13 }, (_, i) => `f${i}`);
    const state = after(result({ facts: { changed: many } }), result({ ok: false, text: "no such file" }));
    expect(
      finalText(facts(state, { plan: plan as never }), { reason: "incomplete" })
        .split("\n")
        .slice(1),
    ).toEqual([
      "Done: one; two.",
      "Left: three; four.",
      `Changed: ${many.slice(0, 12).join(", ")} and 1 more.`,
      "The last error: no such file",
    ]);
    const twelve = after(result({ facts: { changed: many.slice(1) } }));
    expect(finalText(facts(twelve), { reason: "ok" })).toMatch(/f12\.$/);
    expect(finalText(facts(after(result(), result())), { reason: "ok" })).toMatch(
      /\n2 tool calls were made; nothing was changed\.$/,
    );
    const doneOnly = { steps: plan.steps.slice(0, 1) };
    expect(finalText(facts(after(), { plan: doneOnly as never }), { reason: "ok" })).toMatch(
      /\nDone: one\.$/,
    );
  });

  it("says why in words", () => {
    const why = (reason: Parameters<typeof because>[1]["reason"], more: Partial<EndingFacts> = {}) =>
      because(facts(after(request({ round: 3 })), more), { reason });
    expect(why("no_progress", { stuck: "the same call" })).toContain("in circles: the same call.");
    expect(why("no_progress")).toContain("nothing new came of it");
    expect(why("contract_budget", { overBounds: () => ({ message: "two calls" }) })).toContain(
      "plan: two calls.",
    );
    expect(why("contract_budget")).toContain("it was reached");
    expect(why("round_cap")).toBe("The turn ended: the turn has used its 3 rounds.");
    expect(why("error")).toContain("no reason was given");
    const slow = after(request({ elapsedMs: 9_000 }));
    const timed = facts(slow, { config: { ...config, sendTimeoutMs: 9_000 } });
    expect(because(timed, { reason: "timeout" })).toContain("its 9 s");
    expect(why("cost_cap", { config: { ...config, roundsMax: 9 } })).toBe("The turn ended: cost_cap.");
    // Time is up whatever the last request had read of the clock.
    const early = facts(after(request({ elapsedMs: 8_000 })), {
      config: { ...config, sendTimeoutMs: 9_000 },
    });
    expect(because(early, { reason: "timeout" })).toBe("The turn ended: the turn has used its 9 s.");
  });

  it("leaves no call without a result: one that had begun is in doubt, the others were not done", () => {
    const call = { id: "c", name: "look" };
    expect(doubtRow(at, call, { begun: true, why: "it broke" })).toMatchObject({
      ...{ type: "tool_result", ...at, callId: "c", tool: "look", ok: false, ran: true, code: "in_doubt" },
      text: "ERROR [in_doubt] it broke.",
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
    });
    expect(doubtRow(at, call, { begun: false, why: "it broke" })).toMatchObject({
      ran: false,
      code: "stopped",
    });
  });
});

describe("notes", () => {
  const note = (kind: Note["kind"], id: string, length = 10): Note => ({ kind, id, text: id.padEnd(length) });
  const ids = (...notes: readonly Note[]) => reduceNotes(notes).map(({ id }) => id);

  it("stand in the order of their kinds, then as they came, each once", () => {
    expect(
      ids(
        ...[note("context", "c"), note("violation", "v2"), note("plan", "p"), note("violation", "v1")],
        ...[note("closing", "x"), note("violation", "v2"), note("failures", "f"), note("integrity", "i")],
        note("recall", "r"),
      ),
    ).toEqual(["x", "r", "p", "v2", "v1", "i", "f", "c"]);
  });

  it("have four thousand characters; one that is too long leaves room for a shorter one, and the first stands always", () => {
    expect(ids(note("plan", "a", 3_990), note("plan", "b", 11), note("context", "c", 10))).toEqual([
      "a",
      "c",
    ]);
    expect(ids(note("plan", "a", 3_990), note("plan", "b", 10))).toEqual(["a", "b"]);
    expect(ids(note("plan", "a", 9_000), note("plan", "b", 1))).toEqual(["a"]);
  });

  it("have a digest of their own, also where there are none", () => {
    const none = queueRow(at, [], "p");
    const one = queueRow({ send: 2, round: 5 }, [{ id: "a", text: "b" }], "p");
    expect(one).toMatchObject({
      type: "reminder_queue",
      send: 2,
      round: 5,
      queueId: "q-2-5",
      policyDigest: "p",
    });
    expect(one.reducedDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(none.reducedDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(none.reducedDigest).not.toBe(one.reducedDigest);
  });
});
