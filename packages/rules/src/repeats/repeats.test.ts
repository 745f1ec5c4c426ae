/** Loops of `transcripts/loops.jsonl`, and the laws of repetition one by one. */
import { readFileSync } from "node:fs";
import type { JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { Repeats } from "./repeats.js";
import { usualIntent } from "../../../../test/support/rule-scores/usual-intent.js";

interface Event {
  readonly round: number;
  readonly tool: string;
  readonly args: JsonObject;
  readonly ok: boolean;
  readonly output: string;
  readonly ran?: false;
}
interface Loop {
  readonly id: string;
  readonly label: "violation" | "pass";
  readonly stop_by?: number;
  readonly events: readonly (Event | { readonly say: string })[];
}

const loops = readFileSync(new URL("../../transcripts/loops.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Loop);

/** The index of the first call that is refused, and of the first that is answered. */
function stopsOf({ events }: Loop): { readonly refused?: number; readonly answered?: number } {
  const repeats = new Repeats();
  let answered: number | undefined;
  for (const [i, event] of events.entries()) {
    if (!("tool" in event)) continue;
    const call = { id: `c${i}`, ...event, intent: usualIntent(event.tool, event.args) };
    const verdict = repeats.judge(call);
    if (verdict !== undefined && verdict.answer === undefined)
      return { refused: i, ...(answered === undefined ? {} : { answered }) };
    if (verdict !== undefined) answered ??= i;
    repeats.record(call, verdict === undefined ? event : { ok: event.ok, output: event.output, ran: false });
    if (event.tool === "compress_context" && event.ok)
      repeats.compacted(events.map((_, at) => `c${at}`).slice(0, i));
  }
  return answered === undefined ? {} : { answered };
}

describe("labelled loops", () => {
  const stops = new Map(loops.map((loop) => [loop.id, stopsOf(loop)]));
  it("every loop is refused by its third repeat, and no other send is refused or answered short", () => {
    const late = loops.filter(
      ({ id, label, stop_by: by = 0 }) =>
        label === "violation" && !((stops.get(id)?.refused ?? Infinity) <= by),
    );
    const wrong = loops.filter(
      ({ id, label }) => label === "pass" && Object.keys(stops.get(id) ?? {}).length > 0,
    );
    const violations = loops.filter(({ label }) => label === "violation").length;
    console.log(
      `proof: ${violations - late.length} of ${violations} loops stopped by the third repeat, ${wrong.length} of ${loops.length - violations} other sends stopped`,
    );
    expect({
      late: late.map(({ id }) => [id, stops.get(id)]),
      wrong: wrong.map(({ id }) => [id, stops.get(id)]),
    }).toEqual({ late: [], wrong: [] });
  });
});

// --- Laws, one by one ------------------------------------------------------------------------------

/** A send that is told what happens; `call` says what the verdict was. */
function send() {
  const repeats = new Repeats();
  let calls = 0;
  return {
    repeats,
    call(
      tool: string,
      args: JsonObject,
      outcome: { ok?: boolean; output?: string; round?: number; changed?: readonly string[] } = {},
    ) {
      calls += 1;
      const { ok = true, output = "same", round = calls, changed } = outcome;
      const call = { id: `c${calls}`, round, tool, args, intent: usualIntent(tool, args) };
      const verdict = repeats.judge(call);
      repeats.record(call, {
        ...{ ok, output },
        ...(changed === undefined ? {} : { changed }),
        ...(verdict === undefined ? {} : { ran: false as const }),
      });
      return verdict === undefined
        ? "run"
        : verdict.answer === undefined
          ? verdict.rule
          : `answer ${verdict.answer.callId}`;
    },
  };
}

describe("a read that is repeated", () => {
  it("is answered by the earlier call, and read again after a change of the path, a folder above it, or by an unknown command", () => {
    for (const change of [{ path: "src/a.ts" }, { path: "src" }]) {
      const { call } = send();
      call("read_file", { path: "src/a.ts" });
      expect(call("read_file", { path: "./src//a.ts" })).toBe("answer c1");
      call("write_file", { ...change, content: "x" });
      expect(call("read_file", { path: "src/a.ts" })).toBe("run");
    }
    const { call } = send();
    call("read_file", { path: "a" });
    call("run_shell", { command: "./generate" });
    expect(call("read_file", { path: "a" })).toBe("run");
  });

  it("is made again after a command that failed, unless it is known that this changed nothing of it", () => {
    for (const [changed, verdict] of [
      [undefined, "run"],
      [["src/a.ts"], "run"],
      [["src/b.ts"], "answer c1"],
      [[], "answer c1"],
    ] as const) {
      const { call } = send();
      call("read_file", { path: "src/a.ts" });
      const known = changed === undefined ? {} : { changed };
      call("run_shell", { command: "make" }, { ok: false, output: "exit=2", ...known });
      expect(call("read_file", { path: "src/a.ts" })).toBe(verdict);
    }
  });

  it("of a folder is made again when something in it changed, not when a neighbour did", () => {
    const { call } = send();
    call("list_dir", { path: "src" });
    call("edit_file", { path: "src-ui/a.ts", replacements: [] });
    expect(call("list_dir", { path: "src/" })).toBe("answer c1");
    call("write_file", { path: "src/deep/b.ts", content: "" });
    expect(call("list_dir", { path: "src" })).toBe("run");
  });

  it("is made in full again once its result has left the context", () => {
    const { call, repeats } = send();
    call("read_file", { path: "a" });
    repeats.compacted(["c1"]);
    expect(call("read_file", { path: "a" })).toBe("run");
    expect(call("read_file", { path: "a" })).toBe("answer c2");
  });

  it("is not answered while a process that was started may write the file", () => {
    const { call } = send();
    call("run_shell", { command: "make > log 2>&1 &" });
    call("read_file", { path: "log" }, { output: "1" });
    expect(call("read_file", { path: "log" }, { output: "2" })).toBe("run");
  });

  it("equal calls of one round run once, whatever they do", () => {
    const { call } = send();
    call("run_shell", { command: "npm run build" }, { round: 1 });
    expect(call("run_shell", { command: "npm run  build" }, { round: 1 })).toBe("answer c1");
    expect(call("run_shell", { command: "npm run build" }, { round: 2 })).toBe("run");
  });
});

describe("an attempt that failed", () => {
  const failed = { ok: false, output: "ERROR [no_match] the search text is not there." };
  const edit = (search: string, path = "a.ts") => ({ path, replacements: [{ search, replace: "x" }] });

  it("is refused the third time, whatever the order of keys, spaces or what shapes its output", () => {
    const { call } = send();
    const down = { ok: false, output: "exit=1\nError: no module after 12 ms" };
    expect(call("run_shell", { command: "npm run docs", timeout_ms: 1000 }, down)).toBe("run");
    expect(
      call(
        "run_shell",
        { timeout_ms: 1001, command: "npm run docs 2>&1" },
        { ...down, output: "exit=1\nError: no module after 14 ms" },
      ),
    ).toBe("run");
    expect(call("run_shell", { command: "npm  run docs | tail -5", timeout_ms: 990 }, down)).toBe(
      "R-ONE-SHOT-RETRY",
    );
    expect(call("run_shell", { command: "npm run docs", timeout_ms: 1000 }, down)).toBe("R-ONE-SHOT-RETRY");
  });

  it("may be made again after any change, not after a read or a change that was none", () => {
    const { call } = send();
    call("edit_file", edit("a b"), failed);
    call("edit_file", edit("a  b"), failed);
    call("read_file", { path: "a.ts" });
    call("run_shell", { command: "touch x" }, { changed: [] });
    expect(call("edit_file", edit("a b"), failed)).toBe("R-ONE-SHOT-RETRY");
    call("write_file", { path: "other.ts", content: "a b" });
    expect(call("edit_file", edit("a b"))).toBe("run");
  });

  it.each<[string, JsonObject, JsonObject]>([
    ["another file", edit("s", "a.ts"), edit("s", "b.ts")],
    ["another text", edit("const a"), edit("let a")],
    ["another range", { path: "a", offset: 1 }, { path: "a", offset: 2 }],
    ["another option", { command: "npm i x" }, { command: "npm i x --force" }],
  ])("is another attempt with %s", (_, twice, then) => {
    const { call } = send();
    const tool = "command" in twice ? "run_shell" : "replacements" in twice ? "edit_file" : "read_file";
    call(tool, twice, failed);
    call(tool, twice, failed);
    expect(call(tool, then, failed)).toBe("run");
  });

  it("is another attempt with much more time, and the same with a little more", () => {
    for (const [time, verdict] of [
      [60_000, "run"],
      [1_100, "R-ONE-SHOT-RETRY"],
    ] as const) {
      const { call } = send();
      const late = { ok: false, output: "exit=124\nstopped: timed out after 1000 ms" };
      for (let i = 0; i < 2; i += 1) call("run_shell", { command: "make x", timeout_ms: 1000 }, late);
      expect(call("run_shell", { command: "make x", timeout_ms: time }, late)).toBe(verdict);
    }
  });

  it("starts from nothing when it fails for another reason or has succeeded", () => {
    const { call } = send();
    const url = { url: "https://a.example/x" };
    call("web_fetch", url, { ok: false, output: "ERROR [timeout] no answer." });
    call("web_fetch", url, { ok: false, output: "ERROR [http_403] refused." });
    expect(call("web_fetch", url, { ok: false, output: "ERROR [http_403] refused." })).toBe("run");
    expect(call("web_fetch", url)).toBe("R-ONE-SHOT-RETRY");
    const other = send();
    for (const ok of [false, true, false, true])
      expect(other.call("run_shell", { command: "npm test" }, { ok, output: `exit=${ok ? 0 : 1}` })).toBe(
        "run",
      );
  });

  it("three unrelated failures of one tool leave the tool usable", () => {
    const { call } = send();
    for (const path of ["a", "b", "c", "d", "e"])
      expect(call("read_file", { path }, { ok: false, output: "ERROR [not_found] no file." })).toBe("run");
  });

  it("that may pass by itself can be made again after a wait", () => {
    const { call } = send();
    const busy = { ok: false, output: "ERROR [http_429] too many requests. Wait." };
    for (let i = 0; i < 5; i += 1) {
      expect(call("web_fetch", { url: "https://a.example" }, busy)).toBe("run");
      call("run_shell", { command: `sleep ${i + 1}` }, { output: "exit=0" });
    }
  });
});

describe("a success that is repeated", () => {
  it("with nothing new in between is refused at its third repeat, alone or in a cycle", () => {
    const { call } = send();
    for (const expected of ["run", "run", "run", "R-DEDUP-TOOLS"])
      expect(call("run_shell", { command: "git status" })).toBe(expected);
    const cycle = send();
    const verdicts = Array.from({ length: 12 }, (_, i) =>
      cycle.call("run_shell", { command: ["ls a", "ls b", "ls c"][i % 3] ?? "" }),
    );
    expect(verdicts.indexOf("R-DEDUP-TOOLS")).toBe(11);
  });

  it("is progress when its result changes or something new was done in between", () => {
    const { call } = send();
    for (let i = 0; i < 8; i += 1)
      expect(call("run_shell", { command: "cat progress" }, { output: `${i} %` })).toBe("run");
    for (let i = 0; i < 8; i += 1) {
      call("edit_file", { path: "a", replacements: [{ search: `${i}`, replace: `${i + 1}` }] });
      expect(call("run_shell", { command: "git add -A && git commit -qm wip" }, { output: "exit=0" })).toBe(
        "run",
      );
    }
  });

  it("is no loop while it waits, until the answer says that there is nothing to wait for", () => {
    const { call } = send();
    for (let i = 0; i < 20; i += 1)
      expect(call("wait_for_agents", { task_ids: ["a"] }, { output: "Still running: a." })).toBe("run");
    for (let i = 0; i < 20; i += 1)
      expect(call("run_shell", { command: "sleep 5 && cat state" }, { output: "exit=0\nstarting" })).toBe(
        "run",
      );
    const verdicts = Array.from({ length: 5 }, () =>
      call("run_shell", { command: "sleep 5 && tail -1 log" }, { output: "exit=0\nProcess exited" }),
    );
    expect(verdicts.indexOf("R-DEDUP-TOOLS")).toBe(3);
  });
});
