/**
 * Paths that a model, or somebody who speaks through it, may write to get out.
 *
 * Each is tried with read, list and commit. What counts is not only the refusal:
 * what lies outside is compared byte by byte, and the workspace too.
 */
import { execFileSync } from "node:child_process";
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Failure, type FailureClass } from "@bridle/record";
import { describe, expect, it, onTestFinished } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import {
  type AttackedPlace,
  invalidTexts,
  outsideTexts,
  protectedPaths,
  secretPaths,
} from "../../../../test/support/path-attacks.js";
import { openWorkspace } from "../outside/workspace.js";
import type { Workspace, WorkspacePath } from "../types.js";

const canary = "canary-3f0a-from-outside";

type Place = AttackedPlace;

/** A workspace, its evil twin and a folder outside, side by side. */
function newPlace(): Place {
  const base = newFolder();
  const place = { base, root: join(base, "root"), outside: join(base, "outside") };
  for (const folder of ["root", "root/a", "root/a/b", "root-evil", "outside", "outside/deep"])
    mkdirSync(join(base, folder));
  writeFileSync(join(base, "root/f.txt"), "inside\n");
  for (const file of ["root-evil/f.txt", "outside/f.txt", "outside/deep/f.txt", "x", "f.txt"])
    writeFileSync(join(base, file), canary);
  return place;
}

/** Everything below a folder: names, kinds, contents, where links lead. */
function snapshot(folder: string): readonly string[] {
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => {
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (stat.isSymbolicLink()) return [`${path} -> ${readlinkSync(path)}`];
      if (stat.isFile()) return [`${path} = ${readFileSync(path, "utf8")}`];
      return stat.isDirectory() ? [path, ...snapshot(path)] : [`${path} is something else`];
    });
}

type Act = (space: Workspace, text: string) => Promise<unknown>;
const place = (space: Workspace, text: string) => space.place(text);
const acts: Record<"read" | "list" | "commit", Act> = {
  read: async (space, text) => space.read(place(space, text)),
  list: async (space, text) => space.list(place(space, text)),
  commit: async (space, text) =>
    space.commit({ path: place(space, text), content: Buffer.from("mine"), expected: { is: "any" } }),
};

async function classOf(act: Promise<unknown>): Promise<FailureClass | "it was done"> {
  try {
    await act;
    return "it was done";
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    expect(error.hint, error.message).toBeTruthy();
    expect(error.message, "the content of nothing outside").not.toContain(canary);
    return error.failureClass;
  }
}

// --- By what stands there --------------------------------------------------------------------------

interface Planted {
  readonly name: string;
  readonly plant: (p: Place) => void | Promise<void>;
  readonly path: string;
  /** For all three acts; links where it is left out. */
  readonly refused?: FailureClass;
}

const link = (name: string, path: string, target: (p: Place) => string, tail = ""): Planted => ({
  name,
  plant: (p) => symlinkSync(target(p), join(p.root, path)),
  path: path + tail,
});

const planted: readonly Planted[] = [
  link("a link to a file outside", "l", (p) => join(p.outside, "f.txt")),
  link("a link to a folder outside", "l", (p) => p.outside),
  link("a file behind a link to a folder outside", "l", (p) => p.outside, "/f.txt"),
  link("a folder behind a link to a folder outside", "l", (p) => p.outside, "/deep"),
  link("a new file behind a link to a folder outside", "l", (p) => p.outside, "/new/file"),
  link("a relative link out", "l", () => "../outside/f.txt"),
  link("a relative link to a folder out", "a/l", () => "../../outside", "/f.txt"),
  link("a link to the folder above", "l", () => "..", "/x"),
  link("a link to the workspace itself", "l", () => ".", "/f.txt"),
  link("a link that stays inside", "l", () => "f.txt"),
  link("a folder link that stays inside", "l", () => "a", "/b"),
  link("a dangling link", "l", (p) => join(p.outside, "not-there")),
  link("a dangling link to a folder", "l", (p) => join(p.outside, "not-there"), "/f"),
  link("a link to itself", "l", () => "l"),
  link("a link to the root of the machine", "l", () => "/", "/etc/passwd"),
  link("a link to the root through /proc", "l", () => "/proc/self/root", "/etc/passwd"),
  link("a link to our own handles", "l", () => "/proc/self/fd", "/0"),
  link("a link to standard input", "l", () => "/dev/stdin"),
  link("a link to a device", "l", () => "/dev/zero"),
  link("a link with a name of git", "gitdir", (p) => join(p.outside, "deep"), "/f.txt"),
  {
    name: "a chain of links",
    plant: (p) => {
      symlinkSync("l2", join(p.root, "l1"));
      symlinkSync("l3", join(p.root, "l2"));
      symlinkSync(p.outside, join(p.root, "l3"));
    },
    path: "l1/f.txt",
  },
  {
    name: "a pair of links that lead to each other",
    plant: (p) => {
      symlinkSync("l2", join(p.root, "l1"));
      symlinkSync("l1", join(p.root, "l2"));
    },
    path: "l1",
  },
  {
    name: "a link that is named with an invisible twin beside it",
    plant: (p) => {
      writeFileSync(join(p.root, "l\u200b"), "");
      symlinkSync(p.outside, join(p.root, "l"));
    },
    path: "l",
  },
  {
    name: "a pipe",
    plant: (p) => void execFileSync("mkfifo", [join(p.root, "pipe")]),
    path: "pipe",
    refused: "file_not_regular",
  },
  {
    name: "a socket",
    plant: async (p) => {
      const server = createServer();
      await new Promise<void>((done) => server.listen(join(p.root, "s"), done));
      onTestFinished(() => void server.close());
    },
    path: "s",
    refused: "file_not_regular",
  },
  {
    name: "a file taken for a folder",
    plant: () => {},
    path: "f.txt/x",
    refused: "file_not_regular",
  },
  {
    name: "a pipe taken for a folder",
    plant: (p) => void execFileSync("mkfifo", [join(p.root, "pipe")]),
    path: "pipe/x",
    refused: "file_not_regular",
  },
];

describe("a path that leads out", () => {
  const sample = { base: "/b", root: "/b/root", outside: "/b/outside" };
  const all = [...outsideTexts(sample), ...invalidTexts, ...planted.map(({ name }) => `planted: ${name}`)];

  it("comes in at least a hundred kinds", () => {
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(100);
    console.log(`proof: path attacks: ${all.length} distinct, each with read, list and commit`);
  });

  it.each(["read", "list", "commit"] as const)("is refused by its text to %s", async (how) => {
    const p = newPlace();
    const space = await openWorkspace(p.root);
    const before = snapshot(p.base);
    for (const text of outsideTexts(p))
      expect([text, await classOf(acts[how](space, text))]).toEqual([text, "path_outside"]);
    for (const text of invalidTexts)
      expect([text, await classOf(acts[how](space, text))]).toEqual([text, "path_invalid"]);
    expect(snapshot(p.base)).toEqual(before);
  });

  it("has no effect either when a program hands it in without having it judged", async () => {
    const p = newPlace();
    const space = await openWorkspace(p.root);
    const out = snapshot(p.outside);
    const twin = snapshot(`${p.root}-evil`);
    for (const text of [...outsideTexts(p), ...invalidTexts]) {
      const path = text as WorkspacePath;
      const read = await space.read(path).catch((error: unknown) => error);
      expect(read, text).toBeInstanceOf(Failure);
      await classOf(space.list(path));
      await classOf(space.facts(path));
      await classOf(space.commit({ path, content: Buffer.from("mine"), expected: { is: "any" } }));
    }
    expect(snapshot(p.outside)).toEqual(out);
    expect(snapshot(`${p.root}-evil`)).toEqual(twin);
    expect(readdirSync(p.base).toSorted()).toEqual(["f.txt", "outside", "root", "root-evil", "x"]);
    expect(readFileSync(join(p.base, "x"), "utf8")).toBe(canary);
  });

  it.each(planted)("is refused where it is $name", async ({ plant, path, refused = "path_link" }) => {
    const p = newPlace();
    await plant(p);
    const space = await openWorkspace(p.root);
    const before = snapshot(p.base);
    for (const [how, act] of Object.entries(acts))
      expect([how, await classOf(act(space, path))]).toEqual([how, refused]);
    for (const is of ["absent", "any"] as const) {
      const change = { path: space.place(path), content: Buffer.from("mine"), expected: { is } };
      expect(await classOf(space.commit(change))).toBe(refused);
    }
    expect(snapshot(p.base)).toEqual(before);
  });

  // Nobody else can make one.
  if (process.getuid?.() === 0) {
    it("is no way into a device", async () => {
      const p = newPlace();
      execFileSync("mknod", [join(p.root, "null"), "c", "1", "3"]);
      const space = await openWorkspace(p.root);
      for (const act of Object.values(acts))
        expect(await classOf(act(space, "null"))).toBe("file_not_regular");
    });
  }

  it("is a plain name where only a decoder would see more in it", async () => {
    const p = newPlace();
    const space = await openWorkspace(p.root);
    const out = snapshot(p.outside);
    const names = [
      "%2e%2e",
      "%2e%2e%2fx",
      "..%2fx",
      "%00",
      "$HOME",
      "`id`",
      "*",
      "-rf",
      "a:b",
      "..x",
      "x..y",
      "caf\u00e9",
      "cafe\u0301",
    ];
    for (const name of names) await acts.commit(space, name);
    expect(readdirSync(p.root).toSorted()).toEqual([...names, "a", "f.txt"].toSorted());
    expect(snapshot(p.outside)).toEqual(out);
  });

  it("is the same path as another only where it is spelled as one", () => {
    return openWorkspace(newPlace().root).then((space) => {
      for (const text of [
        "a/f",
        "./a/f",
        "a//f",
        "a/./f",
        "a/b/../f",
        `${space.root}/a/f`,
        `/${space.root}//a/f`,
      ]) {
        expect(space.place(text), text).toBe("a/f");
      }
      for (const text of [".", "./", "a/..", space.root, `${space.root}/`])
        expect(space.place(text), text).toBe("");
    });
  });
});

describe("what belongs to git, the harness or a person's keys", () => {
  it("is not written", async () => {
    const p = newPlace();
    mkdirSync(join(p.root, ".git"));
    writeFileSync(join(p.root, ".git/config"), "[core]\n");
    const space = await openWorkspace(p.root);
    const before = snapshot(p.base);
    for (const path of protectedPaths)
      expect([path, await classOf(acts.commit(space, path))]).toEqual([path, "path_protected"]);
    for (const path of secretPaths)
      expect([path, await classOf(acts.commit(space, path))]).toEqual([path, "path_secret"]);
    expect(snapshot(p.base)).toEqual(before);
    expect(Buffer.from(await space.read(space.place(".git/config"))).toString()).toBe("[core]\n");
  });

  it("is not read where it holds credentials, and read otherwise", async () => {
    const p = newPlace();
    for (const path of secretPaths) {
      mkdirSync(join(p.root, path, ".."), { recursive: true });
      writeFileSync(join(p.root, path), canary);
    }
    const space = await openWorkspace(p.root);
    for (const path of secretPaths)
      expect([path, await classOf(acts.read(space, path))]).toEqual([path, "path_secret"]);
    for (const name of [".gitignore", ".github/x", "token.ts", "credentials.md", "git", "agent_x"]) {
      await acts.commit(space, name);
      expect(Buffer.from(await space.read(space.place(name))).toString()).toBe("mine");
    }
  });

  it("lets the worktree's own `.git` file be, whatever it leads to", async () => {
    const p = newPlace();
    writeFileSync(join(p.root, ".git"), `gitdir: ${p.outside}\n`);
    const space = await openWorkspace(p.root);
    expect(await classOf(acts.commit(space, ".git"))).toBe("path_protected");
    expect(await classOf(acts.commit(space, ".git/hooks/pre-commit"))).toBe("path_protected");
    expect(readFileSync(join(p.root, ".git"), "utf8")).toContain("gitdir");
  });

  it("a hard link to a file outside is replaced by name, and that file stays as it was", async () => {
    const p = newPlace();
    linkSync(join(p.outside, "f.txt"), join(p.root, "hard"));
    const space = await openWorkspace(p.root);
    const out = snapshot(p.outside);
    await acts.commit(space, "hard");
    expect(snapshot(p.outside)).toEqual(out);
    expect(readFileSync(join(p.root, "hard"), "utf8")).toBe("mine");
  });
});
