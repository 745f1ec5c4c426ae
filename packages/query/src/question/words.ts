/**
 * A question as words: what stands there, in order, with numbers, addresses and
 * dates told apart. Everything after this works on words and never on the text.
 *
 * A number keeps the unit that is written onto it ("24h", "5m", "20bps"); what the
 * unit means is for those to say who know what the number is about.
 */
import { wordTable } from "./word-table.js";
export interface Word {
  readonly kind: "word" | "number" | "address" | "date" | "sign";
  /** Lower case. */
  readonly text: string;
  /** As it was written. */
  readonly raw: string;
  /** Of a number. */
  readonly value?: number;
  /** What follows a number without a space: "h", "%", "m", "bps", "" . */
  readonly unit?: string;
  readonly dollars?: boolean;
  /** Written with a $ before it that belongs to a name: "$link". */
  readonly ticker?: boolean;
  /** There is a + behind the number or its unit: "50+". */
  readonly plus?: boolean;
}

/** Without the flags for Unicode and case: to compile them takes longer than to read a question. */
const letter = "A-Za-z\\u00aa-\\u02ff\\u0370-\\u1fff\\u2c00-\\uffff";
const piece = new RegExp(
  [
    "0[xX][0-9a-zA-Z]{2,64}",
    "\\d{4}-\\d{2}-\\d{2}",
    "\\b\\d{1,2}/\\d{1,2}(?:/\\d{2,4})?\\b",
    "[-−]?\\$?(?:\\d[\\d,]*\\.?\\d*|\\.\\d+)",
    `\\$[${letter}][${letter}0-9]*`,
    `[${letter}][${letter}0-9_’']*(?:-[${letter}0-9]+)*`,
    ">=|<=|[%$><=≥≤+&/?!]",
  ].join("|"),
  "g",
);
const attached = /^(?:%|σ|[a-zA-Z]+)\+?|^\+/;

const numberWords = wordTable<number>({
  ...{ one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10 },
  ...{ twelve: 12, fifteen: 15, twenty: 20, thirty: 30, fifty: 50, hundred: 100 },
});

/** Names that are written with a dash keep it. */
const dashed = /^syn-[a-z0-9]+$/;

export function wordsOf(question: string): Word[] {
  const text = question.normalize("NFKC").replaceAll(/[\u200b-\u200f\u2060\ufeff]/g, "");
  const words: Word[] = [];
  piece.lastIndex = 0;
  let match: RegExpExecArray | null;
  while ((match = piece.exec(text)) !== null) {
    const raw = match[0];
    const lower = raw.toLowerCase();
    if (lower.startsWith("0x"))
      words.push({ kind: "address", text: lower.replaceAll(/[^0-9a-z]/g, ""), raw });
    else if (/^\d{4}-\d\d-\d\d$|^\d{1,2}\/\d{1,2}/.test(lower))
      words.push({ kind: "date", text: lower, raw });
    else if (/^[-−]?\$?[\d.]/.test(lower)) {
      const rest = attached.exec(text.slice(match.index + raw.length))?.[0] ?? "";
      piece.lastIndex = match.index + raw.length + rest.length;
      words.push(numberOf(raw, rest));
    } else if (lower.startsWith("$")) words.push({ kind: "word", text: lower.slice(1), raw, ticker: true });
    else if (/^[a-z\u00aa-\u02ff\u0370-\u1fff\u2c00-\uffff]/.test(lower)) words.push(...namesIn(raw));
    else words.push({ kind: "sign", text: lower, raw });
  }
  return words;
}

function numberOf(raw: string, rest: string): Word {
  const digits = raw.replaceAll(/[$,]/g, "").replace("−", "-");
  const unit = rest.replace("+", "").toLowerCase();
  return {
    kind: "number",
    text: `${digits}${unit}`,
    raw: raw + rest,
    value: Number(digits.replace(/\.$/, "")),
    unit,
    ...(raw.includes("$") ? { dollars: true } : {}),
    ...(rest.endsWith("+") ? { plus: true } : {}),
  };
}

function namesIn(raw: string): Word[] {
  const whole = raw.toLowerCase();
  if (dashed.test(whole)) return [{ kind: "word", text: whole, raw }];
  return raw.split("-").flatMap((part): Word[] => {
    const text = part
      .toLowerCase()
      .replaceAll(/[’']/g, "'")
      .replace(/'s$|'$/, "")
      .replaceAll("'", "");
    if (text === "") return [];
    const value = numberWords[text];
    return [
      value === undefined
        ? { kind: "word", text, raw: part }
        : { kind: "number", text, raw: part, value, unit: "" },
    ];
  });
}
