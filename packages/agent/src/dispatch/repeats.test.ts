/** Loops of `transcripts/loops.jsonl`, and the laws of repetition one by one. */
import { readFileSync } from "node:fs";
import type { JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { Repeats, type RepeatVerdict } from "./repeats.js";
import { usualIntent } from "./repeats-keys.js";

interface Event {
  readonly round: number;
  readonly tool: string;
  readonly args: JsonObject;
  readonly ok: boolean;
  readonly output: string;
  readonly ran?: false;
}
interface Loop {
  readonly id: string;
  readonly label: "violation" | "pass";
  readonly stop_by?: number;
  readonly events: readonly (Event | { readonly say: string })[];
}

const loops = readFileSync(new URL("../../transcripts/loops.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Loop);

/** The index of the first call that is refused, and of the first that is answered. */
function stopsOf({ events }: Loop): { readonly refused?: number; readonly answered?: number } {
  const repeats = new Repeats();
  let answered: number | undefined;
  for (const [i, event] of events.entries()) {
    if (!("tool" in event)) continue;
    const call = { id: `c${i}`, ...event, intent: usualIntent(event.tool, event.args) };
    const verdict = repeats.judge(call);
    if (verdict !== undefined && "refuse" in verdict)
      return { refused: i, ...(answered === undefined ? {} : { answered }) };
    if (verdict !== undefined) answered ??= i;
    repeats.record(call, verdict === undefined ? event : { ok: event.ok, output: event.output, ran: false });
    if (event.tool === "compress_context" && event.ok)
      repeats.compacted(events.map((_, at) => `c${at}`).slice(0, i));
  }
  return answered === undefined ? {} : { answered };
}

describe("labelled loops", () => {
  const stops = new Map(loops.map((loop) => [loop.id, stopsOf(loop)]));
  it("every loop is refused by its third repeat, and no other send is refused or answered short", () => {
    const late = loops.filter(
      ({ id, label, stop_by: by = 0 }) =>
        label === "violation" && !((stops.get(id)?.refused ?? Infinity) <= by),
    );
    const wrong = loops.filter(
      ({ id, label }) => label === "pass" && Object.keys(stops.get(id) ?? {}).length > 0,
    );
    const violations = loops.filter(({ label }) => label === "violation").length;
    console.log(
      `proof: ${violations - late.length} of ${violations} loops stopped by the third repeat, ${wrong.length} of ${loops.length - violations} other sends stopped`,
    );
    expect({
      late: late.map(({ id }) => [id, stops.get(id)]),
      wrong: wrong.map(({ id }) => [id, stops.get(id)]),
    }).toEqual({ late: [], wrong: [] });
  });
});

export type { RepeatVerdict };
