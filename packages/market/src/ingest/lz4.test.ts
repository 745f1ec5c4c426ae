import { execFileSync, spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { decodeLz4 } from "./lz4.js";
import { xxHash32 } from "./xxh32.js";

const text =
  "time,coin,funding\n2025-01-01T00:00:00Z,BTC,0.0000125\n2025-01-01T00:00:00Z,ETH,0.0000125\n2025-01-01T00:00:00Z,SOL,0.0000125\n";
/** The text above, packed by the lz4 tool. */
const packed = Buffer.from(
  "BCJNGGRAp04AAADxEXRpbWUsY29pbixmdW5kaW5nCjIwMjUtMDEtMDFUMDA6AwD/AFosQlRDLDAuMDAwMDEyNSMAAz9FVEgjAA3gU09MLDAuMDAwMDEyNQoAAAAAmIMmRw==",
  "base64",
);

const decode = (bytes: Buffer) => Buffer.concat([...decodeLz4(bytes)]);

describe("lz4 frames", () => {
  it("unpack to what was packed", () => {
    expect(decode(packed).toString()).toBe(text);
  });

  it("several in one file follow one another, and frames for other programs are passed over", () => {
    const skippable = Buffer.concat([Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0]), Buffer.from("abc")]);
    expect(decode(Buffer.concat([packed, skippable, packed])).toString()).toBe(text + text);
  });

  it("a file that was cut off anywhere is noticed", () => {
    for (let length = 0; length < packed.length; length++) {
      expect(() => decode(packed.subarray(0, length)), `cut to ${length} bytes`).toThrow();
    }
  });

  it("a file with any byte changed is noticed", () => {
    for (let at = 0; at < packed.length; at++) {
      const changed = Buffer.from(packed);
      changed[at] = (changed[at] as number) ^ 0x41;
      expect(() => decode(changed), `byte ${at} changed`).toThrow();
    }
  });

  it("bytes that are no frame are refused, whatever they are", () => {
    holds(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(() => decode(Buffer.concat([packed.subarray(0, 7), bytes]))).toThrow();
      }),
    );
  });

  it("the checksum is xxHash's", () => {
    expect(xxHash32(Buffer.from(""))).toBe(0x02cc5d05);
    expect(xxHash32(Buffer.from("abc"))).toBe(0x32d153ff);
    expect(xxHash32(Buffer.from("Nobody inspects the spammish repetition"))).toBe(0xe2293b2f);
  });
});

const hasTool = spawnSync("lz4", ["--version"]).status === 0;
if (hasTool) {
  describe("lz4 frames that the lz4 tool makes", () => {
    it.each([
      ["linked blocks of 64 KiB", ["-B4", "-BD"]],
      ["blocks on their own", ["-B4", "-BI"]],
      ["blocks with checksums", ["-B5", "-BX", "-BD"]],
      ["blocks of 4 MiB, packed hard", ["-B7", "-9"]],
      ["no checksum of the content, its size in front", ["--no-frame-crc", "--content-size"]],
    ])("%s", (_, flags) => {
      const lines = Array.from(
        { length: 12_000 },
        (__, i) => `2025-01-01T00:${i % 60},COIN${i % 97},${(i * 7919) % 100_003}\n`,
      ).join("");
      const noise = Buffer.from(
        Array.from({ length: 90_000 }, (__, i) => Math.imul(i, 2_654_435_761) >>> 13),
      );
      const plain = Buffer.concat([Buffer.from(lines), noise, Buffer.from(lines), Buffer.alloc(200_000)]);
      const bytes = execFileSync("lz4", ["-q", "-c", ...flags], { input: plain, maxBuffer: 1 << 26 });
      expect(bytes.length).toBeLessThan(plain.length);
      expect(decode(bytes).equals(plain)).toBe(true);
    });

    it("an empty file", () => {
      expect(decode(execFileSync("lz4", ["-q", "-c"], { input: "" }))).toHaveLength(0);
    });
  });
}
