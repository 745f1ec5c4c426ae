import { basename, join, normalize } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../test/support/property.js";
import { fileNameOf } from "./file-name.js";

describe("the name of a file for an episode", () => {
  it("leads nowhere, whatever the episode is called", () => {
    for (const name of [
      "../../etc/passwd",
      "PURR/USDC",
      "..",
      ".",
      "",
      "a\\b",
      "\u0000",
      "xyz:TSLA",
      ".git",
    ]) {
      const file = fileNameOf(name);
      expect(basename(normalize(join("/runs", file)))).toBe(file);
      expect(normalize(join("/runs", file)).startsWith("/runs/")).toBe(true);
    }
    expect(fileNameOf("ep-2025071015-BTC")).toBe("ep-2025071015-BTC");
  });

  it("is another for another name", () => {
    holds(
      fc.property(fc.string(), fc.string(), (one, other) => {
        if (one.isWellFormed() && other.isWellFormed() && one !== other)
          expect(fileNameOf(one)).not.toBe(fileNameOf(other));
      }),
    );
  });
});
