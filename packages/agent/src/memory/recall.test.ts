/** A note is found by its words in any script, in one order, at a cost that does not grow with what is stored. */
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { holds, holdsAsync } from "../../../../test/support/property.js";
import { NoteIndex } from "./recall.js";
import { NoteStore, notesFileName } from "./store.js";
import { indexWords, intentWords, queryWords } from "./words.js";

const ports = nodePorts();
const newIndex = (path = join(newFolder(), notesFileName)) => new NoteIndex(new NoteStore({ path, ports }));

/** Written as a file, because thousands of single writes would test the disk. */
function fill(index: NoteIndex, values: Readonly<Record<string, string>>): void {
  const notes = Object.entries(values).map(([key, value]) => [`fact:${key}`, { value, type: "fact" }]);
  writeFileSync(index.store.path, JSON.stringify({ version: 1, notes: Object.fromEntries(notes) }));
}

async function idsFor(index: NoteIndex, query: string): Promise<string[]> {
  return (await index.find(query)).map(({ note }) => note.key);
}

const word = fc.oneof(
  fc.constantFrom(
    ..."deploy fooBar HTTPServer naïve STRASSE Straße ﬁle Ⅷ x² été resume\u0301 İstanbul".split(" "),
    ..."сервер Москва ёлка ΟΔΟΣ οδός λόγος مرحبا العربية שלום हिन्दी தமிழ் ქართული հայերեն አማርኛ".split(" "),
    ..."数据库 北京大学 水 データベース ひらがな カー 서울에서 배포 ภาษาไทย เซิร์ฟเวอร์ ភាសាខ្មែរ မြန်မာ ລາວ བོད".split(
      " ",
    ),
    ..."第3版beta v2数据 𠀀𠀁 𝒳𝓎 ﷺ ｶﾀｶﾅ".split(" "),
  ),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
  fc.string({ unit: "binary", minLength: 1, maxLength: 8 }),
);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(" ", ", ", "-", "_", "/", ".", "\n", "'", "。", "…")), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts) => parts.flat().join("").toWellFormed());

describe("words", () => {
  it("[D31] of a text find it, whatever their script and whatever stands around them", () => {
    let words = 0;
    holds(
      fc.property(text, (value) => {
        const known = new Set(indexWords(value));
        for (const [own] of value.normalize("NFKC").matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
          words++;
          const asked = queryWords(own);
          expect(asked.length, own).toBeGreaterThan(0);
          expect(
            asked.some((each) => known.has(each)),
            own,
          ).toBe(true);
          expect(queryWords(own.toUpperCase()).length).toBeGreaterThan(0);
        }
      }),
      1_000,
    );
    console.log(`proof: memory: each of ${words} words found the text that it stands in`);
  });

  it("inside of a run without spaces find it as well", () => {
    const cases: [text: string, words: string[]][] = [
      ["我们在北京大学部署数据库", ["北京", "大学", "部署", "数据", "数据库", "库"]],
      ["東京都庁でデータベースを設定した", ["東京", "都庁", "データベース", "設定"]],
      ["เซิร์ฟเวอร์ฐานข้อมูลอยู่ที่กรุงเทพ", ["เซิร์ฟเวอร์", "ฐานข้อมูล", "กรุงเทพ"]],
      ["서울에서 배포했습니다", ["서울", "배포"]],
      ["packages/agent/src/noteStore.ts", ["noteStore", "store", "NOTE", "agent", "ts"]],
      ["ΟΔΟΣ 12", ["οδος", "Οδοσ", "12"]],
    ];
    for (const [value, words] of cases) {
      const known = new Set(indexWords(value));
      for (const own of words)
        expect(
          queryWords(own).some((each) => known.has(each)),
          own,
        ).toBe(true);
    }
  });

  it("of two questions that ask the same are the same, and of two that do not are not", () => {
    expect(intentWords("What is the Deploy host?")).toEqual(intentWords("deploy HOST"));
    expect(intentWords("where is it")).toEqual(["is", "it", "where"]);
    expect(intentWords("喝水")).not.toEqual(intentWords("喝茶"));
    expect(intentWords("水")).toEqual(["水"]);
  });
});

describe("recall", () => {
  it("finds a note by any of its words, in every script, and nothing that shares none", async () => {
    await holdsAsync(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 8 }), fc.nat(), async (values, pick) => {
        const index = newIndex();
        fill(index, Object.fromEntries(values.map((value, i) => [`k${i}`, value])));
        const at = pick % values.length;
        const own = values[at]?.normalize("NFKC").match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
        for (const each of own) {
          const hits = await index.find(each);
          expect(
            hits.map(({ note }) => note.key),
            each,
          ).toContain(`k${at}`);
          for (const { note, score } of hits) {
            expect(score).toBeGreaterThan(0);
            const known = new Set([...indexWords(note.key), ...indexWords(note.value)]);
            expect(queryWords(each).some((asked) => known.has(asked))).toBe(true);
          }
        }
      }),
      60,
    );
  });

  it("puts the better match first, and equals in the order of their ids", async () => {
    const index = newIndex();
    fill(index, {
      c: "the deploy host is alpha",
      b: "the deploy host is alpha",
      a: "the deploy host is alpha",
      port: "the deploy port is 8080, the port of the proxy",
      other: "lunch is at noon",
    });
    expect(await idsFor(index, "deploy host alpha")).toEqual(["a", "b", "c", "port"]);
    expect((await idsFor(index, "port"))[0]).toBe("port");
    const [first, second, , last] = await index.find("deploy host alpha");
    expect(first?.score).toBe(second?.score);
    expect(first?.score).toBeGreaterThan(last?.score ?? Infinity);
    expect(await idsFor(index, "zebra")).toEqual([]);
    expect(await idsFor(index, "?!")).toEqual([]);
  });

  it("is not weighed by notes that are gone", async () => {
    const index = newIndex();
    fill(index, { a: "alpha", b: "alpha beta", c: "gamma" });
    await index.find("alpha");
    fill(index, { a: "alpha", c: "gamma" });
    const fresh = newIndex(index.store.path);
    expect(await index.find("alpha")).toEqual(await fresh.find("alpha"));
  });

  it("gives the same answer from an index that followed every change as from a new one", async () => {
    const words = ["alpha", "beta", "数据", "сервер", "host", "port", "db"];
    const value = fc
      .array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 })
      .map((all) => all.join(" "));
    const state = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "e"), value);
    await holdsAsync(
      fc.asyncProperty(fc.array(state, { minLength: 2, maxLength: 6 }), async (states) => {
        const old = newIndex();
        for (const notes of states) {
          fill(old, notes);
          const fresh = newIndex(old.store.path);
          for (const query of ["alpha", "db host", "数据 сервер"]) {
            const plain = async (index: NoteIndex) =>
              (await index.find(query)).map(({ note, score }) => [note.id, score.toFixed(4)]);
            expect(await plain(old)).toEqual(await plain(fresh));
          }
        }
      }),
      40,
    );
  });

  it("of 5,000 notes is indexed once; a change indexes one note, and a question none", async () => {
    const index = newIndex();
    const pool = Array.from({ length: 3_000 }, (_, i) => `word${(i * 7919) % 3_000}`);
    const value = (i: number) =>
      Array.from({ length: 30 }, (_, j) => pool[(i * 31 + j * j * 17) % pool.length]).join(" ");
    fill(index, Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`note ${i}`, value(i)])));
    utimesSync(index.store.path, 1_700_000_000, 1_700_000_000);
    const began = performance.now();
    await index.find("word1");
    const built = performance.now() - began;
    expect(index.indexed).toBe(5_000);
    const asked = performance.now();
    for (let i = 0; i < 200; i++) await index.find(`word${i} word${i + 1} word${i + 2}`);
    const each = (performance.now() - asked) / 200;
    expect(index.indexed).toBe(5_000);
    expect(each).toBeLessThan(built / 10);
    await new NoteStore({ path: index.store.path, ports }).put({ key: "new", value: "zebra", type: "fact" });
    const changed = performance.now();
    expect(await idsFor(index, "zebra")).toEqual(["new"]);
    const refreshed = performance.now() - changed;
    expect(index.indexed).toBe(5_001);
    console.log(
      `proof: memory: 5,000 notes indexed in ${built.toFixed(0)} ms, a question ${each.toFixed(2)} ms, a changed note seen in ${refreshed.toFixed(0)} ms`,
    );
  });
});
