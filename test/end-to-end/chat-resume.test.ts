/** `bridle chat --resume` with the beginning of a name. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect } from "vitest";
import { ChatWorld } from "../support/chat.js";
import { it } from "../support/everyday.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
beforeAll(() => void execFileSync(process.execPath, [join(root, "scripts/build.mjs")]));

/** Sessions of these names, each asked for the thing of its name; the last is the latest. */
async function worldWith(...names: readonly string[]): Promise<ChatWorld> {
  const world = await ChatWorld.with({ text: ["Fine."] });
  await world.run(["chat", "thing of nobody"]);
  const folder = join(world.folder, ".bridle/agent/sessions");
  const made = readdirSync(folder).find((each) => each.endsWith(".jsonl")) ?? "";
  const log = readFileSync(join(folder, made), "utf8");
  rmSync(join(folder, made));
  for (const [at, name] of names.entries()) {
    const path = join(folder, `${name}.jsonl`);
    writeFileSync(path, log.replaceAll(made.replace(".jsonl", ""), name).replace("of nobody", `of ${name}.`));
    utimesSync(path, at, at);
  }
  return world;
}

describe("--resume with the beginning of a name", () => {
  it("goes on with the one session that it fits, and a whole name is that one", async () => {
    const world = await worldWith("s-aaaa", "s-aaaa2", "s-bbbb1");
    const { code, stdout } = await world.run(["chat", "and more", "--resume", "s-bb"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Fine.\n" });
    expect(world.server.asked.at(-1)?.text).toMatch(/thing of s-bbbb1\..*and more/);
    await world.run(["chat", "and more", "--resume", "s-aaaa"]);
    expect(world.server.asked.at(-1)?.text).toMatch(/thing of s-aaaa\..*and more/);
  });

  it("that fits several or none is an error which names them or says where to look", async () => {
    const world = await worldWith("s-aaaa1", "s-aaaa2", "s-aaaa3");
    const asked = world.server.asked.length;
    const several = await world.run(["chat", "and more", "--resume", "s-aaa"]);
    expect(several.code).toBe(1);
    expect(several.stderr).toMatch(/"s-aaa" fits 3 sessions: s-aaaa3, s-aaaa2, s-aaaa1 .*session_unknown/);
    for (const name of ["s-cccc", "s-a", "aaaa1", "../s-aaaa1"]) {
      const { code, stderr } = await world.run(["chat", "and more", "--resume", name]);
      expect(code).toBe(1);
      expect(stderr).toContain(`there is no session ${JSON.stringify(name)} in`);
      expect(stderr).toContain("`bridle chat --sessions` lists them");
    }
    expect(world.server.asked).toHaveLength(asked);
  });
});
