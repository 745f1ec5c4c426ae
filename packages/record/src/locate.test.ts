/** Which memory a call works on, with real git worktrees: two memories of one project is how claims are doubled. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { rejectsWith } from "../../../test/support/failure.js";
import { newFolder } from "../../../test/support/folder.js";
import { git, newRepository } from "../../../test/support/git.js";
import { locateOwnRoot, locatePath, locateRoot } from "./locate.js";
import { nodePorts } from "./ports/node.js";

const { files } = nodePorts();

function folder(...parts: string[]): string {
  const path = join(...parts);
  mkdirSync(path, { recursive: true });
  return path;
}

const root = (cwd: string, env: Record<string, string> = {}, named?: string) =>
  locateRoot({ files, cwd, env, ...(named === undefined ? {} : { root: named }) });

describe("the root", () => {
  let base = "";
  beforeEach(() => {
    base = newFolder();
  });

  it("is what the caller names, before what the environment names, before what is near", async () => {
    folder(base, "near", ".premath");
    const cwd = folder(base, "near", "deep", "down");
    expect(await root(cwd, { PREMATH_ROOT: "../env" }, "../flag")).toBe(join(base, "near", "deep", "flag"));
    expect(await root(cwd, { PREMATH_ROOT: "../env" })).toBe(join(base, "near", "deep", "env"));
    expect(await root(cwd, { PREMATH_ROOT: "/elsewhere" })).toBe("/elsewhere");
    expect(await root(cwd)).toBe(join(base, "near"));
  });

  it("is not set by a blank setting", async () => {
    folder(base, "near", ".premath");
    expect(await root(join(base, "near"), { PREMATH_ROOT: "  " })).toBe(join(base, "near"));
  });

  it("is the nearest of several memories, and the working directory where there is none", async () => {
    folder(base, ".premath");
    folder(base, "inner", ".premath");
    expect(await root(folder(base, "inner", "a", "b"))).toBe(join(base, "inner"));
    expect(await root(folder(base, "other"))).toBe(base);
    const lonely = newFolder();
    expect(await root(lonely)).toBe(lonely);
  });

  it("refuses a choice for worktrees that it does not know, rather than share by accident", async () => {
    folder(base, ".premath");
    await rejectsWith("setting_unknown", root(base, { PREMATH_WORKTREE_MEMORY: "seperate" }));
  });
});

describe("a path", () => {
  it("is the flag, then its setting, then the contract's place under the root", async () => {
    const base = newFolder();
    folder(base, ".premath");
    const cwd = folder(base, "deep");
    const env = { PREMATH_SESSION: "s.json" };
    const ask = (flag: string | undefined, settings: Record<string, string>) =>
      locatePath({
        files,
        cwd,
        env: settings,
        flag,
        setting: "PREMATH_SESSION",
        fallback: ".premath/x.json",
      });
    expect(await ask("f.json", env)).toBe(join(cwd, "f.json"));
    expect(await ask("/abs/f.json", env)).toBe("/abs/f.json");
    expect(await ask(undefined, env)).toBe(join(cwd, "s.json"));
    expect(await ask(undefined, { PREMATH_SESSION: "" })).toBe(join(base, ".premath/x.json"));
    expect(await ask(undefined, {})).toBe(join(base, ".premath/x.json"));
  });
});

describe("a git worktree", () => {
  let base = "";
  let main = "";
  let linked = "";

  beforeEach(() => {
    base = newFolder();
    main = newRepository(folder(base, "main tree"));
    linked = join(base, "linked");
    git(main, "worktree", "add", "--quiet", linked, "-b", "side");
  });

  it("shares the main tree's memory", async () => {
    folder(main, ".premath");
    expect(await root(linked)).toBe(main);
    expect(await root(folder(linked, "a", "b"))).toBe(main);
    expect(await root(main)).toBe(main);
  });

  it("shares it even when the checkout brought a memory of its own along", async () => {
    writeFileSync(join(folder(main, ".premath"), "issues.jsonl"), "{}\n");
    git(main, "add", "--force", ".premath");
    git(main, "commit", "--quiet", "--message=memory");
    const late = join(base, "late");
    git(main, "worktree", "add", "--quiet", late, "-b", "late");
    expect(await root(late)).toBe(main);
    expect(await root(folder(late, "deep"))).toBe(main);
  });

  it("has one of its own when told so", async () => {
    folder(main, ".premath");
    folder(linked, ".premath");
    const own = { PREMATH_WORKTREE_MEMORY: "own" };
    expect(await root(linked, own)).toBe(linked);
    expect(await root(folder(linked, "deep"), own)).toBe(linked);
    expect(await root(linked, { PREMATH_WORKTREE_MEMORY: "shared" })).toBe(main);
  });

  it("shares a memory in a subfolder, whether or not the checkout has that folder's memory", async () => {
    folder(main, "service", ".premath");
    expect(await root(folder(linked, "service"))).toBe(join(main, "service"));
    expect(await root(folder(linked, "service", "src", "deep"))).toBe(join(main, "service"));
    folder(linked, "service", ".premath");
    expect(await root(join(linked, "service", "src", "deep"))).toBe(join(main, "service"));
  });

  it("begins the memory in the main tree when only the checkout has one", async () => {
    folder(linked, "service", ".premath");
    folder(main, "service");
    expect(await root(join(linked, "service"))).toBe(join(main, "service"));
  });

  it("shares the main tree's memory and not some other that lies above it", async () => {
    folder(base, ".premath");
    folder(main, ".premath");
    expect(await root(linked)).toBe(main);
  });

  it("inside the main tree shares it too", async () => {
    folder(main, ".premath");
    const inside = join(main, ".worktrees", "one");
    git(main, "worktree", "add", "--quiet", inside, "-b", "inside");
    expect(await root(inside)).toBe(main);
    folder(inside, ".premath");
    expect(await root(inside)).toBe(main);
    expect(await root(inside, { PREMATH_WORKTREE_MEMORY: "own" })).toBe(inside);
  });

  it("that was moved still finds the main tree", async () => {
    folder(main, ".premath");
    const moved = join(base, "moved away");
    git(main, "worktree", "move", linked, moved);
    expect(await root(moved)).toBe(main);
  });

  it("reached through a link is the same worktree", async () => {
    folder(main, ".premath");
    const link = join(base, "link");
    symlinkSync(linked, link);
    expect(await root(link)).toBe(main);
  });

  it("of a repository without a main tree keeps its own memory", async () => {
    const bare = join(base, "bare.git");
    git(base, "clone", "--quiet", "--bare", main, bare);
    const alone = join(base, "alone");
    git(bare, "worktree", "add", "--quiet", alone, "-b", "alone");
    folder(alone, ".premath");
    expect(await root(alone)).toBe(alone);
  });

  it("whose main tree is gone keeps its own memory instead of failing", async () => {
    writeFileSync(join(linked, ".git"), `gitdir: ${join(base, "gone", ".git", "worktrees", "linked")}\n`);
    folder(linked, ".premath");
    expect(await root(linked)).toBe(linked);
    writeFileSync(join(linked, ".git"), "\u0000nonsense");
    expect(await root(linked)).toBe(linked);
  });
});

describe("what each worktree has of its own", () => {
  const own = (cwd: string, env: Record<string, string> = {}, named?: string) =>
    locateOwnRoot({ files, cwd, env, ...(named === undefined ? {} : { root: named }) });
  let base = "";
  let main = "";
  let linked = "";
  beforeEach(() => {
    base = newFolder();
    main = newRepository(folder(base, "main"));
    linked = join(base, "linked");
    git(main, "worktree", "add", "--quiet", linked, "-b", "linked");
    folder(main, ".premath");
  });

  it("is in the worktree, although memory is shared with the main tree", async () => {
    expect(await own(linked)).toBe(linked);
    expect(await own(folder(linked, "a", "b"))).toBe(linked);
    expect(await own(folder(main, "a"))).toBe(main);
    folder(linked, "a", ".premath");
    expect(await own(join(linked, "a", "b"))).toBe(join(linked, "a"));
  });

  it("is not in the tree around a worktree that lies inside another", async () => {
    const inside = join(main, ".worktrees", "one");
    git(main, "worktree", "add", "--quiet", inside, "-b", "inside");
    expect(await own(inside)).toBe(inside);
    expect(await own(folder(inside, "deep"))).toBe(inside);
  });

  it("is where a file of its own is looked for, and not the one that all share", async () => {
    const options = { files, cwd: linked, env: {}, flag: undefined, fallback: ".premath/a" };
    expect(await locatePath({ ...options, own: true })).toBe(join(linked, ".premath/a"));
    expect(await locatePath(options)).toBe(join(main, ".premath/a"));
  });

  it("is where the caller or the environment says", async () => {
    expect(await own(linked, { PREMATH_ROOT: "../env" }, "../flag")).toBe(join(base, "flag"));
    expect(await own(linked, { PREMATH_ROOT: "../env" })).toBe(join(base, "env"));
  });

  it("without git is where everything else is", async () => {
    const plain = newFolder();
    folder(plain, ".premath");
    expect(await own(folder(plain, "deep"))).toBe(plain);
    const lonely = newFolder();
    expect(await own(lonely)).toBe(lonely);
  });
});

describe("a git submodule", () => {
  it("is not mistaken for a worktree: its memory is its own", async () => {
    const base = newFolder();
    const library = newRepository(folder(base, "library"));
    const main = newRepository(folder(base, "main"));
    folder(main, ".premath");
    git(main, "submodule", "--quiet", "add", library, "library");
    const inside = join(main, "library");
    expect(await root(inside)).toBe(main);
    folder(inside, ".premath");
    expect(await root(inside)).toBe(inside);
    git(main, "commit", "--quiet", "--all", "--message=library");
    const linked = join(base, "linked");
    git(main, "worktree", "add", "--quiet", linked, "-b", "side");
    git(linked, "submodule", "--quiet", "update", "--init");
    folder(linked, "library", ".premath");
    expect(await root(join(linked, "library"))).toBe(join(linked, "library"));
  });
});
