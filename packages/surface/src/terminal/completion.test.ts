import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { commandNames } from "./commands.js";
import { completion } from "./completion.js";
import { loadPi, type Pi } from "./pi.js";

let pi: Pi;
beforeAll(async () => (pi = await loadPi()));

async function offered(line: string, { folder = newFolder(), force = false } = {}): Promise<string[]> {
  const provider = completion(pi, { folder, commands: commandNames });
  const { signal } = new AbortController();
  const found = await provider.getSuggestions([line], 0, line.length, { signal, force });
  return found?.items.map(({ value }) => value) ?? [];
}

describe("a slash", () => {
  test.each([
    ["/", commandNames.map(({ name }) => name)],
    ["/co", ["compact", "context", "cost"]],
    ["/sesions", []],
    ["/never ", ["write", "network", "host"]],
    ["/never n", ["network"]],
    ["/never network", []],
    ["/usr/bin", []],
    ["look at /no-such-file-or-command", []],
  ])("%j offers %j", async (typed, expected) => {
    expect(await offered(typed)).toEqual(expected);
  });
});

describe("Tab", () => {
  test("offers files of the folder, behind a command too, but none whose name would steer the terminal", async () => {
    const folder = newFolder();
    for (const name of ["apple.txt", "apply.ts", "ap\u001b[2Jx", "ap\u202etxt", "ap\nx"])
      writeFileSync(join(folder, name), "");
    for (const typed of ["see ap", "/keep ap"])
      expect((await offered(typed, { folder, force: true })).toSorted()).toEqual(["apple.txt", "apply.ts"]);
  });
});

describe("an @", () => {
  test("offers files and folders of the folder by their beginning, and nothing outside or once it is whole", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, "src"));
    for (const name of ["apple.txt", "src/main.ts", ".hidden", "ap\u001b[2Jx", "a b"])
      writeFileSync(join(folder, name), "");
    for (const [typed, expected] of [
      ["see @", ["@apple.txt", "@src/"]],
      ["see @ap", ["@apple.txt"]],
      ["@apple.txt", []],
      ["@src/", ["@src/main.ts"]],
      ["/review @sr", ["@src/"]],
      ["@.h", ["@.hidden"]],
      ["@../", []],
      ["mail@ap", []],
    ] as const)
      expect(await offered(typed, { folder })).toEqual(expected);
  });
});
