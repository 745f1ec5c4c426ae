/**
 * The rules of AGENT that the harness cannot hold by itself: whoever breaks one is
 * found, the count grows, and the model reads about it in its next request.
 *
 * What a newcomer gets wrong: what is found in the last answer of a send is told in
 * the first request of the next one.
 */
import { describe, expect, it } from "vitest";
import { testTool } from "../support/agent.js";
import { call, calls, expectKept, expectTold, play } from "../support/agent-rules.js";

const webTools = [
  testTool("web_search", ({ query }) => `1. About ${String(query)}: https://example.org/1`, {
    family: "web",
  }),
  testTool("web_fetch", ({ url }) => `The page at ${String(url)} tells a story.`, { family: "web" }),
];
const search = (query: string) => call("web_search", { query });
const fetch = (url: string) => call("web_fetch", { url });
const thanks = { asks: ["Thank you."], script: [{ text: "You are welcome." }] };

describe("what a call shows", () => {
  it("[AGENT-5.1] three ordered steps are carried out before a plan: found, counted and told", async () => {
    const asks = [
      "1. Create a.txt with one line\n2. Create b.txt with two lines\n3. Create c.txt with three lines",
    ];
    const write = call("write_file", { path: "a.txt", content: "one\n" });
    const end = { text: "a.txt is there; the others are not." };
    const played = await play({ asks, script: [write, end] });
    expectTold(played, "R-PLAN-3STEPS", 1);
    const planned = await play({ asks, script: [call("plan", { steps: ["a", "b", "c"] }), write, end] });
    expectKept(planned, "R-PLAN-3STEPS");
  });

  it("[AGENT-5.8] research opens with one query in three spellings: found, counted and told", async () => {
    const asks = ["Which embedded key-value store fits a Go service that mostly appends?"];
    const end = { text: "Pebble, says https://example.org/1." };
    const played = await play({
      asks,
      tools: webTools,
      script: [
        search("embedded key-value store Go append heavy"),
        search("Go embedded key-value store append heavy"),
        search("append heavy embedded Go key-value store"),
        end,
      ],
    });
    expectTold(played, "R-SEARCH-DIVERSITY", 3);
    const varied = await play({
      asks,
      tools: webTools,
      script: [
        search("embedded key-value store Go append heavy"),
        search("bbolt write amplification benchmark"),
        search("Pebble production experience at scale"),
        end,
      ],
    });
    expectKept(varied, "R-SEARCH-DIVERSITY");
  });

  it("[AGENT-5.11] what was written intact is read back twice: found, counted and told", async () => {
    const asks = ["Write a.txt."];
    const write = call("write_file", { path: "a.txt", content: "one\ntwo\nthree\n" });
    const read = (limit: number) => call("read_file", { path: "a.txt", limit });
    const end = { text: "a.txt is written." };
    const played = await play({ asks, script: [write, read(2), read(3), end] });
    expect(played.calls[0]?.text).toContain("integrity=ok");
    expectTold(played, "R-WRITE-ONE-VERIFY", 3);
    expectKept(await play({ asks, script: [write, read(2), end] }), "R-WRITE-ONE-VERIFY");
  });

  it("[AGENT-5.14] an error names its fix and the next call ignores it: found, counted and told", async () => {
    const asks = ["Change a.txt."];
    const files = { "a.txt": "old\n" };
    const create = (content: string) => call("write_file", { path: "a.txt", mode: "create", content });
    const overwrite = call("write_file", { path: "a.txt", mode: "overwrite", content: "new\n" });
    const end = { text: "a.txt is new." };
    const played = await play({ asks, files, script: [create("new\n"), create("newer\n"), overwrite, end] });
    expect(played.calls[0]?.text).toContain("mode: overwrite");
    expectTold(played, "R-READ-TOOL-ERRORS", 2);
    expectKept(await play({ asks, files, script: [create("new\n"), overwrite, end] }), "R-READ-TOOL-ERRORS");
  });

  it("[AGENT-5.15] an edit far from the line of a syntax error: found, counted and told", async () => {
    const asks = ["Make the check pass."];
    const source = Array.from({ length: 60 }, (_, i) => `const c${i + 1} = ${i + 1};`).join("\n");
    const files = { "src/a.js": source, "check.sh": "echo 'SyntaxError (src/a.js:50:8)'\nexit 1\n" };
    const edit = (search: string, replace: string) =>
      call("edit_file", { path: "src/a.js", replacements: [{ search, replace }] });
    const look = [call("read_file", { path: "src/a.js" }), call("run_shell", { command: "sh check.sh" })];
    const near = edit("const c50 = 50;", "const c50 = 51;");
    const end = { text: "I changed line 50 of src/a.js." };
    const played = await play({
      asks,
      files,
      script: [...look, edit("const c3 = 3;", "const c3 = 4;"), near, end],
    });
    expect(played.calls[1]?.text).toContain("src/a.js:50:8");
    expectTold(played, "R-SYNTAX-COLUMN", 3);
    expect(played.file("src/a.js")).toBe(source.replace("= 3;", "= 4;").replace("= 50;", "= 51;"));
    for (const { system } of played.requests)
      expect(system).toMatch(/R-SYNTAX-COLUMN: .*edit at that column and check `:` against `=`/);
    expectKept(await play({ asks, files, script: [...look, near, end] }), "R-SYNTAX-COLUMN");
  });

  it("[AGENT-5.16] a fifth source on one angle with no synthesis: found, counted and told", async () => {
    const asks = ["How do the large frameworks stream their pages?"];
    const pages = ["react.dev/a", "vuejs.org/b", "solidjs.com/c", "svelte.dev/d", "qwik.dev/e"].map((page) =>
      fetch(`https://${page}`),
    );
    const end = { text: "They stream in parts." };
    const think = call("think", { thought: "Which of these claims is the weakest? That of qwik." });
    const first = search("streaming server side rendering frameworks");
    const played = await play({ asks, tools: webTools, script: [first, ...pages, think, end] });
    expectTold(played, "R-RESEARCH-BUDGET", 6);
    const other = search("what pauses of the garbage collector cost");
    const turned = await play({
      asks,
      tools: webTools,
      script: [first, ...pages.slice(0, 4), other, ...pages.slice(4), think, end],
    });
    expectKept(turned, "R-RESEARCH-BUDGET");
  });

  it("[AGENT-5.21] two tool families are activated at once: found, counted and told", async () => {
    const asks = ["Find out which Node is current and remember it."];
    const config = { toolLazy: true };
    const activate = (family: string) => ["activate_tool_family", { family }] as const;
    const remember = call("remember", { key: "node", value: "24", type: "fact" });
    const end = { text: "Node 24, says https://example.org/1." };
    const played = await play({
      asks,
      config,
      tools: webTools,
      script: [calls(activate("web"), activate("memory")), search("current Node version"), remember, end],
    });
    expectTold(played, "R-ACTIVE-FIRST", 1);
    expect(played.requests[0]?.tools?.map(({ name }) => name)).not.toContain("web_search");
    const oneByOne = await play({
      asks,
      config,
      tools: webTools,
      script: [
        calls(activate("web")),
        search("current Node version"),
        calls(activate("memory")),
        remember,
        end,
      ],
    });
    expectKept(oneByOne, "R-ACTIVE-FIRST");
    expect(oneByOne.requests[1]?.tools?.map(({ name }) => name)).toContain("web_search");
  });

  it("[AGENT-5.27] a file that is nobody's business is changed in passing: found, counted and told", async () => {
    const files = { "src/auth/session.js": "const ok = exp < now;\n", "src/log.js": "console.log(1);\n" };
    const edit = (path: string, search: string, replace: string) =>
      call("edit_file", { path, replacements: [{ search, replace }] });
    const wanted = edit("src/auth/session.js", "exp < now", "exp <= now");
    const stray = edit("src/log.js", "console.log(1)", "console.error(1)");
    const asks = ["Fix the expiry check of sessions."];
    const more = { declaredPaths: ["src/auth/"] };
    const played = await play({
      asks,
      files,
      more,
      script: [wanted, stray, { text: "I changed src/auth/session.js and src/log.js." }],
    });
    expectTold(played, "R-SCOPE-CREEP", 2);
    const within = await play({
      asks,
      files,
      more,
      script: [wanted, { text: "I changed src/auth/session.js." }],
    });
    expectKept(within, "R-SCOPE-CREEP");
  });
});

describe("what an answer shows", () => {
  it("[AGENT-5.25] three sources and no thought against them: found, counted and told", async () => {
    const ask = "When was the old bridge of the town rebuilt, and by whom?";
    const pages = ["town-history.org/bridge", "daily-gazette.com/bridge", "museum.net/bridge"];
    const read = [search("old bridge rebuilt year"), ...pages.map((page) => fetch(`https://${page}`))];
    const end = { text: "It was rebuilt in 1921 by the town's own masons." };
    const played = await play({
      asks: [ask, ...thanks.asks],
      tools: webTools,
      script: [...read, end, ...thanks.script],
    });
    expectTold(played, "R-ADVERSARIAL-CHECK", 5);
    const thought = call("think", {
      thought: "The gazette names no source; is 1921 the year of the plan only?",
    });
    expectKept(
      await play({ asks: [ask], tools: webTools, script: [...read, thought, end] }),
      "R-ADVERSARIAL-CHECK",
    );
  });

  it("[AGENT-5.29] a line of hyphens decorates the answer: found, counted and told", async () => {
    const ask = "What changed?";
    const played = await play({
      asks: [ask, ...thanks.asks],
      script: [{ text: `Release 2\n${"-".repeat(40)}\nIt starts faster.` }, ...thanks.script],
    });
    expectTold(played, "R-OUTPUT-TYPOGRAPHY", 1);
    const plain = await play({
      asks: [ask],
      script: [{ text: "## Release 2\n\nIt starts faster.\n\n---\n\nThat is all." }],
    });
    expectKept(plain, "R-OUTPUT-TYPOGRAPHY");
  });
});
