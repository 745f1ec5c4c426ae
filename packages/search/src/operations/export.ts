/** `hlq export`: a run in a format that other programs read. */
import { resolve } from "node:path";
import { defineOperation, type Operation, type Call } from "@bridle/operation";
import { failureFrom, isRefusal, type JsonObject, refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { toAtif } from "../export/atif.js";
import { type InspectTally, inspectText } from "../export/inspect.js";
import { toOtlp } from "../export/otel.js";
import type { ExportedEpisode, ExportedRun } from "../export/types.js";
import { searchLimits } from "../limits.js";
import { openPack } from "../pack/open.js";
import type { Pack } from "../pack/types.js";
import type { RunEpisode } from "../run/types.js";
import type { Truth } from "../types.js";
import { requireOutside } from "./outside-record.js";
import { putStream } from "./put-stream.js";
import type { OpenRun, RunSource } from "./run-source.js";

const formats = ["atif", "otel", "inspect"] as const;
type Format = (typeof formats)[number];

/** `openRun` reads the folders of runs. */
export function exportOperation(openRun: OpenRun): Operation {
  return defineOperation({
    names: { id: "op/hlq.export", action: "hlq.export", command: ["export"], tool: "hlq_export" },
    family: "hlq",
    effect: "read",
    surfaces: ["cli", "mcp"],
    summary: "Write a run as ATIF, OpenTelemetry or Inspect.",
    description:
      "atif: one ATIF-v1.8 trajectory a line, from which every row of the episode can be had again. otel: one OTLP " +
      "request a line, a trace an episode. inspect: one EvalLog. Episodes that have not ended are left out. The truth " +
      "is in none of them, unless --pack is given; then otel and inspect say of each episode which class was right.",
    examples: [
      { command: "hlq export runs/heuristic --to atif --out heuristic.atif.jsonl", says: "every episode" },
      {
        command: "hlq export runs/heuristic --to otel --episode ep-2025071015-BTC",
        says: "prints one of them",
      },
      {
        command: "hlq export runs/heuristic --to inspect --pack packs/demo --out heuristic.json",
        says: "with scores, for inspect view",
      },
    ],
    input: Type.Object(
      {
        run: Type.String({
          minLength: 1,
          "x-position": 0,
          "x-placeholder": "folder",
          "x-path": true,
          description: "The folder of the run.",
        }),
        to: Type.Enum([...formats], { description: "The format." }),
        out: Type.Optional(
          Type.String({
            minLength: 1,
            "x-placeholder": "file",
            "x-path": true,
            "x-cli-only": true,
            description: "The file to write; it is printed when this is left out or -.",
          }),
        ),
        episodes: Type.Optional(
          Type.Array(Type.String({ minLength: 1 }), {
            minItems: 1,
            "x-flag": "episode",
            "x-placeholder": "id",
            description: "Only these; all of them when left out.",
          }),
        ),
        pack: Type.Optional(
          Type.String({
            minLength: 1,
            "x-placeholder": "folder",
            "x-path": true,
            description: "The pack of the run, to say which answers were right.",
          }),
        ),
      },
      { additionalProperties: false },
    ),
    output: Type.Object({
      action: Type.Literal("hlq.export"),
      run: Type.String(),
      to: Type.Enum([...formats]),
      out: Type.Union([Type.String(), Type.Null()], {
        description: "The file; null where what was exported is the answer.",
      }),
      count: Type.Integer({ description: "Episodes." }),
      content: Type.Optional(
        Type.String({ description: "What was exported, where nothing can be printed." }),
      ),
    }),
    async run(input, call) {
      const { to } = input;
      const out = input.out === "-" ? undefined : input.out;
      const folder = resolve(call.cwd, input.run);
      if (to === "atif" && input.pack !== undefined) {
        return refuse("input_invalid", {
          message: "an ATIF trajectory never says what was right, so it takes no --pack",
          hint: "Leave --pack out, or export to otel or inspect.",
        });
      }
      const run = await openRun(folder, call);
      const pack =
        input.pack === undefined ? undefined : await openPack(resolve(call.cwd, input.pack), call.ports);
      try {
        const records = [folder, ...(pack === undefined ? [] : [pack.folder])];
        const inside =
          out === undefined
            ? undefined
            : await requireOutside(resolve(call.cwd, out), records, call.ports.files);
        if (inside !== undefined) return inside;
        const chosen = new Chosen(run, { pack, call, ids: input.episodes });
        const refusal = await chosen.check({ counted: to === "inspect" });
        if (refusal !== undefined) return refusal;
        const pieces = textOf(to, run, chosen);
        const answer = () => ({ action: "hlq.export" as const, run: input.run, to, count: chosen.passed });
        if (out !== undefined) {
          await putStream(resolve(call.cwd, out), pieces, call.ports);
          return { ...answer(), out };
        }
        if (call.emit !== undefined) {
          for await (const text of documentsOf(to, pieces))
            await call.emit(JSON.parse(text) as JsonObject, text);
          return { ...answer(), out: null };
        }
        const content = await gathered(pieces);
        return isRefusal(content) ? content : { ...answer(), out: null, content };
      } finally {
        await pack?.close();
      }
    },
    present: ({ count, out, to }, paint) =>
      `  ${paint.good(`${count} ${count === 1 ? "episode" : "episodes"}`)} written to ${out ?? "the answer"} ${paint.dim(to)}`,
  }) as unknown as Operation;
}

// --- Which episodes --------------------------------------------------------------------------------

interface Choice {
  readonly pack: Pack | undefined;
  readonly call: Call;
  readonly ids: readonly string[] | undefined;
}

/** The episodes to export, each with its verdict where the pack is there. */
class Chosen {
  /** How many went by in the last pass. */
  passed = 0;
  tally: InspectTally = { episodeIds: [], evaluated: 0, right: 0 };
  private truths: ReadonlyMap<string, Truth> | undefined;

  constructor(
    private readonly run: RunSource,
    private readonly choice: Choice,
  ) {}

  /** What is asked for must be there before anything is written; `counted`: a head will say what follows it. */
  async check({ counted }: { readonly counted: boolean }): Promise<Refusal | undefined> {
    const { pack, ids } = this.choice;
    const { pack_id } = this.run.manifest;
    if (pack !== undefined && pack.manifest.pack_id !== pack_id) {
      return refuse("eval_pack_mismatch", {
        message: `the run was made with the pack ${pack_id}, and this is ${pack.manifest.pack_id}`,
        hint: "Name the pack that the run was made with.",
      });
    }
    if (ids === undefined && !counted) return undefined;
    const episodeIds: string[] = [];
    let evaluated = 0;
    let right = 0;
    for await (const { episode, verdict } of this.episodes()) {
      episodeIds.push(episode.start.episode_id);
      if (verdict !== undefined) evaluated++;
      if (verdict !== undefined && verdict.answer === verdict.truth) right++;
    }
    this.tally = { episodeIds, evaluated, right };
    const missing = ids?.find((id) => !episodeIds.includes(id));
    return missing === undefined ? undefined : notEnded(`no episode ${missing} has ended in the run`);
  }

  /** Contract: throws when there is none. */
  async *episodes(): AsyncGenerator<ExportedEpisode> {
    const { call, ids } = this.choice;
    const wanted = ids === undefined ? undefined : new Set(ids);
    this.passed = 0;
    for await (const episode of this.run.episodes()) {
      call.signal.throwIfAborted();
      if (wanted !== undefined && !wanted.has(episode.start.episode_id)) continue;
      this.passed++;
      yield await this.judged(episode);
    }
    if (this.passed === 0 && ids === undefined)
      throw failureFrom(notEnded("no episode of the run has ended"));
  }

  private async judged(episode: RunEpisode): Promise<ExportedEpisode> {
    const { pack } = this.choice;
    if (pack === undefined) return { episode };
    const id = episode.start.episode_id;
    const truth = (await this.truthsOf(pack)).get(id);
    if (truth === undefined) throw failureFrom(notEnded(`${pack.manifest.pack_id} has no truth of ${id}`));
    return { episode, verdict: { answer: episode.terminal.decision_class ?? "abstain", truth } };
  }

  private async truthsOf(pack: Pack): Promise<ReadonlyMap<string, Truth>> {
    if (this.truths !== undefined) return this.truths;
    const truths = new Map<string, Truth>();
    for await (const { episode_id, ground_truth_reference } of pack.truths())
      truths.set(episode_id, ground_truth_reference.truth);
    return (this.truths = truths);
  }
}

function notEnded(message: string): Refusal {
  return refuse("run_incomplete", {
    message,
    hint: "Let `hlq run` finish; it goes on where it was stopped.",
  });
}

// --- What is written -------------------------------------------------------------------------------

function textOf(to: Format, { manifest }: ExportedRun, chosen: Chosen): AsyncIterable<string> {
  switch (to) {
    case "atif":
      return lines(chosen, ({ episode }) => toAtif({ manifest }, episode));
    case "otel":
      return lines(chosen, (exported) => toOtlp({ manifest }, exported));
    case "inspect":
      return inspectText({ manifest }, chosen.tally, chosen.episodes());
  }
}

async function* lines(chosen: Chosen, of: (episode: ExportedEpisode) => object): AsyncGenerator<string> {
  for await (const episode of chosen.episodes()) yield `${JSON.stringify(of(episode))}\n`;
}

/** Each a JSON value of its own. */
async function* documentsOf(to: Format, pieces: AsyncIterable<string>): AsyncGenerator<string> {
  if (to === "inspect") {
    let whole = "";
    for await (const piece of pieces) whole += piece;
    yield whole.trimEnd();
  } else for await (const piece of pieces) yield piece.trimEnd();
}

async function gathered(pieces: AsyncIterable<string>): Promise<string | Refusal> {
  const max = searchLimits.exportAnswerBytesMax;
  let content = "";
  for await (const piece of pieces) {
    content += piece;
    if (Buffer.byteLength(content) <= max) continue;
    return refuse("export_too_large", {
      message: `the export has more than ${max} bytes, which is too much for an answer`,
      hint: "Name the episodes, or write a file on the command line with --out.",
    });
  }
  return content;
}
