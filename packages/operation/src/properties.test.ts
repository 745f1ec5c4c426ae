import * as Type from "typebox";
import { expect, test } from "vitest";
import { commandLineName, kebabCase, propertiesOf } from "./properties.js";

test("names become flags", () => {
  expect(["issueId", "path", "HTTPPort", "step_id", "sha256Hex"].map(kebabCase)).toEqual([
    "issue-id",
    "path",
    "http-port",
    "step-id",
    "sha256-hex",
  ]);
});

test("a TypeBox schema and its JSON say the same about every property", () => {
  const schema = Type.Object({
    path: Type.String({ description: "Where.", "x-position": 0, "x-placeholder": "file" }),
    state: Type.Optional(
      Type.Union([Type.Literal("active"), Type.Literal("stopped")], { default: "stopped" }),
    ),
    mode: Type.Optional(Type.Enum(["a", "b"])),
    instructionRefs: Type.Optional(Type.Array(Type.String(), { "x-flag": "instruction-ref" })),
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
    deep: Type.Optional(Type.Object({})),
  });
  const properties = propertiesOf(schema);
  expect(propertiesOf(JSON.parse(JSON.stringify(schema)) as object)).toEqual(properties);
  expect(properties.map(({ name, kind, list, required }) => [name, kind, list, required])).toEqual([
    ["path", "string", false, true],
    ["state", "string", false, false],
    ["mode", "string", false, false],
    ["instructionRefs", "string", true, false],
    ["limit", "integer", false, false],
    ["deep", "json", false, false],
  ]);
  expect(properties[0]).toMatchObject({ position: 0, placeholder: "file", description: "Where." });
  expect(properties[1]).toMatchObject({ choices: ["active", "stopped"], default: "stopped" });
  expect(properties[2]?.choices).toEqual(["a", "b"]);
  expect(properties.map(commandLineName)).toEqual([
    "<path>",
    "--state",
    "--mode",
    "--instruction-ref",
    "--limit",
    "--deep",
  ]);
});
