import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../test/support/property.js";
import { leftOpen, markupKindOf, markupState, openTags } from "./markup.js";

const open = (text: string, kind: "html" | "xml" = "html") => leftOpen(markupState(text, kind));

describe("a document that is closed", () => {
  it.each([
    ["void elements", "<div><br><img src=a><input></div>"],
    [
      "end tags that may be left out",
      "<!doctype html><html><body><ul><li>a<li>b</ul><table><tr><td>1<td>2</table><p>x",
    ],
    ["tags in a comment", "<!-- <div> --><p>a</p>"],
    ["tags in a script", "<script>if (a<b) c('<div>')</script><style>a>b{}</style>"],
    ["a bracket in a quoted value", "<a title='<b>'>x</a>"],
    ["capital letters", "<DIV></div>"],
    ["a drawing in a page", "<svg><path d='M0'/></svg>"],
    ["a bare less-than", "<p>1 < 2 and 3 <4</p>"],
    ["a template", "<div><% if (a < b) { %><b>x</b><% } %></div>"],
  ])("HTML with %s leaves nothing open", (_what, text) => {
    expect(open(text)).toBeUndefined();
  });

  it.each([
    ["CDATA", "<a><![CDATA[<b>]]></a>"],
    ["a declaration with brackets", "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c>'>]><a/>"],
    ["names that differ in case", "<a><A></A></a>"],
  ])("XML with %s leaves nothing open", (_what, text) => {
    expect(open(text, "xml")).toBeUndefined();
  });

  it("names what stays open, and where", () => {
    expect(open("<!doctype html>\n<main>\n<div>\n<p>text\n")).toBe("<main> (line 2), <div> (line 3)");
    expect(open("<a>\n<b>\n", "xml")).toBe("<a> (line 1), <b> (line 2)");
    expect(open("<p>\n<!-- never")).toBe("a comment (line 2)");
    expect(open("<script>\nlet a")).toBe("<script> (line 1)");
    expect(open('<p>\n<a href="x')).toBe("the tag <a (line 2)");
    expect(open("<a><![CDATA[ x", "xml")).toBe("<a> (line 1), CDATA (line 1)");
  });

  it("says nothing where the end tags do not fit the start tags", () => {
    const state = markupState("<a><b></a></b>", "xml");
    expect(state.confused).toBe(true);
    expect(leftOpen(state)).toBeUndefined();
  });

  it("an element that the end of the one around it passed over is sloppy, and no reason to refuse", () => {
    expect(open("<div><span></div>")).toBeUndefined();
    expect(openTags("<div><span></div>", "html")).toEqual(["span"]);
  });

  it("says nothing of a template that opens an element in either of two branches", () => {
    const page = "<html>{% if a %}<div class=a>{% else %}<div class=b>{% endif %}x</div></html>";
    expect(open(page)).toBeUndefined();
    expect(openTags(page, "html")).toEqual([]);
    expect(markupState(page, "html").ended).toBe(true);
  });

  it("says nothing of a script that closes itself", () => {
    expect(open("<svg><script href='a'/></svg>")).toBeUndefined();
    expect(open("<script src='a'/>")).toBeUndefined();
  });

  it("knows that a document has its end", () => {
    expect(markupState("<html><body></body></html>\n", "html").ended).toBe(true);
    expect(markupState("<script>'</html>'</script>", "html").ended).toBe(false);
    expect(markupState("<a><b/></a>", "xml").ended).toBe(true);
    expect(markupState("<a><b/>", "xml").ended).toBe(false);
  });

  it("any tree of elements is closed, and each of its beginnings within the root is not", () => {
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc
        .tuple(
          fc.constantFrom("a", "b-c", "d:e"),
          fc.constantFrom("", " x='>'", ' y="<"'),
          fc.array(
            fc.oneof(
              { maxDepth: 3 },
              fc.constantFrom("text", "<!-- <z> -->", "<i/>", "<![CDATA[<q>]]>"),
              tie("tree"),
            ),
            {
              maxLength: 3,
            },
          ),
        )
        .map(([name, attribute, inner]) => `<${name}${attribute}>${inner.join("")}</${name}>`),
    }));
    holds(
      fc.property(tree, fc.nat(), (text, at) => {
        expect(open(text, "xml")).toBeUndefined();
        const cut = text.slice(0, 2 + (at % (text.length - 2)));
        expect(open(cut, "xml"), cut).toBeDefined();
      }),
      500,
    );
  });

  it("is a question for markup only", () => {
    expect(["a.html", "a.HTM", "b/c.svg", "d.xml"].map(markupKindOf)).toEqual(["html", "html", "xml", "xml"]);
    expect(markupKindOf("a.vue")).toBeUndefined();
  });
});
