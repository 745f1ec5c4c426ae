import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { KeptThings } from "@bridle/operation";
import { nodePorts } from "@bridle/record";
import { Compile } from "typebox/compile";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { askThrough, type CallOptions, callWith, smallSource } from "../../../../test/support/query-call.js";
import { capabilitiesOperation } from "../operations/capabilities.js";
import { readOneShotLog } from "./read.js";
import { OneShotArtifact, OneShotEpisode, OneShotStep, type Row } from "./types.js";

let source: string;
beforeAll(() => {
  source = smallSource(mkdtempSync(join(tmpdir(), "bridle-query-")));
});
afterAll(() => rmSync(dirname(source), { recursive: true }));
const files = nodePorts().files;

async function logged(
  input: { readonly question: string } & Record<string, never | string | boolean>,
  options: CallOptions = {},
) {
  const folder = join(newFolder(), "log");
  const answer = await askThrough(input, {
    env: { HLQ_SOURCE: source, HLQ_TRAJECTORY_LOG_DIR: folder },
    ...options,
  });
  return { answer, folder, log: await readOneShotLog(files, folder) };
}

const one = (rows: readonly Row[]): Row => {
  expect(rows).toHaveLength(1);
  return rows[0] as Row;
};

describe("the one-shot log", () => {
  it("[TRAJ-1.1] [TRAJ-2.4] [TRAJ-2.6] is written where the variable names a folder, as three files of lines", async () => {
    const { folder, log } = await logged({ question: "top gainers last 24h" });
    expect(readdirSync(folder).toSorted()).toEqual(["artifacts.jsonl", "episodes.jsonl", "steps.jsonl"]);
    expect([log.episodes.length, log.steps.length, log.artifacts.length]).toEqual([1, 1, 4]);
  });

  it("[TRAJ-2.1] [TRAJ-2.5] is off by default: without the variable nothing is written anywhere", async () => {
    const cwd = newFolder();
    await askThrough({ question: "top gainers last 24h" }, { cwd, env: { HLQ_SOURCE: source } });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("[TRAJ-2.2] [TRAJ-10.3] answers are the same bytes with the log on and off", async () => {
    for (const question of [
      "top gainers last 24h",
      "what can you do",
      "will btc go up",
      "eth funding",
      "xyz",
    ]) {
      const ports = { ...nodePorts(), clock: { ...nodePorts().clock, now: async () => 1_754_000_000_000 } };
      const off = await askThrough({ question }, { ports, env: { HLQ_SOURCE: source } });
      const on = await askThrough(
        { question },
        { ports, env: { HLQ_SOURCE: source, HLQ_TRAJECTORY_LOG_DIR: newFolder() } },
      );
      expect(JSON.stringify(on)).toBe(JSON.stringify(off));
    }
  });

  it("[TRAJ-2.3] is appended to: what stood there stays, byte for byte", async () => {
    const folder = newFolder();
    const env = { HLQ_SOURCE: source, HLQ_TRAJECTORY_LOG_DIR: folder };
    await askThrough({ question: "top gainers last 24h" }, { env });
    const before = ["artifacts", "episodes", "steps"].map((name) =>
      readFileSync(join(folder, `${name}.jsonl`), "utf8"),
    );
    await askThrough({ question: "eth funding" }, { env });
    for (const [i, name] of ["artifacts", "episodes", "steps"].entries()) {
      const after = readFileSync(join(folder, `${name}.jsonl`), "utf8");
      expect(after.startsWith(before[i] as string)).toBe(true);
      expect(after.length).toBeGreaterThan((before[i] as string).length);
    }
  });

  it("[TRAJ-2.7] a request for help is logged, as a question and as a command", async () => {
    const { log, folder } = await logged({ question: "what can you do" });
    expect(one(log.episodes)).toMatchObject({
      query_mode: "help",
      query_type: "help",
      status: "ok",
      topic_family: "none",
    });
    expect(one(log.artifacts)).toMatchObject({ artifact_type: "capability_manifest" });
    await capabilitiesOperation.run({}, callWith({ env: { HLQ_TRAJECTORY_LOG_DIR: folder } }));
    expect((await readOneShotLog(files, folder)).episodes.map(({ query_mode }) => query_mode)).toEqual([
      "help",
      "help",
    ]);
  });

  it("[TRAJ-2.8] a dry run is logged, with what it rendered and no result", async () => {
    const { log } = await logged({ question: "top gainers last 24h", dryRun: true });
    expect(one(log.episodes)).toMatchObject({
      query_mode: "dry_run",
      query_type: "movers",
      status: "ok",
      time_horizon: "day",
    });
    expect(one(log.steps)).toMatchObject({
      step_type: "dry_run",
      retrieval_stage: "rendered",
      post_execution_coverage: null,
    });
    expect(log.artifacts.map(({ artifact_type }) => artifact_type)).toEqual([
      "ann_shortlist",
      "sql_render",
      "coverage_report",
    ]);
  });

  it("[TRAJ-2.9] a live execution is logged, with its result and its coverage", async () => {
    const { log } = await logged({ question: "top gainers last 24h" });
    expect(one(log.episodes)).toMatchObject({
      query_mode: "live",
      query_type: "movers",
      status: "ok",
      source_surface: "cli",
    });
    expect(one(log.steps)).toMatchObject({
      step_type: "execution",
      retrieval_stage: "executed",
      route_family: "movers",
      chosen_route: "movers_price_change",
      requested_slots: ["measure", "window", "direction"],
      post_execution_coverage: { fully_covered: true },
    });
    const result = log.artifacts.find(({ artifact_type }) => artifact_type === "sql_result_set");
    expect(result?.["payload"]).toMatchObject({ rows: [{ rank: 1, market: "BTC" }] });
  });

  it("[TRAJ-2.10] an exception that nobody expected leaves a minimal error record, and a refusal does too", async () => {
    const folder = newFolder();
    const kept = {
      use: async () => {
        throw new TypeError("a bug");
      },
    };
    const env = { HLQ_SOURCE: source, HLQ_TRAJECTORY_LOG_DIR: folder };
    const { resultClass } = await askThrough({ question: "top gainers last 24h" }, { env, kept });
    expect(resultClass).toBe("internal_error");
    const log = await readOneShotLog(files, folder);
    expect(one(log.episodes)).toMatchObject({ query_mode: "error", query_type: "error", status: "error" });
    expect(one(log.steps)).toMatchObject({
      step_type: "error",
      error: { class: "internal_error", message: "a bug" },
    });
    await askThrough({ question: "eth funding" }, { env: { ...env, HLQ_SOURCE: "/no/such.csv" } });
    const both = await readOneShotLog(files, folder);
    expect(both.steps.map(({ error }) => (error as { class: string }).class)).toEqual([
      "internal_error",
      "file_missing",
    ]);
  });

  it("[TRAJ-2.11] [TRAJ-10.5] holds no scores, branches or graphs: neighbours are ids in order", async () => {
    const { folder, log, answer } = await logged({ question: "btc and eth funding last 24h" });
    expect((answer.payload as { confidence: number }).confidence).toBeGreaterThan(0);
    const text = ["artifacts", "episodes", "steps"]
      .map((name) => readFileSync(join(folder, `${name}.jsonl`), "utf8"))
      .join("");
    expect(text).not.toMatch(/confidence|score|branch|parent|graph|working_set/i);
    const shortlist = log.artifacts.find(({ artifact_type }) => artifact_type === "ann_shortlist");
    expect(Object.keys(shortlist?.["payload"] as object)).toEqual(["ids"]);
    expect(JSON.stringify(shortlist?.["payload"])).toMatch(/^\{"ids":\["funding_extremes\.\d+"/);
  });

  it("[TRAJ-2.12] its payloads are documented as no public API", () => {
    const guide = readFileSync(new URL("../../../../docs/guides/query.md", import.meta.url), "utf8");
    expect(guide).toMatch(/no public API/);
  });

  it("[TRAJ-3.1.1] [TRAJ-3.1.2] one question is one episode with its eight fields, several coins included", async () => {
    const { log } = await logged({ question: "btc and eth whales" });
    const episode = one(log.episodes);
    expect(Object.keys(episode)).toEqual([
      "episode_id",
      "user_query",
      "topic_family",
      "query_type",
      "query_mode",
      "time_horizon",
      "status",
      "source_surface",
    ]);
    expect(Compile(OneShotEpisode).Check(episode)).toBe(true);
    expect(log.steps).toHaveLength(2);
  });

  it("[TRAJ-3.2.1] [TRAJ-3.2.2] a step is one execution, with its twelve fields", async () => {
    const { log } = await logged({ question: "btc and eth whales", dryRun: true });
    expect(log.steps).toHaveLength(2);
    for (const step of log.steps) {
      const fields = [
        "step_id",
        "episode_id",
        "step_type",
        "parsed_slots",
        "route_family",
        "chosen_route",
        "retrieval_stage",
        "requested_slots",
      ];
      const more = [
        "supported_slots_estimated",
        "unsupported_slots_estimated",
        "post_execution_coverage",
        "provenance_snapshot",
      ];
      expect(Object.keys(step)).toEqual([...fields, ...more]);
      expect(Compile(OneShotStep).Check(step)).toBe(true);
      expect(step["episode_id"]).toBe(log.episodes[0]?.["episode_id"]);
    }
  });

  it("[TRAJ-3.3.1] [TRAJ-3.3.2] an artifact belongs to a step and has one of the five types", async () => {
    const { log } = await logged({ question: "top gainers last 24h" });
    const { log: help } = await logged({ question: "what can you do" });
    const all = [...log.artifacts, ...help.artifacts];
    for (const artifact of all) expect(Compile(OneShotArtifact).Check(artifact)).toBe(true);
    for (const artifact of log.artifacts) expect(artifact["step_id"]).toBe(log.steps[0]?.["step_id"]);
    expect(new Set(all.map(({ artifact_type }) => artifact_type))).toEqual(
      new Set(["capability_manifest", "ann_shortlist", "sql_render", "sql_result_set", "coverage_report"]),
    );
  });

  it("[TRAJ-8.6] has no working set: a question has no state before or after", async () => {
    const { folder } = await logged({ question: "top gainers last 24h" });
    expect(readFileSync(join(folder, "steps.jsonl"), "utf8")).not.toMatch(
      /working_set|artifact_ids_read|step_index/,
    );
  });

  it("[TRAJ-9.1] a folder of an earlier version is read as it is, and appended to without being converted", async () => {
    const folder = newFolder();
    const old = '{"episode_id":"e1","user_query":"whales","status":"success","extra":{"kept":1}}\n';
    writeFileSync(join(folder, "episodes.jsonl"), old);
    await askThrough(
      { question: "top gainers last 24h" },
      { env: { HLQ_SOURCE: source, HLQ_TRAJECTORY_LOG_DIR: folder } },
    );
    const log = await readOneShotLog(files, folder);
    expect(log.episodes[0]).toEqual(JSON.parse(old));
    expect(log.episodes).toHaveLength(2);
    expect(log.unreadable).toBe(0);
    expect(readFileSync(join(folder, "episodes.jsonl"), "utf8").startsWith(old)).toBe(true);
  });

  it("[TRAJ-10.1] [TRAJ-10.2] a folder that cannot be written changes neither the answer nor its class", async () => {
    const plain = await askThrough({ question: "top gainers last 24h" }, { env: { HLQ_SOURCE: source } });
    const file = join(newFolder(), "file");
    writeFileSync(file, "in the way");
    const full = {
      ...nodePorts(),
      files: {
        ...files,
        open: async () => {
          throw Object.assign(new Error("no space"), { code: "ENOSPC" });
        },
      },
    };
    for (const [env, ports] of [
      [join(file, "below"), nodePorts()],
      [file, nodePorts()],
    ] as const) {
      const answer = await askThrough(
        { question: "top gainers last 24h" },
        { ports, env: { HLQ_SOURCE: source, HLQ_TRAJECTORY_LOG_DIR: env } },
      );
      expect(answer.payload).toEqual(plain.payload);
      expect(answer.resultClass).toBe("accepted");
    }
    const kept = new KeptThings();
    await askThrough({ question: "top gainers last 24h" }, { kept, env: { HLQ_SOURCE: source } });
    const onFull = await askThrough(
      { question: "top gainers last 24h" },
      { kept, ports: full as never, env: { HLQ_SOURCE: source, HLQ_TRAJECTORY_LOG_DIR: newFolder() } },
    );
    expect(onFull.payload).toEqual(plain.payload);
    await kept.close();
  });

  it("[TRAJ-10.2] a pipe in a file's place, or a folder in which nothing can be made, holds up nobody", async () => {
    const folder = newFolder();
    execFileSync("mkfifo", [join(folder, "artifacts.jsonl"), join(folder, "pipe")]);
    const plain = await askThrough({ question: "top gainers last 24h" }, { env: { HLQ_SOURCE: source } });
    const places = [
      folder,
      join(folder, "pipe"),
      ...(existsSync("/proc/self") ? ["/proc", "/proc/no/such"] : []),
    ];
    for (const place of places) {
      const answer = await askThrough(
        { question: "top gainers last 24h" },
        { env: { HLQ_SOURCE: source, HLQ_TRAJECTORY_LOG_DIR: place } },
      );
      expect(answer.payload, place).toEqual(plain.payload);
    }
    await expect(readOneShotLog(files, folder)).rejects.toThrow("artifacts.jsonl is no plain file");
    expect(readdirSync(folder).toSorted()).toEqual(["artifacts.jsonl", "pipe"]);
  });

  it("[TRAJ-10.4] goes to disk and nowhere else: nothing of it is in an answer", async () => {
    const { answer, log } = await logged({ question: "top gainers last 24h" });
    const text = JSON.stringify(answer);
    expect(text).not.toContain(String(log.episodes[0]?.["episode_id"]));
    expect(text).not.toMatch(/episode_id|step_id|artifact_id/);
    expect(existsSync(source)).toBe(true);
  });
});
