/** `hlq data check`: whether market data is what a pack can be built from, before one is. */
import { CheckingBuilder, type DataReport, type Defect, loadFiles } from "@bridle/market";
import { columns, defineOperation } from "@bridle/operation";
import { Failure, grouped } from "@bridle/record";
import * as Type from "typebox";
import { dataInput, sourceFilesOf } from "./data-input.js";
import { pathOf } from "./pack-input.js";

const table = Type.Object({
  table: Type.String(),
  rows: Type.Integer(),
  first: Type.String(),
  last: Type.String(),
  hoursMissing: Type.Integer(),
  longestGapHours: Type.Integer(),
  repeated: Type.Integer(),
});

export const dataCheck = defineOperation({
  names: {
    id: "op/hlq.data_check",
    action: "hlq.data.check",
    command: ["data", "check"],
    tool: "hlq_data_check",
  },
  family: "hlq",
  effect: "read",
  surfaces: ["cli", "mcp"],
  summary: "Judge market data before a pack is built from it.",
  description:
    "Intervals, gaps, repeats, units and ranges, how markets are spelled, and columns that nothing is made of: a line a " +
    "market, and every defect with its file and line. `hlq pack build` does the same and refuses what would make numbers " +
    "wrong. The exit code is 1 when a pack would be refused.",
  examples: [
    { command: "hlq data check candles.csv funding.csv", says: "before hlq pack build --source …" },
    {
      command: "hlq data check minute.csv --columns time=ts,close=c --zone UTC",
      says: "where columns have other names and times no zone",
    },
  ],
  input: Type.Object(
    {
      files: Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        "x-position": 0,
        "x-flag": "file",
        "x-placeholder": "file",
        "x-path": true,
        description: "CSV, JSONL or Parquet, also compressed.",
      }),
      ...dataInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("hlq.data.check"),
    result: Type.Enum(["accepted", "rejected"]),
    failureClasses: Type.Array(Type.String()),
    verdict: Type.Enum(["fit", "refused"]),
    markets: Type.Array(
      Type.Object({
        market: Type.String(),
        verdict: Type.Enum(["fit", "gaps", "refused"]),
        tables: Type.Array(table),
      }),
    ),
    defects: Type.Array(
      Type.Object({
        class: Type.String(),
        market: Type.Union([Type.String(), Type.Null()]),
        file: Type.String(),
        line: Type.Integer(),
        message: Type.String(),
      }),
    ),
    columns: Type.Array(
      Type.Object({
        file: Type.String(),
        used: Type.Object({}, { additionalProperties: true, description: "Field and column." }),
        unused: Type.Array(Type.String()),
      }),
    ),
  }),
  async run(input, call) {
    const files = sourceFilesOf(
      input.files.map((path) => pathOf(call, path)),
      input,
    );
    if ("refused" in files) return files;
    const builder = new CheckingBuilder(new Forgetting());
    let unreadable: Failure | undefined;
    try {
      await loadFiles({
        files,
        builder,
        ports: call.ports,
        signal: call.signal,
        onColumns: (used) => builder.noteColumns(used),
      });
    } catch (error) {
      // What stands before a row that cannot be read was judged, and is told with it.
      if (!(error instanceof Failure) || !isAboutRows(error)) throw error;
      unreadable = error;
    }
    return answerOf(builder.report(), unreadable);
  },
  present({ verdict, markets, defects, columns: used }, paint) {
    const rows = markets.flatMap(({ market, verdict: own, tables }) =>
      tables.map(({ table: name, rows: count, first, last, hoursMissing, longestGapHours, repeated }, i) => [
        i === 0 ? paint.strong(market) : "",
        name,
        `${grouped(count)} rows`,
        `${first} to ${last}`,
        hoursMissing === 0 ? "no gaps" : `${hoursMissing} hours missing, at most ${longestGapHours} in a row`,
        repeated === 0 ? "" : `${repeated} repeated`,
        i > 0 ? "" : own === "fit" ? paint.good(own) : own === "gaps" ? paint.note(own) : paint.bad(own),
      ]),
    );
    const said = defects.map(({ class: kind, file, line, message }) => [`${file}:${line}`, kind, message]);
    const unused = used.filter((each) => each.unused.length > 0);
    return [
      ...columns(rows),
      ...(said.length === 0 ? [] : ["", ...columns(said)]),
      ...(unused.length === 0
        ? []
        : ["", ...unused.map(({ file, unused: names }) => `  ${file}: not used: ${names.join(", ")}`)]),
      "",
      verdict === "fit"
        ? `  ${paint.good("fit")}  a pack can be built from this`
        : `  ${paint.bad("refused")}  numbers would be wrong; correct the data, or say --accept with the class`,
    ].join("\n");
  },
});

function isAboutRows({ failureClass }: Failure): boolean {
  return ["market_row_invalid", "market_rows_conflict"].includes(failureClass);
}

function answerOf({ markets, defects, columns: used, verdict }: DataReport, unreadable: Failure | undefined) {
  const told = defects
    .filter(({ kind }) => kind !== "columns_unused")
    .map(({ kind, market, place, message }: Defect) => ({
      class: kind,
      market: market ?? null,
      file: place.source,
      line: place.line,
      message,
    }));
  const broken =
    unreadable === undefined
      ? []
      : [
          {
            class: unreadable.failureClass as string,
            market: null,
            file: String(unreadable.detail?.["source"] ?? ""),
            line: Number(unreadable.detail?.["line"] ?? 0),
            message: unreadable.message,
          },
        ];
  const isFit = verdict === "fit" && unreadable === undefined;
  const all = [...told, ...broken];
  return {
    action: "hlq.data.check" as const,
    result: isFit ? ("accepted" as const) : ("rejected" as const),
    failureClasses: isFit ? [] : [...new Set(all.map((each) => each.class))],
    verdict: isFit ? ("fit" as const) : ("refused" as const),
    markets: markets.map(({ market, verdict: own, tables }) => ({
      market,
      verdict: own,
      tables: tables.map((each) => ({ ...each })),
    })),
    defects: all,
    columns: used.map(({ source, used: names, unused }) => ({
      file: source,
      used: { ...names },
      unused: [...unused],
    })),
  };
}

/** Keeps nothing: only what is noted about the rows is wanted. */
class Forgetting {
  add(): void {}
  source(): void {}
  async discard(): Promise<void> {}
  async finish(): Promise<never> {
    return undefined as never;
  }
}
