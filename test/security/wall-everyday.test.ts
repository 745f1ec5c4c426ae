/** The wall is not in the way: what people run all day, in a linked worktree, as root and as an ordinary user. */
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { buildOnce, repository } from "../support/built.js";
import { useChildren } from "../support/children.js";
import { newFolder } from "../support/folder.js";
import { full } from "../support/scale.js";
import { wallLayers } from "../support/wall/stands.js";

const children = useChildren();
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const people = isRoot ? ["root", ...(full ? ["an ordinary user"] : [])] : ["an ordinary user"];

if (wallLayers) {
  beforeAll(buildOnce);

  it.each(people)("everyday commands of %s succeed", { timeout: 600_000 }, async (who) => {
    const folder = newFolder();
    chmodSync(folder, 0o755);
    const base = join(folder, "project");
    mkdirSync(base);
    const isOther = isRoot && who !== "root";
    if (isOther) chownSync(base, nobody, nobody);
    // What is in root's home is nothing that somebody else could run.
    const path = isOther ? "/usr/local/bin:/usr/bin:/bin" : (process.env["PATH"] ?? "");
    const child = children.start(
      "wall-everyday",
      { base, repository: repository.replace(/\/$/, ""), path },
      isOther ? { uid: nobody, gid: nobody } : {},
    );
    await child.finish();
    const ran = child.lines
      .filter((line) => line.startsWith("ran "))
      .map((line) => JSON.parse(line.slice(4)) as { command: string; ok: boolean; text: string });
    for (const line of child.lines) if (line.startsWith("not tried")) process.stdout.write(`${line}\n`);
    expect(ran.filter(({ ok }) => !ok)).toEqual([]);
    expect(ran.length).toBeGreaterThanOrEqual(20);
    process.stdout.write(`proof: ${who}: ${ran.length} everyday commands succeed behind the wall\n`);
  });
}
