/**
 * The rules of AGENT that the harness holds itself: whoever breaks one is refused,
 * or gets the answer back, and what the rule asks for goes through.
 */
import type { ModelRequest, ScriptedAnswer, ScriptedStep } from "@bridle/model";
import { describe, expect, it } from "vitest";
import { testTool } from "../support/agent.js";
import { newFolder } from "../support/folder.js";
import { call, calls, expectKept, expectRefused, expectSentBack, play } from "../support/agent-rules.js";

const look = testTool("look", ({ at }) => `saw ${String(at)}`);

/** A script for a parent that has one child; the child says one thing whenever its turn comes. */
function withChild(
  parent: readonly ((request: ModelRequest) => ScriptedAnswer)[],
  persona: string,
): ScriptedStep[] {
  const left = [...parent];
  const step = (request: ModelRequest) =>
    request.system?.includes(persona)
      ? { text: "There are two files." }
      : (left.shift()?.(request) ?? { text: "nothing is left" });
  return Array.from({ length: parent.length + 1 }, () => step);
}

const returnedId = (request: ModelRequest) =>
  /task_id=\\"([\w-]+)\\"/.exec(JSON.stringify(request.messages))?.[1] ?? "";

const prompts = {
  goal: "Count the files",
  system_prompt: "You count files in folders and report exact numbers.",
  user_prompt: "Count the files of the folder src and answer with the number alone.",
};

describe("an answer is sent back", () => {
  it("[AGENT-5.3] when file tools worked and it names no path of theirs", async () => {
    const files = { "src/login.ts": "export const tries = 3;\n" };
    const played = await play({
      asks: ["How many tries are there?"],
      files,
      script: [
        call("read_file", { path: "src/login.ts" }),
        { text: "There are three, see src/logout.ts." },
        { text: "There are three, see src/login.ts." },
      ],
    });
    expectSentBack(played, "R-CITE-PATHS", 2);
    expect(played.results[0]?.text).toBe("There are three, see src/login.ts.");
    const cited = await play({
      asks: ["How many tries are there?"],
      files,
      script: [call("read_file", { path: "src/login.ts" }), { text: "Three, says src/login.ts." }],
    });
    expectKept(cited, "R-CITE-PATHS");
  });

  it("[AGENT-5.26] once, whatever it says, when it follows an edit of typed code that no check has seen since", async () => {
    const edit = call("edit_file", {
      path: "src/sum.ts",
      replacements: [{ search: "a - b", replace: "a + b" }],
    });
    const files = {
      "src/sum.ts": "export const sum = (a: number, b: number) => a - b;\n",
      "package.json": '{"scripts":{"typecheck":"node --version"}}\n',
    };
    const played = await play({
      asks: ["Fix the sum."],
      files,
      script: [
        edit,
        { text: "Done: src/sum.ts adds now." },
        call("run_shell", { command: "npm run typecheck" }),
        { text: "Done: src/sum.ts adds now, and the typecheck passes." },
      ],
    });
    expect(played.calls[1]).toMatchObject({ tool: "run_shell", ok: true });
    expectSentBack(played, "R-TYPECHECK-VERIFY", 2);
    expect(played.results[0]?.text).toContain("typecheck passes");
    const admitted = await play({
      asks: ["Fix the sum."],
      files,
      script: [
        edit,
        { text: "src/sum.ts adds now; I have not run the typecheck." },
        { text: "src/sum.ts adds now; nothing here checks it." },
      ],
    });
    expectSentBack(admitted, "R-TYPECHECK-VERIFY", 2);
    expect(admitted.results[0]?.text).toContain("nothing here checks it");
  });
});

describe("a call is refused", () => {
  it("[AGENT-5.4] that waits for an id which no spawn_agent returned", async () => {
    const played = await play({
      asks: ["Let somebody count the files."],
      script: withChild(
        [
          () => call("wait_for_agents", { task_ids: ["counter-1"] }),
          () => call("spawn_agent", prompts),
          (request) => call("wait_for_agents", { task_ids: [returnedId(request)] }),
          () => ({ text: "There are two." }),
        ],
        prompts.system_prompt,
      ),
    });
    expectRefused(played, "R-ORCH-ID", 0);
    expect(played.calls[2]).toMatchObject({ tool: "wait_for_agents", ok: true });
    expect(played.calls[2]?.text).toContain("There are two files.");
  });

  it("[AGENT-5.5] that starts a sub-agent with a goal and no prompts of substance", async () => {
    const { goal } = prompts;
    const played = await play({
      asks: ["Let somebody count the files."],
      script: withChild(
        [
          () => call("spawn_agent", { goal }),
          () => call("spawn_agent", prompts),
          (request) => call("wait_for_agents", { task_ids: [returnedId(request)] }),
          () => ({ text: "There are two." }),
        ],
        prompts.system_prompt,
      ),
    });
    expectRefused(played, "R-SPAWN-PROMPT", 0);
    expect(played.calls.map(({ ok }) => ok)).toEqual([false, true, true]);
    const placeholder = await play({
      asks: ["Let somebody count the files."],
      script: [
        call("spawn_agent", { ...prompts, user_prompt: "As described above." }),
        { text: "It was refused." },
      ],
    });
    expectRefused(placeholder, "R-SPAWN-PROMPT", 0);
  });

  it("[AGENT-5.6] that goes beyond the steps, the time or the tool budget of the plan", async () => {
    const played = await play({
      asks: ["Look around."],
      tools: [look],
      script: [
        call("plan", { steps: ["look"], contract: { max_tool_calls: 2 } }),
        calls(["look", { at: 1 }], ["look", { at: 2 }], ["look", { at: 3 }]),
        { text: "I saw two of three." },
      ],
    });
    expectRefused(played, "R-CONTRACT-BOUNDS", 3);
    expect(played.calls.slice(1).map(({ ran }) => ran)).toEqual([true, true, false]);
    expect(played.results[0]).toMatchObject({ reason: "contract_budget", text: "I saw two of three." });

    const bounded = async (contract: { max_steps: number } | { max_minutes: number }) =>
      play({
        asks: ["Look around."],
        tools: [look],
        script: [
          call("plan", { steps: ["look"], contract }),
          ...("max_steps" in contract ? [call("look", { at: 1 })] : []),
          calls(["look", { at: 2 }]),
          { text: "That is all." },
        ],
      });
    for (const contract of [{ max_steps: 1 }, { max_minutes: 0 }]) {
      const { results, calls: made, requests } = await bounded(contract);
      expect(results[0]?.reason).toBe("contract_budget");
      expect(made.at(-1)).toMatchObject({ ok: false, ran: false });
      expect(requests.at(-1)?.tools).toBeUndefined();
    }
  });

  it("[AGENT-5.7] that breaks a commitment of the plan, or of whoever started it", async () => {
    const planned = await play({
      asks: ["Tidy the project up."],
      files: { "migrations/1.sql": "select 1;\n", "notes.txt": "old\n" },
      script: [
        call("plan", {
          steps: ["tidy"],
          commitments: [{ text: "The migrations stay as they are.", paths: ["migrations/"] }],
        }),
        call("write_file", { path: "migrations/1.sql", mode: "overwrite", content: "select 2;\n" }),
        call("write_file", { path: "notes.txt", mode: "overwrite", content: "new\n" }),
        { text: "I changed notes.txt." },
      ],
    });
    expectRefused(planned, "R-COMMITMENT-CHECK", 1);
    expect(planned.file("migrations/1.sql")).toBe("select 1;\n");
    expect(planned.file("notes.txt")).toBe("new\n");
    const asked = await play({
      asks: ["Tidy up."],
      folder: newFolder(),
      files: { "data/a.txt": "kept\n" },
      more: { commitments: [{ text: "no commands", paths: [], tools: ["run_shell"], needs: [] }] },
      script: [call("run_shell", { command: "rm data/a.txt" }), { text: "I left data/a.txt alone." }],
    });
    expectRefused(asked, "R-COMMITMENT-CHECK", 0);
    expect(asked.file("data/a.txt")).toBe("kept\n");
  });

  it("[AGENT-5.9] that writes a huge file whole again after it was cut off, and its parts go through", async () => {
    const content = Array.from({ length: 400 }, (_, i) => `word ${i}`).join(" ");
    const whole = { path: "big.md", content };
    const arrived = 1_500;
    const played = await play({
      asks: ["Write big.md."],
      script: [
        {
          ...call("write_file", whole),
          cutAfterChars: JSON.stringify({ path: "big.md", content: "" }).length - 2 + arrived,
        },
        call("write_file", whole),
        call("write_file", { path: "big.md", mode: "append", content: content.slice(arrived) }),
        { text: "big.md is written." },
      ],
    });
    expectRefused(played, "R-CHUNK-LARGE-FILES", 1);
    expect(played.file("big.md")).toBe(content);
    const parts = await play({
      asks: ["Write big.md."],
      script: [
        call("write_file", { path: "big.md", mode: "create", content: `${content.slice(0, 900)}\n` }),
        call("write_file", { path: "big.md", mode: "append", content: content.slice(900) }),
        { text: "big.md is written." },
      ],
    });
    expectKept(parts, "R-CHUNK-LARGE-FILES");
    expect(parts.file("big.md")).toBe(`${content.slice(0, 900)}\n${content.slice(900)}`);
  });

  it("[AGENT-5.10] that reads a large file whole a second time, and ranges go through", async () => {
    const files = { "log.txt": Array.from({ length: 9_000 }, (_, i) => `event ${i}`).join("\n") };
    const played = await play({
      asks: ["What is in log.txt?"],
      files,
      script: [
        call("read_file", { path: "log.txt" }),
        call("read_file", { path: "log.txt" }),
        call("read_file", { path: "log.txt", offset: 8_000, limit: 3 }),
        { text: "log.txt holds events." },
      ],
    });
    expectRefused(played, "R-LARGE-READ-DISCIPLINE", 1);
    expect(played.calls[2]).toMatchObject({ ok: true, ran: true });
    expect(played.calls[2]?.text).toContain("event 7999");
  });

  it("[AGENT-5.12] no question is asked twice in one send: memory, files and pages answer from before", async () => {
    const fetched: string[] = [];
    const webFetch = testTool(
      "web_fetch",
      ({ url }) => {
        fetched.push(String(url));
        return "A page.";
      },
      {
        intent: ({ url }) => ({
          key: `web_fetch ${String(url)}`,
          repeat: "answer",
          risk: "safe",
          says: "fetch",
        }),
      },
    );
    const twice = (name: string, first: object, second = first) => [
      call(name, first as never),
      call(name, second as never),
    ];
    const played = await play({
      asks: ["What do we know?"],
      files: { "a.txt": "text\n" },
      tools: [webFetch],
      script: [
        ...twice(
          "memory_query",
          { mode: "lexical", query: "the release date" },
          { mode: "lexical", query: "release Date" },
        ),
        ...twice("recall_relevant", { query: "release train" }),
        ...twice("read_file", { path: "a.txt" }, { path: "./a.txt" }),
        ...twice("web_fetch", { url: "https://example.org/a" }),
        { text: "a.txt says little." },
      ],
    });
    expect(played.calls.map(({ ran }) => ran)).toEqual(Array.from({ length: 8 }, (_, i) => i % 2 === 0));
    expect(fetched).toEqual(["https://example.org/a"]);
    for (const [index, row] of played.calls.entries())
      if (index % 2 === 1) expect(row.text).toContain("(R-DEDUP-TOOLS)");
    expect(played.counts("R-DEDUP-TOOLS")).toMatchObject({ violations: 4, preventions: 4 });
  });

  it("[AGENT-5.13] that begins an HTML, XML or SVG file with tags left open, and a skeleton goes through", async () => {
    for (const [path, open, skeleton] of [
      [
        "page.html",
        "<!doctype html>\n<html><body><main>",
        "<!doctype html>\n<html><body>\n<!-- here -->\n</body></html>\n",
      ],
      ["feed.xml", "<feed><entry>", "<feed>\n<!-- here -->\n</feed>\n"],
      [
        "icon.svg",
        '<svg xmlns="http://www.w3.org/2000/svg"><g>',
        '<svg xmlns="http://www.w3.org/2000/svg">\n<!-- here -->\n</svg>\n',
      ],
    ] as const) {
      const played = await play({
        asks: [`Make ${path}.`],
        script: [
          call("write_file", { path, content: open }),
          call("write_file", { path, content: skeleton }),
          call("edit_file", {
            path,
            replacements: [{ search: "<!-- here -->", replace: "<!-- filled -->" }],
          }),
          { text: `${path} is there.` },
        ],
      });
      expectRefused(played, "R-CLOSED-ARTIFACT", 0);
      expect(played.file(path)).toBe(skeleton.replace("here", "filled"));
    }
  });

  it("[AGENT-5.15] that replaces a text by itself, by edit_file itself", async () => {
    const played = await play({
      asks: ["Make the check pass."],
      files: { "src/a.js": "const one = 1;\n" },
      script: [
        call("edit_file", {
          path: "src/a.js",
          replacements: [{ search: "const one = 1;", replace: "const one = 1;" }],
        }),
        { text: "src/a.js is as it was." },
      ],
    });
    expect(played.calls[0]).toMatchObject({ tool: "edit_file", ok: false, code: "edit_invalid" });
    expect(played.calls[0]?.text).toContain("has the same text on both sides; nothing was changed");
    expect(played.file("src/a.js")).toBe("const one = 1;\n");
  });

  it("[AGENT-5.20] that tries a failing intent for the third time, and a new plan goes through", async () => {
    const played = await play({
      asks: ["Read the notes."],
      files: { "docs/other.txt": "x\n" },
      script: [
        call("read_file", { path: "docs/notes-of-last-week.txt" }),
        call("read_file", { path: "docs/notes-of-last-week.txt" }),
        call("read_file", { path: "docs/notes-of-last-week.txt" }),
        call("plan", { steps: ["list docs instead"] }),
        call("list_dir", { path: "docs" }),
        { text: "There are no notes in docs/." },
      ],
    });
    expectRefused(played, "R-ONE-SHOT-RETRY", 2);
    expect(played.calls.map(({ ran }) => ran)).toEqual([true, true, false, true, true]);
  });
});
