/**
 * One question, from its words to its answer: routed once, one template, executed
 * once, one ranked payload with its provenance.
 *
 * A dry run opens no source, so its windows stay relative and it knows no markets.
 * What cannot be answered is an answer too (`unsupported`); refusals are for what
 * the asker can put right: a coin that the source does not have, an empty question.
 */
import { formatHour, parseTime, hourOf, type NamedValues } from "@bridle/market";
import { nearest } from "@bridle/operation";
import { Failure, isRefusal, type JsonObject, type JsonValue, refuse, type Refusal } from "@bridle/record";
import { type Asked, askedFor, coverageOf } from "./answer/coverage.js";
import { provenanceOf } from "./answer/provenance.js";
import { type AnswerRow, merged, rowsOf } from "./answer/rows.js";
import { emptySentence, helpSentence, sentenceOf, unsupportedSentence } from "./answer/sentences.js";
import type { Answer, Cell, RenderedSql } from "./answer/types.js";
import { type FamilyName, familyOf } from "./families.js";
import { queryLimits } from "./limits.js";
import { coinNames } from "./question/coin-names.js";
import { hoursOf } from "./question/hours.js";
import { type Read, slotsOf } from "./question/slots.js";
import { defaultRouter } from "./route/default.js";
import { readQuestion } from "./route/route.js";
import type { QuestionSource, SourceFacts } from "./source/types.js";
import { type Need, type Template } from "./templates/catalogue.js";
import { manner, templateFor } from "./templates/choose.js";
import { boundTo, valuesOf } from "./templates/values.js";
import { sqlTexts } from "./texts.generated.js";
import type { Coverage, Hours, Provenance, Routed, SlotCoverage, Slots, Threshold } from "./types.js";

export interface AskInput {
  readonly question: string;
  /** In addition to those that the question names. */
  readonly coins?: readonly string[];
  readonly top?: number;
  /** RFC 3339. */
  readonly asOf?: string;
  readonly dryRun?: boolean;
  /** For callers that know what they want: the family, whatever the words say. */
  readonly family?: FamilyName;
  readonly addresses?: readonly string[];
}

export interface AskPorts {
  /** The clock's time, for what has no as-of of its own. */
  readonly nowMs: number;
  /** Opens the source, or hands out one that is open; not called for dry runs, help and refusals. */
  withSource<Result>(plan: Plan, use: (source: QuestionSource) => Promise<Result>): Promise<Result>;
}

/** What is known once the words are read; the log writes it down. */
export interface Plan {
  readonly question: string;
  readonly routed: Routed;
  readonly read: Read;
  readonly slots: Slots;
  readonly template: Template;
  readonly asked: readonly Asked[];
  readonly asOfMs?: number;
  readonly asOf?: string;
}

export interface Outcome {
  readonly answer: Answer | Refusal;
  readonly routed?: Routed;
  readonly plan?: Plan;
  /** Each execution, for the log: one, or one a coin. */
  readonly executions: readonly Execution[];
  readonly provenance: Provenance;
}

export interface Execution {
  readonly coin: string | null;
  readonly coverage: SlotCoverage;
  readonly sql: RenderedSql;
  readonly rows: readonly AnswerRow[];
}

export async function ask(input: AskInput, ports: AskPorts): Promise<Outcome> {
  const timestamp = stamp(ports.nowMs);
  const bare = provenanceOf({ template: null, coverage: null, timestamp });
  const asOfMs = input.asOf === undefined ? undefined : parseTime(input.asOf, { zoneless: "utc" });
  const wrong = wrongInput(input, asOfMs);
  if (wrong !== undefined) return { answer: told(wrong, bare), executions: [], provenance: bare };
  const read = readQuestion(input.question, input.coins);
  const routed = route(input, read);
  if (routed.kind === "help")
    return { answer: helpAnswer(input.question, bare), routed, executions: [], provenance: bare };
  if (routed.kind === "unsupported")
    return {
      answer: unsupportedAnswer(input.question, routed, read, bare),
      routed,
      executions: [],
      provenance: bare,
    };
  const slots = withFlags(slotsOf(read, routed.family), input);
  const contradiction = contradictionIn(slots);
  if (contradiction !== undefined)
    return { answer: told(contradiction, bare), routed, executions: [], provenance: bare };
  const template = templateFor(routed.family, slots, read);
  const plan: Plan = {
    question: input.question,
    routed,
    read,
    slots,
    template,
    asked: askedFor(template, slots, input.asOf),
    ...(asOfMs === undefined ? {} : { asOfMs }),
    ...(input.asOf === undefined ? {} : { asOf: input.asOf }),
  };
  if (template.needsAddress === true && slots.addresses.length === 0) {
    const refusal = refuse("query_account_missing", {
      message: `${template.measure}: the question names no account`,
      hint: `For example: ${familyOf(routed.family).example}.`,
    });
    return { answer: told(refusal, bare), routed, plan, executions: [], provenance: bare };
  }
  if (input.dryRun === true) return dryRun(plan, timestamp);
  try {
    return await ports.withSource(plan, (source) => live(plan, source, timestamp));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { answer: told(error.toRefusal(), bare), routed, plan, executions: [], provenance: bare };
  }
}

function stamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function wrongInput({ question, asOf }: AskInput, asOfMs: number | undefined): Refusal | undefined {
  if (question.trim() === "") {
    return refuse("input_invalid", {
      message: "the question is empty",
      hint: "`hlq capabilities` says what can be asked.",
    });
  }
  if (question.length > queryLimits.questionCharsMax) {
    return refuse("input_invalid", {
      message: `the question has ${question.length} characters, more than ${queryLimits.questionCharsMax}`,
      hint: "Ask one thing in a sentence or two.",
    });
  }
  if (asOf !== undefined && asOfMs === undefined) {
    return refuse("timestamp_invalid", {
      message: `--as-of is ${JSON.stringify(asOf.slice(0, 64))}, which is no RFC 3339 time`,
      hint: "For example 2025-07-20T12:00:00Z.",
    });
  }
  return undefined;
}

/** Every error says where it comes from, in `detail`. */
function told(refusal: Refusal, provenance: Provenance): Refusal {
  return { ...refusal, detail: { ...refusal.detail, provenance: provenance as unknown as JsonObject } };
}

function route({ family }: AskInput, read: Read): Routed {
  const routed = defaultRouter().route(read);
  if (family === undefined) return routed;
  return {
    kind: "family",
    family,
    confidence: 1,
    second: null,
    neighbours: routed.kind === "help" ? [] : routed.neighbours,
  };
}

function withFlags(slots: Slots, { coins = [], top, addresses = [] }: AskInput): Slots {
  const named = coins.map((coin) => coinNames.get(coin.toLowerCase())?.coin ?? coin);
  return {
    ...slots,
    coins: [...new Set([...slots.coins, ...named])].slice(0, queryLimits.coinsMax),
    addresses: [...new Set([...slots.addresses, ...addresses.map((each) => each.toLowerCase())])].slice(
      0,
      queryLimits.addressesMax,
    ),
    ...(top === undefined ? {} : { topN: top }),
  };
}

function contradictionIn({ thresholds }: Slots): Refusal | undefined {
  for (const low of thresholds) {
    const high = thresholds.find(
      (each): each is Threshold =>
        each.metric === low.metric &&
        low.op.startsWith(">") &&
        each.op.startsWith("<") &&
        each.value <= low.value,
    );
    if (high === undefined) continue;
    return refuse("query_contradiction", {
      message: `${low.metric} cannot be ${low.op} ${low.value} and ${high.op} ${high.value} at once`,
      hint: "Leave one of the two out.",
    });
  }
  return undefined;
}

// --- Without a source ------------------------------------------------------------------------------

const nothing = {
  family: null,
  confidence: null,
  reason: null,
  suggestion: null,
  synthetic: null,
  source: null,
  window: null,
  hours: null,
  columns: [],
  rows: [],
  sql: [],
} as const;

function helpAnswer(question: string, provenance: Provenance): Answer {
  return { ...nothing, status: "help", question, summary: helpSentence(), provenance };
}

function unsupportedAnswer(
  question: string,
  routed: Routed & { readonly kind: "unsupported" },
  read: Read,
  provenance: Provenance,
): Answer {
  const { reason, confidence, nearest: near } = routed;
  const { sentence, suggestion } = unsupportedSentence(reason, near, read);
  return {
    ...nothing,
    status: "unsupported",
    question,
    summary: sentence,
    confidence,
    reason,
    suggestion,
    provenance,
  };
}

function dryRun(plan: Plan, timestamp: string): Outcome {
  const { template, slots, routed } = plan;
  const coverage = (coins: readonly string[]): SlotCoverage =>
    coverageOf(template, forCoins(plan.asked, coins), () => undefined);
  const parts = fanOut(plan, slots.coins);
  // Hours before as-of zero: a window that is relative stays so.
  const hours = hoursOf(slots.window, 0, template.defaultHours) ?? { from: -template.defaultHours, to: 0 };
  const executions = parts.map((coins): Execution => {
    const sql = rendered(plan, coins, hours, slots.addresses, parts.length > 1);
    const relative = Object.fromEntries(
      Object.entries(sql.parameters).map(([name, value]) => [
        name,
        /^(?:from|to)_(?:hour|day)$/.test(name) ? relativeWord(name, slots) : value,
      ]),
    );
    return {
      coin: parts.length > 1 ? (coins[0] as string) : null,
      coverage: coverage(coins),
      sql: { ...sql, parameters: relative },
      rows: [],
    };
  });
  const provenance = provenanceOf({
    template: parts.length > 1 ? null : template.name,
    coverage: together(executions),
    timestamp,
  });
  const answer: Answer = {
    ...nothing,
    status: "dry_run",
    question: plan.question,
    summary: `Would be answered with ${template.name}; nothing was opened or executed.`,
    family: routed.kind === "family" ? routed.family : null,
    confidence: routed.kind === "family" ? routed.confidence : null,
    window: slots.window,
    sql: executions.map(({ sql }) => sql),
    provenance,
  };
  return { answer, routed, plan, executions, provenance };
}

function relativeWord(name: string, { window }: Slots): string {
  return `${name.startsWith("from") ? "start" : "end"} of ${window === null ? "the usual window" : JSON.stringify(window)}`;
}

function together(executions: readonly Execution[]): Coverage {
  const [only] = executions;
  if (executions.length === 1 && only !== undefined) return only.coverage;
  return { per_coin: executions.map(({ coin, coverage }) => ({ coin: coin as string, ...coverage })) };
}

/** One list of coins for each execution: trader templates take several coins one by one. */
function fanOut({ template }: Plan, coins: readonly string[]): readonly (readonly string[])[] {
  return template.perCoin === true && coins.length > 1 && template.slots.includes("coins")
    ? coins.map((coin) => [coin])
    : [coins];
}

/** Each part of a fan-out was asked about its own coin. */
function forCoins(asked: readonly Asked[], coins: readonly string[]): Asked[] {
  return asked.map((each) =>
    each.slot === "coins" && coins.length > 0 ? { ...each, value: [...coins] } : each,
  );
}

function rendered(
  plan: Plan,
  coins: readonly string[],
  hours: Hours,
  accounts: readonly string[],
  named: boolean,
): RenderedSql {
  const { template, slots, read } = plan;
  const text = sqlTexts[template.name] as string;
  const values = boundTo(
    text,
    valuesOf({ template, slots, hours, coins, accounts, manner: manner(template, read) }),
  );
  return {
    template: template.name,
    text,
    parameters: shown(values),
    ...(named ? { coin: coins[0] as string } : {}),
  };
}

function shown(values: NamedValues): Record<string, Cell | readonly string[]> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "bigint" ? Number(value) : (value as Cell | readonly string[]),
    ]),
  );
}

// --- With a source ---------------------------------------------------------------------------------

async function live(plan: Plan, source: QuestionSource, timestamp: string): Promise<Outcome> {
  const { template, slots, routed } = plan;
  const facts = await source.facts();
  const asOf = plan.asOfMs === undefined ? facts.asOfHour : hourOf(plan.asOfMs);
  const live = source.kind === "info" && plan.asOfMs === undefined;
  const at = live ? timestamp : stamp(asOf * 3_600_000);
  const bare = provenanceOf({ template: null, coverage: null, timestamp: at });
  const no = (refusal: Refusal): Outcome => ({
    answer: told(refusal, bare),
    routed,
    plan,
    executions: [],
    provenance: bare,
  });

  const missing = missingNeed(template, facts, source);
  const early = missing === undefined ? tooEarly(plan, facts, asOf) : undefined;
  if (early !== undefined) return no(early);
  const unknown = missing === undefined ? unknownCoins(slots, facts) : [];
  if (isRefusal(unknown)) return no(unknown);
  const accounts = missing === undefined ? await accountsOf(slots, source) : [];
  if (isRefusal(accounts)) return no(accounts);
  const hours = bounded(hoursOf(slots.window, asOf, template.defaultHours), asOf, template);
  if (hours === undefined) {
    return no(
      refuse("input_invalid", {
        message: `${JSON.stringify(slots.window)} is no time that a calendar has`,
        hint: "Days are written 2025-07-20 or 20 July.",
      }),
    );
  }
  const coins = slots.coins.filter((coin) => !unknown.includes(coin));
  const lacking = (asked: Asked): string | undefined => {
    if (asked.slot === "measure") return missing;
    if (missing !== undefined) return "nothing could be measured";
    if (asked.slot === "coins" && (asked.value as string[]).some((coin) => unknown.includes(coin)))
      return `the source has no ${unknown.join(", ")}`;
    return asked.threshold === undefined ? undefined : lackingMetric(asked.threshold, facts);
  };
  const executions: Execution[] = [];
  const parts = fanOut(plan, coins);
  for (const part of parts) {
    const sql = rendered(plan, part, hours, accounts, parts.length > 1);
    const text = sqlTexts[template.name] as string;
    const values = valuesOf({
      template,
      slots,
      hours,
      coins: part,
      accounts,
      manner: manner(template, plan.read),
    });
    const rows = missing === undefined ? rowsOf(await source.run(template.name, boundTo(text, values))) : [];
    const asked = forCoins(plan.asked, parts.length > 1 ? part : slots.coins);
    executions.push({
      coin: parts.length > 1 ? (part[0] as string) : null,
      coverage: coverageOf(template, splitCoins(asked, unknown), lacking),
      sql,
      rows,
    });
  }
  const rows =
    parts.length > 1
      ? merged(
          template,
          executions.map(({ coin, rows: found }) => ({ coin: coin as string, rows: found })),
          slots.topN ?? template.defaultTop,
        )
      : (executions[0] as Execution).rows;
  const provenance = provenanceOf({
    template: parts.length > 1 ? null : template.name,
    coverage: together(executions),
    timestamp: at,
  });
  const covered = {
    from_hour: hours.from,
    to_hour: hours.to,
    from_utc: formatHour(hours.from),
    to_utc: formatHour(hours.to),
  };
  const told_ = { plan, source, facts, hours: covered, coins, rowCount: rows.length };
  const answer: Answer = {
    ...nothing,
    status: rows.length === 0 ? "empty" : "answered",
    question: plan.question,
    summary: rows.length === 0 ? emptySentence({ ...told_, missing }) : sentenceOf(told_),
    family: routed.kind === "family" ? routed.family : null,
    confidence: routed.kind === "family" ? routed.confidence : null,
    synthetic: source.synthetic,
    source: { kind: source.kind, name: source.name, engine: source.engine },
    window: slots.window,
    hours: covered,
    columns: Object.keys(rows[0] ?? {}),
    rows,
    provenance,
  };
  return { answer, routed, plan, executions, provenance };
}

/** Coins that the source does not have are asked for, and dropped, on their own. */
function splitCoins(asked: readonly Asked[], unknown: readonly string[]): Asked[] {
  if (unknown.length === 0) return [...asked];
  return asked.flatMap((each) => {
    if (each.slot !== "coins") return [each];
    const all = each.value as string[];
    const [known, gone] = [
      all.filter((coin) => !unknown.includes(coin)),
      all.filter((coin) => unknown.includes(coin)),
    ];
    return [
      ...(known.length > 0 ? [{ ...each, value: known as JsonValue }] : []),
      ...(gone.length > 0 ? [{ ...each, value: gone as JsonValue }] : []),
    ];
  });
}

/** Cut to what may be read; whole days where the template works by days. */
function bounded(hours: Hours | undefined, asOf: number, template: Template): Hours | undefined {
  if (hours === undefined) return undefined;
  const to = Math.min(hours.to, asOf);
  const from = Math.max(Math.min(hours.from, to), to - queryLimits.windowHoursMax);
  return template.daily === true ? { from: Math.floor(from / 24) * 24, to } : { from, to };
}

const tableWords: Readonly<Record<Need["table"], string>> = {
  candle: "candles",
  funding: "funding",
  asset_context: "asset contexts",
  fill: "fills",
  liquidation: "liquidations",
};
const columnWords: Readonly<Record<string, string>> = {
  volume: "traded volume",
  open_interest: "open interest",
  premium: "premiums, marks or oracles",
  impact_bid: "impact prices",
  user: "fills with their accounts",
  start_position: "fills with positions",
  closed_pnl: "fills with realised profits",
};

function missingNeed(template: Template, facts: SourceFacts, source: QuestionSource): string | undefined {
  for (const { table, column } of template.needs) {
    const found = facts.tables[table];
    if (found === undefined) return source.why?.(column ?? table) ?? `the source has no ${tableWords[table]}`;
    if (column !== undefined && (found.columns[column] ?? 0) === 0)
      return source.why?.(column) ?? `the source has no ${columnWords[column] ?? column}`;
  }
  return undefined;
}

function lackingMetric({ metric }: Threshold, { tables }: SourceFacts): string | undefined {
  if (metric === "volume_usd" && tables.candle !== undefined && (tables.candle.columns["volume"] ?? 0) === 0)
    return "the source has no traded volume";
  return undefined;
}

function tooEarly({ asOf }: Plan, { tables }: SourceFacts, asOfHour: number): Refusal | undefined {
  const firsts = Object.values(tables).map(({ firstHour }) => firstHour);
  if (asOf === undefined || firsts.length === 0 || asOfHour > Math.min(...firsts)) return undefined;
  return refuse("query_as_of_invalid", {
    message: `as of ${asOf} the source has no data yet; its first hour is ${formatHour(Math.min(...firsts))}`,
    hint: "Ask as of a later time, or leave --as-of out.",
  });
}

/** Names that the source does not have; a refusal when it has none of them. */
function unknownCoins(
  { coins, unknownCoins: odd }: Slots,
  { markets }: SourceFacts,
): readonly string[] | Refusal {
  const known = new Set(markets);
  const unknown = coins.filter((coin) => !known.has(coin));
  const [first] = unknown.length > 0 ? unknown : coins.length === 0 ? odd : [];
  if (first === undefined || unknown.length < coins.length) return unknown;
  const near = nearest(first, markets) ?? nearest(`SYN-${first}`, markets);
  return refuse("query_coin_unknown", {
    message: `the source has no market ${first}`,
    hint:
      near === undefined
        ? `It has ${markets.slice(0, 12).join(", ")}${markets.length > 12 ? " and others" : ""}.`
        : `Did you mean ${near}?`,
    detail: { unknown: [...unknown, ...odd], nearest: near ?? null },
  });
}

async function accountsOf(
  { addresses }: Slots,
  source: QuestionSource,
): Promise<readonly string[] | Refusal> {
  const found: string[] = [];
  for (const beginning of addresses) {
    const { rows } = await source.run("accounts_named", { beginning });
    const accounts = rows.map(([account]) => String(account));
    const whole = accounts.find((account) => account.toLowerCase() === beginning);
    if (whole !== undefined || accounts.length === 1) found.push(whole ?? (accounts[0] as string));
    else if (accounts.length === 0) {
      const others = (await source.run("accounts_named", { beginning: "0x" })).rows.map(([account]) =>
        String(account),
      );
      const near = others[0];
      return refuse("query_account_unknown", {
        message: `no account of the source has an address that begins with ${beginning}`,
        hint:
          near === undefined
            ? "The source has no accounts."
            : `The first that it has is ${near}; \`hlq ask "biggest whales"\` names more.`,
        detail: { beginning },
      });
    } else {
      return refuse("query_account_ambiguous", {
        message: `${accounts.length === 6 ? "more than five" : accounts.length} accounts have an address that begins with ${beginning}`,
        hint: `Write more of it: ${accounts.slice(0, 5).join(", ")}.`,
        detail: { beginning, accounts: accounts.slice(0, 5) },
      });
    }
  }
  return found;
}
