import * as Type from "typebox";
import { describe, expect, test } from "vitest";
import { OperationTable } from "./registry.js";
import type { Operation, OperationNames } from "./types.js";

function operation(names: Partial<OperationNames>): Operation {
  return {
    names: { id: "op/a.b", action: "a.b", command: ["a", "b"], tool: "a_b", ...names },
    family: "bridle",
    effect: "read",
    surfaces: ["cli"],
    summary: "Does.",
    examples: [{ command: "bridle a b", says: "does" }],
    input: Type.Object({}, { additionalProperties: false }),
    output: Type.Object({}),
    run: async () => ({}),
  };
}

const first = operation({});
const fresh: OperationNames = { id: "op/c.d", action: "c.d", command: ["c", "d"], tool: "c_d" };

describe("OperationTable", () => {
  test("finds an operation by each of its names", () => {
    const table = new OperationTable([first, operation(fresh)]);
    expect(table.byId("op/a.b")).toBe(first);
    expect(table.byAction("a.b")).toBe(first);
    expect(table.byTool("a_b")).toBe(first);
    expect(table.byCommand(["a", "b"])).toBe(first);
    expect(table.byId("op/none")).toBeUndefined();
    expect([...table]).toHaveLength(2);
  });

  test.each<[keyof OperationNames, Partial<OperationNames>]>([
    ["id", { id: "op/a.b" }],
    ["action", { action: "a.b" }],
    ["command", { command: ["a", "b"] }],
    ["tool", { tool: "a_b" }],
  ])(
    "[RUNTIME-8.2] a second operation with the same %s is refused, and the table stays as it was",
    (kind, clash) => {
      const table = new OperationTable([first]);
      expect(() => table.add(operation({ ...fresh, ...clash }))).toThrow(
        new RegExp(`^${kind} ".*" is claimed by op/.* but already belongs to op/a\\.b`),
      );
      expect(table.size).toBe(1);
      table.add(operation(fresh));
      expect(table.size).toBe(2);
    },
  );

  test("several operations share a command when each has a mode of its own", () => {
    const named = (mode: string) =>
      operation({ id: `op/a.${mode}`, action: `a.${mode}`, tool: `a_${mode}`, mode });
    const table = new OperationTable([named("one"), named("two")]);
    expect(table.byCommand(["a", "b"])?.names.mode).toBe("one");
    expect(() => table.add(operation({ ...fresh, command: ["a", "b"], mode: "two" }))).toThrow(/^command/);
    expect(() => table.add(operation({ ...fresh, command: ["a", "b"] }))).toThrow(/^command/);
    expect(
      () => new OperationTable([first, operation({ ...fresh, command: ["a", "b"], mode: "x" })]),
    ).toThrow(/^command/);
    expect(table.size).toBe(2);
  });

  test("an action may have a second spelling, which then is no other operation's", () => {
    const twice = operation({ otherActions: ["a.b_c"] });
    const table = new OperationTable([twice]);
    expect(table.byAction("a.b_c")).toBe(twice);
    expect(table.byAction("a.b")).toBe(twice);
    expect(() => table.add(operation({ ...fresh, action: "a.b_c" }))).toThrow(/^action "a.b_c"/);
    expect(() => table.add(operation({ ...fresh, otherActions: ["a.b"] }))).toThrow(/^action "a.b"/);
    expect(table.size).toBe(1);
  });

  test("a command that begins another one is refused when it takes words by position", () => {
    const placed = (names: Partial<OperationNames>): Operation => ({
      ...operation(names),
      input: Type.Object(
        { word: Type.Optional(Type.String({ description: "A word.", "x-position": 0 })) },
        { additionalProperties: false },
      ),
    });
    const table = new OperationTable([placed({})]);
    const yielding = placed({ ...fresh, command: ["a"] });
    (yielding.input.properties as Record<string, Record<string, unknown>>)["word"]!["x-yields"] = true;
    expect(() => new OperationTable([placed({}), yielding])).not.toThrow();
    expect(() => table.add(placed({ ...fresh, command: ["a"] }))).toThrow(/one begins the other/);
    expect(() => table.add(operation({ ...fresh, command: ["a", "b", "c"] }))).toThrow(
      /one begins the other/,
    );
    expect(table.size).toBe(1);
    table.add(operation({ ...fresh, command: ["a", "bb"] }));
  });

  test("a command that takes flags alone may have others below it", () => {
    const table = new OperationTable([first]);
    table.add(operation({ ...fresh, command: ["a"] }));
    table.add(operation({ id: "op/e.f", action: "e.f", tool: "e_f", command: ["a", "b", "c"] }));
    expect(table.byCommand(["a"])?.names.id).toBe("op/c.d");
    expect(table.byCommand(["a", "b", "c"])?.names.id).toBe("op/e.f");
  });
});
