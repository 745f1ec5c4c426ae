import { expect, it } from "vitest";
import { rules } from "./table.js";
import type { Detector, Rule } from "./types.js";
import { RuleWatch } from "./watch.js";

const finding = { what: "It did.", remedy: "Do not." };
const call = { round: 1, tool: "read_file", args: { path: "a" } };

function ruleWith(id: string, detector?: Detector): Rule {
  const base: Rule = { id, text: "", layer: "harness", held: "counted" };
  return detector === undefined ? base : { ...base, detector };
}

it("each detector hears what it listens to, in order, and findings carry their rule", () => {
  const heard: string[] = [];
  const all = ruleWith("R-ALL", {
    begin: (ask) => ({
      proposed: ({ tool }) => void heard.push(`proposed ${tool} for ${ask.text}`),
      ran: (_call, { ok }) => void heard.push(`ran ${ok}`),
      said: (text) => void heard.push(`said ${text}`),
      answered: () => finding,
    }),
  });
  const calls = ruleWith("R-CALLS", { begin: () => ({ proposed: () => finding }) });
  const watch = RuleWatch.begin({ text: "hello" }, [all, ruleWith("R-SAID"), calls]);
  expect(watch.proposed(call)).toEqual([{ rule: calls, finding }]);
  expect(watch.ran(call, { ok: true, output: "" })).toEqual([]);
  expect(watch.said("hm")).toEqual([]);
  expect(watch.answered("done")).toEqual([{ rule: all, finding }]);
  expect(heard).toEqual(["proposed read_file for hello", "ran true", "said hm"]);
});

it("two sends share nothing", () => {
  const counting = ruleWith("R-N1", {
    begin: () => {
      let calls = 0;
      return { proposed: () => (++calls > 1 ? finding : undefined) };
    },
  });
  const one = RuleWatch.begin({ text: "" }, [counting]);
  const two = RuleWatch.begin({ text: "" }, [counting]);
  expect([one.proposed(call), two.proposed(call)]).toEqual([[], []]);
  expect(one.proposed(call)).toHaveLength(1);
});

it("what a detector throws is not swallowed", () => {
  const broken = ruleWith("R-BAD", {
    begin: () => ({
      said: () => {
        throw new Error("a bug");
      },
    }),
  });
  const watch = RuleWatch.begin({ text: "" }, [broken]);
  expect(() => watch.said("x")).toThrow("a bug");
});

it("without options it watches every rule of the table that has a detector", () => {
  const watch = RuleWatch.begin({ text: "hello" });
  expect(watch.answered("Hello.")).toEqual([]);
  expect(rules).toHaveLength(37);
});
