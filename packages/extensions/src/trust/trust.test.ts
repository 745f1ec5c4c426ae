import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { describe, expect, test } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { writeIn } from "../../../../test/support/foreign-tools.js";
import { wantedFor } from "../start.js";
import type { ServerEntry, Stdio, TrustQuestion } from "../types.js";
import { Trust } from "./trust.js";

const ports = nodePorts();
const server = (folder: string, how: Partial<Stdio> = {}): ServerEntry => ({
  ...{ name: "s", origin: "project", file: join(folder, ".mcp.json"), folder },
  how: { kind: "stdio", command: "node", args: ["server.mjs"], env: { A: "${A}" }, ...how },
});

describe("a person's yes", () => {
  test("is to exactly what was shown: another word, variable, file or folder is asked about again", async () => {
    const [root, home] = [newFolder(), newFolder()];
    const env = { HOME: home };
    writeIn(root, "server.mjs", "one");
    const trust = await Trust.open({ env, ports });
    const asked: TrustQuestion[] = [];
    const allowed = async (entry: ServerEntry, folder = root, answer?: boolean) =>
      trust.allows(
        await wantedFor(entry, { root: folder, ports }),
        answer === undefined
          ? undefined
          : async (question) => {
              asked.push(question);
              return answer;
            },
      );
    expect(await allowed(server(root))).toBe(false);
    expect(await allowed(server(root), root, false)).toBe(false);
    expect(existsSync(join(home, ".config/bridle/trust.json"))).toBe(false);
    expect(await allowed(server(root), root, true)).toBe(true);
    expect(asked.at(-1)).toEqual({
      what: `this project's MCP server "s"`,
      lines: [
        "node server.mjs",
        "with A=${A}",
        "given from your environment: A",
        "the file server.mjs, as it is now",
      ],
      changed: false,
    });
    // Kept, also for others who open it; whatever differs is not.
    expect(await allowed(server(root))).toBe(true);
    for (const other of [
      { args: ["server.mjs", "-x"] },
      { command: "nodejs" },
      { env: { A: "b" } },
      { env: {} },
    ])
      expect(await allowed(server(root, other))).toBe(false);
    const clone = newFolder();
    writeIn(clone, "server.mjs", "one");
    expect(await allowed(server(clone), clone)).toBe(false);
    writeIn(root, "server.mjs", "two");
    expect(await allowed(server(root))).toBe(false);
    expect(await allowed(server(root), root, true)).toBe(true);
    expect(asked.at(-1)?.changed).toBe(true);
    expect(readFileSync(join(home, ".config/bridle/trust.json"), "utf8")).toContain("bridle.trust.v1");
    await trust.forget(await wantedFor(server(root), { root, ports }));
    expect(await allowed(server(root))).toBe(false);
  });

  test("to one's own server holds in every folder", async () => {
    const home = newFolder();
    const trust = await Trust.open({ env: { HOME: home }, ports });
    const own: ServerEntry = {
      ...server(home),
      origin: "person",
      file: join(home, ".config/bridle/mcp.json"),
    };
    const [one, two] = [newFolder(), newFolder()];
    expect(await trust.allows(await wantedFor(own, { root: one, ports }), async () => true)).toBe(true);
    expect(await trust.standing(await wantedFor(own, { root: two, ports }))).toBe("trusted");
  });

  test("in a file that is damaged is none, and the file is left as it is", async () => {
    const home = newFolder();
    writeIn(home, ".config/bridle/trust.json", '{"trustKind": "other"}');
    const trust = await Trust.open({ env: { HOME: home }, ports });
    await expect(trust.standing(await wantedFor(server(home), { root: home, ports }))).rejects.toThrow(
      /is not a list of what you let start/,
    );
    expect(readFileSync(join(home, ".config/bridle/trust.json"), "utf8")).toBe('{"trustKind": "other"}');
  });
});
