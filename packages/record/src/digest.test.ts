/** Digests against published vectors: a prefix or a byte that moves would orphan every ref ever written. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../test/support/property.js";
import { classOf } from "../../../test/support/failure.js";
import { base32Hex, digest, digestPrefixes, sha256Hex, vectorDigest, type DigestPrefix } from "./digest.js";

const ofEmptyObject = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

describe("a digest", () => {
  it("of the empty object is the published one under every prefix", () => {
    for (const prefix of Object.keys(digestPrefixes) as DigestPrefix[]) {
      if (prefix === "w1_" || prefix === "fib1_") continue;
      expect(digest(prefix, {})).toBe(prefix + ofEmptyObject);
      expect(vectorDigest(prefix, {})).toBe(prefix + ofEmptyObject);
    }
    expect(digest("he1_", {})).toBe("he1_44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    expect(vectorDigest("fib1_", {})).toBe("fib1_44136fa355b3678a");
  });

  it("of a witness is base32hex of the same 32 bytes", () => {
    const text = vectorDigest("w1_", {});
    expect(text).toBe(`w1_${base32Hex(Buffer.from(ofEmptyObject, "hex"))}`);
    expect(text).toMatch(/^w1_[0-9a-v]{52}$/);
  });

  it("does not depend on the order of keys but does on the order of a list", () => {
    expect(digest("pol1_", { a: 1, b: [1, 2] })).toBe(digest("pol1_", { b: [1, 2], a: 1 }));
    expect(digest("pol1_", [1, 2])).not.toBe(digest("pol1_", [2, 1]));
  });

  it("refuses what has no JSON form, and a vector digest also what is ambiguous", () => {
    expect(classOf(() => digest("pol1_", { a: NaN }))).toBe("json_unrepresentable");
    expect(classOf(() => vectorDigest("pol1_", { "😀": 1, "\uffff": 1 }))).toBe("digest_ambiguous");
    expect(digest("pol1_", { "😀": 1, "\uffff": 1 })).toMatch(/^pol1_[0-9a-f]{64}$/);
  });

  it("knows every prefix of the public list and no two that could be taken for each other", () => {
    const prefixes = Object.keys(digestPrefixes);
    for (const known of [
      "iss1_",
      "ev1_",
      "pol1_",
      "instr1_",
      "proj1_",
      "prop1_",
      "kcir1_",
      "obl1_",
      "intent1_",
    ]) {
      expect(prefixes).toContain(known);
    }
    for (const known of ["run1_", "w1_", "ts1_", "sr1_", "he1_", "note1_", "loc1_", "fib1_", "sha256:"]) {
      expect(prefixes).toContain(known);
    }
    for (const one of prefixes) {
      for (const other of prefixes)
        expect(one !== other && one.startsWith(other), `${one} ${other}`).toBe(false);
    }
  });
});

describe("SHA-256", () => {
  it("is that of FIPS 180-4, over UTF-8", () => {
    expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(sha256Hex("é")).toBe(sha256Hex(new Uint8Array([0xc3, 0xa9])));
  });
});

describe("base32hex", () => {
  it("is RFC 4648's, lower case and without padding", () => {
    const vectors = {
      "": "",
      f: "co",
      fo: "cpng",
      foo: "cpnmu",
      foob: "cpnmuog",
      fooba: "cpnmuoj1",
      foobar: "cpnmuoj1e8",
    };
    for (const [text, encoded] of Object.entries(vectors)) expect(base32Hex(Buffer.from(text))).toBe(encoded);
  });

  it("loses no bit: reading it as a number of base 32 gives the bytes back", () => {
    holds(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), (bytes) => {
        const text = base32Hex(bytes);
        expect(text.length).toBe(Math.ceil((bytes.length * 8) / 5));
        const bits = [...text]
          .map((digit) => Number.parseInt(digit, 32).toString(2).padStart(5, "0"))
          .join("");
        const back = bytes.map((_, i) => Number.parseInt(bits.slice(i * 8, i * 8 + 8), 2));
        expect(back).toEqual(bytes);
        expect(bits.slice(bytes.length * 8)).toMatch(/^0*$/);
      }),
    );
  });
});
