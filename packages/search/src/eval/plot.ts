/**
 * An evaluation as a picture: left how often each policy is right, with its
 * interval, beside the baselines; right what risk remains when only the surest
 * decisions are made.
 *
 * Both sides share their colours, so the names on the left are the legend of the
 * right. The picture has its own white ground and is readable in any viewer.
 */
import { bestBaseline } from "./evaluate.js";
import { escaped, line, mark, scale, ticks, words } from "./svg.js";
import { points } from "./table.js";
import type { Evaluation, PolicyEvaluation, RiskPoint } from "./types.js";

/** Told apart by people who see red and green alike. */
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9"] as const;
const baselineColour = "#8a8a8a";
const ink = "#222222";
const faint = "#666666";
const grid = "#e4e4e4";

const width = 980;
const margin = 28;
const top = 92;
const panelHeight = 230;
const rowHeightMin = 30;
const rowHeightMax = 46;
const labelCharsMax = 30;
/** Fewer decisions than this make a share that jumps about. */
const decisionsShownMin = 10;

export function evaluationPlot(evaluation: Evaluation): string {
  const { episode_count, market_count, pack_id, part, is_measure, block, no_interval } = evaluation;
  const policies = evaluation.policies
    .map((policy, i) => ({
      policy,
      colour: policy.kind === "baseline" ? baselineColour : (colours[i % colours.length] as string),
    }))
    // A baseline that never decides would only stretch the axis; it is in the table.
    .filter(({ policy }) => policy.kind === "run" || policy.coverage.value !== 0);
  const inner = Math.max(panelHeight, policies.length * rowHeightMin);
  const height = top + inner + 62;
  const interval =
    no_interval === null ? `95 % intervals by market and ${block}` : `no intervals: ${no_interval}`;
  const judged = is_measure ? `part ${part}` : `part ${part}: no measure of what has learnt from it`;
  const about = `${judged} · ${episode_count} episodes of ${market_count} markets · ${interval} · ${pack_id}`;
  return `${mark(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      "font-family": "system-ui, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif",
      "font-size": 13,
    },
    [
      "",
      `<title>${escaped("Accuracy, and risk at each coverage, by policy")}</title>`,
      mark("rect", { x: 0, y: 0, width, height, fill: "#ffffff" }),
      words(about, [margin, 28], { fill: faint, "font-size": 12 }),
      ...accuracyPanel(policies, { left: margin, right: 570, bottom: top + inner }),
      ...riskPanel(policies, { left: 664, right: width - margin, bottom: top + inner }),
      "",
    ].join("\n"),
  )}\n`;
}

interface Coloured {
  readonly policy: PolicyEvaluation;
  readonly colour: string;
}

interface Frame {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

const heading = { fill: ink, "font-size": 15, "font-weight": 600 };
const tickWords = { fill: faint, "font-size": 11 };

// --- Accuracy --------------------------------------------------------------------------------------

function accuracyPanel(policies: readonly Coloured[], { left, right, bottom }: Frame): string[] {
  const rowHeight = Math.min(rowHeightMax, (bottom - top) / policies.length);
  const longest = Math.max(...policies.map(({ policy }) => Math.min(labelCharsMax, policy.label.length)));
  const start = left + longest * 7.4 + 16;
  const end = right - 64;
  const range = accuracyRange(policies);
  const x = scale(range, [start, end]);
  const best = bestBaseline(policies.map(({ policy }) => policy))?.accuracy.value;
  return [
    words("Accuracy", [left, 60], heading),
    words("of the episodes that could be decided", [left, 78], tickWords),
    ...ticks(range).flatMap((at) => [
      line([x(at), top], [x(at), bottom], { stroke: grid }),
      words(percent(at), [x(at), bottom + 18], { ...tickWords, "text-anchor": "middle" }),
    ]),
    ...(best === null || best === undefined
      ? []
      : [
          line([x(best), top], [x(best), bottom], { stroke: baselineColour, "stroke-dasharray": "4 3" }),
          words("best baseline", [x(best), bottom + 36], { ...tickWords, "text-anchor": "middle" }),
        ]),
    ...policies.flatMap(({ policy, colour }, i) =>
      accuracyRow(policy, { colour, y: top + (i + 0.5) * rowHeight, start, right, x }),
    ),
  ];
}

interface RowPlace {
  readonly colour: string;
  readonly y: number;
  readonly start: number;
  readonly right: number;
  x(value: number): number;
}

function accuracyRow(policy: PolicyEvaluation, { colour, y, start, right, x }: RowPlace): string[] {
  const { accuracy, kind, label } = policy;
  const interval = accuracy.interval;
  const isBaseline = kind === "baseline";
  const stroke = { stroke: colour, "stroke-width": 2 };
  return [
    words(cut(label), [start - 12, y + 4.5], {
      fill: isBaseline ? faint : ink,
      "text-anchor": "end",
    }),
    ...(interval === null
      ? []
      : [
          line([x(interval.low), y], [x(interval.high), y], stroke),
          line([x(interval.low), y - 4], [x(interval.low), y + 4], stroke),
          line([x(interval.high), y - 4], [x(interval.high), y + 4], stroke),
        ]),
    ...(accuracy.value === null
      ? []
      : [
          dot([x(accuracy.value), y], { colour, hollow: isBaseline }),
          words(`${points(accuracy.value)} %`, [right, y + 4.5], {
            fill: isBaseline ? faint : ink,
            "text-anchor": "end",
          }),
        ]),
  ];
}

/** Tens around everything shown, and never so few that a small difference looks large. */
function accuracyRange(policies: readonly Coloured[]): readonly [number, number] {
  const shown = policies.flatMap(({ policy: { accuracy } }) => {
    const interval = accuracy.interval;
    return [accuracy.value, interval?.low, interval?.high].flatMap((value) => value ?? []);
  });
  let low = Math.max(0, Math.floor(Math.min(...shown, 1) * 10));
  let high = Math.min(10, Math.ceil(Math.max(...shown, 0) * 10));
  while (high - low < 3) {
    if (low > 0) low--;
    if (high < 10) high++;
  }
  return [low / 10, high / 10];
}

// --- Risk ------------------------------------------------------------------------------------------

function riskPanel(policies: readonly Coloured[], { left, right, bottom }: Frame): string[] {
  const curves = policies.map(({ policy, colour }) => ({ policy, colour, curve: shownPoints(policy) }));
  const most = Math.max(0.2, ...curves.flatMap(({ curve }) => curve.map(({ risk }) => risk)));
  const range = [0, Math.min(1, Math.ceil(most * 10) / 10)] as const;
  const x = scale([0, 1], [left, right]);
  const y = scale(range, [bottom, top]);
  const at = ({ coverage, risk }: RiskPoint) => [x(coverage), y(risk)] as const;
  return [
    words("Risk at each coverage", [left, 60], heading),
    words("share of decisions that are wrong; the surest first", [left, 78], tickWords),
    ...ticks(range).flatMap((risk) => [
      line([left, y(risk)], [right, y(risk)], { stroke: grid }),
      words(percent(risk), [left - 8, y(risk) + 4], { ...tickWords, "text-anchor": "end" }),
    ]),
    ...ticks([0, 1]).flatMap((coverage) => [
      line([x(coverage), bottom], [x(coverage), bottom + 4], { stroke: faint }),
      words(percent(coverage), [x(coverage), bottom + 18], { ...tickWords, "text-anchor": "middle" }),
    ]),
    line([left, bottom], [right, bottom], { stroke: faint }),
    words("coverage: share of episodes decided", [(left + right) / 2, bottom + 36], {
      ...tickWords,
      "text-anchor": "middle",
    }),
    ...curves.flatMap(({ policy, colour, curve }) => {
      const last = curve.at(-1);
      if (last === undefined) return [];
      const path = curve
        .map((point) =>
          at(point)
            .map((each) => each.toFixed(1))
            .join(","),
        )
        .join(" ");
      return [
        ...(curve.length < 2
          ? []
          : [
              mark("polyline", {
                points: path,
                fill: "none",
                stroke: colour,
                "stroke-width": 2,
                "stroke-linejoin": "round",
              }),
            ]),
        dot(at(last), { colour, hollow: policy.kind === "baseline", title: policy.label }),
      ];
    }),
  ];
}

function shownPoints({ risk_curve, episode_count }: PolicyEvaluation): RiskPoint[] {
  const last = risk_curve.at(-1);
  return risk_curve.filter((point) => point === last || point.coverage * episode_count >= decisionsShownMin);
}

// --- Both ------------------------------------------------------------------------------------------

function dot(
  [cx, cy]: readonly [number, number],
  { colour, hollow, title }: { readonly colour: string; readonly hollow: boolean; readonly title?: string },
): string {
  const style = hollow
    ? { fill: "#ffffff", stroke: colour, "stroke-width": 2 }
    : { fill: colour, stroke: "#ffffff", "stroke-width": 1 };
  const inside = title === undefined ? "" : `<title>${escaped(title)}</title>`;
  return mark("circle", { cx, cy, r: 5, ...style }, inside);
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

function cut(label: string): string {
  return label.length <= labelCharsMax ? label : `${label.slice(0, labelCharsMax - 1)}…`;
}
