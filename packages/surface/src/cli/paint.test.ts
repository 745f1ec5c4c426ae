import { expect, test } from "vitest";
import { paintFor, plainPaint, safeText, wantsColour } from "./paint.js";

test("colour is for terminals, unless the environment says otherwise", () => {
  expect(wantsColour({}, true)).toBe(true);
  expect(wantsColour({}, false)).toBe(false);
  expect(wantsColour({ NO_COLOR: "1" }, true)).toBe(false);
  expect(wantsColour({ NO_COLOR: "" }, true)).toBe(true);
  expect(wantsColour({ FORCE_COLOR: "1" }, false)).toBe(true);
  expect(wantsColour({ FORCE_COLOR: "0" }, true)).toBe(false);
  expect(wantsColour({ FORCE_COLOR: "1", NO_COLOR: "1" }, true)).toBe(false);
  expect(wantsColour({ TERM: "dumb" }, true)).toBe(false);
});

test("text from outside cannot steer the terminal", () => {
  const nasty = "a\u001b[2J\u001b]0;title\u0007\r\u0008b\u202ec\u009b5m\n\ttab";
  expect(safeText(nasty, true)).toBe(
    "a\\u001b[2J\\u001b]0;title\\u0007\\u000d\\u0008b\\u202ec\\u009b5m\n\ttab",
  );
});

test("colour codes pass where colour is wanted and vanish where it is not", () => {
  const painted = paintFor(true).bad("no");
  expect(safeText(painted, true)).toBe("\u001b[31mno\u001b[39m");
  expect(safeText(painted, false)).toBe("no");
  expect(paintFor(false)).toBe(plainPaint);
});
