/** `hlq eval` and `hlq export` through the pipeline, on a real pack and real files. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Call, type Envelope, type Operation, type Paint, perform } from "@bridle/operation";
import { Failure, type JsonObject, type JsonValue, nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { truthCanary } from "../../../../test/support/search-episode.js";
import { type Answered, episodeOf, playAnswer } from "../../../../test/support/answered-episodes.js";
import { samplePack } from "../../../../test/support/search-pack.js";
import { sampleManifest } from "../../../../test/support/played-episodes.js";
import { fromAtif } from "../export/from-atif.js";
import type { Truth } from "../types.js";
import { evalOperation } from "./eval.js";
import { exportOperation } from "./export.js";
import type { OpenRun, RunSource } from "./run-source.js";

const classes: readonly Truth[] = ["finalize_signal", "finalize_low_signal", "abstain"];

/** Twelve episodes of six markets, all answered with signal. */
const answers: readonly Answered[] = Array.from({ length: 12 }, (_, i) => ({
  id: `ep-${String(i).padStart(2, "0")}`,
  market: `M${i % 6}`,
  truth: classes[i % 3] as Truth,
  answer: "finalize_signal",
  keeps: ["evidence"],
}));

const plain: Paint = {
  strong: (text) => text,
  dim: (text) => text,
  good: (text) => text,
  bad: (text) => text,
  note: (text) => text,
};

class Desk {
  readonly cwd = newFolder();
  readonly emitted: string[] = [];
  readonly runs = new Map<string, RunSource>();
  packId = "";

  static async set(all: readonly Answered[] = answers): Promise<Desk> {
    const desk = new Desk();
    const { folder, manifest } = await samplePack(join(desk.cwd, "packs"), {
      episodes: all.map(episodeOf),
    });
    symlinkSync(folder, join(desk.cwd, "pack"));
    desk.packId = manifest.pack_id;
    mkdirSync(join(desk.cwd, "runs/a"), { recursive: true });
    desk.put("runs/a", all);
    return desk;
  }

  put(name: string, ended: readonly Answered[], packId = this.packId): void {
    const episodes = ended.map((one) => playAnswer(one, packId));
    this.runs.set(join(this.cwd, name), {
      manifest: sampleManifest({ pack_id: packId, episode_count: answers.length }),
      async *episodes() {
        yield* episodes;
      },
    });
  }

  private readonly openRun: OpenRun = async (folder) => {
    const run = this.runs.get(folder);
    if (run === undefined) throw new Failure("file_missing", { message: `there is no run in ${folder}` });
    return run;
  };

  operation(name: "eval" | "export"): Operation {
    return name === "eval" ? evalOperation(this.openRun) : exportOperation(this.openRun);
  }

  call(name: "eval" | "export", input: JsonObject, { printing = false } = {}): Promise<Envelope> {
    const call: Call = {
      ports: nodePorts(),
      signal: new AbortController().signal,
      cwd: this.cwd,
      env: {},
      warn: () => {},
      progress: () => {},
      ...(printing
        ? { emit: async (_item: JsonValue, text?: string) => void this.emitted.push(text ?? "") }
        : {}),
    };
    return perform(this.operation(name), input, { call, authority: { surface: "cli" }, gates: [] });
  }

  read(path: string): string {
    return readFileSync(join(this.cwd, path), "utf8");
  }
}

describe("hlq eval", () => {
  it("answers with a table, with JSON, and with a picture", async () => {
    const desk = await Desk.set();
    const { resultClass, payload } = await desk.call("eval", {
      part: "all",
      runs: ["runs/a"],
      pack: "pack",
      plot: "eval.svg",
    });
    expect(resultClass).toBe("accepted");
    expect(payload).toMatchObject({
      action: "hlq.eval",
      evaluation: { episode_count: 12, market_count: 6, truths: { abstain: 4 } },
      plot: "eval.svg",
    });
    expect(desk.read("eval.svg")).toContain("sample.v1");
    const text = desk.operation("eval").present?.(payload, plain) ?? "";
    expect(text).toMatch(/sample\.v1 +50\.0 %/);
    expect(text).toMatch(/plot: eval\.svg$/);
    expect(JSON.stringify(payload) + text + desk.read("eval.svg")).not.toContain(truthCanary);
  });

  it("judges of its part what ids, a file of ids and hours leave, both ends included", async () => {
    const first = Date.parse("2025-03-01T00:00:00Z") / 3_600_000;
    const desk = await Desk.set(answers.map((one, i) => ({ ...one, hour: first + 24 * i })));
    writeFileSync(join(desk.cwd, "ids.txt"), "ep-01\n ep-02 \n\nep-03,ep-11\n");
    const judged = async (choice: JsonObject) => {
      const { payload } = await desk.call("eval", { part: "all", runs: ["runs/a"], pack: "pack", ...choice });
      return (payload as { evaluation: { episode_count: number } }).evaluation.episode_count;
    };
    expect(await judged({})).toBe(12);
    expect(await judged({ episodes: ["ep-00,ep-04", "ep-05"] })).toBe(3);
    expect(await judged({ episodes: ["@ids.txt"] })).toBe(4);
    expect(await judged({ from: "2025-03-03T00:00:00Z" })).toBe(10);
    expect(await judged({ to: "2025-03-03T00:00:00Z" })).toBe(3);
    expect(await judged({ from: "2025-03-03T00:00:00Z", to: "2025-03-04T00:00:00Z" })).toBe(2);
    expect(await judged({ from: "2025-03-03T00:00:00Z", episodes: ["@ids.txt"] })).toBe(3);
    const refused = async (choice: JsonObject) =>
      (await desk.call("eval", { part: "all", runs: ["runs/a"], pack: "pack", ...choice })).resultClass;
    expect(await refused({ from: "yesterday" })).toBe("timestamp_invalid");
    expect(await refused({ to: "2025-03-03 00:00:00" })).toBe("timestamp_invalid");
    expect(await refused({ episodes: ["@none.txt"] })).toBe("file_missing");
    expect(await refused({ from: "2025-04-01T00:00:00Z" })).toBe("eval_part_empty");
  });

  it("refuses a run named twice, one of another pack, one in which nothing ended, and a picture inside a record", async () => {
    const desk = await Desk.set();
    desk.put("runs/b", answers, "pack_other");
    desk.put("runs/empty", []);
    const refused = async (input: JsonObject) =>
      (await desk.call("eval", { pack: "pack", part: "all", ...input })).resultClass;
    expect(await refused({ runs: ["runs/a", "./runs/a/"] })).toBe("input_invalid");
    expect(await refused({ runs: ["runs/b"] })).toBe("eval_pack_mismatch");
    expect(await refused({ runs: ["runs/empty"] })).toBe("run_incomplete");
    expect(await refused({ runs: ["runs/a"], plot: "runs/a/eval.svg" })).toBe("export_into_record");
    expect(await refused({ runs: ["runs/a"], plot: "pack/eval.svg" })).toBe("export_into_record");
    expect(await refused({ runs: ["runs/none"] })).toBe("file_missing");
    expect(readdirSync(join(desk.cwd, "runs/a"))).toEqual([]);
  });
});

describe("hlq export", () => {
  it("writes ATIF from which every episode comes back", async () => {
    const desk = await Desk.set();
    const { payload } = await desk.call("export", { run: "runs/a", to: "atif", out: "a.jsonl" });
    expect(payload).toEqual({ action: "hlq.export", run: "runs/a", to: "atif", count: 12, out: "a.jsonl" });
    const lines = desk.read("a.jsonl").trimEnd().split("\n");
    const back = lines.map((line) => fromAtif(JSON.parse(line)) as { episode: unknown });
    expect(back.map(({ episode }) => episode)).toEqual(answers.map((one) => playAnswer(one, desk.packId)));
    expect(readdirSync(desk.cwd).filter((name) => name.includes("draft"))).toEqual([]);
  });

  it("writes the same bytes every time, in every format, and none has the truth", async () => {
    const desk = await Desk.set();
    for (const to of ["atif", "otel", "inspect"]) {
      await desk.call("export", { run: "runs/a", to, out: "one" });
      await desk.call("export", { run: "runs/a", to, out: "two" });
      expect(desk.read("two")).toBe(desk.read("one"));
      expect(desk.read("one")).not.toContain(truthCanary);
    }
  });

  it("says with the pack which class was right, and nothing else of the truth", async () => {
    const desk = await Desk.set();
    for (const to of ["otel", "inspect"]) {
      await desk.call("export", { run: "runs/a", to, pack: "pack", out: to });
      expect(desk.read(to)).not.toContain(truthCanary);
    }
    const { results } = JSON.parse(desk.read("inspect")) as { results: { scores: JsonObject[] } };
    expect(results.scores[0]?.["metrics"]).toMatchObject({ accuracy: { value: 1 / 3 } });
    expect(desk.read("otel").match(/"evaluate accuracy"/g)).toHaveLength(12);
  });

  it("prints where there is a terminal, and answers with the text where there is none", async () => {
    const desk = await Desk.set();
    const input = { run: "runs/a", to: "otel", episodes: ["ep-03"] };
    const { payload } = await desk.call("export", input);
    await desk.call("export", input, { printing: true });
    expect(payload).toMatchObject({ count: 1, out: null });
    expect((payload as JsonObject)["content"]).toBe(`${desk.emitted[0]}\n`);
    await desk.call("export", { run: "runs/a", to: "inspect" }, { printing: true });
    expect(JSON.parse(desk.emitted[1] ?? "")).toMatchObject({ version: 2 });
    expect(desk.emitted).toHaveLength(2);
  });

  it("refuses what is not there, a truth in ATIF, another pack, and a file inside a record; nothing is written", async () => {
    const desk = await Desk.set();
    desk.put("runs/b", answers, "pack_other");
    desk.put("runs/empty", []);
    const refused = async (input: JsonObject) =>
      (await desk.call("export", { out: "x", ...input })).resultClass;
    expect(await refused({ run: "runs/a", to: "atif", episodes: ["ep-99"] })).toBe("run_incomplete");
    expect(await refused({ run: "runs/empty", to: "otel" })).toBe("run_incomplete");
    expect(await refused({ run: "runs/empty", to: "inspect" })).toBe("run_incomplete");
    expect(await refused({ run: "runs/a", to: "atif", pack: "pack" })).toBe("input_invalid");
    expect(await refused({ run: "runs/b", to: "otel", pack: "pack" })).toBe("eval_pack_mismatch");
    expect(await refused({ run: "runs/a", to: "otel", out: "runs/a/steps.jsonl" })).toBe(
      "export_into_record",
    );
    expect(await refused({ run: "runs/a", to: "otel", out: "nowhere/x" })).toBe("file_missing");
    expect(existsSync(join(desk.cwd, "x"))).toBe(false);
  });

  it("refuses an answer that is too large for one", async () => {
    const desk = await Desk.set();
    const many = Array.from({ length: 400 }, (_, i) => ({ ...(answers[0] as Answered), id: `ep-${i}` }));
    desk.put("runs/large", many);
    expect((await desk.call("export", { run: "runs/large", to: "atif" })).resultClass).toBe(
      "export_too_large",
    );
  });

  it("leaves the old file as it was when the run cannot be read to its end", async () => {
    const desk = await Desk.set();
    await desk.call("export", { run: "runs/a", to: "otel", out: "x" });
    const before = desk.read("x");
    const [first] = answers;
    desk.runs.set(join(desk.cwd, "runs/torn"), {
      manifest: sampleManifest({ pack_id: desk.packId }),
      async *episodes() {
        yield playAnswer(first as Answered, desk.packId);
        throw new Failure("log_damaged", { message: "steps.jsonl line 7 is damaged" });
      },
    });
    expect((await desk.call("export", { run: "runs/torn", to: "otel", out: "x" })).resultClass).toBe(
      "log_damaged",
    );
    expect(desk.read("x")).toBe(before);
    expect(readdirSync(desk.cwd).filter((name) => name.includes("draft"))).toEqual([]);
  });
});
