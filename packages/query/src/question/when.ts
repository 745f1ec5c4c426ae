/**
 * When: the words for a window, as they were said and not yet as hours.
 *
 * A number with a unit of time is a window only where it is not something else:
 * "8h funding" is a unit, "a 1 day lag" is how late a copier is.
 */
import { wordTable } from "./word-table.js";
import type { Window } from "../types.js";
import type { Word } from "./words.js";

const hoursOf = wordTable<number>({
  ...{ h: 1, hr: 1, hrs: 1, hour: 1, hours: 1, d: 24, day: 24, days: 24 },
  ...{ w: 168, wk: 168, wks: 168, week: 168, weeks: 168, mo: 720, mth: 720, month: 720, months: 720 },
  ...{
    y: 8760,
    yr: 8760,
    year: 8760,
    years: 8760,
    m: 0,
    min: 0,
    mins: 0,
    minute: 0,
    minutes: 0,
    weekend: 48,
  },
});
const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const lastWords = new Set("last past previous prior trailing recent l".split(" "));

export interface Said {
  readonly window: Window | null;
  /** Places of the words that said it, so that their numbers mean nothing else. */
  readonly places: ReadonlySet<number>;
}

export function whenIn(words: readonly Word[]): Said {
  return (
    rangeIn(words) ??
    sinceIn(words) ??
    dayIn(words) ??
    spanIn(words) ??
    relativeIn(words) ?? { window: null, places: new Set() }
  );
}

// --- Days ------------------------------------------------------------------------------------------

interface DayAt {
  readonly day: string;
  /** How many words it takes. */
  readonly length: number;
}

/** A day that starts at this word: "oct 10", "10 october 2025", "10/10", "2025-10-10". */
function dayAt(words: readonly Word[], i: number): DayAt | undefined {
  const word = words[i];
  if (word === undefined) return undefined;
  if (word.kind === "date") return { day: isoDay(word.text), length: 1 };
  const [first, second, third] = [monthOf(word), monthOf(words[i + 1]), yearOf(words[i + 2])];
  const year = third === undefined ? "" : `${third}-`;
  const length = third === undefined ? 2 : 3;
  if (first !== undefined) {
    const number = dateNumber(words[i + 1]);
    if (number !== undefined) return { day: `${year}${two(first)}-${two(number)}`, length };
  }
  const number = dateNumber(word);
  if (number !== undefined && second !== undefined)
    return { day: `${year}${two(second)}-${two(number)}`, length };
  if (number !== undefined && words[i + 1]?.text === "of" && monthOf(words[i + 2]) !== undefined)
    return { day: `${two(monthOf(words[i + 2]) as number)}-${two(number)}`, length: 3 };
  return undefined;
}

function isoDay(text: string): string {
  if (text.includes("-")) return text;
  const [month = "", day = "", year] = text.split("/");
  const head = year === undefined ? "" : `${year.length === 2 ? `20${year}` : year}-`;
  return `${head}${two(Number(month))}-${two(Number(day))}`;
}

function monthOf(word: Word | undefined): number | undefined {
  if (word?.kind !== "word" || word.text.length < 3) return undefined;
  const month = monthNames.indexOf(word.text.slice(0, 3));
  const full = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
  ];
  return month >= 0 && (word.text.length === 3 || word.text === "sept" || full[month] === word.text)
    ? month + 1
    : undefined;
}

function dateNumber(word: Word | undefined): number | undefined {
  if (word?.kind !== "number" || word.value === undefined || !Number.isInteger(word.value)) return undefined;
  const fits = word.value >= 1 && word.value <= 31 && /^(?:|st|nd|rd|th)$/.test(word.unit ?? "");
  return fits ? word.value : undefined;
}

function yearOf(word: Word | undefined): number | undefined {
  const value = word?.kind === "number" && word.unit === "" ? word.value : undefined;
  return value !== undefined && value >= 2020 && value < 2100 ? value : undefined;
}

const two = (value: number) => String(value).padStart(2, "0");

function rangeIn(words: readonly Word[]): Said | undefined {
  for (let i = 0; i < words.length; i++) {
    const first = dayAt(words, i);
    if (first === undefined) continue;
    const next = i + first.length;
    if (!/^(?:to|and|until|till|through)$/.test(words[next]?.text ?? "")) continue;
    const second = dayAt(words, next + 1) ?? sameMonth(words[next + 1], first.day);
    if (second === undefined) continue;
    return { window: { from: first.day, to: second.day }, places: span(i, next + 1 + second.length) };
  }
  return undefined;
}

function sameMonth(word: Word | undefined, day: string): DayAt | undefined {
  const number = dateNumber(word);
  return number === undefined ? undefined : { day: `${day.slice(0, -2)}${two(number)}`, length: 1 };
}

function sinceIn(words: readonly Word[]): Said | undefined {
  const i = words.findIndex(({ text }) => text === "since");
  const next = words[i + 1];
  if (i < 0 || next === undefined) return undefined;
  if (/^(?:yesterday|yday)$/.test(next.text))
    return { window: { since: "yesterday" }, places: span(i, i + 2) };
  if (/^(?:today|midnight)$/.test(next.text))
    return { window: { relative: "today" }, places: span(i, i + 2) };
  const day = dayAt(words, i + 1);
  return day === undefined ? undefined : { window: { since: day.day }, places: span(i, i + 1 + day.length) };
}

function dayIn(words: readonly Word[]): Said | undefined {
  for (let i = 0; i < words.length; i++) {
    const found = dayAt(words, i);
    if (found !== undefined) return { window: { day: found.day }, places: span(i, i + found.length) };
  }
  return undefined;
}

// --- Spans -----------------------------------------------------------------------------------------

function spanIn(words: readonly Word[]): Said | undefined {
  let bare: Said | undefined;
  for (let i = 0; i < words.length; i++) {
    const said = spanAt(words, i);
    if (said === undefined) continue;
    if (said.led) return said;
    bare ??= said;
  }
  return bare;
}

/** Said after "last", "past" and their like, or on its own. */
function spanAt(words: readonly Word[], i: number): (Said & { readonly led: boolean }) | undefined {
  const word = words[i] as Word;
  const before = words[i - 1]?.text ?? "";
  const led = lastWords.has(before) || (before === "the" && lastWords.has(words[i - 2]?.text ?? ""));
  if (word.kind === "number" && word.value !== undefined && word.dollars !== true) {
    const own = word.unit ?? "";
    const [unit, length] = own !== "" ? [own, 1] : [words[i + 1]?.text ?? "", 2];
    const hours = hoursOf[unit];
    if (hours === undefined || (own === "m" && !led)) {
      const bareNumber = led && own === "" && [12, 24, 48, 72].includes(word.value) && hours === undefined;
      return bareNumber ? said(word.value, span(i, i + 1), led) : undefined;
    }
    if (isLagOrUnit(words, i, i + length)) return undefined;
    return said(
      hours === 0 ? Math.max(Math.ceil(word.value / 60), 1) : word.value * hours,
      span(i, i + length),
      led,
    );
  }
  if (word.kind !== "word" || !led) return undefined;
  if (/^(?:few|couple|several)$/.test(word.text)) {
    const at = words[i + 1]?.text === "of" ? i + 2 : i + 1;
    const unit = hoursOf[words[at]?.text ?? ""];
    if (unit === undefined) return undefined;
    return said(
      (word.text === "couple" ? 2 : word.text === "few" ? 3 : 4) * Math.max(unit, 1),
      span(i, at + 1),
      led,
    );
  }
  const hours = hoursOf[word.text];
  if (hours === undefined || (word.text.length < 3 && word.text !== "wk")) return undefined;
  return said(Math.max(hours, 1), span(i, i + 1), led);
}

function said(hours: number, places: ReadonlySet<number>, led: boolean) {
  return { window: { last_hours: hours }, places, led };
}

/** "per 8h", "8h funding", "1 day lag", "3 days later", "by one day". */
function isLagOrUnit(words: readonly Word[], from: number, to: number): boolean {
  const before = words[from - 1]?.text ?? "";
  const after = words[to]?.text ?? "";
  const behind = words[to + 1]?.text ?? "";
  if (/^(?:per|\/|every|each|an)$/.test(before)) return true;
  if (/^(?:lag|lags|lagged|later|delay|delayed|behind|after|late)$/.test(after)) return true;
  if (/^(?:old|ago)$/.test(after) && after === "old") return true;
  const beforeThat = words[from - 2]?.text ?? "";
  if (
    before === "by" ||
    (before === "of" && /^(?:lag|delay)$/.test(beforeThat)) ||
    /^(?:lag|delay)$/.test(before)
  )
    return true;
  const eight = words[from]?.text === "8h" || (words[from]?.value === 8 && to - from === 2);
  const rate = /^(?:funding|rate|rates)$/;
  return (
    eight && (rate.test(after) || rate.test(before) || (after === "" && before === "%") || rate.test(behind))
  );
}

// --- Words -----------------------------------------------------------------------------------------

const phrases: readonly (readonly [string, Window])[] = [
  ["since yesterday", { since: "yesterday" }],
  ["right now", { relative: "now" }],
  ["at the moment", { relative: "now" }],
  ["month to date", { relative: "this_month" }],
  ["week to date", { relative: "this_week" }],
  ["of the day", { relative: "today" }],
  ["of the week", { relative: "this_week" }],
  ["of the month", { relative: "this_month" }],
  ["this week", { relative: "this_week" }],
  ["this month", { relative: "this_month" }],
  ["this hour", { last_hours: 1 }],
  ["this morning", { relative: "today" }],
  ["yesterday", { relative: "yesterday" }],
  ["yesterdays", { relative: "yesterday" }],
  ["yday", { relative: "yesterday" }],
  ["today", { relative: "today" }],
  ["todays", { relative: "today" }],
  ["tday", { relative: "today" }],
  ["2day", { relative: "today" }],
  ["tonight", { relative: "today" }],
  ["intraday", { relative: "today" }],
  ["mtd", { relative: "this_month" }],
  ["wtd", { relative: "this_week" }],
  ["overnight", { last_hours: 12 }],
  ["now", { relative: "now" }],
  ["rn", { relative: "now" }],
  ["atm", { relative: "now" }],
  ["currently", { relative: "now" }],
  ["current", { relative: "now" }],
  ["presently", { relative: "now" }],
  ["live", { relative: "now" }],
];

function relativeIn(words: readonly Word[]): Said | undefined {
  const texts = words.map(({ text }) => text);
  for (const [phrase, window] of phrases) {
    const parts = phrase.split(" ");
    for (let i = 0; i + parts.length <= texts.length; i++) {
      if (parts.every((part, j) => texts[i + j] === part))
        return { window, places: span(i, i + parts.length) };
    }
  }
  return undefined;
}

function span(from: number, to: number): ReadonlySet<number> {
  return new Set(Array.from({ length: to - from }, (_, i) => from + i));
}
