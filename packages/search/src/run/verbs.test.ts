import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "@bridle/operation";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../../../test/support/failure.js";
import { newFastFolder } from "../../../../test/support/folder.js";
import { editEpisodes } from "../../../../test/support/edited-pack.js";
import { sampleEpisode, windowIds } from "../../../../test/support/search-episode.js";
import { samplePack } from "../../../../test/support/search-pack.js";
import { never, packIn, policyOf, ports, runIn } from "../../../../test/support/search-run.js";
import { showOperation } from "../operations/show.js";
import { openPack } from "../pack/open.js";
import type { Policy } from "../policy/types.js";
import { diffRuns } from "./diff.js";
import { forkRun } from "./fork.js";
import { manifestText, readRunManifest, runIdOf } from "./manifest.js";
import { readEpisodeOf, verifyRun } from "./read.js";
import { reconstruct } from "./reconstruct.js";
import { replayRun } from "./replay.js";
import { showEpisode, showState } from "./show.js";
import { runFiles } from "./types.js";

const scope = { anchor_market: "BTC", window_id: windowIds[1] };
const first = { $artifact: 1 };
const script = [
  { action_args: scope, action_name: "read_persistence" },
  { action_args: { artifact_id: first }, action_name: "keep_artifact" },
  { action_args: { artifact_id: "art_0" }, action_name: "keep_artifact" },
  {
    action_args: {
      arguments: { anchor_market: "BTC", window_ids: [...windowIds] },
      subquery_type: "derived_metrics",
    },
    action_name: "branch_subquery",
  },
  {
    action_args: { stop_candidate: { confidence: 0.8, leaning: "finalize_signal" } },
    action_name: "decision_update",
  },
  {
    action_args: {
      decision_class: "finalize_signal",
      open_risks: ["thin book"],
      retained_artifact_ids: [first],
      stop_reason: "evidence_sufficient",
    },
    action_name: "finalize",
  },
];

async function scriptedRun(lines: readonly object[] = script) {
  const base = newFastFolder();
  const pack = await packIn(base, 2);
  const out = join(base, "a");
  await runIn({ pack, policy: thinking(await policyOf("scripted", { script: lines as never })), out });
  return { base, pack, out };
}

/** The same proposals from a policy that gives a reason for the first, as a planner does. */
function thinking(policy: Policy): Policy {
  return {
    ...policy,
    reasons: true,
    begin(brief, options) {
      const inner = policy.begin(brief, options);
      let notes: string | undefined = "what came of it before";
      return {
        async propose(observation) {
          const proposal = await inner.propose(observation);
          const said = notes === undefined ? proposal : { ...proposal, notes };
          notes = undefined;
          return said;
        },
      };
    },
  };
}

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

describe("a replay", () => {
  it("names the step and the field when the pack gives something else now", async () => {
    const { pack, out } = await scriptedRun();
    editEpisodes(pack.folder, (text) => text.replaceAll('"persisted":3', '"persisted":2'));
    const changed = await openPack(pack.folder, ports);
    const failure = await failureOf(replayRun({ folder: out, pack: changed, ports, signal: never }));
    expect(failure.failureClass).toBe("replay_differs");
    expect(failure.message).toContain(
      "ep-00000, step 1: payload.persisted is 3 in the run and 2 in the replay (artifacts.jsonl line 1)",
    );
    expect(failure.detail).toMatchObject({
      episode_id: "ep-00000",
      step_index: 1,
      field: "payload.persisted",
    });
  });

  it("fails where the pack has no such episode, no such window, or is another pack", async () => {
    const { base, pack, out } = await scriptedRun();
    const replay = async (folder: string) =>
      failureOf(replayRun({ folder: out, pack: await openPack(folder, ports), ports, signal: never }));
    const { folder: other } = await samplePack(join(base, "others"), { episodes: [sampleEpisode()] });
    expect((await replay(other)).failureClass).toBe("run_pack_mismatch");
    const episodes = join(pack.folder, "episodes.jsonl");
    const whole = readFileSync(episodes, "utf8");
    editEpisodes(pack.folder, () => whole.split("\n").slice(1).join("\n"));
    expect((await replay(pack.folder)).failureClass).toBe("episode_missing");
    editEpisodes(pack.folder, () => whole.replaceAll("2025-07-10T00:00Z/24h", "2025-07-09T00:00Z/24h"));
    const refused = await replay(pack.folder);
    expect(refused.failureClass).toBe("replay_differs");
    expect(refused.message).toContain(
      "ep-00000 s-0003: branch_subquery is refused now: 2025-07-10T00:00Z/24h",
    );
  });

  it("takes what was too long to be kept whole as it is recorded, and says how often", async () => {
    const long = { action_args: { artifact_id: "x".repeat(5_000) }, action_name: "keep_artifact" };
    const { pack, out } = await scriptedRun([long, ...script]);
    const replay = await replayRun({ folder: out, pack, ports, signal: never });
    expect(replay).toMatchObject({ refusals: 4, refusalsAsRecorded: 2, status: "complete" });
  });
});

describe("a diff", () => {
  it("names the first step and field that differ, and not the digests that follow from it", async () => {
    const { base, pack, out } = await scriptedRun();
    const other = join(base, "b");
    const changed = script.map((line) =>
      line.action_name === "decision_update"
        ? { ...line, action_args: { stop_candidate: { confidence: 0.7, leaning: "finalize_signal" } } }
        : line,
    );
    await runIn({
      pack,
      policy: thinking(await policyOf("scripted", { script: changed as never })),
      out: other,
    });
    expect(await diffRuns(out, other, ports)).toMatchObject({
      identical: false,
      episodes: 2,
      differing: 2,
      first: {
        episode_id: "ep-00000",
        file: "steps.jsonl",
        step_index: 6,
        path: "action_args.stop_candidate.confidence",
        left: 0.8,
        right: 0.7,
      },
    });
  });

  it("of two policies names the first action that differs", async () => {
    const { base, pack, out } = await scriptedRun();
    const other = join(base, "b");
    await runIn({ pack, policy: await policyOf("always-low"), out: other, episodeIds: ["ep-00001"] });
    const diff = await diffRuns(out, other, ports);
    expect(diff.onlyLeft).toEqual(["ep-00000"]);
    expect(diff.first).toMatchObject({
      step_index: 1,
      path: "action_name",
      left: "read_persistence",
      right: "finalize",
    });
    expect(diff.manifest.map(({ path }) => path)).toContain("policy_id");
  });

  it("still says where a row was changed by hand", async () => {
    const { base, pack, out } = await scriptedRun();
    const other = join(base, "b");
    await runIn({
      pack,
      policy: thinking(await policyOf("scripted", { script: script as never })),
      out: other,
    });
    edit(join(other, "steps.jsonl"), (text) => text.replace('"confidence":0.8', '"confidence":0.9'));
    const diff = await diffRuns(out, other, ports);
    expect(diff.damage).toMatch(/^steps\.jsonl: line 7: previous_digest/);
    expect(diff.first).toMatchObject({
      episode_id: "ep-00000",
      step_index: 6,
      path: "action_args.stop_candidate.confidence",
      left: 0.8,
      right: 0.9,
    });
  });
});

describe("a fork", () => {
  it("has the rows of its parent up to the step, and goes on by its own policy", async () => {
    const { base, pack, out } = await scriptedRun();
    const fork = (at: number, name: string) =>
      policyOf("always-low").then((policy) =>
        forkRun({
          ...{
            from: out,
            episodeId: "ep-00001",
            at,
            out: join(base, name),
            pack,
            policy,
            ports,
            signal: never,
          },
          codeRevision: "test",
        }),
      );
    const { terminal } = await fork(2, "f");
    expect(terminal).toMatchObject({
      step_count: 3,
      decision_class: "finalize_low_signal",
      refusal_count: 0,
    });
    const [parent, child] = [
      await readEpisodeOf(out, "ep-00001", ports),
      await readEpisodeOf(join(base, "f"), "ep-00001", ports),
    ];
    expect(child.start.text).toBe(parent.start.text);
    expect(child.steps.slice(0, 2).map(({ text }) => text)).toEqual(
      parent.steps.slice(0, 2).map(({ text }) => text),
    );
    expect(reconstruct(child, 2)).toEqual(reconstruct(parent, 2));
    await replayRun({ folder: join(base, "f"), pack, ports, signal: never });
    expect((await failureOf(fork(3, "g"))).hint).toBe("Fork before it, at 2, or behind its reads, at 5.");
    expect((await failureOf(fork(7, "h"))).message).toContain("ended with step 7");
    expect((await failureOf(fork(8, "i"))).failureClass).toBe("run_step_missing");
  });

  it("of a fork still knows where its rows are from", async () => {
    const { base, pack, out } = await scriptedRun();
    const policy = await policyOf("scripted", { script: script.slice(3) as never });
    const make = (from: string, at: number, to: string) =>
      forkRun({
        ...{ from, episodeId: "ep-00000", at, out: to, pack, policy, ports, signal: never },
        codeRevision: "test",
      });
    const [one, two] = [join(base, "f1"), join(base, "f2")];
    await make(out, 2, one);
    const { manifest } = await make(one, 2, two);
    expect(manifest.forked_from).toMatchObject({ run_id: (await readRunManifest(one, ports))?.run_id });
    expect((await verifyRun(two, ports)).status).toBe("complete");
    edit(join(two, "run.json"), (text) => {
      const { run_id: _old, ...rest } = JSON.parse(text) as NonNullable<typeof manifest>;
      const other = { ...rest, forked_from: { ...rest.forked_from!, head_digest: "0".repeat(64) } };
      return manifestText({ ...other, run_id: runIdOf(other) });
    });
    expect((await failureOf(verifyRun(two, ports))).message).toMatch(/steps\.jsonl: line 2: .*fork begins/);
  });
});

describe("reading a run", () => {
  it("says what is missing, and which version it was written for", async () => {
    const { base, out } = await scriptedRun();
    expect((await failureOf(verifyRun(join(base, "nowhere"), ports))).failureClass).toBe("run_missing");
    for (const name of ["run.json", ...runFiles]) {
      const text = readFileSync(join(out, name), "utf8");
      rmSync(join(out, name));
      expect((await failureOf(verifyRun(out, ports))).message).toBe(`${name}: line 1: the file is missing`);
      writeFileSync(join(out, name), text);
    }
    edit(join(out, "run.json"), (text) => text.replace("hlq.run.v1", "hlq.run.v2"));
    const failure = await failureOf(verifyRun(out, ports));
    expect(failure.failureClass).toBe("run_version_unknown");
    expect(failure.message).toContain('"hlq.run.v2"');
  });

  it("says which line lost its end, was blanked, or stands out of order", async () => {
    const { out } = await scriptedRun();
    const path = join(out, "steps.jsonl");
    const whole = readFileSync(path, "utf8");
    const lines = whole.split("\n");
    const faults: [string, RegExp][] = [
      [lines.with(3, "").join("\n"), /^steps\.jsonl: line 4: the line is blank/],
      [lines.with(3, "{").join("\n"), /^steps\.jsonl: line 4: text that is not JSON/],
      [lines.toSpliced(3, 1).join("\n"), /^steps\.jsonl: line 4: previous_digest/],
      [lines.with(3, lines[2] ?? "").join("\n"), /^steps\.jsonl: line 4: previous_digest/],
      [lines.with(0, '{"episode_id":"ep-00000"}').join("\n"), /^steps\.jsonl: line 1: .*missing/],
      [whole.slice(0, -1), /^terminals\.jsonl: line 2: .*steps\.jsonl does not hold its last step/],
      [`${whole}${lines[0]}\n`, /^steps\.jsonl: line 15: it belongs to no episode/],
    ];
    for (const [text, expected] of faults) {
      writeFileSync(path, text);
      expect((await failureOf(verifyRun(out, ports))).message).toMatch(expected);
    }
  });

  it("shows a trajectory and what was in view at a step", async () => {
    const { out } = await scriptedRun();
    const plain = (text: string) => text;
    const paint = { strong: plain, dim: plain, good: plain, bad: plain, note: plain };
    const recorded = await readEpisodeOf(out, "ep-00001", ports);
    const text = showEpisode(recorded, paint).join("\n");
    for (const part of [
      "ep-00001",
      "Does the funding stress on BTC persist?",
      "“what came of it before”",
      "artifact_unknown",
      "branch_subquery",
      "finalize finalize_signal  evidence_sufficient",
      "risk      thin book",
    ])
      expect(text).toContain(part);
    const state = showState(reconstruct(recorded, 6), paint).join("\n");
    expect(state).toContain("after step 6");
    expect(state).toContain('{"earlier":4,"persisted":3}');
    expect(state).toContain("finalize_signal (0.8)");
    expect(showState(reconstruct(recorded, 0), paint)[0]).toContain("at the start");
  });

  it("shows what an end rests on: the payloads that its terminal retained, whole, and none else", async () => {
    const { out } = await scriptedRun();
    const call: Call = { ports, signal: never, cwd: out, env: {}, warn() {}, progress() {} };
    const show = (input: object) =>
      showOperation.run({ run: ".", ...input } as Parameters<typeof showOperation.run>[0], call);
    const recorded = await readEpisodeOf(out, "ep-00001", ports);
    const retained = recorded.terminal?.record.retained_artifact_ids ?? [];
    const answer = await show({ episode: "ep-00001", evidence: true });
    const { evidence } = answer as unknown as { evidence: { artifact_id: string; payload: object }[] };
    expect(evidence.map(({ artifact_id }) => artifact_id)).toEqual(retained);
    expect(retained.length).toBeGreaterThan(0);
    expect(recorded.artifacts.length).toBeGreaterThan(retained.length);
    const plain = (text: string) => text;
    const paint = { strong: plain, dim: plain, good: plain, bad: plain, note: plain };
    const text = showOperation.present?.(answer as never, paint) ?? "";
    for (const { artifact_id, payload } of evidence) {
      expect(text).toContain(artifact_id);
      expect(text.replaceAll(/\s/g, "")).toContain(JSON.stringify(payload).replaceAll(/\s/g, ""));
    }
    expect((await failureOf(show({ evidence: true }))).message).toContain("needs --episode");
    expect((await failureOf(show({ episode: "ep-00001", evidence: true, at: 1 }))).message).toContain(
      "give one of them",
    );
  });
});
