import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { paintFor, safeText } from "../cli/paint.js";
import { loadPi, type Pi } from "./pi.js";
import { markdownTheme } from "./theme.js";
import { Transcript, wrapped } from "./transcript.js";

let pi: Pi;
beforeAll(async () => (pi = await loadPi()));

function transcript({ colour = false } = {}): Transcript {
  return new Transcript({ pi, colour, theme: markdownTheme(paintFor(colour), colour) });
}

function shown(text: string, width = 80, colour = false): string[] {
  const made = transcript({ colour });
  made.answer(text);
  made.endAnswer();
  return made.render(width);
}

// oxlint-disable-next-line no-control-regex
const colours = /\u001b\[\d+m/g;

const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      "a",
      " ",
      "\n",
      "\t",
      "#",
      "*",
      "`",
      "|",
      "-",
      "> ",
      "1. ",
      "😀",
      "漢",
      "👩‍💻",
      "\u001b[31m",
      "\u0007",
    ),
    fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)),
  ),
  maxLength: 200,
});

describe("an answer", () => {
  test("is Markdown: marks become form, tables get frames, code stays as it is", () => {
    const text = "# Head\n\nSome **bold** words.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nls *.ts\n```\n";
    const lines = shown(text);
    expect(lines).toContain("Head");
    expect(lines).toContain("Some bold words.");
    expect(lines).toContain("│ 1 │ 2 │");
    expect(lines).toContain("  ls *.ts");
    expect(shown("Some **bold** words.", 80, true).join("")).toContain("\u001b[1mbold\u001b[22m");
  });

  test("shows where a link leads, whatever its words say", () => {
    expect(shown("[https://bank.example](https://evil.example/x)").join("")).toContain(
      "(https://evil.example/x)",
    );
  });

  test.each(["&#27;[2J", "[x](&#27;]0;a&#7;)", "<b\u001b[2J>", "`\u009b2J`"])("%j steers nothing", (text) => {
    const withoutColours = shown(text, 80, true).join("").replace(colours, "");
    expect(withoutColours).not.toMatch(/\p{Cc}/u);
  });

  test("is the same in pieces as whole, also when it is long", () => {
    const text = Array.from({ length: 400 }, (_, i) => `Paragraph ${i} says *this*.`).join("\n\n");
    const made = transcript();
    for (let at = 0; at < text.length; at += 37) {
      made.answer(text.slice(at, at + 37));
      made.render(60);
    }
    made.endAnswer();
    const words = (lines: readonly string[]) => lines.filter((line) => line.trim() !== "");
    expect(words(made.render(60))).toEqual(
      Array.from({ length: 400 }, (_, i) => `Paragraph ${i} says this.`),
    );
  });

  test("of a megabyte without a line end is shown without looking at all of it for each piece", () => {
    const made = transcript();
    const began = performance.now();
    for (let i = 0; i < 1000; i++) {
      made.answer("x".repeat(1000));
      if (i % 10 === 0) made.render(80);
    }
    made.line("é".repeat(10_000));
    const lines = made.render(80);
    expect(lines.length).toBeGreaterThan(2000);
    expect(lines.at(-1)).toMatch(/^ *é+$/);
    // It took minutes.
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test("that the provider begins again is forgotten", () => {
    const made = transcript();
    made.answer("half an ans");
    made.dropAnswer();
    made.answer("The whole.");
    made.endAnswer();
    expect(made.render(80)).toEqual(["The whole."]);
  });
});

test("no line is wider than the terminal, whatever was said and however narrow it is", () => {
  holds(
    fc.property(anyText, fc.integer({ min: 2, max: 40 }), (text, width) => {
      for (const line of [...shown(text, width, true), ...wrapped(`  \u001b[2m  ${text}`, width, pi)])
        expect(pi.visibleWidth(line)).toBeLessThanOrEqual(width);
    }),
  );
});

test("a line that goes on stands further in than it began", () => {
  const plain = (lines: readonly string[]) => lines.map((line) => safeText(line, false));
  const expected = ["  one two", "    three", "    four"];
  expect(plain(wrapped("  \u001b[2mone two three four\u001b[22m", 12, pi))).toEqual(expected);
  expect(plain(wrapped("\u001b[2m  one two three four\u001b[22m", 12, pi))).toEqual(expected);
});

test("lines far above are forgotten here, and the last ones stay", () => {
  const made = transcript();
  for (let i = 0; i < 10_000; i++) {
    made.line(`line ${i}`);
    if (i % 100 === 0) made.render(80);
  }
  const lines = made.render(80);
  expect(lines.length).toBeLessThanOrEqual(4000);
  expect(lines.at(-1)).toBe("line 9999");
  expect(made.render(60).at(-1)).toBe("line 9999");
});
