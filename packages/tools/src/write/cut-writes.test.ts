import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { nodePorts } from "@bridle/record";
import { FaultyFiles } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../../../../test/support/failure.js";
import { newFastFolder, newFolder } from "../../../../test/support/folder.js";
import { seed, share } from "../../../../test/support/scale.js";
import { holdsAsync } from "../../../../test/support/property.js";
import { type WriteKit, writeKit } from "../../../../test/support/write-tools.js";

const long = Array.from({ length: 900 }, (_, i) => `const value${i} = "${i * 7}";\n`).join("");
const read = (kit: WriteKit, path: string) => readFileSync(join(kit.workspace.root, path), "utf8");
const has = (kit: WriteKit, path: string) => existsSync(join(kit.workspace.root, path));

describe("a write that was cut off", () => {
  it("[D4] touches nothing, is kept, and is finished by its continuation in one write", async () => {
    const kit = await writeKit();
    const args = { path: "src/a.ts", mode: "create", content: long };
    const cut = await kit.cut(args, 15_000);
    expect(has(kit, "src")).toBe(false);
    expect(cut).toMatchObject({ path: "src/a.ts", staged: true });
    expect(long.slice(0, cut?.bytes).endsWith(cut?.tail ?? "?")).toBe(true);
    expect(cut?.tail.length).toBe(200);
    const rest = long.slice(cut?.bytes);
    expect(kit.writeFile.intent({ path: "src/a.ts", mode: "append", content: rest }).says).toBe(
      `Create src/a.ts: ${cut?.bytes} bytes kept from a call that was cut off, and ${rest.length} bytes more`,
    );
    const report = await kit.write({ path: "src/a.ts", mode: "append", content: rest });
    expect(report.text).toContain(`Created src/a.ts (${long.length} bytes, of which ${cut?.bytes} were kept`);
    expect(read(kit, "src/a.ts")).toBe(long);
    expect(kit.staged()).toEqual([]);
  });

  it("has a manifest that says whose it is", async () => {
    const kit = await writeKit();
    await kit.cut({ path: "./a.ts", mode: "create", content: long }, 10_000);
    const [name] = kit.staged().filter((each) => each.endsWith(".json"));
    const manifest = JSON.parse(readFileSync(join(kit.state, "staging/s-1", name ?? ""), "utf8")) as object;
    expect(manifest).toMatchObject({ callId: "call-0", path: "a.ts", mode: "create", complete: false });
    expect(manifest).toHaveProperty("sha256");
    expect(manifest).toHaveProperty("tail");
    expect(manifest).toHaveProperty("bytes");
  });

  it("is on the disk while it arrives, from the length that is set", async () => {
    const kit = await writeKit({ minChars: 1_000 });
    const stream = kit.writeFile.stream?.("c");
    const text = JSON.stringify({ path: "a.ts", content: long });
    for (let at = 0; at < 900; at += 50) stream?.delta(text.slice(at, at + 50));
    expect(kit.staged()).toEqual([]);
    stream?.delta(text.slice(900, 9_000));
    await expect.poll(() => kit.staged().length).toBe(1);
    await stream?.drop();
    expect(kit.staged()).toEqual([]);
    expect(has(kit, "a.ts")).toBe(false);
  });

  it("[D2] [D3] holds exactly what arrived, however it was split", async () => {
    const kit = await writeKit({ minChars: 20 });
    await holdsAsync(
      fc.asyncProperty(
        fc.string({ unit: "binary", minLength: 40, maxLength: 400 }),
        fc.nat(),
        fc.integer({ min: 1, max: 9 }),
        async (content, at, piece) => {
          const text = JSON.stringify({ path: "p.txt", content }).replaceAll(
            /[^\x20-\x7e]/g,
            (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
          );
          const cut = await kit.cut(text, at % text.length, piece);
          const part = kit.staging.find(kit.workspace.place("p.txt"));
          if (cut?.staged === true && part !== undefined) {
            const kept = await kit.staging.read(part);
            expect(
              Buffer.from(content)
                .toString()
                .startsWith((kept ?? "?").replace(/\ufffd$/, "")),
            ).toBe(true);
            expect(Buffer.byteLength(kept ?? "")).toBe(cut.bytes);
          }
          await kit.staging.drop(kit.workspace.place("p.txt"));
          expect(kit.staged()).toEqual([]);
        },
      ),
      300,
    );
  });

  it("keeps the mode of the first call", async () => {
    const kit = await writeKit();
    writeFileSync(join(kit.workspace.root, "o.txt"), "old\n".repeat(200));
    await kit.cut({ path: "o.txt", mode: "overwrite", confirm_overwrite: true, content: long }, 9_000);
    expect(read(kit, "o.txt")).toBe("old\n".repeat(200));
    const kept = kit.staging.find(kit.workspace.place("o.txt"))?.bytes ?? 0;
    await kit.write({ path: "o.txt", mode: "append", content: long.slice(kept) });
    expect(read(kit, "o.txt")).toBe(long);

    writeFileSync(join(kit.workspace.root, "a.txt"), "old");
    await kit.cut({ path: "a.txt", mode: "append", content: long }, 9_000);
    const more = kit.staging.find(kit.workspace.place("a.txt"))?.bytes ?? 0;
    await kit.write({ path: "a.txt", mode: "append", content: long.slice(more) });
    expect(read(kit, "a.txt")).toBe(`old\n${long}`);
  });

  it("create stays create: a file that is there is not touched, and what was kept is dropped", async () => {
    const kit = await writeKit();
    await kit.cut({ path: "a.ts", mode: "create", content: long }, 9_000);
    writeFileSync(join(kit.workspace.root, "a.ts"), "somebody was quicker");
    await rejectsWith("file_exists", kit.write({ path: "a.ts", mode: "append", content: "the rest of it" }));
    expect(read(kit, "a.ts")).toBe("somebody was quicker");
    expect(kit.staged()).toEqual([]);
  });

  it("an overwrite that was not confirmed is not confirmed by its continuation", async () => {
    const kit = await writeKit();
    writeFileSync(join(kit.workspace.root, "a.ts"), "old\n".repeat(200));
    await kit.cut({ path: "a.ts", mode: "overwrite", content: long }, 9_000);
    await rejectsWith(
      "overwrite_unconfirmed",
      kit.write({ path: "a.ts", mode: "append", content: "the rest of it" }),
    );
    expect(read(kit, "a.ts")).toBe("old\n".repeat(200));
  });

  it("before it said what to do with a file that is there, it is not guessed", async () => {
    const kit = await writeKit();
    writeFileSync(join(kit.workspace.root, "a.ts"), "old");
    await kit.cut({ path: "a.ts", content: long, mode: "overwrite" }, 9_000);
    const failure = await rejectsWith(
      "write_mode_lost",
      kit.write({ path: "a.ts", mode: "append", content: "the rest of it" }),
    );
    expect(failure.hint).toContain("mode before content");
    expect(read(kit, "a.ts")).toBe("old");
    expect(kit.staged()).toEqual([]);
  });

  it("grows when its continuation is cut as well, and a repetition in it is taken out", async () => {
    const kit = await writeKit();
    const first = await kit.cut({ path: "a.ts", mode: "create", content: long }, 9_000);
    const at = first?.bytes ?? 0;
    const second = await kit.cut({ path: "a.ts", mode: "append", content: long.slice(at - 150) }, 6_000);
    expect(second?.bytes).toBeGreaterThan(at);
    expect(long.slice(0, second?.bytes).endsWith(second?.tail ?? "?")).toBe(true);
    const third = await kit.cut(
      { path: "a.ts", mode: "append", content: long.slice((second?.bytes ?? 0) - 200) },
      120,
    );
    expect(third).toEqual(second);
    await kit.write({ path: "a.ts", mode: "append", content: long.slice((third?.bytes ?? 0) - 40) });
    expect(read(kit, "a.ts")).toBe(long);
    expect(kit.staged()).toEqual([]);
  });

  it("in text that repeats itself is not finished by guessing: nothing is written, and the whole call still can be made", async () => {
    const kit = await writeKit();
    const content = `${'"quoted" '.repeat(40)}end\n`;
    const cut = await kit.cut({ path: "a.txt", mode: "create", content }, 200);
    const rest = content.slice(cut?.bytes);
    for (const more of [rest, content.slice((cut?.bytes ?? 0) - 18)]) {
      const failure = await rejectsWith(
        "write_continuation_unclear",
        kit.write({ path: "a.txt", mode: "append", content: more }),
      );
      expect(failure.message).toContain("nothing was written");
      expect(failure.hint).toContain("Make the call again with the whole content");
      expect(has(kit, "a.txt")).toBe(false);
    }
    // Nor does what is kept grow by a guess, where the rest was cut as well.
    expect(await kit.cut({ path: "a.txt", mode: "append", content: rest }, 150)).toEqual(cut);
    await kit.write({ path: "a.txt", mode: "create", content });
    expect(read(kit, "a.txt")).toBe(content);
    expect(kit.staged()).toEqual([]);
  });

  it("is replaced by a later one that starts over, and kept where that says neither", async () => {
    const kit = await writeKit();
    const textOf = async () => {
      const part = kit.staging.find(kit.workspace.place("a.txt"));
      return part === undefined ? undefined : kit.staging.read(part);
    };
    const cut = (content: string) => kit.cut(`{"path": "a.txt", "content": "${content}`, 30 + content.length);
    await cut("The quick brown fox jumps over the lazy dog, and so on");
    await cut("Something else altogether, of which nobody can tell what it is");
    expect(await textOf()).toBe("The quick brown fox jumps over the lazy dog, and so on");
    await cut("The quick brown fox is another story from here on");
    expect(await textOf()).toBe("The quick brown fox is another story from here on");
  });

  it("is dropped when its path is written otherwise, or edited", async () => {
    const kit = await writeKit();
    await kit.cut({ path: "a.ts", mode: "create", content: long }, 9_000);
    await kit.write({ path: "a.ts", mode: "create", content: "something else\n" });
    expect(read(kit, "a.ts")).toBe("something else\n");
    expect(kit.staged()).toEqual([]);
    await kit.cut({ path: "a.ts", mode: "append", content: long }, 9_000);
    await kit.edit({ path: "a.ts", replacements: [{ search: "else", replace: "more" }] });
    expect(kit.staged()).toEqual([]);
  });

  it("is finished by a whole call that starts over", async () => {
    const kit = await writeKit();
    await kit.cut({ path: "a.ts", mode: "create", content: long }, 9_000);
    await kit.write({ path: "a.ts", mode: "append", content: long });
    expect(read(kit, "a.ts")).toBe(long);
  });

  it("whose call arrived whole after all is written from its arguments, as a person edited them", async () => {
    const kit = await writeKit({ minChars: 100 });
    const stream = kit.writeFile.stream?.("c");
    stream?.delta(JSON.stringify({ path: "a.ts", content: long }));
    await stream?.drop();
    await kit.write({ path: "a.ts", content: "edited by hand\n" });
    expect(read(kit, "a.ts")).toBe("edited by hand\n");
    expect(kit.staged()).toEqual([]);
  });

  it("survives its process, but not a day", async () => {
    const kit = await writeKit();
    await kit.cut({ path: "a.ts", mode: "create", content: long }, 9_000);
    const again = await writeKit({ state: kit.state, folder: kit.workspace.root });
    const kept = again.staging.find(again.workspace.place("a.ts"))?.bytes ?? 0;
    expect(kept).toBeGreaterThan(7_000);
    const other = await writeKit({ state: kit.state, folder: kit.workspace.root, session: "s-2" });
    expect(other.staging.find(other.workspace.place("a.ts"))).toBeUndefined();

    const folder = join(kit.state, "staging/s-1");
    const old = Date.now() / 1_000 - 25 * 60 * 60;
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), old, old);
    await writeKit({ state: kit.state, session: "s-3" });
    expect(kit.staged()).toEqual([]);
  });

  it("that was written before its process died is not joined to the next append", async () => {
    const kit = await writeKit();
    await kit.cut({ path: "a.ts", mode: "overwrite", confirm_overwrite: true, content: long }, 9_000);
    writeFileSync(join(kit.workspace.root, "a.ts"), long);
    await kit.write({ path: "a.ts", mode: "append", content: "// the end\n" });
    expect(read(kit, "a.ts")).toBe(`${long}// the end\n`);
  });

  it("whose part was damaged is not finished, and nothing is written", async () => {
    const kit = await writeKit();
    await kit.cut({ path: "a.ts", mode: "create", content: long }, 9_000);
    const [name] = kit.staged().filter((each) => each.endsWith(".part"));
    writeFileSync(join(kit.state, "staging/s-1", name ?? ""), "other");
    await rejectsWith(
      "write_continuation_lost",
      kit.write({ path: "a.ts", mode: "append", content: "the rest" }),
    );
    expect(has(kit, "a.ts")).toBe(false);
  });

  it("is not kept with the sink off, and its rest alone is not written", async () => {
    const kit = await writeKit({ enabled: false, minChars: 1 });
    const cut = await kit.cut({ path: "a.ts", mode: "create", content: long }, 9_000);
    expect(cut).toMatchObject({ path: "a.ts", staged: false });
    expect(cut?.bytes).toBeGreaterThan(7_000);
    // That it was cut off is all that is kept of it.
    expect(kit.staged()).toEqual([expect.stringMatching(/\.lost$/)]);
    await rejectsWith(
      "write_continuation_lost",
      kit.write({ path: "a.ts", mode: "append", content: "the rest" }),
    );
    await kit.write({ path: "a.ts", content: long });
    expect(read(kit, "a.ts")).toBe(long);
    expect(existsSync(join(kit.state, "staging"))).toBe(false);
  });

  it.each([
    ["was too short to be kept", { chars: 40 }],
    ["was not kept because the sink is off", { chars: 9_000, enabled: false }],
    ["has a part that was damaged", { chars: 9_000, damaged: true }],
  ])(
    "and %s is not finished by its rest alone, after a restart and however often it is tried",
    async (_, how) => {
      const first = await writeKit({ enabled: "enabled" in how ? false : true });
      await first.cut({ path: "a.ts", mode: "create", content: long }, how.chars);
      if ("damaged" in how) {
        const [name] = first.staged().filter((each) => each.endsWith(".part"));
        writeFileSync(join(first.state, "staging/s-1", name ?? ""), "other");
      }
      for (let tries = 0; tries < 3; tries++) {
        const again = await writeKit({ folder: first.workspace.root, state: first.state });
        for (const content of ["the rest", "and more"])
          await rejectsWith(
            "write_continuation_lost",
            again.write({ path: "a.ts", mode: "append", content }),
          );
        expect(has(again, "a.ts")).toBe(false);
      }
      const last = await writeKit({ folder: first.workspace.root, state: first.state });
      await last.write({ path: "a.ts", content: long });
      await last.write({ path: "a.ts", mode: "append", content: "// the end\n" });
      expect(read(last, "a.ts")).toBe(`${long}// the end\n`);
      expect(last.staged()).toEqual([]);
    },
  );

  it("is not kept on a disk that takes nothing, and the call can be made again", async () => {
    const ports = nodePorts();
    const files = new FaultyFiles(ports.files, { fault: "ENOSPC", at: 1, sticky: true });
    const kit = await writeKit({ ports: { ...ports, files }, minChars: 100 });
    expect(await kit.cut({ path: "a.ts", content: long }, 9_000)).toMatchObject({
      path: "a.ts",
      staged: false,
    });
    expect(kit.staged()).toEqual([]);
    await kit.write({ path: "a.ts", content: long });
    expect(read(kit, "a.ts")).toBe(long);
  });

  it("without its path, or with arguments that are no JSON, is not kept", async () => {
    const kit = await writeKit({ minChars: 100 });
    expect(await kit.cut({ content: long, path: "a.ts" }, 9_000)).toBeUndefined();
    expect(await kit.cut(`{"path":"a.ts","content":"${"x".repeat(500)}\n`, 600)).toMatchObject({
      staged: false,
    });
    expect(kit.staged()).toEqual([]);
  });

  it("of edit_file names its path and keeps nothing", async () => {
    const kit = await writeKit();
    const stream = kit.editFile.stream?.("c");
    stream?.delta('{"path":"a.ts","diff":"@@ -1 +1 @@\\n-a');
    expect(await stream?.cut()).toEqual({ path: "a.ts", bytes: 14, tail: "@@ -1 +1 @@\n-a", staged: false });
  });

  it("[proof] thousands of cuts at random bytes, continued until whole, give the exact file", async () => {
    const tries = share(20_000, 1_500);
    const kit = await writeKit({ minChars: 300 });
    let cuts = 0;
    let kept = 0;
    let unclear = 0;
    await fc.assert(
      fc.asyncProperty(cutCase(), async ({ content, order, at, piece, repeats }) => {
        const path = `f${cuts}.txt`;
        let rest = content;
        let mode = "create";
        for (const [i, share01] of at.entries()) {
          const args =
            order === "content first"
              ? { content: rest, mode, path }
              : order === "mode last"
                ? { path, content: rest, mode }
                : { path, mode, content: rest };
          const bytes = Buffer.from(JSON.stringify(args));
          const arrived = new TextDecoder().decode(bytes.subarray(0, Math.floor(bytes.length * share01)), {
            stream: true,
          });
          const cut = await kit.cut(arrived, arrived.length, piece);
          cuts++;
          expect(has(kit, path)).toBe(false);
          if (cut?.staged !== true) {
            if (kit.staging.find(kit.workspace.place(path)) === undefined) [rest, mode] = [content, "create"];
            continue;
          }
          kept++;
          const before = Buffer.from(content).subarray(0, cut.bytes).toString();
          expect(before.endsWith(cut.tail)).toBe(true);
          const repeated = repeats[i] ?? 0;
          // What really stands twice in a row, cut between the two, nobody can tell from a repetition.
          [rest, mode] = standsTwiceAt(content, before.length)
            ? [content, "create"]
            : [content.slice(Math.max(0, before.length - (repeated < 16 ? 0 : repeated))), "append"];
        }
        try {
          await kit.write({ path, mode, content: rest });
        } catch (error) {
          expect(error).toMatchObject({ failureClass: "write_continuation_unclear" });
          unclear++;
          await kit.write({ path, mode: "create", content });
        }
        expect(read(kit, path)).toBe(content);
      }),
      { numRuns: Math.ceil(tries / 1.9), seed },
    );
    expect(kit.staged()).toEqual([]);
    process.stdout.write(
      `proof: ${cuts} cuts of write_file, ${kept} kept and continued, ${unclear} of them written whole because nobody could tell what was repeated, every file exact and nothing left behind\n`,
    );
    expect(unclear).toBeLessThan(kept / 100);
    expect(cuts).toBeGreaterThanOrEqual(tries);
    expect(kept).toBeGreaterThan(cuts / 3);
  });
});

function standsTwiceAt(text: string, at: number): boolean {
  for (let length = 16; length <= Math.min(at, text.length - at); length++)
    if (text.slice(at - length, at) === text.slice(at, at + length)) return true;
  return false;
}

/** Content with everything that escapes, arguments in any order, one to three cuts, repetitions of any length. */
function cutCase() {
  const word = fc.oneof(
    fc.integer({ min: 0, max: 1e9 }).map((n) => `name_${n.toString(36)}`),
    fc.constantFrom('"quoted"', "\\", "\n", "\t", "é", "😀", "\u2028", '"path":"x"', "</p>", "  "),
  );
  return fc.record({
    content: fc.array(word, { minLength: 1, maxLength: 120, size: "max" }).map((words) => words.join(" ")),
    order: fc.constantFrom("mode first", "mode last", "content first"),
    at: fc.array(
      fc.noBias(fc.integer({ min: 0, max: 9_999 })).map((n) => n / 10_000),
      { minLength: 1, maxLength: 3 },
    ),
    piece: fc.integer({ min: 1, max: 200 }),
    repeats: fc.array(fc.nat(250), { minLength: 3, maxLength: 3 }),
  });
}

it("the state folder is made only when something is kept", async () => {
  const state = join(newFolder(), "state");
  const kit = await writeKit({ state, folder: newFastFolder() });
  await kit.write({ path: "a.txt", content: "a" });
  expect(existsSync(state)).toBe(false);
});
