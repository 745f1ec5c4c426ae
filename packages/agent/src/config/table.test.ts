import { expect, it } from "vitest";
import { classOf } from "../../../../test/support/failure.js";
import { type AgentKey, agentDefaults, agentKeys, readAgentConfig } from "./table.js";

const entries = Object.entries(agentKeys) as [AgentKey, (typeof agentKeys)[AgentKey]][];
/** Anything is a list. */
const narrow = entries.filter(([, { default: standard }]) => !Array.isArray(standard));

it("[AGENT-14.2] a value that does not fit is refused with its key, what stands there and what may", () => {
  expect(narrow.length).toBeGreaterThan(15);
  for (const [, { key, takes }] of narrow) {
    for (const text of ["no such value", "-1", "1e3", "0x10", "99999999999999", "true", "²"]) {
      const read = () => readAgentConfig({ [key]: text });
      expect(classOf(read), `${key}=${text}`).toBe("setting_invalid");
      expect(read).toThrow(`${key} is ${JSON.stringify(text)}; it takes ${takes}`);
    }
  }
});

it("[AGENT-14.3] 0 is what was said, or is refused: never the default", () => {
  const zeros = narrow.flatMap(([name, { key, default: standard, parse }]) => {
    const read = () => readAgentConfig({ [key]: "0" });
    if (parse("0") === undefined) {
      expect(classOf(read), key).toBe("setting_invalid");
      return [];
    }
    expect(read()[name], key).toBe(typeof standard === "boolean" ? false : 0);
    return [[name, standard] as const];
  });
  // Those of which it can be told.
  expect(zeros.filter(([, standard]) => Boolean(standard)).length).toBeGreaterThan(8);
});

it("what is unset, or blank, is the default", () => {
  expect(readAgentConfig({})).toEqual(agentDefaults);
  const blank = Object.fromEntries(entries.map(([, { key }]) => [key, ""]));
  expect(readAgentConfig(blank)).toEqual(agentDefaults);
});
