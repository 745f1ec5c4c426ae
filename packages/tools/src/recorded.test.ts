import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, nodePorts } from "@bridle/record";
import fc from "fast-check";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/folder.js";
import { recordedTools } from "./recorded.js";
import { standardTools } from "./standard.js";

const config = { writeStreamSink: true, writeStreamSinkMinChars: 8_000 };

it("what a call is after is the same as when the folder was there, and nothing is looked at", async () => {
  const parent = newFolder();
  const root = join(parent, "work");
  const home = join(root, "home");
  mkdirSync(join(root, "sub"), { recursive: true });
  writeFileSync(join(root, "a.txt"), "hello\n");
  const ports = nodePorts();
  const { tools: then } = await standardTools({ root, session: "s-1", ports, env: { HOME: home }, config });
  rmSync(root, { recursive: true });
  const now = new Map(recordedTools({ root, home, ports }).map((tool) => [tool.name, tool]));
  expect([...now.keys()]).toEqual(then.map(({ name }) => name));
  const path = fc.oneof(
    fc.constantFrom(
      "a.txt",
      "sub",
      ".",
      "../out",
      ".env",
      "package.json",
      `${root}/a.txt`,
      "/etc/passwd",
      "~/x",
      "a\u0000",
    ),
    fc.string(),
  );
  const command = fc.oneof(
    fc.constantFrom(
      "ls",
      "rm -rf ~",
      "rm -rf ~/x",
      `cat ${root}/a.txt`,
      "cat /etc/shadow",
      "cd sub && touch b",
      "git push",
    ),
    fc.tuple(fc.constantFrom("cat", "rm", "touch", "sed -i s/a/b/"), path).map((words) => words.join(" ")),
  );
  const args = fc.record({
    path,
    command,
    content: fc.string(),
    mode: fc.constantFrom("create", "append"),
    pattern: path,
  });
  fc.assert(
    fc.property(fc.constantFrom(...then), args, (tool, given) => {
      const again = now.get(tool.name);
      expect(again?.intent(given as JsonObject)).toEqual(tool.intent(given as JsonObject));
      expect(again).toMatchObject({
        description: tool.description,
        parameters: tool.parameters,
        family: tool.family,
      });
    }),
    { numRuns: 500 },
  );
  await expect(now.get("read_file")?.run({ path: "a.txt" }, {} as never)).rejects.toThrow(
    "nothing runs in a replay",
  );
  expect(now.get("write_file")?.stream).toBeUndefined();
  expect(existsSync(root)).toBe(false);
});
