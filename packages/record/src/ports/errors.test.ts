/** What an error of the system is called here. */
import { describe, expect, it } from "vitest";
import { codeOf, failureAt, readFailureAt } from "./errors.js";

const coded = (code: string) => Object.assign(new Error(code), { code });

describe("an error of the system", () => {
  it("has the code that it brings, if that is a text", () => {
    expect(codeOf(coded("ENOENT"))).toBe("ENOENT");
    expect(codeOf(Object.assign(new Error(""), { code: 7 }))).toBeUndefined();
    expect([codeOf({ code: "ENOENT" }), codeOf(new Error("x"))]).toEqual([undefined, undefined]);
  });

  it.each([
    ["ENOENT", "file_missing"],
    ["ENOTDIR", "file_not_regular"],
    ["EISDIR", "file_not_regular"],
    ["ELOOP", "file_not_regular"],
    ["EACCES", "file_unwritable"],
    ["EPERM", "file_unwritable"],
    ["EROFS", "file_unwritable"],
    ["ENOSPC", "disk_full"],
    ["EDQUOT", "disk_full"],
    ["EFBIG", "disk_full"],
    ["EMFILE", "disk_error"],
    ["EIO", "disk_error"],
  ])("%s is %s, and a reader that may not read is told so", (code, failureClass) => {
    expect(failureAt("/a", coded(code))).toMatchObject({ failureClass });
    const reading = code === "EACCES" || code === "EPERM" ? "file_unreadable" : failureClass;
    expect(readFailureAt("/a", coded(code))).toMatchObject({ failureClass: reading });
  });

  it("that has no code is a bug, and stays what it is", () => {
    const bug = new TypeError("x is undefined");
    expect(failureAt("/a", bug)).toBe(bug);
  });
});
