/** Files, written whole, in parts or after a cut: what the harness does so that none is left half written. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentDefaults, readAgentConfig, stateFolder } from "@bridle/agent";
import type { ModelRequest, ScriptedAnswer } from "@bridle/model";
import { describe, expect, it } from "vitest";
import { call, expectRefused, play } from "../support/agent-rules.js";
import { newFastFolder } from "../support/folder.js";
import { until } from "../support/until.js";

const page = (body: string) => `<!doctype html>\n<html><body>\n${body}\n</body></html>\n`;
const lastOf = (request: ModelRequest | undefined) => JSON.stringify(request?.messages.at(-1));
const isContinue = (request: ModelRequest) => lastOf(request).includes("[CONTINUE]");

/** A call of write_file that ends after so many characters of its content. */
function cutWrite(path: string, content: string, chars: number): ScriptedAnswer {
  const before = JSON.stringify({ path, content: "" }).length - 2;
  return { ...call("write_file", { path, content }), cutAfterChars: before + chars };
}

/** The content of everything that is staged there. */
function partsIn(folder: string): string {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".part")) : [];
  return names.map((name) => readFileSync(join(folder, name), "utf8")).join("");
}

const long = Array.from({ length: 300 }, (_, i) => `word ${i}`).join(" ");

describe("artifacts and modes", () => {
  it("[AGENT-7.2] a page is written whole, or as a skeleton that edits fill, and never with a tag half open", async () => {
    const script = "<script>\nlet a = 1 < 2;\n</script>";
    const played = await play({
      asks: ["Make two pages."],
      script: [
        call("write_file", {
          path: "open.html",
          content: "<!doctype html>\n<html><body><script>\nlet a = 1;",
        }),
        call("write_file", { path: "whole.html", content: page(script) }),
        call("write_file", { path: "filled.html", content: page("<!-- one -->\n<!-- two -->") }),
        call("edit_file", {
          path: "filled.html",
          replacements: [{ search: "<!-- one -->", replace: "<p>one</p>" }],
        }),
        call("edit_file", { path: "filled.html", diff: "@@ -4,1 +4,1 @@\n-<!-- two -->\n+<p>two</p>\n" }),
        { text: "whole.html and filled.html are there." },
      ],
    });
    expect(played.calls.map(({ ok }) => ok)).toEqual([false, true, true, true, true]);
    expect(played.file("open.html")).toBeUndefined();
    expect(played.file("whole.html")).toBe(page(script));
    expect(played.file("filled.html")).toBe(page("<p>one</p>\n<p>two</p>"));
    expect(played.requests[0]?.system).toMatch(/valid whole, or as a closed skeleton that edits then fill/);
  });

  it("[AGENT-7.3] write_file with mode: create refuses a path that exists, and so does no mode at all", async () => {
    for (const mode of [{ mode: "create" }, {}]) {
      const played = await play({
        asks: ["Write a.txt."],
        files: { "a.txt": "old\n" },
        script: [
          call("write_file", { path: "a.txt", content: "new\n", ...mode }),
          { text: "a.txt was there." },
        ],
      });
      expect(played.calls[0]).toMatchObject({ ok: false, code: "file_exists" });
      expect(played.file("a.txt")).toBe("old\n");
    }
  });

  it("[AGENT-7.4] an existing file is changed with mode: overwrite or with edit_file", async () => {
    const played = await play({
      asks: ["Change both."],
      files: { "a.txt": "old\n", "b.txt": "one\ntwo\n" },
      script: [
        call("write_file", { path: "a.txt", mode: "overwrite", content: "new\n" }),
        call("edit_file", { path: "b.txt", replacements: [{ search: "two", replace: "three" }] }),
        { text: "a.txt and b.txt are changed." },
      ],
    });
    expect(played.calls.map(({ ok }) => ok)).toEqual([true, true]);
    expect([played.file("a.txt"), played.file("b.txt")]).toEqual(["new\n", "one\nthree\n"]);
  });

  it("[AGENT-7.5] a mode that was refused and is tried again is told to the model, and a third time does not run", async () => {
    const create = call("write_file", { path: "a.txt", mode: "create", content: "new\n" });
    const played = await play({
      asks: ["Change a.txt."],
      files: { "a.txt": "old\n" },
      script: [create, create, create, { text: "a.txt is as it was." }],
    });
    expect(played.notes.map((note) => note.includes("[R-READ-TOOL-ERRORS] "))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expectRefused(played, "R-ONE-SHOT-RETRY", 2);
    expect(played.file("a.txt")).toBe("old\n");
  });
});

describe("length resume", () => {
  it("[AGENT-11.1] an answer that hits the length limit is continued with a [CONTINUE] of the harness", async () => {
    const played = await play({
      asks: ["Say it."],
      script: [{ text: "The quick brown fox jumps", stop: "length" }, { text: " over the lazy dog." }],
    });
    expect(played.requests.map(isContinue)).toEqual([false, true]);
    expect(played.requests[1]?.messages.at(-1)?.role).toBe("user");
    expect(played.results[0]).toMatchObject({
      reason: "ok",
      text: "The quick brown fox jumps over the lazy dog.",
    });
  });

  it("[AGENT-11.2] a write that is cut off is not carried out and is continued: JSON that ends early, or content that looks cut", async () => {
    const cut = await play({
      asks: ["Write a.md."],
      script: [cutWrite("a.md", long, 900), { text: "It did not arrive." }],
    });
    expect(cut.requests.map(isContinue)).toEqual([false, true]);
    expect(lastOf(cut.requests[1])).toContain("cut off after 900 bytes");
    expect(cut.calls[0]).toMatchObject({ ok: false, ran: false, code: "cut_off" });
    expect(cut.file("a.md")).toBeUndefined();

    const half = { path: "a.js", content: "export function a() {\n  return [" };
    const looks = await play({
      asks: ["Write a.js."],
      script: [{ ...call("write_file", half), stop: "length" }, { text: "It did not arrive." }],
    });
    expect(looks.requests.map(isContinue)).toEqual([false, true]);
    expect(looks.file("a.js")).toBeUndefined();

    const meant = await play({
      asks: ["Write a.js."],
      script: [call("write_file", half), { text: "a.js is begun." }],
    });
    expect(meant.requests.map(isContinue)).toEqual([false, false]);
    expect(meant.file("a.js")).toBe(half.content);
  });

  it("[AGENT-11.3] AGENT_LENGTH_RESUME_MAX bounds the continue rounds of a send: 3 when nothing is said, none with 0", async () => {
    expect(readAgentConfig({}).lengthResumeMax).toBe(3);
    const part = (n: number) => ({ text: `Part ${n}.`, stop: "length" as const });
    for (const [env, times] of [
      [{}, 3],
      [{ AGENT_LENGTH_RESUME_MAX: "1" }, 1],
      [{ AGENT_LENGTH_RESUME_MAX: "0" }, 0],
    ] as const) {
      const played = await play({
        asks: ["Tell me everything."],
        config: { lengthResumeMax: readAgentConfig(env).lengthResumeMax },
        script: Array.from({ length: times + 1 }, (_, n) => part(n)),
      });
      expect(played.requests.filter(isContinue)).toHaveLength(times);
      expect(played.events.filter(({ type }) => type === "length_resume")).toHaveLength(times);
      expect(played.results[0]?.text).toContain(`Part ${times}.`);
    }
  });

  it("[AGENT-11.4] AGENT_MAX_COMPLETION_TOKENS is the longest completion of the main stream, and 0 leaves it to the provider", async () => {
    const asked = async (env: Record<string, string>) => {
      const { completionTokensMax } = readAgentConfig(env);
      const { requests } = await play({
        asks: ["Hello."],
        config: { completionTokensMax },
        script: [{ text: "Hello." }],
      });
      return requests[0]?.maxOutputTokens;
    };
    expect(readAgentConfig({}).completionTokensMax).toBe(0);
    expect(await asked({})).toBeUndefined();
    expect(await asked({ AGENT_MAX_COMPLETION_TOKENS: "0" })).toBeUndefined();
    expect(await asked({ AGENT_MAX_COMPLETION_TOKENS: "1234" })).toBe(1234);
  });

  it("[AGENT-11.5] [AGENT-12.5] a write that reports likely_truncated=true is followed by a note, unless AGENT_WRITE_INTEGRITY_NUDGE=0", async () => {
    const write = (env: Record<string, string>) =>
      play({
        asks: ["Write a.js."],
        config: { writeIntegrityNudge: readAgentConfig(env).writeIntegrityNudge },
        script: [
          call("write_file", { path: "a.js", content: "export function a() {\n  return [" }),
          call("think", { thought: "Is it whole?" }),
          { text: "a.js is begun." },
        ],
      });
    const usual = await write({});
    expect(usual.calls[0]?.text).toContain("likely_truncated=true");
    expect(usual.notes.map((note) => note.includes("[WRITE INTEGRITY]"))).toEqual([false, true, false]);
    expect(usual.notes[1]).toMatch(/a\.js.*likely_truncated=true/);
    const off = await write({ AGENT_WRITE_INTEGRITY_NUDGE: "0" });
    expect(off.notes.join()).not.toContain("[WRITE INTEGRITY]");
    expect(agentDefaults.writeIntegrityNudge).toBe(true);
  });
});

describe("large files", () => {
  it("[AGENT-12.1] the first chunk is created, later ones are appended, and edits change what is there", async () => {
    const played = await play({
      asks: ["Write a.md."],
      script: [
        call("write_file", { path: "a.md", mode: "create", content: "# One\n" }),
        call("write_file", { path: "a.md", mode: "append", content: "# Two\n" }),
        call("write_file", { path: "a.md", mode: "append", content: "# Tree\n" }),
        call("edit_file", { path: "a.md", replacements: [{ search: "Tree", replace: "Three" }] }),
        { text: "a.md is written." },
      ],
    });
    expect(played.calls.map(({ ok }) => ok)).toEqual([true, true, true, true]);
    expect(played.file("a.md")).toBe("# One\n# Two\n# Three\n");
    expect(played.requests[0]?.system).toMatch(
      /make a new file \| write_file, mode: create .*\n\| continue a file \| write_file, mode: append/,
    );
  });

  it("[AGENT-12.2] a second create of the same path is refused, in the same send and in the next", async () => {
    const create = (content: string) => call("write_file", { path: "a.md", mode: "create", content });
    const played = await play({
      asks: ["Write a.md.", "Write it again."],
      script: [
        create("# One\n"),
        create("# Two\n"),
        { text: "a.md is there." },
        create("# Three\n"),
        { text: "a.md stays." },
      ],
    });
    expect(played.calls.map(({ code }) => code)).toEqual([undefined, "file_exists", "file_exists"]);
    expect(played.file("a.md")).toBe("# One\n");
  });

  it("[AGENT-12.3] cut tool calls and cut completions share the continue rounds of AGENT_LENGTH_RESUME_MAX", async () => {
    const played = await play({
      asks: ["Write a.md and tell me about it."],
      config: { lengthResumeMax: readAgentConfig({}).lengthResumeMax },
      script: [
        cutWrite("a.md", long, 500),
        call("write_file", { path: "a.md", mode: "append", content: long.slice(500) }),
        { text: "a.md holds words, ", stop: "length" },
        { text: "three hundred of them, ", stop: "length" },
        { text: "and this is where I", stop: "length" },
      ],
    });
    expect(played.requests.filter(isContinue)).toHaveLength(3);
    expect(played.file("a.md")).toBe(long);
    expect(played.results[0]?.text).toBe("a.md holds words, three hundred of them, and this is where I");
  });

  it("[AGENT-12.4] content is on the disk while the arguments arrive, unless AGENT_WRITE_STREAM_SINK=0", async () => {
    const write = async (env: Record<string, string>) => {
      const folder = newFastFolder();
      const { writeStreamSink } = readAgentConfig(env);
      const staged = () => partsIn(join(stateFolder(folder), "staging", "s-1"));
      let arrived = 0;
      let arriving: string | undefined;
      const rest = (request: ModelRequest): ScriptedAnswer => {
        const kept = lastOf(request).includes("What arrived is kept");
        const content = kept ? long.slice(700) : "again\n";
        return call("write_file", { path: "a.md", mode: kept ? "append" : "create", content });
      };
      const played = await play({
        asks: ["Write a.md."],
        folder,
        config: { writeStreamSink, writeStreamSinkMinChars: 100 },
        script: [cutWrite("a.md", long, 700), rest, { text: "a.md is written." }],
        more: {
          onEvent: async (event) => {
            if (event.type !== "tool_delta" || arriving !== undefined) return;
            arrived += event.argsDelta.length;
            if (arrived < 500) return;
            if (writeStreamSink) await until("content is staged", () => staged().length > 300, 5_000);
            arriving = staged();
          },
        },
      });
      return { played, arriving };
    };
    const usual = await write({});
    expect(long.startsWith(usual.arriving ?? "nothing")).toBe(true);
    expect(usual.played.file("a.md")).toBe(long);
    const off = await write({ AGENT_WRITE_STREAM_SINK: "0" });
    expect(off.arriving).toBe("");
    expect(off.played.file("a.md")).toBe("again\n");
  });

  it("[AGENT-12.6] a guide explains incomplete writes: what is seen, kept and set", () => {
    const guide = readFileSync(new URL("../../docs/guides/incomplete-writes.md", import.meta.url), "utf8");
    for (const said of [
      "likely_truncated=true",
      "integrity=ok",
      ...["AGENT_LENGTH_RESUME_MAX", "AGENT_WRITE_STREAM_SINK", "AGENT_WRITE_INTEGRITY_NUDGE"],
      ...["AGENT_MAX_COMPLETION_TOKENS", 'mode: "append"'],
    ])
      expect(guide).toContain(said);
  });
});
