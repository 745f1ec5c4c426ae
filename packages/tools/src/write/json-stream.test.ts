import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { ArgumentReader } from "./json-stream.js";

/** Strings with everything that escapes, splits or misleads. */
const hardString = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        '"path":"evil"',
        "\\",
        '"',
        "\n",
        "\u0000",
        "\u2028",
        "😀",
        "é",
        "\ud83d",
        "\ude00",
        "</",
      ),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

const member = fc.oneof(
  hardString,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(true, false, null, 0, -1.5e-7, [], {}, { path: "inner", content: "inner" }),
);
const name = fc.oneof(fc.constantFrom("path", "content", "mode", "__proto__", "", 'a"b'), hardString);

/** JSON text with duplicates, loose whitespace, and escapes spelled in several ways. */
const objectText = fc
  .tuple(
    fc.array(fc.tuple(name, member), { maxLength: 6 }),
    fc.constantFrom("", " ", "\n\t ", "\r\n"),
    fc.boolean(),
  )
  .map(([entries, space, ascii]) => {
    const spell = (value: unknown) => {
      const text = JSON.stringify(value);
      return ascii
        ? text.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)
        : text;
    };
    const body = entries.map(
      ([key, value]) => `${space}${spell(key)}${space}:${space}${spell(value)}${space}`,
    );
    return `${space}{${body.join(",")}${space}}${space}`;
  });

function cutsOf(text: string, points: readonly number[]): string[] {
  const at = [0, ...points.map((point) => point % (text.length + 1)), text.length].toSorted((a, b) => a - b);
  return at.slice(1).map((end, i) => text.slice(at[i], end));
}

describe("the arguments of a call, read while they arrive", () => {
  it("random pieces of random objects give exactly what JSON.parse gives", () => {
    holds(
      fc.property(objectText, fc.array(fc.nat(), { maxLength: 40 }), (text, points) => {
        const heard = new Map<string, string>();
        const reader = new ArgumentReader({
          begin: (key) => heard.set(key, ""),
          piece: (key, piece) => heard.set(key, (heard.get(key) ?? "") + piece),
        });
        for (const piece of cutsOf(text, points)) reader.push(piece);
        const parsed = JSON.parse(text) as Record<string, unknown>;
        expect(reader.progress).toBe("complete");
        for (const [key, value] of Object.entries(parsed)) {
          expect(reader.member(key)).toEqual({ value, complete: true });
          if (typeof value === "string") expect(heard.get(key)).toBe(value);
        }
      }),
      800,
    );
  });

  it("cut at every byte, the open string is a prefix of the decoded one and holds no half character", () => {
    let cuts = 0;
    holds(
      fc.property(hardString, fc.boolean(), (content, contentFirst) => {
        const whole = contentFirst ? { content, path: "a/b.txt" } : { path: "a/b.txt", content };
        const bytes = Buffer.from(JSON.stringify(whole));
        for (let end = 0; end <= bytes.length; end++) {
          cuts++;
          const decoder = new TextDecoder("utf-8");
          const reader = new ArgumentReader();
          reader.push(decoder.decode(bytes.subarray(0, end), { stream: true }));
          const arrived = reader.member("content");
          if (arrived === undefined) continue;
          const text = arrived.value as string;
          expect(content.startsWith(text)).toBe(true);
          // A lone surrogate of the content stays one; half of a pair is never handed on.
          expect(/[\ud800-\udbff]$/.test(text) && /^[\udc00-\udfff]/.test(content.slice(text.length))).toBe(
            false,
          );
          expect(reader.progress).toBe(end === bytes.length ? "complete" : "reading");
        }
      }),
      200,
    );
    process.stdout.write(`proof: ${cuts} cuts of streamed arguments, each a prefix of the decoded text\n`);
  });

  it("what no JSON object begins with is broken, and what JSON.parse refuses is never complete", () => {
    holds(
      fc.property(
        objectText,
        fc.nat(),
        fc.constantFrom('"', "\\", "{", "}", ",", ":", "x", "\u0001", ""),
        (text, at, put) => {
          const spoiled = text.slice(0, at % text.length) + put + text.slice((at % text.length) + 1);
          const reader = new ArgumentReader();
          for (const char of spoiled) reader.push(char);
          let parsed: unknown;
          try {
            parsed = JSON.parse(spoiled);
          } catch {
            expect(reader.progress).not.toBe("complete");
            return;
          }
          expect(reader.progress).toBe("complete");
          for (const [key, value] of Object.entries(parsed as object))
            expect(reader.member(key)).toEqual({ value, complete: true });
        },
      ),
      800,
    );
    for (const text of [
      "[",
      "x",
      '{"a" 1',
      '{"a":1,}',
      '{"a":1}x',
      '{"a":"\n"}',
      '{"a":"\\x"}',
      '{"a":01}',
      "{,",
    ]) {
      const reader = new ArgumentReader();
      reader.push(text);
      expect(reader.progress, text).toBe("broken");
    }
  });

  it("a path inside the content, or inside a nested object, is not the path", () => {
    const reader = new ArgumentReader();
    reader.push('{"content":"{\\"path\\":\\"evil\\"}","extra":{"path":"evil"},');
    expect(reader.member("path")).toBeUndefined();
    reader.push('"path":"good"');
    expect(reader.member("path")).toEqual({ value: "good", complete: true });
  });

  it("tells which member is open, and voids an earlier one of the same name", () => {
    const reader = new ArgumentReader();
    reader.push('{"content":"first","content":"sec');
    expect(reader.open).toBe("content");
    expect(reader.member("content")).toEqual({ value: "sec", complete: false });
    reader.push('ond","mode":');
    expect(reader.open).toBe("mode");
    expect(reader.member("content")).toEqual({ value: "second", complete: true });
  });

  it("hands on no empty piece, and holds half a character back until it is whole", () => {
    const pieces: string[] = [];
    const reader = new ArgumentReader({ piece: (_, text) => pieces.push(text) });
    for (const delta of ['{"a": "', "\\ud83d", "\\ude00", "x", '", "b": ""}']) reader.push(delta);
    expect(pieces).toEqual(["😀", "x"]);
    expect(reader.progress).toBe("complete");
    expect(reader.member("b")).toEqual({ value: "", complete: true });
  });

  it("is broken by a bracket that nothing opened", () => {
    for (const text of ['{"a": 1]', '{"a": ]', '{"a": 1, ]']) {
      const reader = new ArgumentReader();
      reader.push(text);
      expect([text, reader.progress]).toEqual([text, "broken"]);
    }
  });

  it("reads half a megabyte in pieces of seven characters without looking at any of it twice", () => {
    const text = JSON.stringify({ path: "x", content: 'line "quoted"\n'.repeat(36_000) });
    const reader = new ArgumentReader();
    const started = performance.now();
    for (let at = 0; at < text.length; at += 7) reader.push(text.slice(at, at + 7));
    expect(reader.progress).toBe("complete");
    // Milliseconds; a reader that began again with each of the 90,000 pieces would take minutes.
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
