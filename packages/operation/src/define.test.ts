import * as Type from "typebox";
import { describe, expect, test } from "vitest";
import { defineOperation } from "./define.js";
import type { Operation } from "./types.js";

const good: Operation = {
  names: { id: "op/demo.greet", action: "demo.greet", command: ["demo", "greet"], tool: "demo_greet" },
  family: "bridle",
  effect: "read",
  surfaces: ["cli"],
  summary: "Greets somebody.",
  examples: [{ command: "bridle demo greet ada", says: "greets ada" }],
  input: Type.Object(
    { who: Type.String({ description: "Whom to greet.", "x-position": 0 }) },
    { additionalProperties: false },
  ),
  output: Type.Object({}),
  run: async () => ({}),
};

function withInput(properties: Record<string, Type.TSchema>): Operation {
  return { ...good, input: Type.Object(properties, { additionalProperties: false }) };
}

describe("defineOperation", () => {
  test("hands back a definition that is in order", () => {
    expect(defineOperation(good)).toBe(good);
  });

  const described = (more: object = {}) => Type.String({ description: "Something.", ...more });
  test.each<[string, Operation, RegExp]>([
    [
      "an id without op/",
      { ...good, names: { ...good.names, id: "demo.greet" as "op/x" } },
      /its id is "demo.greet"/,
    ],
    ["an action with dashes", { ...good, names: { ...good.names, action: "demo-greet" } }, /its action is/],
    ["a tool with dots", { ...good, names: { ...good.names, tool: "demo.greet" } }, /its tool is/],
    [
      "a second spelling with dashes",
      { ...good, names: { ...good.names, otherActions: ["demo-greet"] } },
      /its action is "demo-greet"/,
    ],
    ["a mode with dashes", { ...good, names: { ...good.names, mode: "needs-care" } }, /its mode is/],
    [
      "a flag --mode beside a mode of its own",
      { ...withInput({ mode: Type.String({ description: "Which." }) }), names: { ...good.names, mode: "x" } },
      /both claim the flag --mode/,
    ],
    ["no command words", { ...good, names: { ...good.names, command: [] } }, /no command words/],
    [
      "a capital in a command",
      { ...good, names: { ...good.names, command: ["Demo"] } },
      /command word "Demo"/,
    ],
    [
      "a command that is built in",
      { ...good, names: { ...good.names, command: ["help"] } },
      /kept for the command line/,
    ],
    ["a change that declares no need", { ...good, effect: "mutate" }, /does not declare what it needs/],
    ["a read that needs something", { ...good, needs: "instruction" }, /a read needs nothing/],
    [
      "a need that depends on an input which is not taken",
      { ...good, effect: "mutate", needs: "instruction", needsWhen: [{ input: "force", needs: "person" }] },
      /"force", which it does not take/,
    ],
    ["an empty summary", { ...good, summary: " " }, /no summary/],
    ["no surface", { ...good, surfaces: [] }, /on no surface/],
    ["no example", { ...good, examples: [] as unknown as Operation["examples"] }, /no example/],
    [
      "an example of another command",
      { ...good, examples: [{ command: "premath demo greet", says: "" }] },
      /does not start with "bridle demo greet"/,
    ],
    ["an open input schema", { ...good, input: Type.Object({}) }, /additionalProperties: false/],
    [
      "an input that is no object",
      { ...good, input: Type.String() as unknown as Type.TObject },
      /not an object/,
    ],
    ["a property without a description", withInput({ who: Type.String() }), /"who" has no description/],
    ["a flag that is built in", withInput({ json: described() }), /--json of "json" is kept/],
    [
      "two properties with one flag",
      withInput({ a: described(), b: described({ "x-flag": "a" }) }),
      /both claim the flag --a/,
    ],
    ["a gap in the positions", withInput({ a: described({ "x-position": 1 }) }), /positions are not 0, 1/],
    [
      "a list by position that is not last",
      withInput({
        a: Type.Array(Type.String(), { description: "Many.", "x-position": 0 }),
        b: described({ "x-position": 1 }),
      }),
      /must come last/,
    ],
  ])("refuses %s", (_, definition, message) => {
    expect(() => defineOperation(definition)).toThrow(message);
  });
});
