/**
 * The page of the guide that lists what data may hold and how every number is
 * worked out, from the tables and formulas that the code itself uses. A test
 * compares it with the page that is committed.
 */
import {
  type ColumnKind,
  defectKinds,
  type Field,
  fields,
  knownNames,
  lateStampMs,
  shapes,
  tableNames,
} from "@bridle/market";
import { formulas } from "../pack/build/metrics.js";
import { type BuildParams, defaultParams } from "../pack/build/params.js";

const units: Readonly<Record<ColumnKind, string>> = {
  text: "text",
  hour: "a time on the hour",
  payHour: "a time; the hour that it falls into",
  lateStamp: `kept where the time is more than ${lateStampMs / 1000} seconds after the hour`,
  time: "a time, to the millisecond",
  price: "dollars, above zero",
  quantity: "units of the coin, or dollars where it says so; not below zero",
  amount: "dollars or units of the coin",
  rate: "a share, not percent; of funding, per hour",
  count: "a whole number",
  flag: "true or false",
  side: "B or buy, A or sell",
  position: "long or short",
};

const labels: readonly (readonly [string, string])[] = [
  [
    "onset",
    "an hour with |`funding_z`| ≥ `onset_score`, whose rate was known at the hour, at least `quiet_hours` after the last onset of the market",
  ],
  [
    "`finalize_signal`",
    "each of the `persist_hours` hours after the onset has a `funding_z` beyond `persist_score`, on the side of the onset",
  ],
  ["`finalize_low_signal`", "at least one of them has not"],
  ["`abstain`", "fewer than `baseline_hours_needed` hours of the baseline are there at the onset"],
  ["no episode", "an hour after the onset has no rate, or a baseline that is not complete"],
];

export function dataGuide(): string {
  return [
    "# Market data: columns, units, and how every number is worked out",
    "",
    "This page is made from the code (`npm run search:report -- --data-guide`) and compared with it by a test.",
    "",
    "## Columns",
    "",
    "Names are compared without case and punctuation; `--columns field=name,…` tells others. A time is milliseconds since 1970",
    "or RFC 3339 with its zone; without a zone it is refused unless `--zone UTC` is given. Candles are hourly.",
    "",
    ...tableNames.flatMap((table) => [
      `### ${table}`,
      "",
      "| field | needed | what it holds |",
      "| --- | --- | --- |",
      ...shapes[table]
        .filter(({ kind }) => kind !== "lateStamp")
        .map(({ name, kind, required }) => `| \`${name}\` | ${required ? "yes" : "no"} | ${units[kind]} |`),
      "",
    ]),
    "### Names that are understood",
    "",
    "| field | names |",
    "| --- | --- |",
    ...fields.map((field: Field) => `| \`${field}\` | ${knownNames(field).join(", ")} |`),
    "",
    "## When a row is known",
    "",
    "| row | known |",
    "| --- | --- |",
    "| candle of hour h | at h + 1:00 |",
    `| funding of hour h, its premium | at its stamp; up to ${lateStampMs / 1000} seconds after h:00 counts as h:00 |`,
    "| asset context, fill, liquidation | at its stamp |",
    "",
    "## What is refused",
    "",
    "| class | refused | what it is |",
    "| --- | --- | --- |",
    ...Object.entries(defectKinds).map(
      ([kind, { refuses, says }]) =>
        `| \`${kind}\` | ${refuses ? `yes, unless \`--accept ${kind}\`` : "no"} | ${says} |`,
    ),
    "",
    "## Metrics",
    "",
    "At the hour h that a window ends with. A number whose window is not complete is left out, and `missing` says why.",
    "",
    "| name | unit | formula |",
    "| --- | --- | --- |",
    ...Object.values(formulas).map(({ name, unit, formula }) => `| \`${name}\` | ${unit} | ${formula} |`),
    "| `history_hours` | hours | hours of funding among the `baseline_hours` before h |",
    "| peers | markets | the `peers` markets with the greatest Σ close × volume over the 24 hours before h; one without all of them is no peer |",
    "",
    "## Labels",
    "",
    "| label | when |",
    "| --- | --- |",
    ...labels.map(([label, when]) => `| ${label} | ${when} |`),
    "",
    "## Parameters",
    "",
    "All of them stand in the manifest and change the id of the pack.",
    "",
    "| parameter | without a flag |",
    "| --- | --- |",
    ...Object.entries(defaultParams satisfies BuildParams).map(
      ([name, value]) => `| \`${name}\` | ${value} |`,
    ),
    "",
  ].join("\n");
}
