/**
 * The server scenarios of `@modelcontextprotocol/conformance`, run by its own
 * program against our HTTP server, each in a process of its own.
 *
 * Of its 32 scenarios those apply that test what the server offers, which is
 * tools whose answers are JSON. They meet the real `premath mcp-serve`, except
 * those that call a tool by a fixed name: for them such a tool is an operation of
 * the table in mcp-support, served by the same code. The rest are listed with
 * their reason, and two tests keep the list honest: every scenario that the
 * program knows is in one of the lists, and the server advertises nothing that
 * would make one of the rest apply.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { conformanceProgram } from "../mcp-support/conformance-program.js";
import {
  type HttpServerUnderTest,
  bundleServer,
  killLeftovers,
  premath,
  startHttpServer,
  stopServer,
} from "../mcp-support/launch.js";
import { repository } from "../support/built.js";
import { test } from "../support/everyday.js";

const onTheRealTable = [
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];

const onTheFixtureTable = [
  "tools-list",
  "tools-call-simple-text",
  "tools-call-error",
  "tools-call-with-progress",
  "json-schema-2020-12",
];

const applicable = [...new Set([...onTheRealTable, ...onTheFixtureTable])];

const notApplicable: Readonly<Record<string, readonly string[]>> = {
  "answers are JSON envelopes; no operation returns pictures, sound or resources": [
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
  ],
  "the server asks its client for nothing": [
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
  ],
  "the server sends no log messages (deprecated since 2026-07-28); warnings are in the envelope": [
    "logging-set-level",
    "tools-call-with-logging",
  ],
  "resources are the project's own text, none like those that the scenarios ask for, and nobody subscribes": [
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
  ],
  "there are no prompts, and so nothing to complete": [
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
    "completion-complete",
  ],
  "streams are not resumable: an answer is given on the request that asked": ["server-sse-polling"],
};

let program: string;
let real: HttpServerUnderTest;
let fixture: HttpServerUnderTest;
let folder: string;
const passed = new Set<string>();
let checksPassed = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bridle-mcp-conformance-"));
  program = await bundleServer();
  real = await startHttpServer({ program: await premath(), words: ["mcp-serve", "--http"], cwd: folder });
  fixture = await startHttpServer({ program, cwd: folder });
});
afterAll(async () => {
  await stopServer(real);
  await stopServer(fixture);
  killLeftovers();
  await rm(folder, { recursive: true, force: true });
  console.log(
    `mcp conformance: ${passed.size} of ${applicable.length} applicable scenarios passed with ` +
      `${checksPassed} checks; ${Object.values(notApplicable).flat().length} not applicable`,
  );
});

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

function runScenario(
  scenario: string,
  options: { readonly url: URL; readonly token: string; readonly results: string },
): Promise<Outcome> {
  const { url, token, results } = options;
  return conformance(["server", "--url", url.href, "--scenario", scenario, "--output-dir", results], token);
}

async function conformance(args: readonly string[], token = ""): Promise<Outcome> {
  const preload = join(repository, "test/mcp-support/conformance-preload.mjs");
  const child = spawn(process.execPath, ["--import", preload, await conformanceProgram(), ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", CONFORMANCE_TOKEN: token },
    timeout: 45_000,
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

async function checksOf(results: string): Promise<Check[]> {
  const [run] = await readdir(results);
  return JSON.parse(await readFile(join(results, run ?? "", "checks.json"), "utf8")) as Check[];
}

describe("conformance scenarios", () => {
  test.each([
    ...onTheRealTable.map((scenario) => ({ scenario, table: "real" as const })),
    ...onTheFixtureTable.map((scenario) => ({ scenario, table: "fixture" as const })),
  ])("$scenario, on the $table table", async ({ scenario, table }) => {
    const { url, token } = table === "real" ? real : fixture;
    const results = join(folder, `${table}-${scenario}`);
    const { code, output } = await runScenario(scenario, { url, token, results });
    const checks = (await checksOf(results)).filter(({ status }) => status !== "INFO");
    expect(checks.length, output).toBeGreaterThan(0);
    expect(checks.filter(({ status }) => status !== "SUCCESS")).toEqual([]);
    expect(code, output).toBe(0);
    passed.add(scenario);
    checksPassed += checks.length;
  });

  test("a failing server would be noticed: with a wrong token the first scenario fails", async () => {
    const results = join(folder, "wrong-token");
    const { code } = await runScenario("server-initialize", {
      url: real.url,
      token: `${real.token}x`,
      results,
    });
    expect(code).toBe(1);
    expect(await checksOf(results)).toContainEqual(expect.objectContaining({ status: "FAILURE" }));
  });

  test("every scenario that the program knows is applicable or has a reason why not", async () => {
    const { output } = await conformance(["list", "--server"]);
    const known = [...output.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name ?? "");
    expect(known.toSorted()).toEqual([...applicable, ...Object.values(notApplicable).flat()].toSorted());
  });

  test("the server advertises tools and resources of its own, and nothing that would make another scenario apply", async () => {
    const client = new Client({ name: "bridle-test", version: "1" });
    const headers = { authorization: `Bearer ${real.token}` };
    await client.connect(new StreamableHTTPClientTransport(real.url, { requestInit: { headers } }));
    expect(client.getServerCapabilities()).toEqual({
      tools: { listChanged: false },
      resources: { listChanged: false },
    });
    await client.close();
  });
});
