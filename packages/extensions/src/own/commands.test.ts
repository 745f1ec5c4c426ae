import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { describe, expect, test } from "vitest";
import { repository } from "../../../../test/support/built.js";
import { newFolder } from "../../../../test/support/folder.js";
import { writeIn } from "../../../../test/support/foreign-tools.js";
import { ownCommands, ownCommandText } from "./commands.js";

async function commandsOf(files: Record<string, string>, taken: readonly string[] = []) {
  const root = newFolder();
  for (const [name, text] of Object.entries(files)) writeIn(root, `.bridle/commands/${name}`, text);
  return ownCommands(root, { files: nodePorts().files, taken });
}

describe("a command of one's own", () => {
  test("is the one of the guide", async () => {
    const guide = readFileSync(join(repository, "docs/guides/own-tools.md"), "utf8");
    const [, text = ""] = /```md file=review\.md\n([\s\S]*?)```/.exec(guide) ?? [];
    const { commands } = await commandsOf({ "review.md": text });
    expect(commands).toMatchObject([{ name: "review", says: "Review one file", takes: "<path>" }]);
    expect(ownCommandText("/review src/a.ts", commands)).toBe(
      "Review @src/a.ts. Name what is wrong, worst first, with the line.",
    );
  });

  test.each([
    ["/say", "Say:  and  ()."],
    ["/say one two", "Say: one and two (one two)."],
    ["/say 'one thing' $1 $ARGUMENTS", "Say: one thing and $1 ('one thing' $1 $ARGUMENTS)."],
    ["/plain", "Just that; it costs $15."],
    ["/plain and more", "Just that; it costs $15.\n\nand more"],
    ["/other", undefined],
    ["say /say", undefined],
  ])("%s says %j", async (typed, said) => {
    const { commands } = await commandsOf({
      "say.md": "Say: $1 and $2 ($ARGUMENTS).",
      "plain.md": "Just that; it costs $15.",
    });
    expect(ownCommandText(typed, commands)).toBe(said);
  });

  test("that has our name, a bad one or no text is left out with a sentence, and steers no terminal", async () => {
    const { commands, faults } = await commandsOf(
      {
        "help.md": "x",
        "a b.md": "x",
        "empty.md": "---\ndescription: y\n---\n",
        "fine.md": "Look\u001b[2J\nmore",
        "note.txt": "x",
      },
      ["help"],
    );
    expect(commands.map(({ name, says }) => [name, says])).toEqual([["fine", "Look\\u001b[2J"]]);
    expect(faults).toHaveLength(3);
    expect(faults.join()).toMatch(/a b\.md.*empty\.md.*it says nothing.*help\.md.*one of ours/);
  });
});
