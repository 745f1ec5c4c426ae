import { describe, expect, it } from "vitest";
import { logarithm } from "./logarithm.js";

describe("the logarithm", () => {
  it("is that of the machine to the last digits", () => {
    for (const value of [1, 2, 0.5, 0.001, 0.999, 1.5, 3, 0.7071, 1.4143, 10, 1e-12, 123456.789])
      expect(Math.abs(logarithm(value) - Math.log(value))).toBeLessThan(
        1e-14 * Math.max(1, Math.abs(Math.log(value))),
      );
  });
});
