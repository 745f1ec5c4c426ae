/**
 * A tarball tried as its first user would: npm installs it into an empty folder, and there its commands are
 * typed, with a home that has nothing of ours. What does not work is an Error that says so.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

/** What is typed, and what must be said then. */
const firstMinute = (version) => [
  ["bridle --version", `bridle ${version}\n`],
  ["premath --version", `premath ${version}\n`],
  ["hlq --version", `hlq ${version}\n`],
  ["git init --quiet", ""],
  ["bridle init --yes", "done"],
  ["premath issue add 'Retry the flaky upload once'", "added"],
  ["bridle ready", "1 ready"],
  ["bridle help", "bridle init"],
  [`node --input-type=module -e 'import { Log } from "bridle/record"; console.log(typeof Log)'`, "function"],
];

/** Resolves with the bytes that it takes on the disk. */
export async function tryPackage(file, version) {
  const place = await mkdtemp(path.join(tmpdir(), "bridle trial "));
  try {
    const folder = path.join(place, "project");
    const home = path.join(place, "home");
    for (const each of [folder, home]) await mkdir(each);
    await writeFile(path.join(folder, "package.json"), '{ "private": true }\n');
    // With the settings of npm that whoever releases has: they say where the registry is.
    await run("npm", ["install", "--save-dev", "--no-audit", "--no-fund", file], { cwd: folder });
    const bin = path.join(folder, "node_modules/.bin");
    const env = { PATH: [bin, process.env.PATH].join(path.delimiter), HOME: home, NO_COLOR: "1" };
    for (const [typed, wanted] of firstMinute(version)) {
      const said = await run("sh", ["-c", typed], { cwd: folder, env, typed });
      if (!said.includes(wanted))
        throw new Error(`\`${typed}\` does not say ${JSON.stringify(wanted)}:\n${said}`);
    }
    return await bytesBelow(path.join(folder, "node_modules/bridle"));
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function run(command, args, { typed = [command, ...args].join(" "), ...options }) {
  try {
    const { stdout } = await promisify(execFile)(command, args, options);
    return stdout;
  } catch (error) {
    const said = String(error.stderr || error.message)
      .trim()
      .split("\n")
      .slice(0, 12)
      .join("\n");
    throw new Error(`\`${typed}\` ended with ${error.code}:\n${said}`, { cause: error });
  }
}

async function bytesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
