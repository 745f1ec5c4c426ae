/** The observation and coherence as people meet them: the built commands and real files. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect } from "vitest";
import { test } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { Premath } from "../support/premath.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

const required = {
  ...{ witnessKind: "ci.required.v1", projectionDigest: "proj1_a", typedCoreProjectionDigest: "ev1_a" },
  ...{ verdictClass: "rejected", failureClasses: ["check_failed"], requiredChecks: ["test"] },
  ...{ executedChecks: ["test"], runFinishedAt: "2026-01-31T11:00:00Z", changedPaths: ["a.ts"] },
};
const instruction = {
  ...{ witnessKind: "ci.instruction.v1", instructionId: "20260131-x", verdictClass: "accepted" },
  ...{ instructionClassification: { state: "typed", kind: "ci.gate.check" } },
};

class Project {
  readonly folder = newFolder();

  write(path: string, content: string | object): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(join(this.folder, path), text);
  }

  run(...words: string[]) {
    return premath.oneOfMany(words, { cwd: this.folder });
  }

  async json(...words: string[]) {
    const ended = await this.run(...words, "--json");
    expect(ended.code, ended.stderr).toBe(0);
    return ended.json();
  }

  static async busy(): Promise<Project> {
    const project = new Project();
    await project.run("issue", "add", "Retry uploads");
    project.write("artifacts/ciwitness/latest-required.json", required);
    project.write("artifacts/ciwitness/20260131-x.json", instruction);
    return project;
  }
}

describe("premath observe", () => {
  test("[TUSK-14.2.7] --mode latest shows the last checks and how issues stand", async () => {
    const project = await Project.busy();
    expect(await project.json("observe", "--mode", "latest")).toMatchObject({
      action: "observe.latest",
      summary: { state: "rejected", topFailureClass: "check_failed", requiredCheckCount: 1 },
      latest: { required: { projectionDigest: "proj1_a" }, decision: null },
    });
    const text = await project.run("observe");
    expect(text.stdout).toContain("1 ready");
  });

  test("[TUSK-14.2.8] --mode needs_attention is a line a problem, since when, and a command", async () => {
    const project = await Project.busy();
    const { items, needsAttention } = await project.json("observe", "--mode", "needs_attention");
    expect(needsAttention).toBe(true);
    expect(items).toMatchObject([
      {
        ...{ reason: "checks_rejected", since: "2026-01-31T11:00:00Z" },
        command: "premath observe --mode projection --projection-digest ev1_a",
      },
    ]);
    const { command } = (items as { command: string }[])[0] ?? { command: "" };
    const followed = await project.run(...command.split(" ").slice(1), "--json");
    expect(followed.json()).toMatchObject({ required: { verdictClass: "rejected" } });
  });

  test("[TUSK-14.2.9] --mode instruction shows one witness, and says when there is none", async () => {
    const project = await Project.busy();
    const found = await project.json("observe", "--mode", "instruction", "--instruction-id", "20260131-x");
    expect(found).toMatchObject({ instruction: { verdictClass: "accepted" } });
    const none = await project.run("observe", "--mode", "instruction", "--instruction-id", "other");
    expect(none.code).toBe(1);
    expect(none.stderr).toContain("There are: 20260131-x.");
    const unnamed = await project.run("observe", "--mode", "instruction");
    expect(unnamed.code).toBe(2);
  });

  test("[TUSK-14.2.10] --mode projection finds checks by either digest, and only those", async () => {
    const project = await Project.busy();
    const of = (...more: string[]) =>
      project.run("observe", "--mode", "projection", "--projection-digest", ...more, "--json");
    for (const words of [["ev1_a"], ["proj1_a"], ["proj1_a", "--projection-match", "compatibility_alias"]])
      expect((await of(...words)).json()).toMatchObject({
        required: { changedPaths: ["a.ts"] },
        delta: null,
      });
    for (const words of [["proj1_b"], ["proj1_a", "--projection-match", "typed"]])
      expect((await of(...words)).code).toBe(1);
  });

  test("a witness that is none is named, and the rest is seen", async () => {
    const project = await Project.busy();
    project.write("artifacts/ciwitness/latest-decision.json", "{");
    const ended = await project.run("observe", "--json");
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain("artifacts/ciwitness/latest-decision.json");
    expect(ended.json()).toMatchObject({ summary: { state: "rejected" } });
  });

  test("observe-build writes it down, and one that is old says so by the clock", async () => {
    const project = await Project.busy();
    const path = "artifacts/observation/latest.json";
    expect(await project.json("observe-build")).toMatchObject({ path, needsAttention: true });
    const fresh = await project.json("observe", "--surface", path, "--mode", "needs_attention");
    expect(fresh["attentionReasons"]).toEqual(["checks_rejected"]);
    const written = JSON.parse(readFileSync(join(project.folder, path), "utf8")) as object;
    project.write("old.json", { ...written, observedAt: "2026-01-31T12:00:00Z" });
    const old = await project.json("observe", "--surface", "old.json", "--mode", "needs_attention");
    expect(old["attentionReasons"]).toEqual(["checks_rejected", "observation_stale"]);
    project.write("none.json", "{}");
    const none = await project.run("observe", "--surface", "none.json");
    expect(none.code).toBe(1);
    expect(none.stderr).toContain("observation_invalid");
  });
});

describe("[TUSK-14.2.12] premath coherence-check", () => {
  const contract = {
    ...{ schema: 1, contractKind: "premath.coherence.contract.v1", contractId: "c.1", binding: {} },
    obligations: [{ obligationId: "issues", check: "issue_graph", issues: ".premath/issues.jsonl" }],
  };

  test("answers each obligation, and exits with 0, 1 or 2", async () => {
    const project = new Project();
    const check = (...more: string[]) =>
      project.run("coherence-check", "--contract", "contract.json", "--repo-root", ".", ...more);
    expect((await check()).code).toBe(2);
    project.write("contract.json", contract);
    await project.run(
      ...["issue", "add", "In order", "--description"],
      "Acceptance:\n- it works\n\n`premath issue check`",
    );
    const sound = await check("--json");
    expect(sound.code, sound.stderr).toBe(0);
    expect(sound.json()).toMatchObject({
      ...{ result: "accepted", contractId: "c.1", failureClasses: [] },
      obligations: [{ obligationId: "issues", result: "accepted" }],
    });
    await project.run("issue", "add", "Not in order");
    const broken = await check("--json");
    expect(broken.code).toBe(1);
    expect(broken.json()).toMatchObject({
      result: "rejected",
      failureClasses: ["issue_graph.acceptance.missing", "issue_graph.verification_command.missing"],
    });
    project.write("contract.json", { ...contract, obligations: [] });
    const empty = await check();
    expect(empty.code).toBe(2);
    expect(empty.stderr).toMatch(/^coherence_contract_invalid: /);
  });

  test("this repository keeps its own", async () => {
    const root = join(import.meta.dirname, "../..");
    const ended = await premath.run(["coherence-check", "--json"], { cwd: root });
    expect(ended.json()["failureClasses"]).toEqual([]);
    expect(ended.code).toBe(0);
  });
});

describe("[TUSK-7.2] the memory that a session boots from, over MCP", () => {
  async function connected(folder: string, use: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client({ name: "bridle-test", version: "1" });
    const args = [premath.program, "mcp-serve"];
    const env = { HOME: folder, PATH: process.env["PATH"] ?? "" };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: folder, env, stderr: "ignore" }),
    );
    try {
      await use(client);
    } finally {
      await client.close();
    }
  }

  test("issues, witnesses, the observation and the diagnostics are resources", async () => {
    const project = await Project.busy();
    symlinkSync("/etc/passwd", join(project.folder, "artifacts/ciwitness/link.json"));
    await connected(project.folder, async (client) => {
      const read = async (uri: string) => {
        const { contents } = await client.readResource({ uri });
        return (contents[0] as { text: string }).text;
      };
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual(
        expect.arrayContaining([
          ...["premath://issues", "premath://observation", "premath://dep-diagnostics/active"],
          ...["premath://witnesses/latest-required.json", "premath://witnesses/20260131-x.json"],
        ]),
      );
      expect(JSON.parse(await read("premath://issues"))).toMatchObject({
        id: "bd-1",
        title: "Retry uploads",
      });
      expect(JSON.parse(await read("premath://observation"))).toMatchObject({
        summary: { state: "rejected" },
      });
      expect(JSON.parse(await read("premath://dep-diagnostics/active"))).toMatchObject({
        graphScope: "active",
        integrity: { hasCycle: false },
      });
      expect(JSON.parse(await read("premath://witnesses/latest-required.json"))).toEqual(required);
      for (const name of ["link.json", "gone.json", "..%2F..%2F.premath%2Fissues.jsonl"])
        await expect(read(`premath://witnesses/${name}`)).rejects.toThrow(/there is no witness/);
    });
  });

  test("the tools that a model is told of fit in 30 kB, observe among them", async () => {
    await connected(newFolder(), async (client) => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(["observe_latest", "issue_ready"]),
      );
      expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(30_000);
    });
  });
});
