import { defineOperation, type Manifest, manifestEntry } from "@bridle/operation";
import * as Type from "typebox";
import { expect, test } from "vitest";
import { commandsOf } from "./commands.js";
import { completionScript } from "./complete.js";
import { helpText } from "./help.js";
import { plainPaint } from "./paint.js";
import { parse } from "./parse.js";

const look = (mode: string, properties: Record<string, Type.TSchema>) =>
  manifestEntry(
    defineOperation({
      names: { id: `op/look.${mode}`, action: `look.${mode}`, command: ["look"], tool: `look_${mode}`, mode },
      family: "premath",
      effect: "read",
      surfaces: ["cli"],
      summary: `Look ${mode}.`,
      examples: [{ command: `premath look --mode ${mode}`, says: `looks ${mode}` }],
      input: Type.Object(properties, { additionalProperties: false }),
      output: Type.Object({}),
      run: async () => ({}),
    }),
    "demo",
  );
const where = Type.Optional(Type.String({ description: "Where." }));
const manifest: Manifest = {
  manifestKind: "bridle.manifest.v1",
  version: "0",
  failures: {},
  operations: [
    look("up", { where }),
    look("down", { where, depth: Type.Integer({ description: "How far." }) }),
  ],
};
const entries = commandsOf(manifest, "premath");
const ask = (...argv: string[]) => parse(argv, { launcher: "premath", entries });

test("the mode says which of the operations is meant, and is no part of its input", () => {
  expect(ask("look", "--where", "x")).toMatchObject({
    kind: "call",
    entry: { names: { id: "op/look.up" } },
    input: { where: "x" },
  });
  const down = ask("look", "--mode", "down", "--depth", "3");
  expect(down).toMatchObject({ kind: "call", entry: { names: { id: "op/look.down" } } });
  expect(down).toHaveProperty("input", { depth: 3 });
});

test("a mode that there is not is refused with those that there are", () => {
  expect(ask("look", "--mode", "left")).toMatchObject({
    kind: "invalid",
    refusal: { message: 'there is no mode "left"; there is up, down' },
  });
});

test("help and completion show one command with every flag of its modes", () => {
  expect(entries).toHaveLength(1);
  const help = helpText({ launcher: "premath", entries, topic: ["look"], paint: plainPaint });
  for (const text of ["--mode <up|down>", "--depth", "--where", "Look down.", "premath look --mode down"])
    expect(help).toContain(text);
  expect(help).toContain("Usage\n  premath look [flags]");
  expect(completionScript("bash", "premath", entries)).toContain("--depth");
});
