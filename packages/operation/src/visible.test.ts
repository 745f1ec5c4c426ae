import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { holds } from "../../../test/support/property.js";
import { visible, visibleJson, visibleLine } from "./visible.js";

// oxlint-disable-next-line no-control-regex
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;

/** Any units at all, halves of characters too. */
const text = fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) });

describe("text from elsewhere", () => {
  test.each([
    ["\u001b[31mred\u001b[0m", "\\u001b[31mred\\u001b[0m"],
    ["\u001b]0;title\u0007", "\\u001b]0;title\\u0007"],
    ["a\rb", "a\\u000db"],
    ["\u009b2J", "\\u009b2J"],
    ["rm \u202e txt.a", "rm \\u202e txt.a"],
    ["inv\u200bisible", "inv\\u200bisible"],
    ["tag\u{e0041}", "tag\\u{e0041}"],
    ["line\n\ttab", "line\n\ttab"],
    ["żółć 🦊", "żółć 🦊"],
    ["👩‍💻 🧑🏽‍🚀 ❤️‍🔥", "👩‍💻 🧑🏽‍🚀 ❤️‍🔥"],
    ["a\u200db 🦊\u200d x", "a\\u200db 🦊\\u200d x"],
  ])("%j is shown as %j", (given, shown) => {
    expect(visible(given)).toBe(shown);
  });

  test("whatever it is, nothing that steers is left, on a line or in JSON, and the JSON is the same", () => {
    holds(
      fc.property(text, (given) => {
        expect(visible(given)).not.toMatch(steering);
        expect(visibleLine(given)).not.toMatch(/\n/);
        expect(visibleLine(given)).not.toMatch(steering);
        const json = visibleJson({ given });
        expect(json).not.toMatch(steering);
        expect(JSON.parse(json)).toEqual({ given });
      }),
    );
  });
});
