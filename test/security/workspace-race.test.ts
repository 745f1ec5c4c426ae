/**
 * A process swaps folders and a file of the workspace for links to outside, while
 * another one reads, lists and commits there: nothing outside is read or changed.
 *
 * That the race is a real one is shown by careless ways to reach a folder, which
 * look before they open: they are caught.
 */
import * as fs from "node:fs";
import { join } from "node:path";
import { Failure } from "@bridle/record";
import { describe, expect, it } from "vitest";
// The way to reach folders is no part of the room's surface; a test plants a careless one.
import { openWorkspaceOn } from "../../packages/tools/src/outside/workspace.js";
import {
  type Folder,
  type Ground,
  handleGround,
  pathGround,
} from "../../packages/tools/src/outside/workspace-folders.js";
import type { Workspace } from "../../packages/tools/src/types.js";
import { useChildren } from "../support/children.js";
import { newFastFolder } from "../support/folder.js";
import { full, share } from "../support/scale.js";

const children = useChildren();
const rounds = share(10_000, 1_500);
const canary = "canary-91cc-outside";
/** What lies outside. */
const files = ["f", "mark", "mid/f", "mid/mark"];

interface Outcome {
  readonly rounds: number;
  readonly swaps: number;
  readonly escapes: readonly string[];
  /** How often each came out. */
  readonly tally: Readonly<Record<string, number>>;
}

async function race(
  groundOf: (root: string) => Ground,
  { most, untilEscape = false }: { readonly most: number; readonly untilEscape?: boolean },
): Promise<Outcome> {
  const base = newFastFolder();
  const [root, outside] = [join(base, "root"), join(base, "outside")];
  for (const folder of [root, join(root, "dir"), join(root, "deep"), join(root, "deep/mid")])
    fs.mkdirSync(folder);
  for (const file of ["dir/f", "deep/f", "deep/mid/f", "file"]) fs.writeFileSync(join(root, file), "inside");
  const restore = () => {
    fs.rmSync(outside, { recursive: true, force: true });
    fs.mkdirSync(join(outside, "mid"), { recursive: true });
    for (const file of files) fs.writeFileSync(join(outside, file), canary);
  };
  restore();
  const space = await openWorkspaceOn(root, groundOf);
  const child = children.start("swap", { root, outside });
  await child.says("ready");

  const tally: Record<string, number> = {};
  const escapes: string[] = [];
  let round = 0;
  for (; round < most && !(untilEscape && escapes.length > 0); round++) {
    const [name, act] = acts[round % acts.length]!;
    const came = await outcomeOf(act(space, round));
    tally[`${name} ${came.is}`] = (tally[`${name} ${came.is}`] ?? 0) + 1;
    if (came.saw.includes(canary) || came.saw.includes("mark")) escapes.push(`${name} saw outside`);
    const harm = harmTo(outside);
    if (harm !== undefined) {
      escapes.push(`${name} ${harm}`);
      restore();
    }
  }
  child.tell("stop");
  const swaps = Number((await child.says("swaps ")).slice("swaps ".length));
  await child.finish();
  return { rounds: round, swaps, escapes, tally };
}

/** What of it was changed, made or taken away. */
function harmTo(outside: string): string | undefined {
  const names = fs.readdirSync(outside, { recursive: true }).map(String).toSorted();
  if (names.join() !== [...files, "mid"].toSorted().join()) return `left ${names.join()} outside`;
  const changed = files.find((file) => fs.readFileSync(join(outside, file), "utf8") !== canary);
  return changed === undefined ? undefined : `changed ${changed} outside`;
}

async function outcomeOf(act: Promise<string>): Promise<{ readonly is: string; readonly saw: string }> {
  try {
    return { is: "done", saw: await act };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { is: error.failureClass, saw: error.message };
  }
}

const read = async (space: Workspace, path: string) =>
  Buffer.from(await space.read(space.place(path))).toString();
const commit = async (space: Workspace, path: string, is: "any" | "absent") => {
  const change = { path: space.place(path), content: Buffer.from("inside"), expected: { is } };
  return (await space.commit(change)).path;
};
const list = async (space: Workspace, path: string) =>
  (await space.list(space.place(path))).map(({ name }) => name).join();

const acts: readonly (readonly [string, (space: Workspace, round: number) => Promise<string>])[] = [
  ["read", (space) => read(space, "dir/f")],
  ["commit", (space) => commit(space, "dir/f", "any")],
  ["commit", (space, round) => commit(space, `dir/new-${round}`, "absent")],
  ["list", (space) => list(space, "dir")],
  ["read", (space) => read(space, "file")],
  ["commit", (space) => commit(space, "file", "any")],
  ["read", (space) => read(space, "file")],
  ["read", (space) => read(space, "deep/mid/f")],
  ["read", (space) => read(space, "file")],
  ["commit", (space) => commit(space, "deep/mid/f", "any")],
  ["commit", (space, round) => commit(space, `deep/mid/made-${round}/f`, "any")],
  ["list", (space) => list(space, "deep/mid")],
];

// --- Careless ways ---------------------------------------------------------------------------------

/** Looks whether the path is a link, and then opens it by its path. */
class CarelessFolder implements Folder {
  constructor(readonly here: string) {}
  at(name: string): string {
    return join(this.here, name);
  }
  enter(name: string): Folder {
    const path = this.at(name);
    if (!fs.lstatSync(path).isDirectory()) throw Object.assign(new Error("ENOTDIR"), { code: "ENOTDIR" });
    return new CarelessFolder(path);
  }
  open(name: string, flags: number, mode?: number): number {
    return fs.openSync(this.at(name), flags, mode);
  }
  standsAt(): boolean {
    return true;
  }
  async sync(): Promise<void> {}
  close(): void {}
}

/** Holds its folders as it should, but follows a link in the last part. */
const followingFiles = (root: string): Ground => {
  const wrap = (folder: Folder): Folder => ({
    here: folder.here,
    at: (name) => folder.at(name),
    enter: (name) => wrap(folder.enter(name)),
    open: (name, flags, mode) => fs.openSync(folder.at(name), flags, mode),
    standsAt: (path) => folder.standsAt(path),
    sync: () => folder.sync(),
    close: () => folder.close(),
  });
  const ground = handleGround(root);
  return { enterRoot: () => wrap(ground.enterRoot()) };
};

const title = "a workspace whose folders are swapped for links all the time";

function races(): void {
  it(
    "is never left, by no read, list or commit",
    async () => {
      const { swaps, escapes, tally } = await race(handleGround, { most: rounds });
      const refused = Object.entries(tally).filter(([name]) => name.endsWith("path_link"));
      const met = refused.reduce((sum, [, count]) => sum + count, 0);
      console.log(
        `proof: workspace race: ${rounds} rounds against ${swaps} swaps, ${met} met a link, ${escapes.length} escapes; ` +
          JSON.stringify(tally),
      );
      expect(escapes).toEqual([]);
      expect(met, "rounds that met a link").toBeGreaterThan(rounds / 100);
      for (const act of ["read", "list", "commit"]) expect(tally[`${act} done`], act).toBeGreaterThan(0);
    },
    full ? 600_000 : 60_000,
  );

  it.each([
    [
      "looks at a folder before it opens it by path",
      (root: string): Ground => ({ enterRoot: () => new CarelessFolder(root) }),
    ],
    ["follows a link in the last part", followingFiles],
  ])("would be left by one that %s", async (what, ground) => {
    const { rounds: took, escapes } = await race(ground, { most: 50_000, untilEscape: true });
    console.log(`proof: workspace race: one that ${what} was caught in round ${took}: ${escapes[0]}`);
    expect(escapes.length).toBeGreaterThan(0);
  });

  it("goes on working by paths alone, which is all that other systems offer; what escapes then is counted", async () => {
    const { rounds: took, escapes, swaps } = await race(pathGround, { most: share(10_000, 500) });
    console.log(
      `proof: workspace race: by paths alone, ${escapes.length} escapes in ${took} rounds against ${swaps} swaps`,
    );
    expect(took).toBe(share(10_000, 500));
  });
}

// Only there folders are held by handles.
if (process.platform === "linux") {
  describe(title, () => {
    races();
  });
}
