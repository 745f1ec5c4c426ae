import type { JsonObject, JsonValue } from "@bridle/record";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { describe, expect, test } from "vitest";
import { boundedSchema } from "./schema.js";

describe("a server's schema", () => {
  test("keeps what models need, puts references in their place, and is closed", () => {
    const bounded = boundedSchema({
      $schema: "x",
      type: "object",
      properties: {
        kind: { $ref: "#/$defs/Kind", description: "which" },
        tags: { type: "array", items: { type: "string", pattern: "(a+)+$" }, maxItems: 3 },
        more: { type: "object", additionalProperties: { type: "number" } },
        either: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
      },
      required: ["kind", "gone"],
      $defs: { Kind: { enum: ["a", "b"] } },
    });
    expect(bounded).toEqual({
      type: "object",
      properties: {
        kind: { enum: ["a", "b"], description: "which" },
        tags: { type: "array", items: { type: "string" }, maxItems: 3 },
        more: { type: "object", additionalProperties: { type: "number" } },
        either: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
      },
      required: ["kind"],
      additionalProperties: false,
    });
  });

  test("of no object is none, and of nothing takes nothing", () => {
    for (const schema of [7, "x", [], { type: "string" }])
      expect(boundedSchema(schema as JsonValue)).toBeUndefined();
    expect(boundedSchema(undefined)).toEqual({ type: "object", properties: {}, additionalProperties: false });
  });

  test("whatever it is, becomes one that compiles, judges quickly and lets no pattern or reference through", () => {
    const words = [
      "type",
      "properties",
      "items",
      "anyOf",
      "$ref",
      "pattern",
      "required",
      "enum",
      "additionalProperties",
      "$defs",
    ];
    const key = fc.oneof(fc.constantFrom(...words), fc.string());
    const leaf = fc.oneof(
      fc.constantFrom("object", "string", "array", "#/$defs/x", "(a+)+$"),
      fc.jsonValue({ maxDepth: 1 }),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        leaf,
        fc.dictionary(key, tie("tree"), { maxKeys: 5 }),
        fc.array(tie("tree"), { maxLength: 3 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, tree, { maxKeys: 6 }), (given) => {
        const bounded = boundedSchema(given as JsonObject);
        if (bounded === undefined) return;
        expect(() => Compile(bounded as never).Check({ a: "a".repeat(40) })).not.toThrow();
        expect(bounded["additionalProperties"]).toBe(false);
        expect(keysOf(bounded)).not.toContain("$ref");
      }),
      { numRuns: 60 },
    );
  });
});

/** Keywords, and not the names of properties. */
function keysOf(schema: JsonValue | undefined): string[] {
  if (Array.isArray(schema)) return schema.flatMap(keysOf);
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) =>
    name === "properties" && typeof value === "object" && value !== null
      ? Object.values(value as JsonObject).flatMap(keysOf)
      : [name, ...keysOf(value)],
  );
}
