import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { stageDetectors } from "../../../test/support/rule-scores/stage-detectors.js";
import { detectors } from "./detectors/index.js";
import { PROTOCOL_CORE, PROTOCOL_NAMED_RULES } from "./protocol.js";
import { HARNESS_RULES, ruleOf, rules } from "./table.js";

const contract = readFileSync(new URL("../../../docs/contracts/agent.md", import.meta.url), "utf8");
const guide = readFileSync(new URL("../../../docs/guides/rules.md", import.meta.url), "utf8");

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

it("how each rule is held is what the guide says: 11 refused, 10 counted, 12 judged, 4 said", () => {
  const sections = guide.split(/^## /m).slice(1);
  const inGuide = sections.flatMap((section) => {
    const held = section.slice(0, section.indexOf("\n")).toLowerCase();
    return [...section.matchAll(/^\| `(R-[A-Z0-9-]+)`/gm)].map(([, id]) => `${id} ${held}`);
  });
  expect(rules.map(({ id, held }) => `${id} ${held}`).toSorted()).toEqual(inGuide.toSorted());
  const counts = (["refused", "counted", "judged", "said"] as const).map(
    (held) => rules.filter((rule) => rule.held === held).length,
  );
  expect(counts).toEqual([11, 10, 12, 4]);
});

it("a rule that is refused or counted has a detector, unless a stage of dispatch holds it, and no other rule has", () => {
  const detected = rules.filter(
    ({ id, held }) => (held === "refused" || held === "counted") && !Object.hasOwn(stageDetectors, id),
  );
  expect(detected.map(({ id }) => id).toSorted()).toEqual(Object.keys(detectors).toSorted());
});

it("a rule is told in at most 30 words, and a rule that refuses says so", () => {
  for (const { id, text, held } of rules) {
    expect(text.split(/\s+/).length, id).toBeLessThanOrEqual(30);
    expect(/\b(?:refused|sent back|do not run)\b/.test(text), id).toBe(held === "refused");
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

/** Each once: a rule may have a clause for being said and one for being held. */
function idsOf(pattern: RegExp): (string | undefined)[] {
  return [...new Set([...contract.matchAll(pattern)].map(([, id]) => id))];
}
