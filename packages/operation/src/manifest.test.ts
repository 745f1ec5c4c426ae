import * as Type from "typebox";
import { expect, test } from "vitest";
import { manifestEntry } from "./manifest.js";
import type { Operation } from "./types.js";

test("an entry is the definition as plain JSON, without handlers and without the output", () => {
  const operation: Operation = {
    names: { id: "op/a.b", action: "a.b", command: ["a", "b"], tool: "a_b" },
    family: "bridle",
    effect: "read",
    surfaces: ["cli"],
    summary: "Does.",
    examples: [{ command: "bridle a b", says: "does" }],
    input: Type.Object(
      { path: Type.Optional(Type.String({ description: "Where.", "x-position": 0 })) },
      { additionalProperties: false },
    ),
    output: Type.Object({}),
    rejectionIsAnswer: true,
    run: async () => ({}),
    present: () => "",
  };
  expect(manifestEntry(operation, "demo")).toEqual({
    names: operation.names,
    family: "bridle",
    effect: "read",
    needs: "nothing",
    surfaces: ["cli"],
    summary: "Does.",
    examples: [{ command: "bridle a b", says: "does" }],
    input: {
      type: "object",
      properties: { path: { type: "string", description: "Where.", "x-position": 0 } },
      additionalProperties: false,
    },
    rejectionIsAnswer: true,
    room: "demo",
  });
});
