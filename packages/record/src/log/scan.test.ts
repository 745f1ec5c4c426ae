/** A reader that silently skips what it cannot parse is how logs lie; here every byte is a row, a comment, nothing or named. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newFastFolder } from "../../../../test/support/folder.js";
import { holdsAsync } from "../../../../test/support/property.js";
import { limits } from "../limits.js";
import { nodePorts } from "../ports/node.js";
import { scan, scanBatches, type ScanOptions } from "./scan.js";
import type { Damage, Entry, ScanEnd } from "./types.js";

const { files } = nodePorts();

async function withFile<T>(
  content: Uint8Array | string,
  act: (file: Awaited<ReturnType<typeof files.open>>) => Promise<T>,
) {
  const path = join(newFastFolder(), "log.jsonl");
  writeFileSync(path, content);
  const file = await files.open(path, "read");
  try {
    return await act(file);
  } finally {
    await file.close();
  }
}

async function read(
  content: Uint8Array | string,
  options: ScanOptions = {},
): Promise<{ entries: Entry[]; end: ScanEnd }> {
  return withFile(content, async (file) => {
    const entries: Entry[] = [];
    const scanning = scan(file, options);
    for (;;) {
      const next = await scanning.next();
      if (next.done === true) return { entries, end: next.value };
      entries.push(next.value);
    }
  });
}

const damageIn = async (content: Uint8Array | string, options: ScanOptions = {}) =>
  (await read(content, options)).entries.filter((entry): entry is Damage => entry.kind === "damage");
const rowsIn = async (content: Uint8Array | string, options: ScanOptions = {}) =>
  (await read(content, options)).entries.flatMap((entry) => (entry.kind === "row" ? [entry.row] : []));

/** Lines and what the reader must say about each, at its own offset. */
const catalogue: { readonly bytes: Buffer; readonly says: readonly string[] }[] = [
  { bytes: Buffer.from('{"a":1}'), says: ["row"] },
  { bytes: Buffer.from('{"a":"é😀\\u0000","b":[{}]}'), says: ["row"] },
  { bytes: Buffer.from('  {"a" : 1 } '), says: ["row"] },
  { bytes: Buffer.from(`{"pad":"${"x".repeat(300)}"}`), says: ["row"] },
  { bytes: Buffer.from(""), says: [] },
  { bytes: Buffer.from("  \t "), says: [] },
  { bytes: Buffer.from("# a remark, é"), says: ["comment"] },
  { bytes: Buffer.from('{"a":1}\r'), says: ["carriage_return", "row"] },
  { bytes: Buffer.from('\ufeff{"a":1}'), says: ["byte_order_mark", "row"] },
  { bytes: Buffer.from("\r"), says: ["carriage_return"] },
  { bytes: Buffer.from("<<<<<<< HEAD"), says: ["merge_marker"] },
  { bytes: Buffer.from("======="), says: ["merge_marker"] },
  { bytes: Buffer.from(">>>>>>> side"), says: ["merge_marker"] },
  { bytes: Buffer.from("||||||| base"), says: ["merge_marker"] },
  { bytes: Buffer.from('{"a":1'), says: ["json_invalid"] },
  { bytes: Buffer.from('{"a":1}{"b":2}'), says: ["json_invalid"] },
  { bytes: Buffer.from("[1,2]"), says: ["row_not_object"] },
  { bytes: Buffer.from("null"), says: ["row_not_object"] },
  { bytes: Buffer.from('{"a":"\u0000"}'), says: ["nul_bytes"] },
  { bytes: Buffer.concat([Buffer.alloc(40), Buffer.from('"}')]), says: ["nul_bytes"] },
  { bytes: Buffer.concat([Buffer.alloc(40), Buffer.from('{"a":2}')]), says: ["nul_bytes", "row"] },
  { bytes: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), says: ["utf8_invalid"] },
  { bytes: Buffer.from([0x7b, 0x22, 0xe2, 0x82, 0x22, 0x7d]), says: ["utf8_invalid"] },
];

describe("reading a log", () => {
  it("names every kind of line the same, whatever stands around it and however it is cut into reads", async () => {
    const line = fc.nat({ max: catalogue.length - 1 });
    await holdsAsync(
      fc.asyncProperty(
        fc.array(line, { maxLength: 20 }),
        fc.integer({ min: 1, max: 400 }),
        fc.boolean(),
        async (picks, chunkBytes, torn) => {
          const expected: string[] = [];
          let byte = 0;
          const parts: Buffer[] = [];
          for (const [i, pick] of picks.entries()) {
            const { bytes, says } = catalogue[pick] ?? { bytes: Buffer.alloc(0), says: [] };
            for (const what of says) expected.push(`${what} at byte ${byte} line ${i + 1}`);
            parts.push(bytes, Buffer.from("\n"));
            byte += bytes.length + 1;
          }
          if (torn) parts.push(Buffer.from('{"unfinished":'));
          const { entries, end } = await read(Buffer.concat(parts), { comments: true, chunkBytes });
          const said = entries.map(
            (entry) =>
              `${entry.kind === "damage" ? entry.damage : entry.kind} at byte ${entry.byte} line ${entry.line}`,
          );
          expect(said).toEqual(expected);
          expect(end).toEqual({ byte, line: picks.length + 1, unfinishedBytes: torn ? 14 : 0 });
        },
      ),
      400,
    );
  });

  it("gives whole lines in batches that put together are the file, whatever the size of a read", async () => {
    const content = Buffer.from(
      Array.from({ length: 50 }, (_, i) => `{"i":${i},"pad":"${"é".repeat(i * 3)}"}\n`).join(""),
    );
    for (const chunkBytes of [1, 2, 3, 7, 64, 255, 256, 257, 4096, 1 << 20]) {
      await withFile(content, async (file) => {
        const bytes: Uint8Array[] = [];
        let lines = 0;
        for await (const batch of scanBatches(file, { chunkBytes })) {
          expect(batch.bytes.at(-1)).toBe(10);
          expect(batch.line).toBe(lines + 1);
          bytes.push(batch.bytes);
          lines += batch.lines;
        }
        expect(Buffer.concat(bytes).equals(content)).toBe(true);
        expect(lines).toBe(50);
      });
    }
  });

  it("goes on where it was told to, and stops at the end of the given line", async () => {
    const content = '{"i":1}\n{"i":2}\n{"i":3}\n{"i":4}\n';
    for (let until = 0; until <= content.length; until += 8) {
      for (const chunkBytes of [1, 5, 8, 9, 1024]) {
        const expected = [1, 2, 3, 4].filter((i) => i * 8 <= until).map((i) => ({ i }));
        expect(
          await rowsIn(content, { until, chunkBytes }),
          `until ${until}, chunks of ${chunkBytes}`,
        ).toEqual(expected);
      }
    }
    expect(await rowsIn(content, { from: { byte: 8, line: 2 }, until: 24 })).toEqual([{ i: 2 }, { i: 3 }]);
  });

  it("leaves a last line without its newline alone, even when it is a whole row", async () => {
    const { entries, end } = await read('{"a":1}\n{"b":2}');
    expect(entries).toHaveLength(1);
    expect(end).toEqual({ byte: 8, line: 2, unfinishedBytes: 7 });
    expect((await read("")).end).toEqual({ byte: 0, line: 1, unfinishedBytes: 0 });
    expect((await read("\n\n")).end).toEqual({ byte: 2, line: 3, unfinishedBytes: 0 });
  });

  it("keeps the text of a row to the byte", async () => {
    const line = '{ "n": 12345678901234567890, "f":1.0, "u":"\\u0041" }';
    const { entries } = await read(`${line}\n`);
    expect(entries).toMatchObject([{ kind: "row", text: line }]);
  });

  it("finds the first byte that is not UTF-8, to the byte", async () => {
    const good = Buffer.from('{"é":"日本語😀"}');
    const bad = [
      [0xff],
      [0xc3],
      [0xc3, 0x28],
      [0xe2, 0x82],
      [0xf0, 0x9f, 0x98],
      [0xed, 0xa0, 0x80],
      [0xc0, 0x80],
      [0xf5, 0x80, 0x80, 0x80],
      [0x80],
    ];
    for (const bytes of bad) {
      for (let at = 0; at <= good.length; at++) {
        // Only between characters: inside of one the character itself is what broke.
        if (((good[at] ?? 0) & 0xc0) === 0x80) continue;
        const line = Buffer.concat([good.subarray(0, at), Buffer.from(bytes), good.subarray(at)]);
        const damage = await damageIn(Buffer.concat([Buffer.from("{}\n"), line, Buffer.from("\n{}\n")]));
        expect(damage).toMatchObject([
          { damage: "utf8_invalid", byte: 3, line: 2, at: 3 + at, bytes: line.length + 1 },
        ]);
      }
    }
  });

  it("names the byte at which a line goes wrong", async () => {
    expect(await damageIn('{"a":1}\r\n')).toMatchObject([{ damage: "carriage_return", at: 7 }]);
    expect(await damageIn("# x\r\n", { comments: true })).toMatchObject([
      { damage: "carriage_return", at: 0 },
    ]);
    expect(await damageIn("\ufeff# x\n", { comments: true })).toMatchObject([
      { damage: "byte_order_mark", at: 0 },
    ]);
    const bad = (text: string) =>
      Buffer.concat([Buffer.from(text), Buffer.from([0xff]), Buffer.from('"}\n')]);
    for (const text of ['{"a":"', '{"a":"é', '{"a":"ࠀ', '{"a":"€', '{"a":"😀'])
      expect(await damageIn(bad(text))).toMatchObject([
        { damage: "utf8_invalid", at: Buffer.byteLength(text) },
      ]);
  });

  it("finds the first NUL, to the byte", async () => {
    const damage = await damageIn('{"a":1}\n{"b":"x\u0000\u0000"}\n');
    expect(damage).toMatchObject([{ damage: "nul_bytes", line: 2, byte: 8, at: 15, readable: false }]);
  });

  it("takes a line at the limit and calls one beyond it damage, without holding it in memory", async () => {
    const row = (bytes: number) => `{"p":"${"x".repeat(bytes - 8)}"}`;
    for (const chunkBytes of [limits.readChunkBytes, 1000, 8 * limits.rowBytesMax]) {
      const { entries } = await read(
        `${row(limits.rowBytesMax)}\n${row(limits.rowBytesMax + 1)}\n{"after":1}\n`,
        { chunkBytes },
      );
      expect(entries.map((entry) => (entry.kind === "damage" ? entry.damage : entry.kind))).toEqual([
        "row",
        "line_too_long",
        "row",
      ]);
      expect(entries[1]).toMatchObject({
        byte: limits.rowBytesMax + 1,
        bytes: limits.rowBytesMax + 2,
        line: 2,
      });
      expect(entries[2]).toMatchObject({ byte: 2 * limits.rowBytesMax + 3, line: 3 });
    }
  });

  it("leaves an unfinished line alone however long it is", async () => {
    const { entries, end } = await read(`{"a":1}\n${"x".repeat(limits.rowBytesMax * 2 + 5)}`);
    expect(entries).toHaveLength(1);
    expect(end).toEqual({ byte: 8, line: 2, unfinishedBytes: limits.rowBytesMax * 2 + 5 });
  });

  it("calls a comment damage where the log has none", async () => {
    expect(await damageIn("# x\n")).toMatchObject([{ damage: "json_invalid", line: 1 }]);
    expect(await damageIn("# x\n", { comments: true })).toEqual([]);
  });

  it("does not see damage in what a writer was changing just then", async () => {
    // The reader's first look falls between a fragment that is being cut off and the row that takes its place.
    const path = join(newFastFolder(), "log.jsonl");
    const whole = '{"a":1}\n';
    const mixed = Buffer.from(`${whole}{"torn":"ro${'"another":"row"}'}\n`);
    writeFileSync(path, `${whole}{"new":"row, another one"}\n`);
    const file = await files.open(path, "read");
    let reads = 0;
    const racing = {
      read: async (offset: number, length: number) =>
        reads++ === 0 ? mixed.subarray(offset, offset + length) : file.read(offset, length),
    };
    const entries: Entry[] = [];
    for await (const entry of scan({ ...file, ...racing } as typeof file)) entries.push(entry);
    await file.close();
    expect(entries.map((entry) => entry.kind)).toEqual(["row", "row"]);
  });
});
