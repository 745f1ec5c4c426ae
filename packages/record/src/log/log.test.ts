/** What a log promises to one process; what it promises to many, and after a crash, is in test/crash. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { alterFiles, FaultyFiles } from "@bridle/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import { holdsAsync } from "../../../../test/support/property.js";
import type { JsonObject } from "../json.js";
import { limits } from "../limits.js";
import { nodePorts } from "../ports/node.js";
import type { Ports } from "../ports/types.js";
import { Log } from "./log.js";
import type { LogOptions } from "./types.js";

const ports = nodePorts();
const newPath = () => join(newFolder(), "log.jsonl");
const rowId = (row: JsonObject) => (typeof row["id"] === "string" ? row["id"] : undefined);

function open(path: string, options: Partial<LogOptions> = {}): Promise<Log> {
  return Log.open({ path, bearing: "trajectory", ports, rowId, ...options });
}

async function using<T>(
  path: string,
  options: Partial<LogOptions>,
  act: (log: Log) => Promise<T>,
): Promise<T> {
  const log = await open(path, options);
  try {
    return await act(log);
  } finally {
    await log.close();
  }
}

async function rowsOf(log: Log): Promise<JsonObject[]> {
  const rows: JsonObject[] = [];
  for await (const entry of log.entries()) if (entry.kind === "row") rows.push(entry.row);
  return rows;
}

/** A lock is a link to nowhere. */
const isLocked = ({ local }: Log) => lstatSync(local.lock, { throwIfNoEntry: false }) !== undefined;

const setAside = (path: string) => {
  const folder = join(path, "..", ".bridle", "set-aside");
  return existsSync(folder) ? readdirSync(folder).map((name) => readFileSync(join(folder, name))) : [];
};

describe("appending", () => {
  it("says where each row begins, and keeps the order of the calls", async () => {
    const path = newPath();
    await using(path, {}, async (log) => {
      const sizes = [1, 2, 500, 3, 80_000, 7, 2_000_000, 4];
      const appended = await Promise.all(
        sizes.map((size, i) =>
          log
            .append(
              { id: `é${i}`, pad: "😀".repeat(size) },
              { durability: i % 2 === 0 ? "synced" : "written" },
            )
            .catch((error: Error) => error.message),
        ),
      );
      const content = readFileSync(path);
      let at = 0;
      for (const [i, result] of appended.entries()) {
        if (typeof result === "string") {
          expect(result).toMatch(/8,000,\d+ bytes/);
          continue;
        }
        expect(result).toEqual({ added: true, byte: at });
        const end = content.indexOf(10, at);
        expect(JSON.parse(content.subarray(at, end).toString())).toMatchObject({ id: `é${i}` });
        at = end + 1;
      }
      expect(at).toBe(content.length);
    });
  });

  it("refuses what would not come back as it went in, and writes nothing of it", async () => {
    const path = newPath();
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    await using(path, {}, async (log) => {
      await log.append({ id: "good" });
      const before = readFileSync(path);
      const refused: unknown[] = [
        { a: NaN },
        { a: Infinity },
        { a: [undefined] },
        { a: new Date(0) },
        { a: 1n },
        { a: () => 1 },
        [],
        null,
        "x",
        { a: Symbol("x") },
      ];
      for (const row of refused) await rejectsWith("row_invalid", log.append(row as JsonObject));
      await rejectsWith("json_too_deep", log.append(cycle as JsonObject));
      const lines = [
        '{"a":1}\n',
        '{"a":1}\r',
        '{"a":\n1}',
        "[]",
        "1",
        "",
        "{",
        '{"a":"\ud800"}',
        '\ufeff{"a":1}',
      ];
      for (const line of lines) await rejectsWith("row_invalid", log.appendLine(line));
      expect(readFileSync(path)).toEqual(before);
    });
  });

  it("takes a row at the limit and refuses one beyond it, counted in bytes", async () => {
    const path = newPath();
    await using(path, {}, async (log) => {
      const fitting = Math.floor((limits.rowBytesMax - 8) / 2);
      await log.append({ p: "é".repeat(fitting) });
      await rejectsWith("row_too_long", log.append({ p: "é".repeat(fitting + 1) }));
      await log.append({ p: "x".repeat(limits.rowBytesMax - 8) });
      await rejectsWith("row_too_long", log.append({ p: "x".repeat(limits.rowBytesMax - 7) }));
      expect(await log.verify()).toMatchObject({ rows: 2, damageCount: 0 });
    });
  });

  it("keeps the bytes of a line, and writes a row as it was when it was handed over", async () => {
    const path = newPath();
    await using(path, {}, async (log) => {
      const line = '{ "n": 12345678901234567890, "f":1.0, "u":"\\u0041" }';
      const row = { id: "before" };
      const appending = log.append(row);
      row.id = "after";
      await Promise.all([appending, log.appendLine(line)]);
      expect(readFileSync(path, "utf8")).toBe(`{"id":"before"}\n${line}\n`);
    });
  });

  it("of many rows as bytes keeps them and their order, and refuses all of them for one that is no row", async () => {
    const path = newPath();
    await using(path, {}, async (log) => {
      const [first, many, last] = await Promise.all([
        log.append({ n: 1 }),
        log.appendBytes(Buffer.from('{"n":2, "é":"ü"}\n{"n":3}\n'), { durability: "synced" }),
        log.append({ n: 4 }),
      ]);
      const text = '{"n":1}\n{"n":2, "é":"ü"}\n{"n":3}\n{"n":4}\n';
      expect(readFileSync(path, "utf8")).toBe(text);
      const begins = [first, many, last].map(({ byte }) => Buffer.from(text).subarray(byte)[5]);
      expect(begins).toEqual([...Buffer.from("124")]);
      for (const bad of [
        "",
        "\n",
        "[1]\n",
        '{"n":5}',
        '{"n":5}\n{"n":6}',
        '{"n":5}\n{"n":\n6}\n',
        '{"n":5}\r\n',
      ])
        await rejectsWith("row_invalid", log.appendBytes(Buffer.from(bad)));
      const long = Buffer.from(`{"n":"${"x".repeat(limits.rowBytesMax)}"}\n`);
      await rejectsWith("row_too_long", log.appendBytes(long));
      expect(readFileSync(path, "utf8")).toBe(text);
    });
  });

  it("gives back any row that it took", async () => {
    const path = newPath();
    await using(path, {}, async (log) => {
      const taken: JsonObject[] = [];
      await holdsAsync(
        fc.asyncProperty(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), async (row) => {
          const plain = JSON.parse(JSON.stringify(row)) as JsonObject;
          await log.append(plain);
          taken.push(plain);
        }),
        300,
      );
      expect(await rowsOf(log)).toEqual(taken);
      expect(await log.verify()).toMatchObject({ damageCount: 0, rows: taken.length });
    });
  });

  it("makes the folder that it needs, and opening alone makes nothing", async () => {
    const folder = newFolder();
    const path = join(folder, "a", ".premath", "deep", "log.jsonl");
    const log = await open(path);
    expect(await rowsOf(log)).toEqual([]);
    expect(await log.verify()).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
    await log.append({ id: "x" });
    await log.close();
    expect(readFileSync(path, "utf8")).toBe('{"id":"x"}\n');
  });

  it("after closing is refused", async () => {
    const log = await open(newPath());
    await log.append({ id: "x" });
    await log.close();
    await log.close();
    await rejectsWith("log_closed", log.append({ id: "y" }));
  });

  it("to a folder or a pipe is refused, and so is reading it", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, "log.jsonl"));
    execFileSync("mkfifo", [join(folder, "pipe.jsonl")]);
    for (const name of ["log.jsonl", "pipe.jsonl"]) {
      const log = await open(join(folder, name));
      await rejectsWith("file_not_regular", log.append({ id: "x" }));
      await rejectsWith(
        "file_not_regular",
        log.rewrite(async function* () {}),
      );
      await rejectsWith("file_not_regular", log.verify());
      await rejectsWith("file_not_regular", rowsOf(log));
      await log.close();
    }
    expect(readdirSync(join(folder, "log.jsonl"))).toEqual([]);
  });

  it("gives the lock back when it is idle, so that another need not wait for a close", async () => {
    const path = newPath();
    const idle = await open(path);
    await idle.append({ id: "idle" });
    const other = await open(path, { lockWaitMsMax: 2_000 });
    await other.append({ id: "other" });
    await idle.append({ id: "idle again" });
    expect((await rowsOf(idle)).map((row) => row["id"])).toEqual(["idle", "other", "idle again"]);
    await Promise.all([idle.close(), other.close()]);
  });

  it("through two handles of one process interleaves whole rows, and neither starves", async () => {
    const path = newPath();
    const handles = await Promise.all([open(path), open(path), open(path)]);
    const appendTo = async (log: Log, name: string) => {
      for (let i = 0; i < 300; i++) await log.append({ id: `${name}-${i}` });
    };
    await Promise.all(handles.map((log, i) => appendTo(log, `h${i}`)));
    const ids = (await rowsOf(await open(path))).map((row) => String(row["id"]));
    expect(new Set(ids).size).toBe(900);
    for (const i of [0, 1, 2]) {
      const own = ids.filter((id) => id.startsWith(`h${i}-`));
      expect(own).toEqual(Array.from({ length: 300 }, (_, n) => `h${i}-${n}`));
    }
    await Promise.all(handles.map((log) => log.close()));
  });

  it("makes the file's name durable once, however often the lock changes hands", async () => {
    const path = newPath();
    const folders: string[] = [];
    const files = alterFiles(ports.files, {
      files: { syncDirectory: (folder) => (folders.push(folder), ports.files.syncDirectory(folder)) },
    });
    await using(path, { ports: { ...ports, files } }, async (log) => {
      await using(path, {}, async (other) => {
        for (const id of ["a", "b", "c"]) {
          await log.append({ id }, { durability: "synced" });
          await other.append({ id: `other ${id}` });
        }
      });
    });
    expect(folders.filter((folder) => folder === join(path, ".."))).toHaveLength(1);
  });

  it("of rows that are written one by one, but wait together, is one sync", async () => {
    const path = newPath();
    let syncs = 0;
    const files = alterFiles(ports.files, {
      openFile: (file, name) => ({ sync: () => (name === path && syncs++, file.sync()) }),
    });
    await using(path, { ports: { ...ports, files } }, (log) =>
      Promise.all(["a", "b", "c"].map((id) => log.append({ id }, { durability: "synced", once: id }))),
    );
    expect(syncs).toBe(1);
  });

  it("synced by many callers at once shares the syncs", async () => {
    const files = new FaultyFiles(ports.files);
    await using(newPath(), { ports: { ...ports, files } }, async (log) => {
      await log.append({ id: "first" }, { durability: "synced" });
      const before = files.callsOf("sync");
      await Promise.all(
        Array.from({ length: 320 }, (_, i) => log.append({ id: `${i}` }, { durability: "synced" })),
      );
      expect(files.callsOf("sync") - before).toBeLessThan(40);
    });
  });
});

describe("whether there is a log", () => {
  it("is told by the file, or by whatever stands in its place", async () => {
    const path = newPath();
    const log = await open(path);
    expect(await log.exists()).toBe(false);
    await log.append({ id: "a" });
    expect(await log.exists()).toBe(true);
    await log.close();
    expect(await log.exists()).toBe(true);
    rmSync(path);
    expect(await log.exists()).toBe(false);
    mkdirSync(path);
    expect(await log.exists()).toBe(true);
  });
});

describe("one who only reads", () => {
  const damaged = '{"id":"a"}\n# a remark\n';
  const seen = (log: Log) => log.indexed({ name: "test.v1", summarize: () => 0 }, async () => 0);

  it("quietly leaves nothing beside a log that nobody has written, and else an index and the marker", async () => {
    for (const quiet of [true, false]) {
      const path = newPath();
      writeFileSync(path, damaged);
      await using(path, { quiet }, async (log) => void (await log.verify()));
      expect(existsSync(join(path, "..", ".bridle"))).toBe(!quiet);
    }
  });

  it("and asks the index finds damage, which a remark is only where there are none", async () => {
    for (const comments of [true, false]) {
      const path = newPath();
      writeFileSync(path, damaged);
      await using(path, comments ? { comments } : {}, async (log) => {
        await seen(log);
        expect(existsSync(log.local.marker)).toBe(!comments);
      });
    }
  });

  it("and knows of two sides takes the marks of a merge for no damage, and everything else for what it is", async () => {
    const [marks, damage] = ["<<<<<<< a\n=======\n>>>>>>> b\n", "not json\n"];
    for (const [content, conflicts, marked] of [
      [marks, "sides", false],
      [marks, undefined, true],
      [marks + damage, "sides", true],
    ] as const) {
      const path = newPath();
      writeFileSync(path, content);
      await using(path, conflicts === undefined ? {} : { conflicts }, async (log) => {
        await rowsOf(log);
        expect(existsSync(log.local.marker)).toBe(marked);
      });
    }
  });

  it("tells a file from another that got its inode, by its birth where the disk knows that", async () => {
    const path = newPath();
    writeFileSync(path, "");
    const fileBorn = async (bornMs: number | undefined) => {
      const files = alterFiles(ports.files, {
        openFile: (file) => ({
          stat: async () => {
            const { bornMs: _, ...stat } = await file.stat();
            return { ...stat, inode: "7", ...(bornMs === undefined ? {} : { bornMs }) };
          },
        }),
      });
      return using(path, { ports: { ...ports, files } }, (log) => log.look(async ({ file }) => file));
    };
    expect([await fileBorn(1), await fileBorn(2), await fileBorn(undefined)]).toEqual(["7@1", "7@2", "7"]);
  });

  it("is told what the disk says, however the log is read", async () => {
    const ways: ((log: Log) => Promise<unknown>)[] = [
      ...[(log: Log) => log.verify(), seen, rowsOf],
      (log) => log.look((state) => state.read().next()),
    ];
    const files = alterFiles(ports.files, {
      openFile: () => ({
        read: async () => {
          throw Object.assign(new Error("EIO"), { code: "EIO" });
        },
      }),
    });
    const path = newPath();
    writeFileSync(path, damaged);
    for (const way of ways) await rejectsWith("disk_error", using(path, { ports: { ...ports, files } }, way));
  });
});

describe("a log that is superseded", () => {
  const damaged = '{"id":"a"}\nnot json\n';

  it("is decided on byte by byte, damaged or not, and its new lines are sound", async () => {
    const path = newPath();
    writeFileSync(path, damaged);
    await using(path, { bearing: "state" }, async (log) => {
      expect(await log.verify()).toMatchObject({ damageCount: 1, marked: true });
      const seen = await log.supersede(async (bytes) => ({
        answer: Buffer.from(bytes).toString(),
        lines: ['{"id":"b"}'],
      }));
      expect(seen).toBe(damaged);
      expect(await log.verify()).toMatchObject({ damageCount: 0, marked: false });
      await log.append({ id: "c" });
    });
    expect(readFileSync(path, "utf8")).toBe('{"id":"b"}\n{"id":"c"}\n');
  });

  it("stays as it is where nothing is to be put in its place", async () => {
    const path = newPath();
    writeFileSync(path, damaged);
    await using(path, { bearing: "state" }, async (log) => {
      await log.verify();
      expect(await log.supersede(async () => ({ answer: "no" }))).toBe("no");
      expect(await log.verify()).toMatchObject({ damageCount: 1, marked: true });
    });
    expect(readFileSync(path, "utf8")).toBe(damaged);
  });
});

describe("a verification", () => {
  it("of a log that is empty, or ends in a row that is not whole, counts in bytes", async () => {
    const path = newPath();
    writeFileSync(path, "");
    await using(path, {}, async (log) => {
      expect(await log.verify()).toMatchObject({ rows: 0, lines: 0, bytes: 0, unfinishedBytes: 0 });
      writeFileSync(path, '{"a":1}\n{"b":2}\n{"c"');
      expect(await log.verify()).toMatchObject({ rows: 2, lines: 2, bytes: 16, unfinishedBytes: 4 });
    });
  });
});

describe("a row that must stand once", () => {
  it("is added once, however often it is tried and through however many handles", async () => {
    const path = newPath();
    for (let round = 0; round < 3; round++) {
      await using(path, {}, async (log) => {
        const results = await Promise.all([1, 2, 3].map(() => log.append({ id: "a", round }, { once: "a" })));
        expect(results.map((result) => result.added)).toEqual([round === 0, false, false]);
        expect(results.every((result) => result.byte === 0)).toBe(true);
      });
    }
    expect(readFileSync(path, "utf8")).toBe('{"id":"a","round":0}\n');
  });

  it("is found however its id is spelled in the file", async () => {
    const ids = ["plain", "é", "a/b", "tab\tnew\nline", 'quo"te', "back\\slash", "😀", "\u007f", "\u2028"];
    const spell: Record<string, (id: string) => string> = {
      "as JSON.stringify": (id) => JSON.stringify(id),
      "in \\u escapes": (id) =>
        `"${id.replace(/[\s\S]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`,
      "in upper-case escapes": (id) =>
        `"${id.replace(/[\s\S]/g, (c) => `\\u${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`)}"`,
      "with escaped slashes": (id) => JSON.stringify(id).replaceAll("/", "\\/"),
    };
    for (const [how, spelled] of Object.entries(spell)) {
      for (const id of ids) {
        const path = newPath();
        await using(path, {}, async (log) => {
          await log.appendLine(`{"before":1}`);
          await log.appendLine(`{"k":"x", "id" : ${spelled(id)}}`);
          expect(await log.append({ id }, { once: id }), `${JSON.stringify(id)} ${how}`).toEqual({
            added: false,
            byte: 13,
          });
        });
      }
    }
  });

  it("is not taken for there because its id stands somewhere else", async () => {
    const path = newPath();
    await using(path, {}, async (log) => {
      await log.append({ id: "other", ref: "a", nested: { id: "a" }, list: ["a"] });
      await log.append({ id: "ab" });
      await log.append({ id: 'x"a"' });
      expect(await log.append({ id: "a" }, { once: "a" })).toMatchObject({ added: true });
    });
  });

  it("is found across the edges of reads, behind long rows and behind damage", async () => {
    for (const shift of [-30, -12, -11, -10, -9, -5, -1, 0, 1, 5]) {
      const path = newPath();
      const id = "needle-in-the-file";
      const head = `{"id":"`;
      const pad = limits.readChunkBytes + shift - head.length - 12;
      writeFileSync(path, `{"p":"${"x".repeat(pad)}"}\n\u0000\u0000\nnot json\n{"id":"${id}"}\n`);
      await using(path, {}, async (log) => {
        expect(await log.append({ id }, { once: id }), `shift ${shift}`).toMatchObject({ added: false });
      });
    }
    const path = newPath();
    writeFileSync(
      path,
      `${"x".repeat(limits.rowBytesMax * 2 + 7)}\n${JSON.stringify({ id: "behind", p: "y".repeat(limits.rowBytesMax - 100) })}\n`,
    );
    await using(path, {}, async (log) => {
      expect(await log.append({ id: "behind" }, { once: "behind" })).toMatchObject({ added: false });
      expect(await log.append({ id: "x" }, { once: "x" })).toMatchObject({ added: true });
    });
  });

  it("is found behind a line that is longer than any may be by exactly one read", async () => {
    const path = newPath();
    writeFileSync(path, `${"x".repeat(limits.rowBytesMax + limits.readChunkBytes)}\n{"id":"b"}\n`);
    await using(path, {}, async (log) => {
      expect(await log.append({ id: "b" }, { once: "b" })).toMatchObject({ added: false });
    });
  });

  it("is not a line that is longer than any may be, whatever that says", async () => {
    const path = newPath();
    const pad = "x".repeat(limits.rowBytesMax + 2 * limits.readChunkBytes);
    writeFileSync(path, `${JSON.stringify({ id: "b", pad })}\n`);
    await using(path, {}, async (log) => {
      expect(await log.append({ id: "b" }, { once: "b" })).toMatchObject({ added: true });
    });
  });

  it("in a log without ids is refused, and one whose id cannot be told fails its own call only", async () => {
    const path = newPath();
    const log = await Log.open({ path, bearing: "trajectory", ports });
    await log.append({ id: "a" });
    await rejectsWith("row_invalid", log.append({ id: "a" }, { once: "a" }));
    await log.append({ id: "b" });
    await log.close();
    const broken = await open(path, {
      rowId: () => {
        throw new TypeError("a bug of the caller");
      },
    });
    await expect(broken.append({ id: "a" }, { once: "a" })).rejects.toThrow("a bug of the caller");
    await broken.append({ id: "c" });
    expect(await rowsOf(broken)).toEqual([{ id: "a" }, { id: "b" }, { id: "c" }]);
    await broken.close();
  });
});

describe("a torn tail", () => {
  it("is set aside to the byte and cut off, and somebody is told", async () => {
    const path = newPath();
    const fragment = '{"id":"torn","x":"é';
    writeFileSync(path, `{"id":"whole"}\n${fragment}`);
    const notices: string[] = [];
    await using(path, { notice: (sentence) => notices.push(sentence) }, (log) => log.append({ id: "next" }));
    expect(readFileSync(path, "utf8")).toBe('{"id":"whole"}\n{"id":"next"}\n');
    expect(setAside(path).map(String)).toEqual([fragment]);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/unfinished row \(20 bytes at byte 15\)/);
  });

  it("that fills the whole file, or more than one read, is kept whole too", async () => {
    for (const fragment of [
      Buffer.alloc(limits.readChunkBytes * 2 + 17, "x"),
      Buffer.from("x"),
      Buffer.alloc(5000),
    ]) {
      const path = newPath();
      writeFileSync(path, fragment);
      await using(path, {}, (log) => log.append({ id: "next" }));
      expect(readFileSync(path, "utf8")).toBe('{"id":"next"}\n');
      expect(setAside(path).map((kept) => kept.equals(fragment))).toEqual([true]);
    }
  });

  it("does not replace another that was torn at the same place and began the same", async () => {
    const path = newPath();
    const head = `{"p":"${"x".repeat(limits.readChunkBytes * 2)}`;
    for (const end of ["one", "two", "two"]) {
      writeFileSync(path, head + end);
      await using(path, {}, (log) => log.append({ id: "next" }));
    }
    expect(new Set(setAside(path).map((bytes) => bytes.subarray(-3).toString()))).toEqual(
      new Set(["one", "two"]),
    );
  });
});

describe("damage that was found", () => {
  const damaged = '{"id":"a"}\nnot json\n{"id":"b"}\n';

  it("stops changes of a state-bearing log until it is repaired", async () => {
    const path = newPath();
    writeFileSync(path, damaged);
    await using(path, { bearing: "state" }, async (log) => {
      expect(await rowsOf(log)).toHaveLength(2);
      await rejectsWith("log_damaged", log.append({ id: "c" }));
      await rejectsWith("log_damaged", log.append({ id: "c" }, { durability: "synced", once: "c" }));
      await rejectsWith(
        "log_damaged",
        log.rewrite(async function* () {}),
      );
      expect(readFileSync(path, "utf8")).toBe(damaged);
      expect(await log.repair()).toMatchObject({ rowsKept: 2, removedCount: 1, changed: true });
      await log.append({ id: "c" });
      expect(readFileSync(path, "utf8")).toBe('{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n');
    });
  });

  it("lets a trajectory go on, with one notice and without rewrites", async () => {
    const path = newPath();
    writeFileSync(path, damaged);
    const notices: string[] = [];
    await using(path, { notice: (sentence) => notices.push(sentence) }, async (log) => {
      await log.verify();
      for (const id of ["c", "d", "e"]) await log.append({ id });
      await rejectsWith(
        "log_damaged",
        log.rewrite(async function* () {}),
      );
      await log.append({ id: "f" });
      expect(notices).toHaveLength(1);
      expect(notices[0]).toMatch(/found damaged.*repair/s);
      expect(await rowsOf(log)).toHaveLength(6);
    });
  });

  it("is looked for once in each holding of the lock, also where rows go on", async () => {
    for (const content of [damaged, '{"id":"a"}\n']) {
      const path = newPath();
      writeFileSync(path, content);
      let looks = 0;
      const files = alterFiles(ports.files, {
        files: { stat: (name) => (name.includes("/damage/") && looks++, ports.files.stat(name)) },
      });
      await using(path, {}, async (log) => void (await log.verify()));
      await using(path, { ports: { ...ports, files } }, async (log) => {
        for (const id of ["c", "d", "e"]) await log.append({ id });
      });
      expect(looks).toBe(1);
    }
  });

  it("by a rewrite itself stops it, and leaves the file", async () => {
    const path = newPath();
    writeFileSync(path, damaged);
    await using(path, {}, async (log) => {
      await rejectsWith(
        "log_damaged",
        log.rewrite(async function* (entries) {
          for await (const entry of entries) yield entry.text;
        }),
      );
      expect(readFileSync(path, "utf8")).toBe(damaged);
      expect(await log.verify()).toMatchObject({ marked: true });
    });
  });

  it("is remembered even when the reader stopped half way", async () => {
    const path = newPath();
    writeFileSync(path, damaged);
    await using(path, { bearing: "state" }, async (log) => {
      for await (const entry of log.entries()) if (entry.kind === "damage") break;
      await rejectsWith("log_damaged", log.append({ id: "c" }));
    });
  });

  it("is remembered when a live view met it", async () => {
    const path = newPath();
    writeFileSync(path, damaged);
    await using(path, { bearing: "state" }, async (log) => {
      const stop = new AbortController();
      for await (const entry of log.follow({ signal: stop.signal }))
        if (entry.kind === "damage") stop.abort();
      await rejectsWith("log_damaged", log.append({ id: "c" }));
    });
  });

  it("of a file that was repaired while somebody still read the old one is not held against the new", async () => {
    const path = newPath();
    writeFileSync(path, damaged + '{"id":"x"}\n'.repeat(10));
    await using(path, { bearing: "state" }, async (log) => {
      const reading = log.batches({ chunkBytes: 16 });
      await reading.next();
      await reading.next();
      await log.repair();
      for await (const _ of reading);
      await log.append({ id: "c" });
    });
  });
});

describe("a repair", () => {
  it("keeps good lines to the byte, mends what can be read, and sets every damaged byte aside", async () => {
    const path = newPath();
    const good = ['{ "n": 12345678901234567890 }', '{"f":1.0,"u":"\\u0041","é":"😀"}', '{"id":"x"}'];
    const damage = ["not json", "<<<<<<< HEAD", '{"id":"cr"}\r', '{"z":"\u0000"}'];
    writeFileSync(
      path,
      `${good[0]}\n${damage[0]}\n${damage[1]}\n${good[1]}\n\n${damage[2]}\n${damage[3]}\n${good[2]}\n`,
    );
    await using(path, {}, async (log) => {
      const repair = await log.repair();
      expect(repair).toMatchObject({ rowsKept: 4, removedCount: 4, changed: true, checksumMismatches: [] });
      expect(readFileSync(path, "utf8")).toBe(`${good[0]}\n${good[1]}\n{"id":"cr"}\n${good[2]}\n`);
      expect(await log.verify()).toMatchObject({ damageCount: 0, marked: false, rows: 4 });
      const aside = readFileSync(repair.setAside ?? "", "utf8");
      for (const [i, bytes] of damage.entries()) {
        const head = `"bytes":${bytes.length + 1},"damage":"${repair.removed[i]?.damage}"}\n`;
        expect(aside).toContain(`${head}${bytes}\n\n`);
      }
    });
  });

  it("keeps the remarks of a log that has them, and takes them for damage in any other", async () => {
    const content = '# a remark\n{"id":"a"}\nnot json\n';
    for (const [comments, left] of [
      [true, '# a remark\n{"id":"a"}\n'],
      [false, '{"id":"a"}\n'],
    ] as const) {
      const path = newPath();
      writeFileSync(path, content);
      await using(path, { comments }, async (log) => void (await log.repair()));
      expect(readFileSync(path, "utf8")).toBe(left);
    }
  });

  it("of a log that is whole changes nothing but the marker", async () => {
    const path = newPath();
    writeFileSync(path, '{"id":"a"}\n');
    await using(path, { bearing: "state" }, async (log) => {
      const { ino } = statSync(path);
      mkdirSync(join(path, "..", ".bridle", "damage"), { recursive: true });
      writeFileSync(join(path, "..", ".bridle", "damage", "log.jsonl.json"), "a marker that is no JSON");
      await rejectsWith("log_damaged", log.append({ id: "b" }));
      expect(await log.repair()).toMatchObject({ changed: false, rowsKept: 1, setAside: null });
      expect(statSync(path).ino).toBe(ino);
      await log.append({ id: "b" });
    });
  });
});

describe("a rewrite", () => {
  it("gets every row and comment, and what it yields is the new file", async () => {
    const path = newPath();
    writeFileSync(path, '# head\n{"id":"a"}\n\n{"id":"b", "n":1.0}\n');
    await using(path, { comments: true }, async (log) => {
      await log.rewrite(async function* (entries) {
        for await (const entry of entries)
          if (entry.kind === "comment" || entry.row["id"] === "b") yield entry.text;
        yield { id: "new" };
      });
      expect(readFileSync(path, "utf8")).toBe('# head\n{"id":"b", "n":1.0}\n{"id":"new"}\n');
      expect(await log.verify()).toMatchObject({ damageCount: 0, rows: 2, lines: 3 });
    });
  });

  it("is written in pieces of a sensible size, neither row by row nor all at once", async () => {
    const path = newPath();
    const rows = Array.from({ length: 48 }, (_, id) =>
      JSON.stringify({ id: `${id}`, pad: "x".repeat(65_536) }),
    );
    writeFileSync(path, rows.map((row) => `${row}\n`).join(""));
    let pieces = 0;
    const files = alterFiles(ports.files, {
      openFile: (file, name) => ({
        append: (bytes) => (name.includes("/staging/") && pieces++, file.append(bytes)),
      }),
    });
    await using(path, { ports: { ...ports, files } }, (log) =>
      log.rewrite(async function* () {
        yield* rows;
      }),
    );
    expect(statSync(path).size / limits.batchBytesMax).toBeGreaterThan(3);
    expect(pieces).toBe(Math.floor(statSync(path).size / limits.batchBytesMax));
  });

  it("that throws, or yields what is no row, changes nothing and leaves nothing lying about", async () => {
    const path = newPath();
    const before = '{"id":"a"}\n{"id":"b"}\n';
    writeFileSync(path, before);
    await using(path, {}, async (log) => {
      await expect(
        log.rewrite(async function* () {
          yield { id: "new" };
          throw new TypeError("changed my mind");
        }),
      ).rejects.toThrow("changed my mind");
      for (const line of ["not json", '{"a":1}\n{"b":2}', "[]", "# no comments here", "#\n{}"]) {
        await rejectsWith(
          "row_invalid",
          log.rewrite(async function* () {
            yield line;
          }),
        );
      }
      expect(readFileSync(path, "utf8")).toBe(before);
      expect(readdirSync(join(path, "..", ".bridle", "staging"))).toEqual([]);
      await log.append({ id: "c" });
    });
    await using(path, { comments: true }, async (log) => {
      await rejectsWith(
        "row_invalid",
        log.rewrite(async function* () {
          yield "# one\n# two";
        }),
      );
    });
  });

  it("keeps the file's permissions, whatever the umask", async () => {
    for (const mode of [0o600, 0o640, 0o664, 0o666]) {
      const path = newPath();
      writeFileSync(path, '{"id":"a"}\n');
      chmodSync(path, mode);
      await using(path, {}, (log) =>
        log.rewrite(async function* () {
          yield { id: "b" };
        }),
      );
      expect((statSync(path).mode & 0o777).toString(8)).toBe(mode.toString(8));
    }
  });

  it("is seen by a handle that was open before, and no row of it lands in the old file", async () => {
    const path = newPath();
    const old = await open(path);
    await old.append({ id: "a" });
    await using(path, {}, (log) =>
      log.rewrite(async function* () {
        yield { id: "rewritten" };
      }),
    );
    await old.append({ id: "b" });
    await old.close();
    expect(readFileSync(path, "utf8")).toBe('{"id":"rewritten"}\n{"id":"b"}\n');
  });
});

describe("after a failed sync", () => {
  const failing = (sticky: boolean): { files: FaultyFiles; ports: Ports } => {
    const files = new FaultyFiles(ports.files, { fault: "fsync", at: 2, sticky, methods: ["sync"] });
    return { files, ports: { ...ports, files } };
  };

  it.each([false, true])("the file is given up, also when it is in use just then: %s", async (inUse) => {
    const path = newPath();
    let opened = 0;
    let fail = () => {};
    const failed = new Promise<never>(
      (_, reject) => (fail = () => reject(Object.assign(new Error("EIO"), { code: "EIO" }))),
    );
    const files = alterFiles(ports.files, {
      openFile: (file, name) => {
        if (name !== path) return {};
        opened++;
        return { sync: () => failed, close: () => (opened--, file.close()) };
      },
    });
    await using(path, { ports: { ...ports, files } }, async (log) => {
      const inDoubt = rejectsWith("row_in_doubt", log.append({ id: "a" }, { durability: "synced" }));
      await expect.poll(() => readFileSync(path, "utf8")).toBe('{"id":"a"}\n');
      const deciding = async () => {
        fail();
        await inDoubt;
        return { answer: "decided" };
      };
      if (inUse) await log.transact(deciding);
      else fail();
      await inDoubt;
      await expect.poll(() => [opened, isLocked(log)]).toEqual([0, false]);
    });
  });

  it("every waiting row is in doubt or refused, none hangs, and a retry adds no second one", async () => {
    const path = newPath();
    const { files, ports: faulty } = failing(true);
    const log = await open(path, { ports: faulty });
    await log.append({ id: "first" }, { durability: "synced" });
    const ids = Array.from({ length: 20 }, (_, i) => `r${i}`);
    const outcomes = await Promise.all(
      ids.map(async (id) => {
        await Promise.resolve();
        return log.append({ id }, { durability: "synced" }).then(
          () => "added",
          (error: Error & { failureClass?: string }) => error.failureClass,
        );
      }),
    );
    expect(outcomes).toContain("row_in_doubt");
    expect(outcomes.every((outcome) => outcome === "row_in_doubt" || outcome === "log_poisoned")).toBe(true);
    await rejectsWith("log_poisoned", log.append({ id: "late" }));
    files.heal();
    await log.reopen();
    for (const id of ids) await log.append({ id }, { durability: "synced", once: id });
    await log.close();
    const found = readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(found.toSorted()).toEqual(["first", ...ids].toSorted());
  });

  it("rows that come in while the sync runs are settled too, at whatever moment it fails", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const path = newPath();
      let failures = 0;
      const files = alterFiles(ports.files, {
        openFile: (file) => ({
          sync: async () => {
            for (let i = 0; i < turns; i++) await Promise.resolve();
            if (failures++ === 0) throw Object.assign(new Error("EIO"), { code: "EIO" });
            await file.sync();
          },
        }),
      });
      const log = await open(path, { ports: { ...ports, files } });
      const appended: Promise<unknown>[] = [];
      for (let i = 0; i < 12; i++) {
        appended.push(log.append({ id: `${i}` }, { durability: "synced" }).catch((error: unknown) => error));
        for (let wait = 0; wait < i; wait++) await Promise.resolve();
      }
      await Promise.all(appended);
      await log.close();
      expect(failures).toBeGreaterThan(0);
    }
  });
});

describe("a log beside which something else went wrong", () => {
  it("does not follow a folder of links around in circles", async () => {
    const path = newPath();
    symlinkSync("log.jsonl", path);
    await rejectsWith("file_not_regular", open(path));
  });

  it("whose lock was removed by hand says so and goes on", async () => {
    const path = newPath();
    const notices: string[] = [];
    await using(path, { notice: (sentence) => notices.push(sentence) }, async (log) => {
      await log.append({ id: "a" });
      rmSync(join(path, "..", ".bridle", "locks", "log.jsonl.lock"), { force: true });
      await log.append({ id: "b" });
    });
    expect(readFileSync(path, "utf8")).toBe('{"id":"a"}\n{"id":"b"}\n');
    expect(notices.every((sentence) => /lock .* was removed/.test(sentence))).toBe(true);
  });

  it("whose local folder was cleared away makes it again and goes on", async () => {
    const path = newPath();
    await using(path, {}, async (log) => {
      await log.append({ id: "a" });
      await expect.poll(() => isLocked(log)).toBe(false);
      rmSync(join(path, "..", ".bridle"), { recursive: true });
      await log.append({ id: "b" });
    });
    expect(readFileSync(path, "utf8")).toBe('{"id":"a"}\n{"id":"b"}\n');
  });

  it("whose lock cannot be taken says so at once, and takes it when it is asked again", async () => {
    const path = newPath();
    let failures = 0;
    const files = alterFiles(ports.files, {
      files: {
        symlink: async (target, name) => {
          if (name.endsWith(".lock") && failures++ === 0)
            throw Object.assign(new Error("EIO"), { code: "EIO" });
          return ports.files.symlink(target, name);
        },
      },
    });
    await using(path, { ports: { ...ports, files } }, async (log) => {
      await rejectsWith("disk_error", log.append({ id: "a" }));
      await log.append({ id: "b" });
    });
    expect(readFileSync(path, "utf8")).toBe('{"id":"b"}\n');
  });

  it("with a file in the place of its local folder says what is in the way", async () => {
    const path = newPath();
    writeFileSync(join(path, "..", ".bridle"), "a file");
    const log = await open(path);
    await rejectsWith("file_not_regular", log.append({ id: "a" }));
    await log.close();
    appendFileSync(path, '{"id":"b"}\n');
    expect(await rowsOf(log)).toEqual([{ id: "b" }]);
    expect(await log.verify()).toMatchObject({ rows: 1 });
  });
});
