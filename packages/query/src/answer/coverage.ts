/**
 * Coverage: everything that was asked for, each once, as applied or as dropped
 * with a reason. Together they are always what was asked; a test holds that.
 */
import type { JsonValue } from "@bridle/record";
import type { Template } from "../templates/catalogue.js";
import { hourlyFunding } from "../templates/funding-units.js";
import type { AppliedSlot, DroppedSlot, SlotCoverage, Slots, Threshold } from "../types.js";

export interface Asked extends AppliedSlot {
  /** What the catalogue calls it. */
  readonly slot:
    | "measure"
    | "coins"
    | "address"
    | "top_n"
    | "direction"
    | "window"
    | "threshold"
    | "persistence"
    | "as_of"
    | "unknown_coins";
  readonly threshold?: Threshold;
}

/** Everything that the question, and the flags beside it, ask for. */
export function askedFor(template: Template, slots: Slots, asOf: string | undefined): Asked[] {
  const asked: Asked[] = [
    { slot: "measure", field: "measure", value: template.measure, label: "what is measured" },
  ];
  if (slots.coins.length > 0)
    asked.push({ slot: "coins", field: "coins", value: [...slots.coins], label: "markets" });
  if (slots.unknownCoins.length > 0)
    asked.push({
      slot: "unknown_coins",
      field: "unknown_coins",
      value: [...slots.unknownCoins],
      label: "names that are no known market",
    });
  if (slots.addresses.length > 0)
    asked.push({ slot: "address", field: "address", value: [...slots.addresses], label: "accounts" });
  if (slots.window !== null)
    asked.push({
      slot: "window",
      field: "window",
      value: slots.window as unknown as JsonValue,
      label: "time window",
    });
  if (slots.topN !== undefined)
    asked.push({ slot: "top_n", field: "top_n", value: slots.topN, label: "number of rows" });
  if (slots.direction !== undefined)
    asked.push({ slot: "direction", field: "direction", value: slots.direction, label: "direction" });
  for (const threshold of slots.thresholds) {
    const { metric, op, value, unitAssumed } = threshold;
    asked.push({
      slot: "threshold",
      threshold,
      field: metric,
      value: { op, value },
      label: `${metricLabel(threshold)}${unitAssumed === true ? " (unit not said, taken from the size of the number)" : ""}`,
    });
  }
  if (slots.persistence)
    asked.push({ slot: "persistence", field: "persistence", value: true, label: "whether it lasts" });
  if (asOf !== undefined) asked.push({ slot: "as_of", field: "as_of", value: asOf, label: "asked as of" });
  return asked;
}

function metricLabel({ metric, op, value }: Threshold): string {
  const hourly = hourlyFunding(metric, value);
  const words = metric.replaceAll("_", " ");
  return hourly === undefined || metric === "funding_hourly_pct"
    ? `bar on ${words}`
    : `bar on ${words}, that is ${op} ${hourly} % an hour`;
}

/** `lacking` says of a slot why the source cannot serve it; undefined where it can, or where nothing was opened. */
export function coverageOf(
  template: Template,
  asked: readonly Asked[],
  lacking: (asked: Asked) => string | undefined,
): SlotCoverage {
  const applied: AppliedSlot[] = [];
  const dropped: DroppedSlot[] = [];
  for (const each of asked) {
    const { field, value, label } = each;
    const reason = unusedBy(template, each) ?? lacking(each);
    if (reason === undefined) applied.push({ field, value, label });
    else dropped.push({ field, value, label, reason });
  }
  return { applied, dropped, fully_covered: dropped.length === 0 };
}

function unusedBy(template: Template, { slot, field, threshold }: Asked): string | undefined {
  const no = `template '${template.name}' does not use {${field}}`;
  switch (slot) {
    case "measure":
    case "as_of":
      return undefined;
    case "unknown_coins":
      return "no market of that name is known";
    case "persistence":
      return "one question sees the level and not its course; `--harness` looks at whether it lasts";
    case "threshold":
      return threshold !== undefined && template.metrics.includes(threshold.metric) ? undefined : no;
    default:
      return template.slots.includes(slot) ? undefined : no;
  }
}
