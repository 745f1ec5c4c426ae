/** Folders for parts of writes are there while a part is, and not a moment longer than that needs. */
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { useChildren } from "../../../../test/support/children.js";
import { newFastFolder } from "../../../../test/support/folder.js";
import { writeKit } from "../../../../test/support/write-tools.js";
import { sweepStaging } from "./staging-folder.js";

const children = useChildren();
const content = Array.from({ length: 100 }, (_, i) => `line ${i} of some length\n`).join("");

describe("the staging folder", () => {
  it("is gone when a write that arrived whole is written, and when a cut one was completed", async () => {
    const kit = await writeKit({ minChars: 100 });
    const stream = kit.writeFile.stream?.("call-whole");
    stream?.delta(JSON.stringify({ path: "a.txt", content }));
    await stream?.drop();
    expect(readdirSync(kit.state)).toEqual([]);
    const cut = await kit.cut({ path: "b.txt", content }, 1_000);
    expect(cut).toMatchObject({ staged: true });
    expect(readdirSync(kit.state)).toEqual(["staging"]);
    const done = await kit.write({
      ...{ path: "b.txt", mode: "append" },
      content: content.slice(content.indexOf(cut?.tail ?? "")),
    });
    expect(done.ok).toBe(true);
    expect(readdirSync(kit.state)).toEqual([]);
  });

  it("of a session that left nothing, or nothing of this day, goes when another one begins, which keeps its own", async () => {
    const state = newFastFolder();
    const [empty, old, used] = ["s-1", "s-2", "s-3"].map((name) => join(state, "staging", name)) as [
      string,
      string,
      string,
    ];
    for (const folder of [empty, old, used]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(used, "x.part"), "part");
    writeFileSync(join(old, "x.part"), "part");
    utimesSync(join(old, "x.part"), 1, 1);
    const own = join(state, "staging", "s-4");
    mkdirSync(own);
    writeFileSync(join(own, "x.part"), "part");
    utimesSync(join(own, "x.part"), 1, 1);
    await sweepStaging({ stateFolder: state, session: "s-4" }, nodePorts());
    expect(readdirSync(join(state, "staging"))).toEqual(["s-3", "s-4"]);
    expect(existsSync(join(used, "x.part"))).toBe(true);
  });

  it("may be taken away by another process while it is empty, and no part is lost by that", async () => {
    const kit = await writeKit({ minChars: 100 });
    const root = join(kit.state, "staging");
    const sweeper = children.start("rmdir-often", { folders: [join(root, "s-1"), root] });
    await sweeper.says("begun");
    let kept = 0;
    for (let i = 0; i < 400; i++) {
      // Some wait in memory and are staged at the end, others while they arrive.
      const cut = await kit.cut({ path: `f${i}.txt`, content }, i % 2 === 0 ? 90 : 1_000);
      expect(cut, `write ${i}`).toMatchObject({ staged: true });
      kept++;
      await kit.staging.drop(kit.workspace.place(`f${i}.txt`));
    }
    sweeper.tell("end");
    await sweeper.finish();
    console.log(
      `proof: staging: ${kept} parts kept while another process took the empty folder away (${sweeper.lines.at(-2)})`,
    );
    expect(readdirSync(kit.state)).toEqual([]);
  });
});
