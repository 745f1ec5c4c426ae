/** An episode as an agent outside meets it: the real command, the official client, a real pack. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodePorts } from "@bridle/record";
import { actionNames, openPack, refusalClasses, replayRun, subqueryTypes, verifyRun } from "@bridle/search";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect, onTestFinished } from "vitest";
import { buildOnce } from "../support/built.js";
import { it } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { sampleEpisode, truthCanary, windowIds } from "../support/search-episode.js";
import { samplePack } from "../support/search-pack.js";
import { bytesOf } from "../support/search-run.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const btc = { anchor_market: "BTC", window_id: windowIds[1] };

beforeAll(buildOnce);

/** What a tool of the episode answers. */
interface Shown {
  readonly observation: {
    readonly artifacts: readonly { readonly artifact_id: string }[];
    readonly refusal?: { readonly class: string };
    readonly working_set: { readonly active_artifact_ids: readonly string[] };
  };
}

interface Session {
  readonly cwd: string;
  readonly folder: string;
}

async function prepared(): Promise<Session> {
  const cwd = newFolder();
  const { folder } = await samplePack(join(cwd, "packs"));
  return { cwd, folder };
}

async function connect(
  { cwd, folder }: Session,
  {
    episodes = ["ep-00001"],
    out = "run",
    resume = false,
  }: { episodes?: string[]; out?: string; resume?: boolean } = {},
) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      ...[join(root, "bin/hlq"), "mcp-serve", "--pack", folder, "--out", out],
      ...(episodes.length === 0 ? [] : ["--episode", episodes.join(",")]),
      ...(resume ? ["--resume"] : []),
    ],
    cwd,
    stderr: "pipe",
  });
  const client = new Client({ name: "outside", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  /** What a tool answers, and the class of the error where it is one. */
  const ask = async (name: string, args: object = {}) => {
    const { structuredContent, isError } = await client.callTool({ name, arguments: { ...args } });
    const { payload, resultClass } = structuredContent as { payload: Shown; resultClass: string };
    return { payload, error: isError === true ? resultClass : undefined };
  };
  const call = async (name: string, args: object = {}) => (await ask(name, args)).payload;
  return { client, ask, call, pid: transport.pid as number, run: join(cwd, out), folder };
}

describe("hlq mcp-serve", () => {
  it("offers the eleven actions with their frozen arguments, and records what is done with them", async () => {
    const { client, ask, call, run, folder } = await connect(await prepared());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...actionNames, "decision_update", "episode"]),
    );
    const finalizeSchema = tools.find(({ name }) => name === "finalize")?.inputSchema;
    expect(Object.keys(finalizeSchema?.properties ?? {}).sort()).toEqual([
      "decision_class",
      "open_risks",
      "retained_artifact_ids",
      "stop_reason",
    ]);

    const brief = await call("episode");
    expect(brief).toMatchObject({ brief: { anchor_market: "BTC", step_budget: 12 } });
    const read = await call("read_persistence", btc);
    const id = read.observation.artifacts[0]?.artifact_id ?? "";
    expect((await ask("keep_artifact", { artifact_id: "art_none" })).error).toBe("artifact_unknown");
    expect(
      (await call("keep_artifact", { artifact_id: id })).observation.working_set.active_artifact_ids,
    ).toEqual([id]);
    expect((await ask("finalize", { decision_class: "maybe" })).error).toBe("args_invalid");
    const end = await call("finalize", {
      decision_class: "finalize_signal",
      open_risks: [],
      retained_artifact_ids: [id],
      stop_reason: "evidence_sufficient",
    });
    expect(end).toMatchObject({
      ended: true,
      terminal: { decision_class: "finalize_signal", retained_artifact_ids: [id] },
    });
    expect(await ask("read_persistence", btc)).toMatchObject({
      error: "episode_ended",
      payload: { ended: true },
    });
    expect(await ask("episode")).toMatchObject({ error: undefined, payload: { ended: true } });
    await client.close();

    const ports = nodePorts();
    expect(await verifyRun(run, ports)).toMatchObject({ status: "complete", episodes: 1 });
    const steps = readFileSync(join(run, "steps.jsonl"), "utf8").trim().split("\n");
    expect(steps.map((line) => (JSON.parse(line) as { step_type: string }).step_type)).toEqual([
      "env_read",
      "keep_artifact",
      "finalize",
    ]);
    for (const name of ["steps.jsonl", "artifacts.jsonl", "terminals.jsonl", "starts.jsonl"]) {
      expect(readFileSync(join(run, name), "utf8")).not.toContain(truthCanary);
    }
    const pack = await openPack(folder, ports);
    const { signal } = new AbortController();
    expect(await replayRun({ folder: run, pack, ports, signal })).toMatchObject({
      status: "complete",
      refusalsAsRecorded: 0,
    });
    await pack.close();
  });

  it("leaves a readable prefix when the client goes away in the middle", async () => {
    const { client, call, run } = await connect(await prepared());
    await call("read_market_state", btc);
    await client.close();
    await expect
      .poll(() => verifyRun(run, nodePorts()).then(({ status }) => status), { timeout: 20_000 })
      .toBe("incomplete");
  });

  it("answers every class of refusal with an error of that class", async () => {
    const { ask, call } = await connect(await prepared(), { episodes: ["ep-00000", "ep-00001", "ep-00002"] });
    const id = (await call("read_persistence", btc)).observation.artifacts[0]?.artifact_id ?? "";
    await call("keep_artifact", { artifact_id: id });
    const other = { ...btc, anchor_market: "NONE" };
    const ending = { open_risks: [], retained_artifact_ids: ["art_none"], stop_reason: "evidence_missing" };
    const refused: readonly (readonly [string, string, object])[] = [
      ["args_invalid", "read_persistence", { anchor_market: "BTC" }],
      ["artifact_unknown", "keep_artifact", { artifact_id: "art_none" }],
      ["artifact_already_kept", "keep_artifact", { artifact_id: id }],
      ["artifact_not_kept", "drop_artifact", { artifact_id: "art_none" }],
      ["market_unknown", "read_persistence", other],
      ["window_unknown", "read_persistence", { ...btc, window_id: "never" }],
      ["peer_unknown", "compare_markets", { ...btc, peer_markets: ["NONE"] }],
      ["subquery_type_unknown", "branch_subquery", { subquery_type: "everything", arguments: {} }],
      ["branch_nested", "branch_subquery", { subquery_type: "branch_subquery", arguments: {} }],
      ["retained_not_active", "abstain", ending],
    ];
    for (const [kind, tool, args] of refused) {
      expect((await ask(tool, args)).error, `${tool} ${JSON.stringify(args)}`).toBe(kind);
      // Anything that is carried out ends the row of refusals; five in a row would end the episode.
      const update = { stop_candidate: { confidence: 0.5, leaning: "abstain" } };
      if (["artifact_not_kept", "subquery_type_unknown"].includes(kind))
        await call("decision_update", update);
    }
    const windows = Array.from({ length: 8 }, () => windowIds[1]).map((window, i) =>
      i === 0 ? window : `${window}${i}`,
    );
    expect(
      (
        await ask("branch_subquery", {
          subquery_type: "derived_metrics",
          arguments: { anchor_market: "BTC", window_ids: windows },
        })
      ).error,
    ).toBe("step_budget_short");
    for (let left = 20; left > 0; left--) {
      const { error } = await ask("read_market_state", btc);
      if (error === undefined) continue;
      expect(error).toBe("step_budget_spent");
      break;
    }
    expect((await ask("next_episode")).error).toBe("episode_open");

    // More than a working set may hold.
    const cwd = newFolder();
    const { folder } = await samplePack(join(cwd, "packs"), {
      episodes: [sampleEpisode({ id: "ep-00001", padding: 70_000 })],
    });
    const large = await connect({ cwd, folder });
    const { observation } = await large.call("read_market_state", btc);
    const artifact_id = observation.artifacts[0]?.artifact_id ?? "";
    expect((await large.ask("keep_artifact", { artifact_id })).error).toBe("token_budget_exceeded");

    // Those that ended an episode or a budget are met above and in the test below; an unknown action is no tool.
    const met = [...refused.map(([kind]) => kind), "step_budget_short", "step_budget_spent"];
    const elsewhere = ["token_budget_exceeded", "episode_ended", "action_unknown"];
    expect([...met, ...elsewhere].toSorted()).toEqual([...refusalClasses].toSorted());
  });

  it("ends an episode after five refusals in a row, says so as the error of the last, and opens the next", async () => {
    const { ask, client } = await connect(await prepared(), { episodes: ["ep-00000", "ep-00002"] });
    for (let i = 0; i < 4; i++)
      expect((await ask("keep_artifact", { artifact_id: "art_none" })).error).toBe("artifact_unknown");
    expect(await ask("keep_artifact", { artifact_id: "art_none" })).toMatchObject({
      error: "artifact_unknown",
      payload: { ended: true, terminal: { terminal_action: "abstain" } },
    });
    expect((await ask("keep_artifact", { artifact_id: "art_none" })).error).toBe("episode_ended");
    expect(await ask("next_episode")).toMatchObject({
      error: undefined,
      payload: { brief: { episode_id: "ep-00002" } },
    });
    await ask("abstain", { open_risks: [], retained_artifact_ids: [], stop_reason: "evidence_missing" });
    expect((await ask("next_episode")).error).toBe("episodes_exhausted");
    const { tools } = await client.listTools();
    const hints = tools.map(({ name, annotations }) => [
      name,
      annotations?.readOnlyHint,
      annotations?.destructiveHint,
    ]);
    expect(hints.filter(([, isRead]) => isRead)).toEqual([["episode", true, false]]);
    expect(hints.filter(([, , destroys]) => destroys)).toEqual([]);
    const said = Object.fromEntries(tools.map(({ name, description = "" }) => [name, description]));
    for (const type of subqueryTypes) expect(said["branch_subquery"]).toContain(type);
    expect(said["episode"]).toContain("5 proposals that are refused in a row");
  });

  it("goes on after it was killed, and ends with the same bytes as a session that was not", async () => {
    const session = await prepared();
    const episodes = ["ep-00000", "ep-00001"];
    const first = async ({ ask }: Awaited<ReturnType<typeof connect>>) => {
      const { payload } = await ask("read_persistence", btc);
      await ask("keep_artifact", { artifact_id: payload.observation.artifacts[0]?.artifact_id ?? "" });
      await ask("keep_artifact", { artifact_id: "art_none" });
    };
    const second = async ({ ask, call }: Awaited<ReturnType<typeof connect>>) => {
      const { observation } = await call("episode");
      const ending = { open_risks: [], stop_reason: "evidence_sufficient" };
      const retained = observation.working_set.active_artifact_ids;
      await ask("finalize", {
        ...ending,
        decision_class: "finalize_signal",
        retained_artifact_ids: retained,
      });
      await ask("next_episode");
      await ask("read_market_state", btc);
      await ask("abstain", { ...ending, retained_artifact_ids: [] });
    };
    const whole = await connect(session, { episodes, out: "whole" });
    await first(whole);
    await second(whole);
    await whole.client.close();
    const killed = await connect(session, { episodes, out: "killed" });
    await first(killed);
    process.kill(killed.pid, "SIGKILL");
    await killed.client.close();
    expect((await verifyRun(killed.run, nodePorts())).status).toBe("incomplete");
    const resumed = await connect(session, { episodes, out: "killed", resume: true });
    await second(resumed);
    await resumed.client.close();
    await expect
      .poll(() => verifyRun(killed.run, nodePorts()).then(({ status }) => status), { timeout: 20_000 })
      .toBe("complete");
    expect(bytesOf(killed.run)).toEqual(bytesOf(whole.run));
    console.log(
      "proof: mcp: a session of two episodes killed with SIGKILL and resumed ends with the same bytes",
    );
  });
});
