/** What a user installs, from the packed tarball in a folder that knows nothing of this checkout. */
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect } from "vitest";
import { madeOnce, repository } from "../support/built.js";
import { CleanPlace, packageScript, type Packed } from "../support/installed.js";
import { it, long } from "../support/everyday.js";
import { CheckedProject } from "../support/checked-project.js";

let made: Packed;
let place: CleanPlace;

beforeAll(async () => {
  const { makePackage } = await packageScript();
  const folder = await madeOnce("the package", async (out) => {
    made = await makePackage({ out, types: false });
  });
  place = new CleanPlace(folder);
  writeFileSync(join(place.folder, "package.json"), "{}\n");
  place.unpack(made);
});

async function said(
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>,
): Promise<string> {
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

describe("the package", () => {
  it("holds no sources, no tests and nothing that fits one Node only", async () => {
    const { packageLimits } = await packageScript();
    const folders = new Set(
      made.files.map((file) =>
        file
          .split("/")
          .slice(0, file.startsWith("d") ? 2 : 1)
          .join("/"),
      ),
    );
    expect([...folders].toSorted()).toEqual([
      ...[
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "bin",
        "dist/cli",
        "dist/lib",
        "dist/packages",
        "docs/guides",
      ],
      ...["package.json", "policies", "schemas"],
    ]);
    expect(made.files.filter((file) => /\.compiled$|\.test\.|\.map$|(?<!\.d)\.ts$/.test(file))).toEqual([]);
    // The types, which this one lacks, are 0.2 MB packed and 1.1 MB unpacked.
    expect(made.packed).toBeLessThan(packageLimits.packedMax - 180_000);
    expect(made.unpacked).toBeLessThan(packageLimits.unpackedMax - 1_100_000);
  });

  it("depends on typebox and minisearch, of the versions that the rooms use, and on nothing else", () => {
    const manifest = JSON.parse(
      readFileSync(join(place.folder, "node_modules/bridle/package.json"), "utf8"),
    ) as Record<string, Record<string, string>>;
    const { dependencies = {} } = manifest;
    expect(Object.keys(dependencies)).toEqual(["minisearch", "typebox"]);
    for (const field of ["scripts", "devDependencies", "workspaces"])
      expect(manifest).not.toHaveProperty(field);
    for (const room of readdirSync(join(repository, "packages"))) {
      const own = JSON.parse(readFileSync(join(repository, "packages", room, "package.json"), "utf8")) as {
        dependencies: Record<string, string>;
        peerDependencies?: Record<string, string>;
      };
      for (const name of ["typebox", "minisearch"])
        expect(own.dependencies[name] ?? dependencies[name]).toBe(dependencies[name]);
      for (const [name, version] of Object.entries(own.peerDependencies ?? {}))
        expect(manifest["peerDependencies"]?.[name]).toBe(version);
    }
  });

  it("keeps what a Node compiled in the user's cache, where only that user can write, and goes on without", async () => {
    const version = () => place.run(place.bin("bridle"), ["--version"]);
    const first = await said(version());
    const kept = join(place.home, ".cache/bridle/compiled");
    const files = readdirSync(kept).toSorted();
    const ofThisNode = new RegExp(`\\.js\\.${process.version}-${process.arch}-\\w+-\\w+\\.compiled$`);
    expect(files.filter((name) => ofThisNode.test(name))).toEqual(files);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((name) => (statSync(join(kept, name)).mode & 0o077) !== 0)).toEqual([]);
    expect(files.filter((name) => name.startsWith("entry.js"))).toEqual([]);
    const before = files.map((name) => statSync(join(kept, name)).mtimeMs);
    expect(await said(version())).toBe(first);
    expect(files.map((name) => statSync(join(kept, name)).mtimeMs)).toEqual(before);
    // Whatever somebody else could have written is made anew.
    for (const name of files) chmodSync(join(kept, name), 0o666);
    expect(await said(version())).toBe(first);
    expect(files.filter((name) => (statSync(join(kept, name)).mode & 0o077) !== 0)).toEqual([]);
    const nowhere = await place.run(place.bin("bridle"), ["--version"], { env: { HOME: "/proc/nowhere" } });
    expect(nowhere).toMatchObject({ code: 0, stdout: first, stderr: "" });
  });

  it("names guides by where they lie", async () => {
    const help = await said(place.node(place.bin("bridle"), "chat", "--help"));
    const [path = ""] = /\S*docs\/guides\/agent\.md/.exec(help.replaceAll(/\s+/g, " ")) ?? [];
    expect(path).not.toBe("docs/guides/agent.md");
    expect(help).toContain(join(place.folder, "node_modules/bridle/docs/guides/agent.md").split(" ").at(-1));
  });

  it("says which command adds DuckDB, and does without where it can", async () => {
    await said(place.run(place.bin("premath"), ["issue", "add", "Retry once"]));
    expect(await said(place.run(place.bin("premath"), ["issue", "ready"]))).toContain("1 ready");
    const asked = await place.run(place.bin("hlq"), ["ask", "biggest movers last 24h", "--json"]);
    expect(asked.code).toBe(1);
    expect(asked.stdout).toContain("market_engine_missing");
    expect(asked.stderr).toContain("Add it with `npm i -D @duckdb/node-api@1.5.6-r.1`.");
  });
});

describe("the examples, from the package", () => {
  it("a log that survives a crash", async () => {
    expect(await said(place.node(place.copy("log-that-survives.mjs")))).toContain(
      "every acknowledged row is there",
    );
  });

  it("an agent with a tool of one's own and a scripted model", async () => {
    expect(await said(place.node(place.copy("agent-with-a-tool.mjs")))).toBe(
      "weather: Bergen: 19 degrees, light rain\nanswered after 2 requests; the session is a log in .bridle/agent\n",
    );
  });

  it("an operation of one's own, on the command line and over MCP", async () => {
    const program = place.copy("own-operation.mjs");
    expect(await said(place.node(program, "greet", "Ada", "--times", "2"))).toBe(
      "Hello, Ada.\nHello, Ada.\n",
    );
    const wrong = await place.node(program, "greet", "Ada", "--times", "10");
    expect([wrong.code, wrong.stdout]).toEqual([2, ""]);
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [program, "mcp-serve"],
        env: place.env,
        cwd: place.folder,
        stderr: "ignore",
      }),
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["greet"]);
    const answer = await client.callTool({ name: "greet", arguments: { name: "Bob" } });
    expect(JSON.stringify(answer)).toContain("Hello, Bob.");
    await client.close();
  });

  it("each is shorter than 60 lines", () => {
    const files = readdirSync(join(repository, "examples"), { recursive: true, encoding: "utf8" });
    const tooLong = files
      .filter((file) => file.endsWith(".mjs"))
      .filter((file) => readFileSync(join(repository, "examples", file), "utf8").split("\n").length > 60);
    expect(tooLong).toEqual([]);
  });

  long("a policy of one's own", async () => {
    place.copy("search");
    const hlq = (...words: string[]) => said(place.run(place.bin("hlq"), words));
    const market = ["--source", "synthetic", "--seed", "7", "--synthetic-markets", "3", "--days", "30"];
    await hlq("pack", "build", ...market);
    const pack = join("packs", readdirSync(join(place.folder, "packs"))[0] ?? "");
    const run = ["--pack", pack, "--policy", "./search/own-policy.mjs", "--out", "runs/own"];
    expect(await hlq("run", ...run)).toContain("own.v1");
    const stepped = await said(place.node("search/environment.mjs", pack));
    expect(stepped.trim().split("\n").length).toBeGreaterThan(2);
    expect(stepped).toMatch(/^\S+ (?:finalize_signal|finalize_low_signal|abstained) \d+$/m);
  });

  long("a test with the simulator", async () => {
    const tested = await said(place.node("--test", place.copy("simulated.test.mjs")));
    expect(tested).toContain("# pass 1");
  });

  long("a worker around any program", async () => {
    const project = new CheckedProject();
    project.put("fix.sh", '#!/bin/sh\nmkdir -p out\necho "$1" > "out/$PREMATH_ISSUE_ID"\n');
    project.commit("what does the work");
    const work = `node '${place.copy("worker.mjs")}' sh ./fix.sh`;
    const ended = await place.run(
      place.bin("bridle"),
      ["work", "start", "--work-cmd", work, "--parallel", "1", "--max-steps", "1", "--json"],
      {
        cwd: project.folder,
        env: {
          HOME: project.home,
          GIT_AUTHOR_NAME: "ada",
          GIT_AUTHOR_EMAIL: "a@b",
          GIT_COMMITTER_NAME: "ada",
          GIT_COMMITTER_EMAIL: "a@b",
        },
      },
    );
    expect(ended.code, ended.stderr).toBe(0);
    const logs = await place.run(place.bin("bridle"), ["work", "logs", "bd-1"], { cwd: project.folder });
    expect(logs.stdout).toContain("bd-1, attempt 1: sh ended with 0 after");
    expect(existsSync(join(project.folder, "out"))).toBe(false);
  });
});
