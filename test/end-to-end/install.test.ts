/**
 * Installed in every way that docs/guides/installing.md names, by people who have nothing of ours: a home of
 * their own, an empty npm cache, a path with spaces. What they do first works in each.
 *
 * npm fetches what the package depends on, so this is a proof; `npm test` has the same
 * package without npm in package.test.ts.
 */
import { execFileSync } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadManifest } from "../../packages/surface/src/manifest/load.js";
import { madeOnce, repository } from "../support/built.js";
import { newFolder } from "../support/folder.js";
import { git } from "../support/git.js";
import { CleanPlace, type Ended, packageScript, type Packed } from "../support/installed.js";
import { chat, ModelServer } from "../support/model-server.js";
import { type NodeProgram, supportedNodes } from "../support/other-nodes.js";
import { full } from "../support/scale.js";

/** How this machine gets at a registry at all: its address, its certificates, a proxy. */
function wayToTheRegistry(): Record<string, string> {
  const network =
    /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|(?:https?|all|no)_proxy|npm_config_cafile)$/i;
  const kept = Object.entries(process.env).filter(([name]) => network.test(name));
  const registry = execFileSync("npm", ["config", "get", "registry"], { cwd: repository, encoding: "utf8" });
  return { ...(Object.fromEntries(kept) as Record<string, string>), npm_config_registry: registry.trim() };
}

/** That of a release, which is tried before it is tagged. */
function alreadyMade(file: string): Packed {
  const said = execFileSync("npm", ["pack", "--dry-run", "--json", file], { encoding: "utf8" });
  const [{ size, unpackedSize, files }] = JSON.parse(said) as [
    { size: number; unpackedSize: number; files: readonly { path: string }[] },
  ];
  return { file, packed: size, unpacked: unpackedSize, files: files.map(({ path }) => path) };
}

type Bin = "bridle" | "premath" | "hlq";

interface Person {
  readonly uid: number;
  readonly gid: number;
}

const nobody: Person = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
let made: Packed;

/** Somebody with a folder, and how they start things. */
class Somebody extends CleanPlace {
  readonly tarball: string;
  private readonly network = wayToTheRegistry();

  constructor(readonly person?: Person) {
    const parent = newFolder();
    super(parent);
    this.tarball = join(parent, basename(made.file));
    cpSync(made.file, this.tarball);
    if (person !== undefined) give(parent, person);
  }

  start(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
    return this.run(command, args, {
      env: { ...this.network, npm_config_update_notifier: "false", ...env },
      ...(this.person === undefined ? {} : { user: this.person }),
    });
  }

  async npm(...args: readonly string[]): Promise<Ended> {
    const ended = await this.start("npm", [...args, "--no-audit", "--no-fund"]);
    expect(ended.code, `npm ${args.join(" ")}\n${ended.stdout}${ended.stderr}`).toBe(0);
    return ended;
  }
}

interface Way {
  readonly name: string;
  install(who: Somebody): Promise<Ended | undefined>;
  /** What is typed before the words of a command. */
  typed(who: Somebody, bin: Bin): readonly [string, ...string[]];
}

const prefix = (who: Somebody) => join(who.home, ".local");
const fromTarball: readonly Way[] = [
  {
    name: "the tarball as a dev dependency",
    install: (who) => who.npm("install", "--save-dev", who.tarball),
    typed: (_, bin) => [`node_modules/.bin/${bin}`],
  },
  {
    name: "the tarball globally",
    install: (who) => who.npm("install", "--global", "--prefix", prefix(who), who.tarball),
    typed: (who, bin) => [join(prefix(who), "bin", bin)],
  },
  {
    name: "the tarball with npx",
    install: async () => undefined,
    typed: (who, bin) => ["npx", "--yes", "-p", who.tarball, bin],
  },
];

function give(folder: string, { uid, gid }: Person): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    chownSync(join(folder, name), uid, gid);
  chownSync(folder, uid, gid);
}

/** What git knows or would add, as a repository of its own. */
function repositoryNow(folder: string): string {
  const listed = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: repository,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const clone = join(folder, "repository");
  for (const file of listed.split("\0").filter((name) => name !== "" && existsSync(join(repository, name)))) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(repository, file), join(clone, file));
  }
  git(clone, "init", "--quiet", "--initial-branch", "main");
  git(clone, "add", "--all");
  git(
    clone,
    "-c",
    "user.name=ada",
    "-c",
    "user.email=ada@example.org",
    "commit",
    "--quiet",
    "--message",
    "now",
  );
  return clone;
}

function good(ended: Ended): string {
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  return ended.stdout;
}

/** What everybody does first, in that order; what was done. */
async function firstMinute(who: Somebody, way: Way): Promise<readonly string[]> {
  const run = (bin: Bin, words: readonly string[], env?: Record<string, string>) => {
    const [command, ...first] = way.typed(who, bin);
    return who.start(command, [...first, ...words], env);
  };
  const { version } = loadManifest();
  expect(good(await run("bridle", ["--version"]))).toBe(`bridle ${version}\n`);
  good(await who.start("git", ["init", "--quiet"]));
  good(await run("bridle", ["init", "--yes"]));
  good(await run("premath", ["issue", "add", "Retry the flaky upload once"]));
  expect(good(await run("bridle", ["issue", "ready"]))).toContain("1 ready");

  const server = await ModelServer.start();
  server.reply(chat({ text: ["Hello from loopback."] }));
  const key = { AGENT_API_BASE_URL: `${server.url}/v1`, AGENT_API_KEY: "canary", AGENT_MODEL: "tiny" };
  expect(good(await run("bridle", ["chat", "hello"], key))).toContain("Hello from loopback.");

  const market = ["--source", "synthetic", "--seed", "7", "--synthetic-markets", "3", "--days", "30"];
  good(await run("hlq", ["pack", "build", ...market]));
  return ["--version", "init", "add", "ready", "chat", "pack build"];
}

/** DuckDB is not there; the command that the message names adds it. */
async function addDuckDb(who: Somebody, way: Way): Promise<void> {
  const question = ["ask", "biggest movers last 24h", "--top", "1"];
  const [command, ...first] = way.typed(who, "hlq");
  const without = await who.start(command, [...first, ...question]);
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining("market_engine_missing")]);
  const adding = /Add it with `([^`]+)`/.exec(without.stderr)?.[1] ?? "";
  const shell = (line: string) =>
    who.start("sh", ["-c", line], { npm_config_prefix: prefix(who), npm_config_yes: "true" });
  if (adding.startsWith("npx ")) {
    const words = question.map((word) => `'${word}'`).join(" ");
    expect(good(await shell(adding.replace("…", words)))).toContain("Synthetic data");
    return;
  }
  good(await shell(adding));
  expect(good(await who.start(command, [...first, ...question]))).toContain("Synthetic data");
}

/** Without the hashes, which are those of the folder that a build was made in. */
function shapeOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => lstatSync(join(folder, file)).isFile())
    .map((file) => file.replace(/-[0-9A-Z]{8}(?=\.js$)/, "").replace(/packages\/[0-9a-f]{16}/, "packages"))
    .toSorted();
}

async function trying(
  who: Somebody,
  way: Way,
  more: (who: Somebody, way: Way) => Promise<void>,
): Promise<void> {
  const installed = await way.install(who);
  const done = await firstMinute(who, way);
  await more(who, way);
  const how = who.person === undefined ? (isRoot ? "root" : "this user") : "an ordinary user";
  const took = installed === undefined ? "" : ` in ${installed.seconds.toFixed(1)} s`;
  console.log(`proof: ${way.name}, as ${how}${took}: ${done.join(", ")}`);
}

describe("the guide", () => {
  it("names every way of installing that is tried here, with the version and the size", () => {
    const text = readFileSync(join(repository, "docs/guides/installing.md"), "utf8");
    const { version } = loadManifest();
    for (const way of ["npm pack <git URL>", "npm i -g ./", "npm i -D ./", "npx -p ./"])
      expect(text).toContain(way);
    expect([...text.matchAll(/bridle-(\d+\.\d+\.\d+)\.tgz/g)].map(([, named]) => named)).toEqual(
      Array.from({ length: 4 }, () => version),
    );
    expect(text).toContain("One package of 3 MB");
  });
});

if (full) {
  beforeAll(async () => {
    const given = process.env["BRIDLE_TEST_PACKAGE"];
    if (given !== undefined) {
      made = alreadyMade(given);
      return;
    }
    const { makePackage } = await packageScript();
    await madeOnce("the whole package", async (out) => {
      made = await makePackage({ out, types: true });
    });
  }, 300_000);

  describe("from an empty folder, with nothing of ours", () => {
    it.each(fromTarball)("$name", (way) => trying(new Somebody(), way, addDuckDb), 600_000);

    if (isRoot) {
      it.each(fromTarball)(
        "$name, for an ordinary user",
        (way) => trying(new Somebody(nobody), way, async () => {}),
        600_000,
      );
    }

    it("npx of the tarball, from a cold cache", async () => {
      const { packedMax, unpackedMax } = (await packageScript()).packageLimits;
      expect(made.packed).toBeLessThanOrEqual(packedMax);
      expect(made.unpacked).toBeLessThanOrEqual(unpackedMax);
      const who = new Somebody();
      const ended = await who.start("npx", ["--yes", "-p", who.tarball, "bridle", "--version"]);
      good(ended);
      const sizes = `${(made.packed / 1e6).toFixed(2)} MB packed, ${(made.unpacked / 1e6).toFixed(2)} MB unpacked`;
      console.log(
        `proof: ${sizes}; npx <tarball> --version in ${ended.seconds.toFixed(1)} s of a cold cache`,
      );
    }, 300_000);

    it("a git URL as a dev dependency has the files of the tarball, and npx takes it too; globally it is refused", async () => {
      const who = new Somebody();
      const url = `git+file://${repositoryNow(newFolder())}`;
      const way: Way = {
        name: "a git URL as a dev dependency",
        install: () => who.npm("install", "--save-dev", url),
        typed: (_, bin) => [`node_modules/.bin/${bin}`],
      };
      await trying(who, way, async () => {
        const packed = new CleanPlace(newFolder());
        packed.unpack(made);
        expect(shapeOf(join(who.folder, "node_modules/bridle"))).toEqual(
          shapeOf(join(packed.folder, "node_modules/bridle")),
        );
      });
      const npx = await who.start("npx", ["--yes", "-p", url, "hlq", "--version"], { PATH: plainPath(who) });
      expect(good(npx)).toContain("hlq ");
      const global = await who.start("npm", ["install", "--global", "--prefix", prefix(who), url]);
      expect(global.code).not.toBe(0);
      expect(global.stderr).toContain("npm pack <git URL>");
      rmSync(join(who.home, ".npm"), { recursive: true, force: true });
    }, 1_200_000);
  });

  describe("the types", () => {
    it("of every room and of the examples check in a project that has nothing but the package", async () => {
      const who = new Somebody();
      const rooms = readdirSync(join(repository, "packages"));
      await who.npm("install", "--save-dev", who.tarball);
      for (const example of readdirSync(join(repository, "examples"))) who.copy(example);
      const names = rooms.map((room) => `import * as ${room} from "bridle/${room}";`);
      writeFileSync(join(who.folder, "all.mts"), `${names.join("\n")}\nexport { ${rooms.join(", ")} };\n`);
      mkdirSync(join(who.folder, "node_modules/@types"));
      for (const types of ["node", "../undici-types"])
        symlinkSync(
          join(repository, "node_modules/@types", types),
          join(who.folder, "node_modules/@types", types),
        );
      const tsc = join(repository, "node_modules/typescript/bin/tsc");
      for (const resolution of [
        ["--module", "nodenext"],
        ["--module", "preserve", "--moduleResolution", "bundler"],
      ]) {
        const flags = [
          "--noEmit",
          "--strict",
          "--allowJs",
          "--checkJs",
          "--target",
          "es2023",
          "--types",
          "node",
        ];
        const files = ["all.mts", ...readdirSync(who.folder).filter((name) => name.endsWith(".mjs"))];
        expect(good(await who.node(tsc, ...flags, ...resolution, ...files))).toBe("");
      }
      console.log(`proof: types of ${rooms.length} rooms and the examples check, without skipLibCheck`);
    }, 300_000);
  });

  describe("the package on every Node that is supported", () => {
    it("starts, keeps what it compiled, and runs the examples", async () => {
      const place = new CleanPlace(newFolder());
      place.unpack(made);
      const examples = ["log-that-survives.mjs", "agent-with-a-tool.mjs"].map((name) => place.copy(name));
      const nodes = supportedNodes();
      for (const { program, version } of nodes as readonly NodeProgram[]) {
        const run = (...words: string[]) => place.run(program, words);
        for (const time of ["first", "second"])
          expect(good(await run(place.bin("premath"), "issue", "add", `${time} with ${version}`))).toContain(
            "added",
          );
        for (const example of examples) good(await run(example));
        const kept = readdirSync(join(place.home, ".cache/bridle/compiled")).filter((name) =>
          name.includes(version),
        );
        expect(kept.length).toBeGreaterThan(0);
        // What the build's own Node compiled stands beside the chunks there, and would crash another.
        good(await run(join(repository, "bin/premath"), "--version"));
      }
      console.log(
        `proof: commands and examples from the package on Node ${nodes.map((each) => each.version).join(", ")}`,
      );
    }, 600_000);
  });
}

/** Where npx must fetch, because the project's own commands are not on the way. */
function plainPath(who: Somebody): string {
  return (who.env["PATH"] ?? "").split(":").slice(1).join(":");
}
