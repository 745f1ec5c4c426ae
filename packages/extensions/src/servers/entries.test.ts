import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { describe, expect, test } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { writeIn } from "../../../../test/support/foreign-tools.js";
import type { ServerEntry } from "../types.js";
import { howOf, readEntries } from "./entries.js";
import { serverEnvironment } from "./environment.js";
import { expanded, givenSecrets, namesIn } from "./expand.js";

async function read(project: object | string, person: object | string = {}) {
  const [root, home] = [newFolder(), newFolder()];
  writeIn(root, ".mcp.json", project);
  writeIn(home, ".config/bridle/mcp.json", person);
  const found = await readEntries({ root, env: { HOME: home }, ports: { files: nodePorts().files } });
  return { ...found, root, home };
}

describe("the servers of a folder", () => {
  test("are the project's but for ours, in its folder, and the person's, in their home", async () => {
    const { servers, faults, root, home } = await read(
      {
        mcpServers: {
          a: { command: "a" },
          premath: { command: "premath", args: ["mcp-serve", "--lane", "editor"] },
          ours: { command: "npx", args: ["/opt/bin/bridle", "mcp-serve"] },
          not: { command: "other", args: ["mcp-serve"] },
        },
      },
      { mcpServers: { b: { url: "https://b" }, ours: { command: "premath", args: ["mcp-serve"] } } },
    );
    expect(servers.map(({ name, origin, folder }) => [name, origin, folder])).toEqual([
      ["b", "person", home],
      ["ours", "person", home],
      ["a", "project", root],
      ["not", "project", root],
    ]);
    expect(faults).toEqual([]);
  });

  test("of one name are the person's, and each that cannot be used is a sentence", async () => {
    const { servers, faults } = await read(
      {
        mcpServers: {
          a: { command: "evil" },
          b: 7,
          c: {},
          d: { command: "x", args: [1] },
          e: { type: "sse", url: "u" },
        },
      },
      { mcpServers: { a: { command: "mine" } } },
    );
    expect(servers.map(({ how }) => how)).toEqual([{ kind: "stdio", command: "mine", args: [], env: {} }]);
    expect(faults).toHaveLength(5);
    expect(faults.join("\n")).toMatch(
      /"b".*no object[\s\S]*"c".*command or a url[\s\S]*"d".*args[\s\S]*SSE[\s\S]*"a".*your own has its name/,
    );
  });

  test.each(["[]", "nonsense", '{"mcpServers": 7}', "x".repeat(300_000)])(
    "of a file that is none: %.20s",
    async (text) => {
      const { servers, faults, root } = await read(text);
      expect(servers).toEqual([]);
      expect(faults[0]).toContain(`no MCP server of ${join(root, ".mcp.json")} counts`);
    },
  );
});

describe("an entry", () => {
  const entry: ServerEntry = {
    ...{ name: "x", origin: "project", file: "/f", folder: "/" },
    how: {
      kind: "stdio",
      command: "${BIN:-node}",
      args: ["--key=${KEY}"],
      env: { TOKEN: "${TOKEN}", PLAIN: "$KEY" },
    },
  };

  test("is given what it names from the environment, and nothing else of it", () => {
    const env = { KEY: "k", TOKEN: "long-token", OTHER: "secret", PATH: "/bin", ANTHROPIC_API_KEY: "secret" };
    const how = expanded(entry, env);
    expect(how).toEqual({
      kind: "stdio",
      command: "node",
      args: ["--key=k"],
      env: { TOKEN: "long-token", PLAIN: "$KEY" },
    });
    expect(namesIn(entry)).toEqual(["BIN", "KEY", "TOKEN"]);
    expect(givenSecrets(entry, env)).toEqual([["TOKEN", "long-token"]]);
    if (how.kind !== "stdio") throw new Error("stdio");
    expect(serverEnvironment(how, env)).toEqual({
      ...{ PATH: "/bin", TERM: "dumb", NO_COLOR: "1", TOKEN: "long-token", PLAIN: "$KEY" },
    });
  });

  test("that names what is not set is refused with the name", () => {
    expect(() => expanded(entry, { TOKEN: "t" })).toThrow(/needs the variable KEY, which is not set/);
  });

  test("that is disabled, or says both, is none", () => {
    expect(howOf({ command: "x", disabled: true })).toBe("it is disabled");
    expect(howOf({ command: "x", url: "y" })).toBe("it needs either a command or a url");
  });
});
