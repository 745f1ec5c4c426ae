import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { detectors } from "./detectors/index.js";
import { PROTOCOL_CORE, PROTOCOL_NAMED_RULES } from "./protocol.js";
import { HARNESS_RULES, ruleOf, rules } from "./table.js";

const contract = readFileSync(new URL("../../../../docs/contracts/agent.md", import.meta.url), "utf8");
const guide = readFileSync(new URL("../../../../docs/guides/rules.md", import.meta.url), "utf8");

it("[AGENT-5.32] the harness rules are the thirty of the contract, in its order", () => {
  expect(Object.keys(HARNESS_RULES)).toEqual(idsOf(/^- \[AGENT-5\.\d+\] \w+ — `(R-[A-Z0-9-]+)`/gm));
  expect(Object.keys(HARNESS_RULES)).toHaveLength(30);
});

it("[AGENT-6.8] the seven rules of the protocol alone are in the prompt and not among the harness rules", () => {
  const alone = rules.filter(({ layer }) => layer === "protocol").map(({ id }) => id);
  expect(alone).toEqual(idsOf(/^- \[AGENT-6\.\d+\] \w+(?: \(may\))? — `(R-[A-Z0-9-]+)`/gm));
  expect(alone).toHaveLength(7);
  for (const id of alone) {
    expect(Object.keys(HARNESS_RULES)).not.toContain(id);
    expect(PROTOCOL_NAMED_RULES).toContain(`- ${id}: ${ruleOf(id)?.text}`);
  }
});

it("[AGENT-6.6] the score of one's own work is the only optional rule", () => {
  expect(rules.filter(({ optional }) => optional).map(({ id }) => id)).toEqual(["R-SELF-CHECK-SCORE"]);
});

it("the kinds are those of the guide: 12 refuse, 15 are counted, the others are only said", () => {
  const [refused = "", counted = ""] = guide.split(/^## /m).slice(1);
  const named = (text: string) => [...text.matchAll(/^\| `(R-[A-Z0-9-]+)`/gm)].map(([, id]) => id).toSorted();
  const ofKind = (kind: string) => rules.filter((rule) => rule.kind === kind).map(({ id }) => id);
  expect(ofKind("block").toSorted()).toEqual(named(refused));
  expect(ofKind("detect").toSorted()).toEqual(named(counted));
  expect(["block", "detect", "none"].map((kind) => ofKind(kind).length)).toEqual([12, 14, 11]);
});

it("every detector belongs to a rule that is more than said", () => {
  for (const id of Object.keys(detectors)) expect(["block", "detect"], id).toContain(ruleOf(id)?.kind);
});

it("a rule is told in at most 30 words, and a rule that refuses says so", () => {
  for (const { id, text, kind } of rules) {
    expect(text.split(/\s+/).length, id).toBeLessThanOrEqual(30);
    expect(/\b(?:refused|sent back|do not run)\b/.test(text), id).toBe(kind === "block");
  }
});

it("[AGENT-4.3] [AGENT-6.9] every rule is defined once, under the heading of named rules", () => {
  expect(PROTOCOL_NAMED_RULES.startsWith("## Named rules\n")).toBe(true);
  const whole = `${PROTOCOL_CORE}\n\n${PROTOCOL_NAMED_RULES}`;
  for (const { id, text } of rules) {
    expect(whole.split(text), id).toHaveLength(2);
    expect([...whole.matchAll(new RegExp(`\\b${id}(?![\\w-])`, "g"))], id).toHaveLength(1);
  }
});

it("core and named rules fit into 3,000 tokens, counted carefully", () => {
  const chars = PROTOCOL_CORE.length + PROTOCOL_NAMED_RULES.length;
  expect(Math.ceil(chars / 3.6)).toBeLessThanOrEqual(3_000);
});

function idsOf(pattern: RegExp): (string | undefined)[] {
  return [...contract.matchAll(pattern)].map(([, id]) => id);
}
