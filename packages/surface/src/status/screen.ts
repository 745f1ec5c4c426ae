/** The status as one screen of text: a block for each question, its first line with the count. */
import { columns, displayWidth, type Paint } from "@bridle/operation";
import type { Status } from "./schema.js";

const width = 100;
const rowsMax = 6;

export function statusText(status: Status, paint: Paint): string {
  const { ready, running, forYou, lastRun, memory } = status;
  if (!memory) return `  nothing is set up here; ${paint.strong("bridle init")} does that`;
  return [
    ...block("ready", ready.length, readyRows(status, paint), paint),
    ...block(
      "running",
      running.length,
      running.map((each) => runningRow(each, paint)),
      paint,
    ),
    ...block("for you", forYou.length, forYouRows(forYou, paint), paint),
    ...(lastRun === null ? [] : [lastLine(lastRun, paint)]),
  ].join("\n");
}

function block(name: string, count: number, rows: readonly string[], paint: Paint): string[] {
  const shown = rows.slice(0, rowsMax);
  const more = rows.length - shown.length;
  const head = `  ${name.padEnd(9)}${String(count).padStart(3)}   `;
  const indent = " ".repeat(displayWidth(head));
  const lines = shown.map((row, i) => `${i === 0 ? head : indent}${row}`);
  return [
    ...(lines.length === 0 ? [head.trimEnd()] : lines),
    ...(more > 0 ? [`${indent}${paint.dim(`and ${more} more`)}`] : []),
  ];
}

/** The first with its title, the others by id. */
function readyRows({ ready }: Status, paint: Paint): string[] {
  const [first, ...others] = ready;
  if (first === undefined) return [];
  const head = `${paint.strong(first.id)} ${paint.dim(`P${first.priority}`)} ${cut(first.title, 50)}`;
  const ids = others.slice(0, rowsMax).map(({ id }) => id);
  const more = others.length - ids.length;
  return [[head, ...ids, ...(more > 0 ? [paint.dim(`${more} more`)] : [])].join(paint.dim(" · "))];
}

function runningRow({ id, who, doing, seconds, until }: Status["running"][number], paint: Paint): string {
  const since = seconds === null ? "" : `, ${spoken(seconds)}`;
  const what = doing === null ? `until ${until ?? "it is given back"}` : `${doing}${since}`;
  return `${paint.strong(id)}  ${who}  ${paint.dim(what)}`;
}

function forYouRows(forYou: Status["forYou"], paint: Paint): string[] {
  const rows = forYou.map(({ id, says, command }) => [
    paint.strong(id),
    cut(says.startsWith(`${id} `) ? says.slice(id.length + 1) : says, width - 50),
    paint.dim(command),
  ]);
  return columns(rows).map((row) => row.trimStart());
}

function lastLine(run: NonNullable<Status["lastRun"]>, paint: Paint): string {
  const parts = [
    `${run.done} closed with witnesses`,
    ...(run.review > 0 ? [`${run.review} for review`] : []),
    ...(run.notDone > 0 ? [paint.bad(`${run.notDone} not done`)] : []),
    `${run.steps} steps`,
    `$${run.costUsd.toFixed(2)}${run.unpricedSteps > 0 ? ` and ${run.unpricedSteps} steps of unknown cost` : ""}`,
  ];
  const name = run.state === "over" ? "last run" : run.state;
  return `  ${name.padEnd(12)}   ${paint.dim(run.run)}  ${parts.join(" · ")}`;
}

function spoken(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function cut(text: string, cells: number): string {
  const line = text.replace(/\s+/g, " ");
  return displayWidth(line) <= cells ? line : `${line.slice(0, cells - 1)}…`;
}
