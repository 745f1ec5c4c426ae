/**
 * A client reaches no further than its folder: every way out that we know, in
 * every path of every tool, against a real server that may write.
 *
 * What counts is the disk: nothing outside was read (its times of access), made
 * or changed, and nothing of it came back in an answer.
 */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type ManifestEntry, propertiesOf } from "@bridle/operation";
import type { JsonObject } from "@bridle/record";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect, test } from "vitest";
import { loadManifest } from "../../packages/surface/src/manifest/load.js";
import { newFolder } from "../support/folder.js";
import { Premath } from "../support/premath.js";
import { full } from "../support/scale.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

const secret = "do-not-tell-4711";
const long = `${"a/".repeat(1200)}${"../".repeat(1200)}../outside/issues.jsonl`;

/** A project beside what it must not reach, with every link that a repository could bring along. */
class Ground {
  readonly parent = newFolder();
  readonly project = join(this.parent, "project");
  readonly outside = join(this.parent, "outside");

  constructor() {
    const { project, outside } = this;
    const row = JSON.stringify({ id: "bd-1", title: secret, status: "open", owner: secret });
    for (const folder of [outside, `${project}-twin`]) {
      this.put(join(folder, "issues.jsonl"), `${row}\n`);
      this.put(join(folder, ".premath/issues.jsonl"), `${row}\n`);
      this.put(join(folder, ".premath/harness_trajectory.jsonl"), `{"note":"${secret}"}\nbroken ${secret}\n`);
      this.put(join(folder, ".premath/harness_session.json"), `{"summary":"${secret}"}\n`);
      this.put(join(folder, "events.jsonl"), `{"schema":"issue.event.v1","note":"${secret}"}\n`);
    }
    this.put(join(project, ".premath/issues.jsonl"), `${row.replaceAll(secret, "inside")}\n`);
    mkdirSync(join(project, "sub"));
    const link = (name: string, target: string) => {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      symlinkSync(target, join(project, name));
    };
    link("link-file", "../outside/issues.jsonl");
    link("link-folder", outside);
    link("link-nowhere", "../outside/made/none.jsonl");
    link("link-chain", "link-file");
    link("link-loop", "link-loop");
    link("link-root", "/");
    link("link-proc", "/proc/self/cwd/../outside");
    link("sub/link-up", "../..");
    link("linked-premath/.premath", join(outside, ".premath"));
    for (const name of ["issues.jsonl", "harness_session.json", "harness_trajectory.jsonl", "memory"])
      link(`linked-files/.premath/${name}`, join(outside, ".premath", name));
    link("linked-files/.premath/harness_feature_ledger.json", join(outside, "made-ledger.json"));
    link("linked-events/.premath/memory/events.jsonl", join(outside, "events.jsonl"));
    link("linked-local/.premath/.local", join(outside, "made-local"));
    link("linked-locks/.premath/.local/locks", join(outside, "made-locks"));
    link("beside/.bridle", join(outside, "made-bridle"));
    link("cached/replay-cache.json", join(outside, "made-cache.json"));
    this.age();
  }

  private put(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Access before change, so that a disk which notes access at all notes the next one. */
  age(): void {
    for (const path of this.files())
      utimesSync(path, new Date(1_000_000_000_000), new Date(1_100_000_000_000));
  }

  private files(): string[] {
    return [this.outside, `${this.project}-twin`].flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    );
  }

  /** Everything outside the project: names, sizes, times of change and of access. */
  seen(): string {
    const all = readdirSync(this.parent, { recursive: true, withFileTypes: true })
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => path !== this.project && !path.startsWith(`${this.project}/`));
    return all
      .sort()
      .map((path) => {
        const { size, mtimeMs, atimeMs, mode } = statSync(path);
        return JSON.stringify([path, size, mtimeMs, statSync(path).isFile() ? atimeMs : 0, mode]);
      })
      .join("\n");
  }
}

/** Those that lead out, whatever else is true. */
function waysOut({ parent, project, outside }: Ground): string[] {
  const at = (...names: string[]) => names.map((name) => join(outside, name));
  return [
    ...[outside, parent, "/", "/etc", "/etc/passwd", "/etc/shadow", "/tmp", "/var/log", "/root", "/dev/null"],
    ...at("issues.jsonl", "made-by-client.jsonl", "deep/er/made.jsonl", ".premath", ".premath/issues.jsonl"),
    ...[
      `${project}-twin`,
      `${project}-twin/issues.jsonl`,
      `${project}/../outside/issues.jsonl`,
      `//${outside}`,
    ],
    ...[
      "..",
      "../",
      "../..",
      "../outside",
      "../outside/issues.jsonl",
      "../outside/made.jsonl",
      "./../outside",
    ],
    ...[
      "sub/../../outside/issues.jsonl",
      "sub/./.././../outside",
      "..//outside//issues.jsonl",
      "../project-twin",
    ],
    ...[
      "../../../../../../../../etc/passwd",
      "missing/../../outside/issues.jsonl",
      "sub/../../outside/made/x.jsonl",
    ],
    ...["link-file", "link-folder", "link-folder/issues.jsonl", "link-folder/made.jsonl", "link-nowhere"],
    ...[
      "link-chain",
      "link-loop",
      "link-root",
      "link-root/etc/passwd",
      "link-proc",
      "link-proc/issues.jsonl",
    ],
    ...[
      "sub/link-up",
      "sub/link-up/outside/issues.jsonl",
      "sub/../link-file",
      "./link-folder/",
      "link-folder/.",
    ],
    ...["link-folder/deep/er/made.jsonl", "linked-premath/.premath/issues.jsonl"],
    "linked-files/.premath/issues.jsonl",
    ...[
      "/proc/self/root/etc/passwd",
      "/proc/self/environ",
      "/proc/1/cmdline",
      "/proc/self/fd/0",
      "/proc/self/maps",
    ],
    ...[
      "/proc/self/cwd/../outside/issues.jsonl",
      "/proc/thread-self/cwd/../outside",
      "/dev/fd/0",
      "/dev/shm/made",
    ],
    ...["issues.jsonl\0", "../outside/issues.jsonl\0.jsonl", "\0/etc/passwd", long],
  ];
}

/** Of files: what is opened beside them leads out. */
const filesOut = ["beside/any.jsonl", "linked-local/.premath/any.jsonl", "linked-locks/.premath/any.jsonl"];

/** Of roots: the folder is inside, what its `.premath` leads to is not. */
const rootsOut = ["linked-premath", "linked-files", "linked-events", "linked-local", "linked-locks"];

/** Names that look like a way out to somebody; here they are names, and must be no more than that. */
const odd = [
  ...[
    "file:///etc/passwd",
    "FILE://localhost/etc/passwd",
    "http://127.0.0.1:1/issues.jsonl",
    "jar:file:/etc/passwd!/",
  ],
  ...[
    "%2e%2e/outside/issues.jsonl",
    "..%2foutside",
    "..\\outside\\issues.jsonl",
    "\u2025/outside",
    "\uff0e\uff0e/outside",
  ],
  ...[
    "..\u2215outside",
    "..\u2044outside\u2044issues.jsonl",
    "\u202e../outside".slice(0, 1) + "x",
    "~/.ssh/id_rsa",
  ],
  ...[
    "~root/.bashrc",
    "$HOME/.ssh/id_rsa",
    "${PWD}/../outside".replaceAll("/..", "/x"),
    "C:\\Windows\\win.ini",
  ],
  ...["\\\\?\\C:\\x", "issues.jsonl::$DATA", "con", "cached/issues.jsonl", "a\u0301/../\u00e1/x.jsonl"],
];

const tools = loadManifest().operations.filter(({ surfaces }) => surfaces.includes("mcp"));

/** What a call needs besides the path, by what its schema says. */
function filledIn({ input }: ManifestEntry): JsonObject {
  const required = propertiesOf(input).filter((property) => property.required);
  return Object.fromEntries(
    required.map(({ name, kind, choices, list, path }) => {
      const value =
        path !== undefined
          ? "sub"
          : choices?.[0] !== undefined
            ? choices[0]
            : kind === "integer" || kind === "number"
              ? 1
              : kind === "boolean"
                ? true
                : name.endsWith("At")
                  ? "2026-01-01T00:00:00Z"
                  : "bd-1";
      return [name, list ? [value] : value];
    }),
  );
}

async function connected(ground: Ground): Promise<Client> {
  const families = ["premath", "hlq", "bridle"].flatMap((family) => ["--family", family]);
  const client = new Client({ name: "bridle-test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [
        premath.program,
        "mcp-serve",
        "--root",
        ground.project,
        "--mutation-policy",
        "open",
        ...families,
      ],
      cwd: ground.project,
      stderr: "ignore",
    }),
  );
  return client;
}

describe("a path in a call", () => {
  test("is marked as one wherever it is one", () => {
    const unmarked = tools.flatMap(({ names, input }) =>
      propertiesOf(input)
        .filter(({ name, placeholder, path, kind }) => {
          const says = ["path", "file", "folder", "dir"].includes(placeholder);
          const named = /(path|file|folder|root|repo|dir)$/i.test(name);
          return (says || named) && path === undefined && kind === "string";
        })
        .map(({ name }) => `${names.tool}.${name}`),
    );
    expect(unmarked).toEqual([]);
  });

  test("leads out of the folder in no way that we know", async () => {
    const ground = new Ground();
    const ways = waysOut(ground);
    expect(ways.length).toBeGreaterThanOrEqual(60);
    const client = await connected(ground);
    const before = ground.seen();
    let calls = 0;
    let refused = 0;
    const offenders: string[] = [];
    const call = async (
      entry: ManifestEntry,
      name: string,
      list: boolean,
      way: string,
      mustRefuse: boolean,
    ) => {
      calls++;
      const given = { ...filledIn(entry), [name]: list ? [way] : way };
      const result = await client.callTool({ name: entry.names.tool, arguments: given });
      const text = JSON.stringify(result);
      const isRefused = text.includes("failureClass=path_outside");
      if (isRefused) refused++;
      if (text.includes(secret) || (mustRefuse && !isRefused)) {
        offenders.push(
          `${entry.names.tool}.${name} ${JSON.stringify(way.slice(0, 60))}: ${text.slice(0, 200)}`,
        );
      }
    };
    try {
      for (const [at, entry] of tools.entries()) {
        const paths = propertiesOf(entry.input).filter(
          ({ path, commandLineOnly }) => path && !commandLineOnly,
        );
        for (const [of, { name, path, list }] of paths.entries()) {
          const some = (all: readonly string[]) =>
            full ? all : all.filter((_, index) => index % 9 === (at + of) % 9);
          for (const way of some(ways)) await call(entry, name, list, way, true);
          for (const way of path === "root" ? rootsOut : filesOut) await call(entry, name, list, way, true);
          for (const way of some(odd)) await call(entry, name, list, way, false);
        }
      }
    } finally {
      await client.close();
    }
    expect(offenders).toEqual([]);
    expect(ground.seen()).toBe(before);
    // A disk that does not note access would make the last line say less than it seems to.
    readFileSync(join(ground.outside, "issues.jsonl"));
    const notesAccess = ground.seen() !== before;
    console.log(
      `proof: ${ways.length + rootsOut.length + filesOut.length + odd.length} ways x every path of ${tools.length} tools: ` +
        `${calls} calls, ${refused} refused, 0 reads${notesAccess ? "" : " (access is not noted on this disk)"}, writes or creations outside`,
    );
  }, 900_000);

  test("of a read makes nothing beside the file, not even inside the folder", async () => {
    const ground = new Ground();
    mkdirSync(join(ground.project, "logs"));
    writeFileSync(join(ground.project, "logs/any.jsonl"), "no rows at all\n");
    const client = await connected(ground);
    try {
      for (const [name, given] of [
        ["log_verify", { path: "logs/any.jsonl" }],
        ["harness_trajectory_query", { path: "logs/any.jsonl" }],
        ["issue_list", { issuesPath: "logs/any.jsonl" }],
        ["harness_session_read", { path: "logs/none.json" }],
      ] as const)
        await client.callTool({ name, arguments: given });
    } finally {
      await client.close();
    }
    expect(readdirSync(join(ground.project, "logs"))).toEqual(["any.jsonl"]);
  });
});

test("a refused mutation names the command that would allow it, also when it brings an instructionId", async () => {
  const ground = new Ground();
  const client = new Client({ name: "bridle-test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [premath.program, "mcp-serve"],
      cwd: ground.project,
      stderr: "ignore",
    }),
  );
  try {
    const { tools: listed } = await client.listTools();
    const size = Buffer.byteLength(JSON.stringify({ tools: listed }));
    expect(size).toBeLessThan(30_000);
    expect(new Set(listed.map(({ name }) => name.split("_")[0]))).toEqual(
      new Set(["issue", "dep", "harness", "observe", "instruction"]),
    );
    expect(JSON.stringify(listed)).not.toContain('"x-');
    const told = async (more: JsonObject) =>
      JSON.stringify(
        (await client.callTool({ name: "issue_add", arguments: { title: "x", ...more } })).content,
      );
    const bare = await told({});
    expect(bare).toContain("mutation.use_evidence_missing");
    expect(bare).toContain("premath lane open");
    expect(bare).toContain("docs/guides/how-a-change-becomes-done.md");
    const claimed = await told({ instructionId: "instr-1" });
    expect(claimed).toContain("mutation.witness_missing");
    expect(claimed).toContain("premath instruction-run");
  } finally {
    await client.close();
  }
});
