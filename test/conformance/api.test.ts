/** docs/api is what users import; a change of it cannot be taken without being seen. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { repository } from "../support/built.js";
import { full } from "../support/scale.js";
import { TreeCopy } from "../support/tree-copy.js";

const page = (room: string) => readFileSync(join(repository, "docs/api", `${room}.md`), "utf8");

describe("the pages of the library", () => {
  it("are one a room, each with every name that its index lists", () => {
    const rooms = readdirSync(join(repository, "packages"));
    expect(readdirSync(join(repository, "docs/api")).toSorted()).toEqual(
      ["README.md", ...rooms.map((room) => `${room}.md`)].toSorted(),
    );
    let names = 0;
    for (const room of rooms) {
      const index = readFileSync(join(repository, "packages", room, "src/index.ts"), "utf8");
      const headings = new Set([...page(room).matchAll(/^## (\w+)$/gm)].map(([, name]) => name));
      for (const [, list = ""] of index.matchAll(/^export (?:type )?\{([^}]*)\} from /gm)) {
        const listed = list.split(",").map((each) =>
          each
            .trim()
            .replace(/^type /, "")
            .split(" as ")
            .at(-1),
        );
        for (const name of listed.filter((each) => each !== "")) {
          names += 1;
          expect(headings, `${name} of ${room}`).toContain(name);
        }
      }
    }
    expect(names).toBeGreaterThan(200);
  });

  it("show no private member, no sources' spelling of a room, and no package that is not installed with us", () => {
    for (const room of readdirSync(join(repository, "packages"))) {
      expect(page(room)).not.toMatch(/^ {4}private /m);
      const imported = [...page(room).matchAll(/\bimport\("([^"]+)"\)/g)].map(([, name]) => name ?? "");
      expect(imported.filter((name) => !/^(?:\.{1,2}\/|typebox|minisearch|node:)/.test(name))).toEqual([]);
    }
  });

  // The whole compiler runs for it.
  if (full) {
    it("a changed signature fails the check, which names the page and the line", async () => {
      const copy = TreeCopy.make();
      try {
        const file = join(copy.root, "packages/record/src/nearest.ts");
        const text = readFileSync(file, "utf8");
        const changed = text.replace(/(export function distance\([^)]*)\)/, "$1, _more?: number)");
        expect(changed).not.toBe(text);
        writeFileSync(file, changed);
        const check = promisify(execFile)(process.execPath, ["scripts/check.mjs", "types", "api"], {
          cwd: copy.root,
        });
        const ended = await check.then(
          () => ({ code: 0, stdout: "" }),
          (error: { code: number; stdout: string }) => error,
        );
        expect(ended.code).toBe(1);
        expect(ended.stdout).toMatch(/docs\/api\/record\.md, from line \d+/);
        expect(ended.stdout).toContain("What users import has changed.");
        const pages = [...ended.stdout.matchAll(/docs\/api\/(\w+)\.md, from/g)].map(([, room]) => room);
        // Those that pass the name on have it too.
        expect(pages.toSorted()).toEqual(["operation", "record"]);
        console.log(
          "proof: a changed signature of one function fails the check of the two pages that show it",
        );
      } finally {
        copy.remove();
      }
    }, 300_000);
  }
});
