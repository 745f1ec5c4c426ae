import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../test/support/property.js";
import { Secrets } from "./secrets.js";

describe("hiding secrets", () => {
  it("no way of cutting a text into pieces lets a secret through, and nothing else is changed", () => {
    const secret = "canary-aaab";
    holds(
      fc.property(
        fc.array(fc.constantFrom("canary", "-aaab", "a", "b", "-", "canary-aaa", secret, " "), {
          maxLength: 12,
        }),
        fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 40 }),
        (words, lengths) => {
          const text = words.join("");
          const stream = new Secrets([secret]).stream();
          let shown = "";
          let at = 0;
          for (let i = 0; at < text.length; i++) {
            const next = at + (lengths[i % lengths.length] ?? 0) + 1;
            shown += stream.push(text.slice(at, next));
            at = next;
            expect(shown).not.toContain(secret);
          }
          shown += stream.rest();
          expect(shown).toBe(text.replaceAll(secret, "[secret]"));
        },
      ),
      1_000,
    );
  });

  it("hides a value as it stands, in JSON and in an address, in names and values, the longer one first", () => {
    const secrets = new Secrets(['pass"word/1', 'pass"word/1-and-more', "short", undefined]);
    expect(secrets.hide('a pass"word/1 b')).toBe("a [secret] b");
    expect(secrets.hide(JSON.stringify('pass"word/1'))).toBe('"[secret]"');
    expect(secrets.hide("?k=pass%22word%2F1")).toBe("?k=[secret]");
    expect(secrets.hide('pass"word/1-and-more')).toBe("[secret]");
    expect(secrets.hide("short")).toBe("short");
    expect(secrets.hideIn({ 'pass"word/1': ['x pass"word/1', 1, null] })).toEqual({
      "[secret]": ["x [secret]", 1, null],
    });
  });

  it("in a complaint, what looks like a key is hidden although nobody knows it", () => {
    const text =
      "Incorrect API key provided: sk-proj-abcdef123456; Authorization: Bearer abc.def-ghi; eyJhbGciOiJub25lIn0.eyJhIjoxfQ.x";
    expect(new Secrets().hideInComplaint(text)).toBe(
      "Incorrect API key provided: [secret]; Authorization: [secret]; [secret]",
    );
  });

  it("in what a person types, keys are hidden by the marks of their makers, and words are not", () => {
    const letters = "abcDEF123456ghiJKL7890mnoPQRstuVWX";
    const keys = [
      `sk-proj-${letters}`,
      `sk-ant-api03-${letters}`,
      `ghp_${letters}`,
      `github_pat_${letters}`,
      `glpat-${letters}`,
      `xoxb-${letters}`,
      "AKIAABCDEFGHIJ234567",
      `AIza${letters}x`,
      `hf_${letters}`,
      `npm_${letters}`,
      `eyJhbGciOiJub25lIn0.eyJhIjoxfQ1234.${letters}`,
      `-----BEGIN RSA PRIVATE KEY-----\n${letters}\n-----END RSA PRIVATE KEY-----`,
    ];
    for (const key of keys) expect(new Secrets().hideTyped(`Use ${key}.`)).toBe("Use [secret].");
    const words =
      "Rename task-list-for-the-new-dashboard-page to sk-like-words-without-a-number, key-value-store-2";
    expect(new Secrets().hideTyped(words)).toBe(words);
  });

  it("a key that was typed is known from then on", () => {
    const secrets = new Secrets();
    secrets.hideTyped("My key is sk-abcdefghij1234567890.");
    expect(secrets.hideIn({ out: "KEY=sk-abcdefghij1234567890" })).toEqual({ out: "KEY=[secret]" });
  });
});
