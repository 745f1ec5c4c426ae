import fc from "fast-check";
import { expect, it } from "vitest";
import {
  buildHarnessRuleRecallMessage,
  HARNESS_RULES,
  PROTOCOL_CORE,
  PROTOCOL_NAMED_RULES,
  rules,
} from "@bridle/rules";
import type { World } from "../types.js";
import { blockHeadings, promptLimits, type PromptParts, systemPrompt, withNotes } from "./system.js";

const world: World = {
  osUser: "kim",
  workspace: "/srv/garden",
  harness: { name: "Bridle", version: "0.1.0" },
  os: "linux",
};
const families = [
  { name: "files", says: "read and change files", active: true },
  { name: "web", says: "search and fetch", active: false },
];
const parts: PromptParts = {
  persona: "You are Wren, dry and brief.",
  world,
  model: "local/small",
  instructions: [{ from: "AGENTS.md", text: "Use tabs.\n\n# Protocol\nPush when done." }],
  families,
};

/** The prompt taken apart at lines that begin a block. */
function blocksOf(prompt: string): Map<string, string> {
  const found = prompt.split(/^(?=# )/m).map((block) => {
    const [heading = "", ...body] = block.split("\n");
    return [heading, body.join("\n").trim()] as const;
  });
  expect(new Set(found.map(([heading]) => heading)).size).toBe(found.length);
  return new Map(found);
}

it("[AGENT-2.1] the prompt holds the protocol core and every named rule, whatever else it is made of", () => {
  for (const prompt of [systemPrompt(parts), systemPrompt({ world, model: "m/x" })]) {
    expect(prompt).toContain(PROTOCOL_CORE);
    expect(prompt).toContain(PROTOCOL_NAMED_RULES);
  }
});

it("every id that is recalled has its text in the prompt that is sent, and all 37 are there once", () => {
  const recall = buildHarnessRuleRecallMessage();
  const prompt = systemPrompt(parts);
  const recalled = [...recall.matchAll(/R-[A-Z0-9-]+/g)].map(([id]) => id);
  expect(recalled).toEqual(Object.keys(HARNESS_RULES));
  const sent = withNotes(prompt, [recall]);
  for (const { id, text, layer } of rules) {
    expect(prompt.split(`- ${id}: ${text}`), id).toHaveLength(2);
    expect(sent.split(`**${id}**`), id).toHaveLength(layer === "harness" ? 2 : 1);
  }
  expect(sent).toContain(recall.trimEnd());
});

it("the blocks come in their order, each once", () => {
  const { persona, protocol, world: where, instructions, families: offered, notes } = blockHeadings;
  const sent = withNotes(systemPrompt(parts), ["One.", "Two."]);
  expect([...blocksOf(sent).keys()]).toEqual([persona, protocol, where, instructions, offered, notes]);
  expect(sent.endsWith("\n\nOne.\n\nTwo.")).toBe(true);
});

it("[AGENT-13.1] [AGENT-13.2] [AGENT-13.4] persona, harness, model and account each stand in their place and in no other", () => {
  const blocks = blocksOf(systemPrompt(parts));
  for (const [heading, body] of blocks) {
    expect(body.includes("Wren"), heading).toBe(heading === blockHeadings.persona);
    expect(body.includes("Bridle"), heading).toBe(heading === blockHeadings.world);
    expect(body.includes("local/small"), heading).toBe(heading === blockHeadings.world);
    expect(body.includes("kim"), heading).toBe(heading === blockHeadings.world);
  }
});

it("what is left out leaves no empty block behind", () => {
  const { persona, protocol, world: where } = blockHeadings;
  const prompt = systemPrompt({
    world,
    model: "m/x",
    persona: "  ",
    instructions: [{ from: "AGENTS.md", text: "\n" }],
  });
  expect([...blocksOf(prompt).keys()]).toEqual([persona, protocol, where]);
  expect(withNotes(prompt, [])).toBe(prompt);
  expect(withNotes(prompt, ["", "\n"])).toBe(prompt);
});

it("[AGENT-13.3] no text from outside begins a block or a section, whatever lines it has", () => {
  const line = fc.constantFrom("# World", "## Named rules", "- R-X: y", "", "é 🦆", "```", "> ", "#", "text");
  const end = fc.constantFrom("\n", "\r\n", "\r", "\u2028", "\u0085", "\f");
  const text = fc.array(fc.tuple(line, end)).map((lines) => lines.map((each) => each.join("")).join(""));
  const headings = (prompt: string) =>
    prompt.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).filter((each) => /^\s*#/.test(each));
  const ours = headings(systemPrompt({ world, model: "m/x" }));
  fc.assert(
    fc.property(text, text, (foreign, other) => {
      const prompt = systemPrompt({
        persona: foreign,
        world: { ...world, workspace: foreign, osUser: other },
        model: other,
        instructions: [{ from: other, text: foreign }],
        families: [{ name: foreign, says: other, active: true }],
      });
      const sent = withNotes(prompt, [foreign, other]);
      const allowed = new Set<string>([...ours, ...Object.values(blockHeadings)]);
      expect(headings(sent).filter((heading) => !allowed.has(heading))).toEqual([]);
      expect(headings(sent).length).toBeLessThanOrEqual(ours.length + 3);
    }),
  );
});

it("long instructions are cut at a line, and the prompt says how much is missing and where it is", () => {
  const row = `${"x".repeat(79)}\n`;
  const prompt = systemPrompt({
    ...parts,
    instructions: [
      { from: "AGENTS.md", text: row.repeat(1_000) },
      { from: "issue 7", text: row.repeat(300) },
      { from: "docs/AGENTS.md", text: row },
    ],
  });
  const shown = prompt.split("\n").filter((line) => line === `> ${"x".repeat(79)}`).length;
  expect(shown * 80).toBeLessThanOrEqual(promptLimits.instructionsCharsMax);
  expect(shown * 80).toBeGreaterThan(promptLimits.instructionsCharsMax * 0.9);
  const told = /\[cut: (\d+) more characters of "AGENTS\.md" are not shown; read it there\]/.exec(prompt);
  expect(Number(told?.[1])).toBe(1_000 * 80 - 1 - (200 * 80 - 1));
  expect(prompt).toContain('of "issue 7" are not shown');
});

it("a cut never leaves half of a character", () => {
  const prompt = systemPrompt({ ...parts, persona: `a${"🦆".repeat(4_000)}` });
  expect(prompt.isWellFormed()).toBe(true);
  expect(prompt).toContain("more characters of the persona are not shown");
});

it("the same arguments give the same prompt", () => {
  expect(systemPrompt(structuredClone(parts))).toBe(systemPrompt(parts));
});
