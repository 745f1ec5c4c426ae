/** A document is its old content or its new one, and keeps what it does not understand. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { alterFiles } from "@bridle/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../../../test/support/failure.js";
import { newFastFolder, newFolder } from "../../../test/support/folder.js";
import { holdsAsync } from "../../../test/support/property.js";
import { Document } from "./document.js";
import { Failure } from "./failures.js";
import type { JsonObject } from "./json.js";
import { limits } from "./limits.js";
import { nodePorts } from "./ports/node.js";
import type { Ports } from "./ports/types.js";
import { rawItems, rawMembers } from "./raw.js";

const ports = nodePorts();

interface Counter {
  readonly count: number;
  readonly note?: string;
}

function open(path: string, through: Ports = ports): Promise<Document<Counter>> {
  return Document.open<Counter>({
    path,
    ports: through,
    members: ["count", "note"],
    check: (value: JsonObject) => {
      const { count, note } = value;
      if (typeof count !== "number" || (note !== undefined && typeof note !== "string")) {
        throw new Failure("document_invalid", { message: "count must be a number" });
      }
      return { count, ...(note === undefined ? {} : { note }) };
    },
  });
}

const increment = (current: Counter | undefined): Counter => ({
  ...current,
  count: (current?.count ?? 0) + 1,
});
const newPath = () => join(newFolder(), "counter.json");

describe("a document", () => {
  it("is made by its first change, with its folder, and read back", async () => {
    const path = join(newFolder(), "deep", ".premath", "counter.json");
    const document = await open(path);
    expect(await document.read()).toBeUndefined();
    expect(existsSync(join(path, "..", ".."))).toBe(false);
    expect(await document.change(increment)).toEqual({ count: 1 });
    expect(await document.read()).toEqual({ count: 1 });
    expect(readFileSync(path, "utf8")).toBe('{\n  "count": 1\n}\n');
  });

  it("keeps the members that it does not know, to the byte and in their order", async () => {
    const value = fc.constantFrom(
      "12345678901234567890",
      "1.0",
      "1e5",
      "-0",
      '"\\u0041\\/"',
      '[1.0,\n {"b":2.50}]',
      "{}",
      "null",
      '"}{\\""',
    );
    const key = fc.constantFrom("z", "1", "0", "é", "a b", "__proto__", "constructor", 'q"', "countX");
    await holdsAsync(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name }),
        fc.nat(),
        async (unknown, at) => {
          const members = unknown.map(([name, source]) => `${JSON.stringify(name)}:${source}`);
          members.splice(at % (members.length + 1), 0, '"count" : 41.0');
          const path = join(newFastFolder(), "counter.json");
          writeFileSync(path, `{${members.join(" , ")}}`);
          await (await open(path)).change(increment);
          const after = rawMembers(readFileSync(path, "utf8"));
          expect(after.get("count")).toBe("42");
          after.delete("count");
          expect([...after]).toEqual(unknown);
        },
      ),
      60,
    );
  });

  it("keeps the members of its rows that it does not know, to the byte, however the rows move", async () => {
    interface Shelf {
      readonly rows: readonly { readonly id: string; readonly n?: number }[];
    }
    const openShelf = (path: string) =>
      Document.open<Shelf>({
        path,
        ports,
        members: ["rows"],
        rows: { member: "rows", members: ["id", "n"], idOf: ({ id }) => String(id) },
        check: (value) => value as unknown as Shelf,
      });
    const carried = fc.constantFrom(
      "",
      ',"z":1.0',
      ',"0" : 18446744073709551615',
      ',"m":{"a" :\n [ ] },"id2":"\\u0041"',
    );
    const rows = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), carried), { maxLength: 6 });
    await holdsAsync(
      fc.asyncProperty(rows, async (items) => {
        const path = join(newFastFolder(), "counter.json");
        const row = ([id, more]: readonly [string, string]) => `{"id":"${id}"${more}}`;
        writeFileSync(path, `{"rows":[${items.map(row).join(" , ")}]}`);
        const shelf = await openShelf(path);
        await shelf.change((current) => ({
          rows: [...(current?.rows ?? []).map((item) => ({ ...item, n: 1 })), { id: "new" }].sort(
            (left, right) => (left.id < right.id ? -1 : left.id > right.id ? 1 : 0),
          ),
        }));
        const sorted = [...items].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
        const text = readFileSync(path, "utf8");
        const after = rawItems(rawMembers(text).get("rows") ?? "[]").map((item) => [...rawMembers(item)]);
        const before = sorted.map((item) => [
          ["id", `"${item[0]}"`],
          ["n", "1"],
          ...[...rawMembers(row(item))].filter(([name]) => name !== "id"),
        ]);
        expect(after).toEqual([...before, [["id", '"new"']]]);
      }),
      60,
    );
  });

  it("is laid out as JSON is, rows too", async () => {
    const path = newPath();
    const value = { rows: [{ id: "a", list: ["x", { y: [] }] }, { id: "b" }], end: 1 };
    const document = await Document.open<typeof value>({
      path,
      ports,
      members: ["rows", "end"],
      rows: { member: "rows", members: ["id", "list"], idOf: ({ id }) => String(id) },
      check: (content) => content as unknown as typeof value,
    });
    await document.change(() => value);
    expect(readFileSync(path, "utf8")).toBe(`${JSON.stringify(value, null, 2)}\n`);
    await document.change(() => ({ rows: [], end: 2 }));
    expect(readFileSync(path, "utf8")).toBe(`${JSON.stringify({ rows: [], end: 2 }, null, 2)}\n`);
  });

  it("drops a member of its own that the change leaves out", async () => {
    const path = newPath();
    writeFileSync(path, '{"count":1,"note":"x","other":"kept"}');
    await (await open(path)).change(({ count } = { count: 0 }) => ({ count }));
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ count: 1, other: "kept" });
  });

  it("that a change cannot write faithfully is refused and stays as it was", async () => {
    const path = newPath();
    writeFileSync(path, '{"count":1}\n');
    const document = await open(path);
    for (const count of [NaN, Infinity, "1" as never, undefined as never]) {
      await expect(document.change(() => ({ count }))).rejects.toBeInstanceOf(Failure);
    }
    await expect(
      document.change(() => {
        throw new TypeError("changed my mind");
      }),
    ).rejects.toThrow("changed my mind");
    expect(readFileSync(path, "utf8")).toBe('{"count":1}\n');
    expect(await document.change(increment)).toEqual({ count: 2 });
  });

  it("never turns what JSON cannot carry into null", async () => {
    const path = newPath();
    const document = await Document.open<{ data: unknown }>({
      path,
      ports,
      members: ["data"],
      check: (value) => ({ data: value["data"] }),
    });
    for (const data of [[NaN], { deep: { at: Infinity } }, [undefined], [() => 1], new Date(0), "\ud800"]) {
      await rejectsWith(
        "json_unrepresentable",
        document.change(() => ({ data })),
      );
    }
    expect(existsSync(path)).toBe(false);
    await document.change(() => ({ data: [null, { a: undefined }, "😀"] }));
    expect(await document.read()).toEqual({ data: [null, {}, "😀"] });
  });

  it("that is not what it should be is refused by name and left as it is", async () => {
    const bad: [string | Uint8Array, Failure["failureClass"], RegExp][] = [
      ['\ufeff{"count":1}', "document_invalid", /byte order mark/],
      ['{\r\n"count":1}\r\n', "document_invalid", /CRLF/],
      ['\r\n{"count":1}', "document_invalid", /CRLF/],
      ['{"count":1}\r\n', "document_invalid", /CRLF/],
      ["", "document_invalid", /not JSON/],
      ['{"count":1', "document_invalid", /not JSON/],
      ["[]", "document_invalid", /not a JSON object/],
      ["null", "document_invalid", /not a JSON object/],
      ["7", "document_invalid", /not a JSON object/],
      ['"a"', "document_invalid", /not a JSON object/],
      ['{"count":"1"}', "document_invalid", /count must be a number/],
      [new Uint8Array([0x7b, 0xff, 0x7d]), "document_invalid", /not UTF-8/],
      [Buffer.alloc(limits.documentBytesMax + 1, " "), "document_too_large", /16,777,217 bytes/],
      [Buffer.alloc(4096), "document_invalid", /not JSON/],
    ];
    for (const [content, failureClass, says] of bad) {
      const path = newPath();
      writeFileSync(path, content);
      const { ino, mtimeMs } = statSync(path);
      const document = await open(path);
      for (const attempt of [() => document.read(), () => document.change(increment)]) {
        const failure = await rejectsWith(failureClass, attempt());
        expect(failure.message).toMatch(says);
        expect(failure.hint ?? failure.message).not.toBe("");
      }
      expect(Buffer.from(content).equals(readFileSync(path))).toBe(true);
      expect([statSync(path).ino, statSync(path).mtimeMs]).toEqual([ino, mtimeMs]);
    }
  });

  it("where a folder or a pipe stands is refused, without waiting for the pipe", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, "dir"));
    execFileSync("mkfifo", [join(folder, "pipe")]);
    for (const name of ["dir", "pipe"]) {
      const document = await open(join(folder, name));
      const failure = await rejectsWith("file_not_regular", document.read());
      expect(failure.message).toContain("a document is a file");
      await rejectsWith("file_not_regular", document.change(increment));
    }
  });

  it("may be as large as the limit and no larger", async () => {
    const path = newPath();
    const document = await open(path);
    const note = "x".repeat(limits.documentBytesMax - '{\n  "count": 1,\n  "note": ""\n}\n'.length);
    await document.change(() => ({ count: 1, note }));
    expect(statSync(path).size).toBe(limits.documentBytesMax);
    await rejectsWith(
      "document_too_large",
      document.change(() => ({ count: 1, note: `${note}x` })),
    );
    expect((await document.read())?.note).toBe(note);
  });

  it("keeps its permissions, and a link to it stays a link", async () => {
    const path = newPath();
    writeFileSync(path, '{"count":1}');
    chmodSync(path, 0o664);
    symlinkSync("counter.json", `${path}.link`);
    await (await open(`${path}.link`)).change(increment);
    expect((statSync(path).mode & 0o777).toString(8)).toBe("664");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ count: 2 });
  });

  it("leaves no draft behind, of its own or of one who died", async () => {
    const path = newPath();
    const document = await open(path);
    await document.change(increment);
    const staging = join(path, "..", ".bridle", "staging");
    writeFileSync(join(staging, "counter.json.next.left0by0the0dead"), "half");
    await document.change(increment);
    expect(readdirSync(staging)).toEqual([]);
  });

  it("shows a reader the old content or the new one at every step of a change", async () => {
    const path = newPath();
    writeFileSync(path, '{"count":1}');
    const seen = new Set<string>();
    const look = async <T>(result: Promise<T>) => {
      seen.add(JSON.stringify(await (await open(path)).read()));
      return result;
    };
    const files = alterFiles(ports.files, {
      files: {
        rename: async (from, to) => look(ports.files.rename(from, to)),
        syncDirectory: async (folder) => look(ports.files.syncDirectory(folder)),
        remove: async (name) => look(ports.files.remove(name)),
      },
      openFile: (file) => ({
        append: async (bytes) => look(file.append(bytes.subarray(0, 3))),
        sync: async () => look(file.sync()),
      }),
    });
    await (await open(path, { ...ports, files })).change(increment);
    expect([...seen].toSorted()).toEqual(['{"count":1}', '{"count":2}']);
  });
});

describe("the rows of a document", () => {
  interface Rows {
    readonly rows?: readonly JsonObject[];
  }
  const openRows = (path: string) =>
    Document.open<Rows>({
      ...{ path, ports, members: ["rows"] as const, check: (value: JsonObject) => value as Rows },
      rows: { member: "rows", members: ["id"], idOf: (row) => String(row["id"]) },
    });

  it("may have one id for two, and what is not known of each stays with it", async () => {
    const path = join(newFastFolder(), "a.json");
    writeFileSync(path, '{"rows": [{"id": "a", "x": 1}, {"id": "a", "x": 2}]}');
    await (await openRows(path)).change((value) => ({ ...value }));
    expect((JSON.parse(readFileSync(path, "utf8")) as Rows).rows).toEqual([
      { id: "a", x: 1 },
      { id: "a", x: 2 },
    ]);
  });

  it("may be missing, or something else in their place", async () => {
    const path = join(newFastFolder(), "a.json");
    for (const text of ['{"other": 1}', '{"rows": "none"}', '{"rows": {"id": "a"}}']) {
      writeFileSync(path, text);
      expect(await (await openRows(path)).read()).toEqual(JSON.parse(text));
    }
  });
});
