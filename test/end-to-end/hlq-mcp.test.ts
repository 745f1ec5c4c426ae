/** An episode as an agent outside meets it: the real command, the official client, a real pack. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodePorts } from "@bridle/record";
import { actionNames, replayRun, openPack, verifyRun } from "@bridle/search";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { buildOnce } from "../support/built.js";
import { newFolder } from "../support/folder.js";
import { truthCanary, windowIds } from "../support/search-episode.js";
import { samplePack } from "../support/search-pack.js";

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

async function connect() {
  const cwd = newFolder();
  const { folder } = await samplePack(join(cwd, "packs"));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(root, "bin/hlq"), "mcp-serve", "--pack", folder, "--episode", "ep-00001", "--out", "run"],
    cwd,
    stderr: "pipe",
  });
  const client = new Client({ name: "outside", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, args: object = {}) => {
    const { structuredContent } = await client.callTool({ name, arguments: { ...args } });
    return (structuredContent as { payload: Shown }).payload;
  };
  return { client, call, run: join(cwd, "run"), folder };
}

describe("hlq mcp-serve", () => {
  it("offers the eleven actions with their frozen arguments, and records what is done with them", async () => {
    const { client, call, run, folder } = await connect();
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
    expect((await call("keep_artifact", { artifact_id: "art_none" })).observation.refusal?.class).toBe(
      "artifact_unknown",
    );
    expect(
      (await call("keep_artifact", { artifact_id: id })).observation.working_set.active_artifact_ids,
    ).toEqual([id]);
    expect((await call("finalize", { decision_class: "maybe" })).observation.refusal?.class).toBe(
      "args_invalid",
    );
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
    expect(await call("read_persistence", btc)).toMatchObject({ ended: true });
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
    const { client, call, run } = await connect();
    await call("read_market_state", btc);
    await client.close();
    await expect
      .poll(() => verifyRun(run, nodePorts()).then(({ status }) => status), { timeout: 20_000 })
      .toBe("incomplete");
  });
});
