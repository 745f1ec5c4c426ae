import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { formulas } from "../pack/build/metrics.js";
import { dataGuide } from "./data-guide.js";

const page = fileURLToPath(new URL("../../../../docs/guides/search-data.md", import.meta.url));

/** The formatter pads tables. */
const plain = (text: string) =>
  text
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/-{3,}/g, "---")
    .replaceAll(/ \|/g, "|")
    .replaceAll(/\| /g, "|")
    .trim();

describe("the page about market data", () => {
  it("is what the code says: `npm run search:report -- --data-guide` writes it anew", () => {
    expect(plain(readFileSync(page, "utf8"))).toBe(plain(dataGuide()));
  });

  it("has the formula of every metric", () => {
    for (const { name, formula } of Object.values(formulas)) {
      expect(dataGuide()).toContain(name);
      expect(formula.length).toBeGreaterThan(20);
    }
  });
});
