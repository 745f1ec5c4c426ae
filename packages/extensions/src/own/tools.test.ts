/** The tool of the guide, word by word, started as a session starts it; and what its type says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { describe, expect, expectTypeOf, test } from "vitest";
import { it } from "../../../../test/support/everyday.js";
import { repository } from "../../../../test/support/built.js";
import { newFolder } from "../../../../test/support/folder.js";
import { writeIn } from "../../../../test/support/foreign-tools.js";
import { start } from "../start.js";
import { tool } from "./tool.js";
import { ownToolsEntry } from "./tools.js";

const guide = readFileSync(join(repository, "docs/guides/own-tools.md"), "utf8");
const [, module = ""] = /```js file=count_words\.mjs\n([\s\S]*?)```/.exec(guide) ?? [];

describe("the tool of the guide", () => {
  it("counts words, in 20 lines", async () => {
    expect(module.trim().split("\n").length).toBeLessThanOrEqual(20);
    const root = newFolder();
    writeIn(root, ".bridle/tools/count_words.mjs", module);
    writeIn(root, "text.txt", "three small words\n");
    const entry = await ownToolsEntry(root, nodePorts().files);
    if (entry === undefined) throw new Error("there are no tools");
    const notices: string[] = [];
    const { signal } = new AbortController();
    const started = await start(entry, { env: process.env, signal, notice: (said) => notices.push(said) });
    try {
      const [own] = started.tools;
      expect(own).toMatchObject({ name: "own_count_words", family: "own", foreign: true });
      const run = { callId: "c", round: 1, signal, update: () => {} };
      expect(await own?.run({ path: "text.txt" }, run)).toMatchObject({ ok: true, text: "3 words" });
      expect(await own?.run({ path: "gone.txt" }, run)).toMatchObject({ ok: false });
      expect(notices).toEqual([]);
    } finally {
      await started.close();
    }
  });
});

test("a tool's arguments are typed by its schema, and a folder without modules has no tools", async () => {
  const made = tool({
    name: "greet",
    description: "Greets.",
    parameters: {
      type: "object",
      properties: { name: { type: "string" }, times: { type: "integer" }, tone: { enum: ["warm", "cool"] } },
      required: ["name"],
    },
    run(args) {
      expectTypeOf(args.name).toEqualTypeOf<string>();
      expectTypeOf(args.times).toEqualTypeOf<number | undefined>();
      expectTypeOf(args.tone).toEqualTypeOf<"warm" | "cool" | undefined>();
      return args.name;
    },
  });
  expect(made.run({ name: "Ada" }, { root: "/", signal: new AbortController().signal })).toBe("Ada");
  const root = newFolder();
  expect(await ownToolsEntry(root, nodePorts().files)).toBeUndefined();
  writeIn(root, ".bridle/tools/README.md", "nothing yet");
  expect(await ownToolsEntry(root, nodePorts().files)).toBeUndefined();
});
