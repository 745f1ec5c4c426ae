import { describe, expect, it } from "vitest";
import { Failure, isRefusal, refuse } from "./failures.js";

describe("a refusal", () => {
  it("is an object with a class and a message, and nothing else is one", () => {
    expect(isRefusal(refuse("file_missing", { message: "gone" }))).toBe(true);
    for (const other of [undefined, null, "refused", 7, {}, { refused: "x" }, { message: "x" }])
      expect(isRefusal(other)).toBe(false);
  });

  it("made of a failure keeps its hint and its detail, where it has them", () => {
    const whole = { message: "a", hint: "b", detail: { byte: 3 } };
    expect(new Failure("file_missing", whole).toRefusal()).toEqual({ refused: "file_missing", ...whole });
    expect(Object.keys(new Failure("file_missing", { message: "a" }).toRefusal())).toEqual([
      "refused",
      "message",
    ]);
  });
});
