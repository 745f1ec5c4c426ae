import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openTags } from "./markup.js";

const name = fc.constantFrom("div", "main", "section", "a", "b", "table", "svg", "g");
const text = fc.constantFrom(
  "",
  "x",
  "1 < 2",
  "<!-- <div> -->",
  "a > b",
  "{{ name }}",
  '<img alt="> </div>">',
);
const { tree } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    text,
    fc
      .tuple(name, tie("tree"), tie("tree"))
      .map(([tag, one, other]) => `<${tag} title="a>b">${one}</${tag}>${other}`),
  ),
}));

const pieces = [
  "<",
  ">",
  "/",
  "</",
  "<!--",
  "-->",
  "<![CDATA[",
  "]]>",
  "<?",
  "?>",
  "<!DOCTYPE",
  "[",
  "]",
  '"',
  "'",
  "=",
  " ",
  "a",
  "B",
  "script",
  "style",
  "br",
  "{{",
  "}}",
  "{%",
  "<%",
  "é",
  "\n",
];
const debris = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(""));

describe("openTags", () => {
  it("finds nothing open in a page that closes what it opens", () => {
    fc.assert(
      fc.property(tree, (page) => {
        expect(openTags(page, "html")).toEqual([]);
      }),
    );
  });

  it("names an element around a whole page whose end is missing", () => {
    fc.assert(
      fc.property(tree, name, (page, tag) => {
        expect(openTags(`<${tag}>${page}`, "html")).toEqual([tag]);
      }),
    );
  });

  it("never throws and never names what the text does not begin, whatever it is given", () => {
    fc.assert(
      fc.property(debris, fc.constantFrom("html" as const, "xml" as const), (page, kind) => {
        for (const open of openTags(page, kind)) {
          expect(page.toLowerCase()).toContain(open.replace(/^<\/?/, "").toLowerCase());
        }
      }),
    );
  });

  it("names what is open from the outside in", () => {
    expect(openTags("<main><section><p>x", "html")).toEqual(["main", "section"]);
    expect(openTags("<a><b/><c>", "xml")).toEqual(["a", "c"]);
  });

  it("takes case as XML does and as HTML does", () => {
    expect(openTags("<A></a>", "xml")).toEqual(["A"]);
    expect(openTags("<DIV></div>", "html")).toEqual([]);
  });

  it("reads two hundred thousand ends without a beginning in one pass", () => {
    expect(openTags("<a>".repeat(100_000) + "</b>".repeat(200_000), "html")).toHaveLength(100_000);
  });
});
