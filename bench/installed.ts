/** Bridle as it is installed: how fast a command starts from the tarball, on two versions of Node, and what npx costs. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, renameSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { everyNode } from "../test/support/other-nodes.js";
import { judge, type Line } from "./measure.js";

const rounds = 25;

interface Packed {
  readonly file: string;
}

export async function benchInstalled(folder: string, root: string): Promise<Line[]> {
  const script = pathToFileURL(join(root, "scripts/package.mjs")).href;
  const { makePackage } = (await import(script)) as {
    makePackage(options: { out: string }): Promise<Packed>;
  };
  const { file } = await makePackage({ out: join(folder, "package") });
  const place = unpack(file, { folder, root });
  const nodes = everyNode().filter(({ version }) => /^2[04]\./.test(version));
  return [...nodes.flatMap((node) => coldStart(place, { node, folder, root })), npxLine(file, folder)];
}

function unpack(file: string, { folder, root }: { folder: string; root: string }): string {
  const modules = join(folder, "installed", "node_modules");
  mkdirSync(modules, { recursive: true });
  execFileSync("tar", ["xzf", file, "-C", modules]);
  renameSync(join(modules, "package"), join(modules, "bridle"));
  for (const name of ["typebox", "minisearch"])
    cpSync(join(root, "node_modules", name), join(modules, name), { recursive: true });
  return join(modules, "bridle");
}

interface Where {
  readonly node: { readonly program: string; readonly version: string };
  readonly folder: string;
  readonly root: string;
}

/**
 * From the second run on. The checkout is built by this process's Node, which compiled it ahead; with another one it
 * keeps what it compiled where the package does.
 */
function coldStart(installed: string, { node, folder, root }: Where): Line[] {
  const cwd = mkdtempSync(join(folder, "cold "));
  const env = { PATH: process.env["PATH"] ?? "", HOME: cwd, NO_COLOR: "1" };
  const spend = (where: string, ...words: string[]): number => {
    const start = performance.now();
    const child = spawnSync(node.program, [join(where, "bin/premath"), ...words], { cwd, env });
    const ms = performance.now() - start;
    if (child.status !== 0) throw new Error(`${words.join(" ")} failed: ${String(child.stderr)}`);
    return ms;
  };
  spend(installed, "harness-session", "write", "--state", "active");
  return [["harness-session", "read"], ["help"]].map((words) => {
    spend(root, ...words);
    spend(installed, ...words);
    const ratios: number[] = [];
    let ms = 0;
    for (let round = 0; round < rounds; round++) {
      const there = spend(root, ...words);
      ms = spend(installed, ...words);
      ratios.push(ms / there);
    }
    const name = `premath ${words.join(" ")} from the tarball, Node ${node.version.split(".")[0]}`;
    return judge(
      { name, against: "the checkout", ratio: middle(ratios), note: `${ms.toFixed(0)} ms` },
      { atMost: 1.1 },
    );
  });
}

/** The registry has a part in it. */
function npxLine(file: string, folder: string): Line {
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const seconds = [1, 2, 3].map(() => {
    const cwd = mkdtempSync(join(folder, "npx "));
    const env = { PATH: process.env["PATH"] ?? "", HOME: cwd, npm_config_registry: registry };
    const start = performance.now();
    const child = spawnSync("npx", ["--yes", "-p", file, "bridle", "--version"], {
      cwd,
      env,
      encoding: "utf8",
    });
    if (child.status !== 0) throw new Error(`npx failed: ${child.stderr}`);
    return (performance.now() - start) / 1000;
  });
  const took = middle(seconds);
  return judge(
    {
      name: "npx <tarball> --version, cold cache",
      against: "5 s",
      ratio: took / 5,
      note: `${took.toFixed(1)} s`,
    },
    { atMost: 1 },
  );
}

function middle(values: number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] as number;
}
