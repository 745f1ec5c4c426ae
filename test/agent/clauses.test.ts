/**
 * What guides the model on every turn: the protocol and its named rules in each
 * request, the recall at round 2, and the plan, memory and context that go with them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readAgentConfig } from "@bridle/agent";
import {
  buildAdaptiveRuleMessage,
  buildHarnessRuleRecallMessage,
  HARNESS_RULES,
  PROTOCOL_CORE,
  PROTOCOL_NAMED_RULES,
  ruleStatsName,
  rules,
} from "@bridle/rules";
import { describe, expect, it } from "vitest";
import { testTool } from "../support/agent.js";
import { call, calls, type Played, play } from "../support/agent-rules.js";
import { newFastFolder } from "../support/folder.js";

const contract = readFileSync(new URL("../../docs/contracts/agent.md", import.meta.url), "utf8");
/** The rules that a section of the contract names, in its order; a rule may have a clause for being said and one for being held. */
const namedIn = (section: 5 | 6) => [
  ...new Set(
    [...contract.matchAll(/^- \[AGENT-(\d+)\.\d+\] \w+(?: \(may\))? — `(R-[A-Z0-9-]+)`/gm)]
      .filter(([, number]) => Number(number) === section)
      .map(([, , id]) => id),
  ),
];
const thirty = namedIn(5);
const look = testTool("look", ({ at }) => `saw ${String(at)}`);

/** Two sends of three rounds and one, so that there is a round 2 and something after it. */
async function talk(options: { folder?: string; env?: Record<string, string> } = {}): Promise<Played> {
  return play({
    asks: ["Look around.", "And now?"],
    tools: [look],
    config: { ...readAgentConfig(options.env ?? {}), reflexionSemantic: false },
    script: [call("look", { at: 1 }), call("look", { at: 2 }), { text: "Seen." }, { text: "Nothing new." }],
    ...(options.folder === undefined ? {} : { folder: options.folder }),
  });
}

const recalled = (note = "") => [...note.matchAll(/^- \*\*(R-[A-Z0-9-]+)\*\*$/gm)].map(([, id]) => id);
const isRecall = (note: string) => note.includes("[Harness rules in force");

describe("two layers of guidance", () => {
  it("[AGENT-1.1] every request carries the protocol, and the second of a send recalls its rules by id", async () => {
    const { requests, notes } = await talk();
    for (const { system } of requests) expect(system).toContain(PROTOCOL_NAMED_RULES);
    expect(notes.map(isRecall)).toEqual([false, true, false, false]);
    for (const id of recalled(notes[1])) expect(PROTOCOL_NAMED_RULES).toContain(`- ${id}: `);
  });

  it("[AGENT-2.1] core and named rules are in the system prompt of every turn", async () => {
    const { requests } = await talk();
    expect(requests).toHaveLength(4);
    for (const { system } of requests) {
      expect(system).toContain(PROTOCOL_CORE);
      expect(system).toContain(PROTOCOL_NAMED_RULES);
    }
  });

  it("[AGENT-2.2] [AGENT-5.31] [AGENT-5.32] the recall stands in the system prompt and lists the thirty rules of the table", async () => {
    const { requests, notes } = await talk();
    expect(requests[1]?.system).toContain(buildHarnessRuleRecallMessage().trimEnd());
    expect(recalled(notes[1])).toEqual(Object.keys(HARNESS_RULES));
    expect(recalled(notes[1])).toEqual(thirty);
  });

  it("[AGENT-2.3] [AGENT-2.4] each send recalls once, at its round 2", async () => {
    const look2 = [call("look", { at: 1 }), call("look", { at: 2 }), { text: "Seen." }];
    const { notes } = await play({
      asks: ["Look around.", "Look again."],
      tools: [look],
      script: [...look2, ...look2],
    });
    expect(notes.map(isRecall)).toEqual([false, true, false, false, true, false]);
  });

  it("[AGENT-2.5] [AGENT-3.1] AGENT_RULE_RECALL=0 leaves the recall out, and it is on when nothing is said", async () => {
    const off = await talk({ env: { AGENT_RULE_RECALL: "0" } });
    expect(off.notes.map(isRecall)).toEqual([false, false, false, false]);
    expect(off.counts("R-CITE-PATHS").injections).toBe(0);
    const usual = await talk();
    expect(usual.notes.map(isRecall)).toEqual([false, true, false, false]);
    expect(usual.counts("R-CITE-PATHS").injections).toBe(1);
  });

  it("[AGENT-2.6] [AGENT-2.8] what is recalled are ids; the text of a rule is in the protocol and nowhere else", async () => {
    const { requests, notes } = await talk();
    expect(notes[1]?.trim().split("\n").slice(1)).toEqual(thirty.map((id) => `- **${id}**`));
    for (const { text } of rules) expect(requests[1]?.system?.split(text), text).toHaveLength(2);
  });

  it("[AGENT-2.7] [AGENT-4.2] rules that were broken most stand first in the recall", async () => {
    const folder = newFastFolder();
    const counted = (id: string, hitCount: number) => ({
      ruleId: id,
      hitCount,
      preventedErrorCount: 0,
      lastHitAt: 1,
    });
    const counts = {
      "R-SCOPE-CREEP": counted("R-SCOPE-CREEP", 7),
      "R-ORCH-ID": counted("R-ORCH-ID", 2),
    };
    writeFileSync(join(folder, ruleStatsName), JSON.stringify({ version: 1, updatedAt: 1, rules: counts }));
    const { notes } = await talk({ folder });
    const first = ["R-SCOPE-CREEP", "R-ORCH-ID"];
    expect(recalled(notes[1])).toEqual([...first, ...thirty.filter((id) => !first.includes(id as string))]);
  });
});

describe("counting", () => {
  it("[AGENT-3.2] a send leaves its counts in .agent_rule_stats.json: broken, prevented, recalled", async () => {
    const played = await play({
      asks: ["Read it."],
      files: { "a.txt": "text\n" },
      script: [
        call("read_file", { path: "a.txt" }),
        call("read_file", { path: "a.txt" }),
        { text: "a.txt says text." },
      ],
    });
    const file = JSON.parse(
      readFileSync(join(played.workspace, ".bridle/agent/.agent_rule_stats.json"), "utf8"),
    );
    expect(file).toMatchObject({
      version: 1,
      rules: { "R-DEDUP-TOOLS": { violations: 1, preventions: 1, injections: 1 } },
    });
    expect(played.counts("R-CITE-PATHS")).toMatchObject({ violations: 0, injections: 1 });
  });

  it("[AGENT-3.3] after a round in which every tool failed, each rule that the errors name is counted", async () => {
    const broken = testTool("deploy", () => "", {
      run: async () => ({
        ok: false,
        text: "refused: see R-SCOPE-CREEP, R-LIVE-DATA-HONESTY and R-SCOPE-CREEP again",
      }),
    });
    const played = await play({
      asks: ["Deploy it."],
      tools: [broken, look],
      script: [
        call("deploy"),
        calls(["deploy", { to: "b" }], ["look", { at: 1 }]),
        { text: "It was refused." },
      ],
    });
    expect(played.rows.filter(({ type }) => type === "reflexion")).toHaveLength(1);
    expect(played.counts("R-SCOPE-CREEP").violations).toBe(1);
    expect(played.counts("R-LIVE-DATA-HONESTY").violations).toBe(1);
  });
});

describe("the recall message", () => {
  it("[AGENT-4.1] it lists every id of the table, whatever was counted", () => {
    for (const counts of [new Map<string, number>(), new Map([["R-ORCH-ID", 3]])])
      expect(recalled(buildHarnessRuleRecallMessage(counts)).toSorted()).toEqual(
        Object.keys(HARNESS_RULES).toSorted(),
      );
  });

  it("[AGENT-4.3] the definitions stand under `## Named rules` of the protocol that is sent", async () => {
    const { requests } = await talk();
    const [, section = ""] = requests[1]?.system?.split("\n## Named rules\n") ?? [];
    const defined = [...section.matchAll(/^- (R-[A-Z0-9-]+): \S/gm)].map(([, id]) => id);
    expect(defined.slice(0, 30)).toEqual(thirty);
    expect(defined).toHaveLength(37);
  });

  it("[AGENT-4.4] [AGENT-4.5] the deprecated alias builds the same message, whatever topN is", () => {
    const counts = new Map([["R-ORCH-ID", 3]]);
    const message = buildHarnessRuleRecallMessage(counts);
    expect(recalled(message)).toHaveLength(30);
    for (const topN of [undefined, 0, 1, 5]) expect(buildAdaptiveRuleMessage(topN, counts)).toBe(message);
    const source = readFileSync(new URL("../../packages/rules/src/recall.ts", import.meta.url), "utf8");
    expect(source).toMatch(/@deprecated[^\n]*\n(?:[^\n]*\n)?export function buildAdaptiveRuleMessage/);
  });
});

describe("rules that are said in every request", () => {
  const said = async (id: string, pattern: RegExp, isInRecall: boolean) => {
    const { requests, notes } = await talk();
    for (const { system = "" } of requests) {
      const lines = system.split("\n").filter((line) => line.startsWith(`- ${id}: `));
      expect(lines).toEqual([expect.stringMatching(pattern)]);
    }
    expect(recalled(notes[1]).includes(id)).toBe(isInRecall);
  };

  it("[AGENT-5.2] numbered prerequisites in their order, none skipped; recalled by id", async () => {
    await said("R-SEQ-SETUP", /numbered prerequisites in the user's order and skip none/, true);
  });

  it("[AGENT-5.17] each major theme of a briefing once, neighbours not framed alike; recalled by id", async () => {
    await said(
      "R-SYNTHESIZE-VARY",
      /briefing treat each major theme once\. Neighbouring parts neither say the same nor open with the same words/,
      true,
    );
  });

  it("[AGENT-5.18] memory as background, a new search in the words of what is asked now; recalled by id", async () => {
    await said("R-MEMORY-SCOPE", /Memory is background\. .*new search from what is asked now/, true);
  });

  it("[AGENT-5.19] the memory tools before the OS user of the world block; recalled by id", async () => {
    await said(
      "R-MEMORY-FIRST-IDENTITY",
      /who the user is, use the memory tools first\. The OS user of the world block is an account/,
      true,
    );
  });

  it("[AGENT-5.28] call sites searched before a rename or a change of signature; recalled by id", async () => {
    await said(
      "R-GREP-BEFORE-REFACTOR",
      /Before you rename .* or change its signature, search for its call sites/,
      true,
    );
  });

  it("[AGENT-5.22] live data with its source, its as-of time and what is uncertain; recalled by id", async () => {
    await said("R-LIVE-DATA-HONESTY", /live data.* source .*as-of time.* uncertain/, true);
  });

  it("[AGENT-5.23] words as sure as the tier of the source, T1 to T4; recalled by id", async () => {
    await said("R-SOURCE-TIER", /as sure as the source allows.*T1 .*T2 .*T3 .*T4 /, true);
  });

  it("[AGENT-5.24] both sides of sources that conflict; recalled by id", async () => {
    await said("R-CONTRADICT-SURFACE", /sources conflict, name both sides/, true);
  });

  it("[AGENT-5.30] each of several asks answered or explicitly deferred; recalled by id", async () => {
    await said(
      "R-MULTI-PART-USER",
      /asks several things, answer each part, or say of a part that it is deferred/,
      true,
    );
  });

  it("[AGENT-6.1] verify_result after many tools or for many paths, and it is offered unless it is switched off", async () => {
    await said("R-VERIFY-HEAVY", /kinds of tools, or for an answer full of paths, call verify_result/, false);
    const offered = async (env: Record<string, string>) =>
      (await talk({ env: { AGENT_TOOL_LAZY: "0", ...env } })).requests[0]?.tools?.map(({ name }) => name);
    expect(await offered({})).toContain("verify_result");
    expect(await offered({ AGENT_VERIFY_TOOLS: "0" })).not.toContain("verify_result");
  });

  it("[AGENT-6.3] a compact summary opens the reply to a long send", async () => {
    await said("R-EXECUTIVE-READ", /Open the reply to a long send with a compact summary/, false);
  });

  it("[AGENT-6.4] after failures, what was tried and what remains unknown", async () => {
    await said("R-KNOWN-UNKNOWNS", /After failures, say what you tried.* remains unknown/, false);
  });

  it("[AGENT-6.5] one targeted pass over memory, in the words of the current ask", async () => {
    await said("R-RELATED-MEMORY-HOOK", /thematic task.* one targeted pass over memory.* current ask/, false);
  });

  it("[AGENT-6.6] a score of one's own work is optional, and in think only", async () => {
    await said("R-SELF-CHECK-SCORE", /Optional: .* score .*in think only and never in the answer/, false);
  });

  it("[AGENT-6.7] persona, harness and base model are kept apart, each in its own place of the prompt", async () => {
    await said(
      "R-HARNESS-VS-MODEL",
      /Keep persona .*harness .*base model apart.* never blend their names/,
      false,
    );
    const { requests } = await play({
      asks: ["Who are you?"],
      script: [{ text: "I am Wren, a voice in Bridle; the model is script/one." }],
      more: { persona: "You are Wren." },
    });
    const blocks = requests[0]?.system?.split(/^(?=# )/m) ?? [];
    const placeOf = (word: string) =>
      blocks.filter((block) => block.includes(word)).map((block) => block.split("\n")[0]);
    expect(placeOf("Wren")).toEqual(["# Persona"]);
    expect(placeOf("Bridle")).toEqual(["# World"]);
    expect(placeOf("script/one")).toEqual(["# World"]);
  });

  it("[AGENT-6.8] the seven rules without a row are in every request and never recalled", async () => {
    const alone = namedIn(6);
    expect(alone).toHaveLength(7);
    const { requests, notes } = await talk();
    for (const id of alone) {
      expect(Object.keys(HARNESS_RULES)).not.toContain(id);
      for (const { system } of requests) expect(system).toContain(`\n- ${id}: `);
      expect(notes.join()).not.toContain(id);
    }
  });

  it("[AGENT-6.9] a rule has one wording, that of the protocol: no other part of a request defines it", async () => {
    const { requests } = await talk();
    for (const { system = "" } of requests) {
      for (const { id, text } of rules) {
        expect(system.split(`- ${id}: ${text}\n`), id).toHaveLength(2);
        expect(system.split(`${id}: `), id).toHaveLength(2);
      }
    }
  });
});

describe("coherent work over many steps", () => {
  it("[AGENT-7.1] a large build starts with a plan, whose milestones and ends stand in every request after it", async () => {
    const { requests, notes } = await play({
      asks: ["Build me a small game."],
      tools: [look],
      script: [
        call("plan", {
          steps: ["Draw the board", "Let it move"],
          done_when: ["A round can be played to its end"],
        }),
        call("look", { at: 1 }),
        call("plan", { step_index: 0 }),
        { text: "The board is drawn." },
      ],
    });
    for (const { system } of requests)
      expect(system).toMatch(
        /A large build, or one over many files, starts with plan: milestones, what counts as done/,
      );
    for (const note of notes.slice(1)) {
      expect(note).toMatch(/Draw the board[\s\S]*Let it move/);
      expect(note).toContain("Done when: A round can be played to its end");
    }
    expect(notes[2]).toContain("[ ] Let it move");
    expect(notes[3]).toContain("[x] Draw the board");
  });

  it("[AGENT-7.6] one memory query answers its repeats, and another scope is another question", async () => {
    const ask = (more: object) => call("memory_query", { mode: "lexical", query: "release date", ...more });
    const { calls: made } = await play({
      asks: ["When is the release?"],
      script: [
        call("remember", { key: "release", value: "The release date is in May.", type: "fact" }),
        ask({}),
        ask({}),
        ask({ query: "Release date" }),
        ask({ scope: "web" }),
        { text: "In May." },
      ],
    });
    expect(made.map(({ ran }) => ran)).toEqual([true, true, false, false, true]);
    expect(made[2]?.text).toContain("in May");
  });

  /** A memory query and two reads, the first of which leaves the context with the compression. */
  const compressed = () =>
    play({
      asks: ["What do we know?"],
      files: { "a.txt": `${"early ".repeat(600)}\n`, "b.txt": "late\n" },
      config: { hotRounds: 3 },
      script: [
        call("read_file", { path: "a.txt" }),
        call("remember", { key: "release", value: "In May.", type: "fact" }),
        call("memory_query", { mode: "exact", key: "release" }),
        call("read_file", { path: "b.txt" }),
        call("compress_context", { summary: "a.txt says early, the release is in May." }),
        call("memory_query", { mode: "exact", key: "release" }),
        call("read_file", { path: "b.txt" }),
        call("read_file", { path: "a.txt" }),
        { text: "a.txt says early, b.txt late." },
      ],
    });

  it("[AGENT-7.7] after compress_context only what left the context is read again", async () => {
    const { calls: made, rows, requests } = await compressed();
    expect(rows.filter(({ type }) => type === "compacted")).toHaveLength(1);
    for (const { system } of requests)
      expect(system).toContain("After compress_context read again only what you need to go on");
    expect(made.slice(6).map(({ args, ran }) => [args?.["path"], ran])).toEqual([
      ["b.txt", false],
      ["a.txt", true],
    ]);
  });

  it("[AGENT-7.8] after compress_context memory that was fetched is not fetched again", async () => {
    const { calls: made, requests } = await compressed();
    for (const { system } of requests)
      expect(system).toMatch(/After compress_context .*ask memory nothing twice/);
    expect(made[5]).toMatchObject({ tool: "memory_query", ok: true, ran: false });
    expect(made[5]?.text).toContain("In May.");
  });
});
