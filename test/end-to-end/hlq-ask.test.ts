/**
 * `hlq ask` and its companions as people and programs meet them: the built command,
 * real files, an MCP client. Every command runs as the built program; where it is
 * called again for another case, in this process.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hourMs, syntheticMarket } from "@bridle/market";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect, onTestFinished } from "vitest";
import { buildOnce } from "../support/built.js";
import { it } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { hlq, hlqHere, hlqJson, hlqJsonHere } from "../support/hlq.js";
import { marketData } from "../support/market-data.js";
import { smallSource } from "../support/query-call.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
beforeAll(buildOnce);

interface Shown {
  readonly status: string;
  readonly summary: string;
  readonly rows: readonly Record<string, unknown>[];
  readonly provenance: { readonly template: string | null; readonly coverage: unknown };
}

describe("hlq ask", () => {
  it("answers in a fresh folder without any set-up, and says in its first line that nothing of it happened", async () => {
    const cwd = newFolder();
    const { code, stdout } = await hlq(cwd, ["ask", "biggest whales", "--top", "3"]);
    expect(code).toBe(0);
    expect(stdout.split("\n")[0]).toMatch(
      /^Synthetic data, nothing of this happened\. Positions of accounts/,
    );
    expect(stdout).toMatch(/rank +account/);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("answers from files, as JSON for programs, with provenance", async () => {
    const cwd = newFolder();
    const answer = (await hlqJson(cwd, [
      "ask",
      "top gainers last 24h",
      "--source",
      smallSource(cwd),
    ])) as unknown as Shown;
    expect(answer.rows).toMatchObject([{ rank: 1, market: "BTC", first_price: 124, last_price: 148 }]);
    expect(answer.provenance.template).toBe("movers_price_change");
    expect(answer.summary).toContain("from 2025-07-02T00:00Z to 2025-07-03T00:00Z (24 hours)");
  });

  it("shows with --dry-run what it would execute, and opens nothing", async () => {
    const { code, stdout } = await hlqHere(newFolder(), [
      "ask",
      "btc funding last 24h",
      "--dry-run",
      "--source",
      "no-such.csv",
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/from funding/);
    expect(stdout).toContain('"coins":["BTC"]');
    expect(stdout).toContain('start of {\\"last_hours\\":24}');
  });

  it("says what is not here, and what is nearest, with exit code 0", async () => {
    const { code, stdout } = await hlqHere(newFolder(), ["ask", "will btc moon tomorrow"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/What will happen is not in the data.*nearest/);
  });

  it("ends with 2 for an empty question and 1 for a source that is not there; both say where that was", async () => {
    const empty = await hlq(newFolder(), ["ask", " ", "--json"]);
    expect(empty.code).toBe(2);
    expect(JSON.parse(empty.stdout)).toMatchObject({ failureClasses: ["input_invalid"] });
    const gone = await hlqHere(newFolder(), ["ask", "btc funding", "--source", "gone.csv", "--json"]);
    expect(gone.code).toBe(1);
    expect(gone.stdout).toContain("bridge_version");
  });

  it("names the nearest where a coin or an account is not there", async () => {
    const cwd = newFolder();
    const coin = await hlqHere(cwd, ["ask", "funding", "--coin", "BTX", "--source", smallSource(cwd)]);
    expect(coin.code).toBe(1);
    expect(coin.stderr).toContain("Did you mean BTC?");
  });

  if (marketData !== undefined) {
    it("answers from the real sample", async () => {
      const sample = join(marketData as string, "sample_top30_1h_candles_funding.csv");
      const answer = (await hlqJsonHere(newFolder(), [
        "ask",
        "top 3 gainers last week",
        "--source",
        sample,
      ])) as unknown as Shown;
      expect(answer.status).toBe("answered");
      expect(answer.rows).toHaveLength(3);
    });
  }
});

describe("hlq capabilities, health and the tools as commands", () => {
  it("lists fifteen families with an example each", async () => {
    const { families } = (await hlqJson(newFolder(), ["capabilities"])) as unknown as {
      families: { example: string }[];
    };
    expect(families).toHaveLength(15);
  });

  it("is healthy, with the digest that was written down", async () => {
    const answer = (await hlqJson(newFolder(), ["health"])) as unknown as {
      health: string;
      checks: { state: string }[];
    };
    expect(answer.checks.map(({ state }) => state)).toEqual(["ok", "ok", "ok", "ok"]);
    expect(answer.health).toBe("healthy");
  });

  it.each([
    ["similar", ["0x1"], 1],
    ["explain", ["0x123456", "--dry-run"], 0],
    ["copytrade", ["--dry-run", "--lag-days", "3"], 0],
    ["risk", ["--dry-run"], 0],
  ] as const)("hlq %s %j ends with %i", async (command, words, code) => {
    const ran = await hlq(newFolder(), [command, ...words]);
    expect(ran.code === 2 ? 1 : ran.code).toBe(code);
  });
});

/** A file of candles and funding in which SYN-ALPHA comes under stress. */
async function stressed(folder: string): Promise<string> {
  const tables = await syntheticMarket({ seed: "1", markets: 3, days: 40 });
  const lines = ["coin,time,open,high,low,close,volume,funding"];
  for (const coin of await tables.markets()) {
    const rates = new Map((await tables.funding(coin)).map(({ hour, rate }) => [hour, rate]));
    for (const { hour, open, high, low, close, volume } of await tables.candles(coin))
      lines.push([coin, hour * hourMs, open, high, low, close, volume, rates.get(hour) ?? ""].join());
  }
  writeFileSync(join(folder, "stressed.csv"), `${lines.join("\n")}\n`);
  return "stressed.csv";
}

describe("questions and the harness", () => {
  it("[TRAJ-1.2] [TRAJ-9.2] [TRAJ-9.3] the harness writes nothing into the log of questions, and takes nothing from its rows", async () => {
    const cwd = newFolder();
    const log = join(cwd, "log");
    const env = { HLQ_TRAJECTORY_LOG_DIR: log };
    const built = await hlqHere(
      cwd,
      ["pack", "build", "--source", "synthetic", "--synthetic-markets", "2", "--days", "30", "--json"],
      env,
    );
    const { folder } = JSON.parse(built.stdout) as { folder: string };
    expect(
      (await hlqHere(cwd, ["run", "--pack", folder, "--policy", "heuristic", "--out", "run"], env)).code,
    ).toBe(0);
    expect(existsSync(log)).toBe(false);
    // A question goes on as before, with the log and without it.
    const source = smallSource(cwd);
    const without = await hlqJsonHere(cwd, ["ask", "top gainers last 24h", "--source", source]);
    const ran = await hlq(cwd, ["ask", "top gainers last 24h", "--source", source, "--json"], env);
    expect(JSON.parse(ran.stdout)).toEqual(without);
    const required = (name: string) =>
      (JSON.parse(readFileSync(join(root, `schemas/${name}.json`), "utf8")) as { required: string[] })
        .required;
    const [step] = readFileSync(join(log, "steps.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(Object.keys(step ?? {}).toSorted()).toEqual(required("hlq.oneshot.step.v1").toSorted());
    const harness = [
      "step_index",
      "action_name",
      "action_args",
      "working_set_before",
      "working_set_after",
      "context_pressure_class",
    ];
    expect(required("hlq.run.step.v1")).toEqual(expect.arrayContaining(harness));
    for (const field of harness) expect(Object.keys(step ?? {})).not.toContain(field);
  });

  it("[TRAJ-4.7] a harness run carries where its evidence came from, and --harness gives its end beside the answer's provenance", async () => {
    const cwd = newFolder();
    const asked = ["ask", "does the funding stress on SYN-ALPHA persist", "--harness"];
    const answer = (await hlqJson(cwd, [...asked, "--source", await stressed(cwd)])) as unknown as Shown & {
      harness: { runFolder: string; terminalAction: string };
    };
    expect(answer.provenance).toMatchObject({
      template: "funding_extremes",
      coverage: { dropped: [{ field: "persistence" }] },
    });
    expect(answer.harness.terminalAction).toMatch(/^(?:finalize|abstain)$/);
    const run = join(cwd, answer.harness.runFolder);
    const rows = readdirSync(run)
      .map((name) => readFileSync(join(run, name), "utf8"))
      .join("\n");
    expect(rows).toContain('"source_refs"');
    expect(rows).toContain('"working_set_after"');
  });
});

describe("where the engine or Google's client was not installed", () => {
  it("a question that needs it says the one command that adds it; everything else works", async () => {
    const elsewhere = newFolder();
    mkdirSync(join(elsewhere, "dist"));
    cpSync(join(root, "bin"), join(elsewhere, "bin"), { recursive: true });
    cpSync(join(root, "dist/cli"), join(elsewhere, "dist/cli"), { recursive: true });
    const program = join(elsewhere, "bin/hlq");
    const env = { HLQ_BIGQUERY_PROJECT: "p", HLQ_BIGQUERY_DATASET: "d" };
    const engine = await hlq(elsewhere, ["ask", "top gainers"], env, program);
    expect(engine.code).toBe(1);
    expect(engine.stderr).toContain("npm install @duckdb/node-api@");
    const client = await hlq(elsewhere, ["ask", "top gainers", "--source", "bigquery"], env, program);
    expect(client.code).toBe(1);
    expect(client.stderr).toContain("npm install @google-cloud/bigquery@");
    const said = [engine.stderr, client.stderr].join("").matchAll(/npm install (\S+)@([\w.-]+[\w])`/g);
    const { peerDependencies, peerDependenciesMeta } = JSON.parse(
      readFileSync(join(root, "packages/market/package.json"), "utf8"),
    ) as {
      peerDependencies: Record<string, string>;
      peerDependenciesMeta: Record<string, { optional: boolean }>;
    };
    for (const [, name, version] of said) {
      expect(peerDependencies[String(name)]).toBe(version);
      expect(peerDependenciesMeta[String(name)]).toEqual({ optional: true });
    }
    for (const words of [["ask", "top gainers", "--dry-run"], ["ask", "will btc moon"], ["capabilities"]])
      expect((await hlq(elsewhere, words, {}, program)).code, words.join(" ")).toBe(0);
  });
});

describe("premath mcp-serve --family hlq", () => {
  it("offers the five tools with provenance, keeps the source open between calls, and takes no file from a caller", async () => {
    const cwd = newFolder();
    const log = join(cwd, "log");
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(root, "bin/premath"), "mcp-serve", "--family", "hlq"],
      cwd,
      env: { PATH: process.env["PATH"] ?? "", HLQ_TRAJECTORY_LOG_DIR: log },
      stderr: "pipe",
    });
    const client = new Client({ name: "outside", version: "1" }, { versionNegotiation: { mode: "legacy" } });
    await client.connect(transport);
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        "ask_market",
        "find_similar_traders",
        "explain_trader",
        "detect_copytrade",
        "screen_risk",
      ]),
    );
    expect(JSON.stringify(tools.find(({ name }) => name === "ask_market")?.inputSchema)).not.toContain(
      "sources",
    );
    const call = async (name: string, args: Record<string, unknown>) => {
      const { structuredContent } = await client.callTool({ name, arguments: args });
      return (structuredContent as { payload: Shown }).payload;
    };
    const whales = await call("ask_market", { question: "biggest whales", top: 2 });
    const account = String(whales.rows[0]?.["account"]);
    const began = performance.now();
    const answers = [
      await call("find_similar_traders", { address: account, top: 3 }),
      await call("explain_trader", { address: account.slice(0, 12) }),
      await call("detect_copytrade", { lagDays: 1 }),
      await call("screen_risk", { top: 3 }),
    ];
    for (const { status, provenance } of answers) {
      expect(status).toBe("answered");
      expect(Object.keys(provenance)).toHaveLength(7);
    }
    expect(existsSync(join(log, "episodes.jsonl"))).toBe(true);
    console.log(
      `proof: five tools over MCP, four further answers in ${Math.round(performance.now() - began)} ms from a source that stayed open`,
    );
    const refused = await client.callTool({
      name: "ask_market",
      arguments: { question: "btc funding", sources: ["/etc/passwd"] },
    });
    expect(JSON.stringify(refused)).toMatch(/input_invalid|isError/);
  });
});
