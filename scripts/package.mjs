/**
 * Makes dist/bridle-<version>.tgz, what a user installs: the commands, the
 * library with its types, schemas, policies and guides; no sources and no tests.
 *
 *     node scripts/package.mjs [--out <folder>] [--without-types]
 *     node scripts/package.mjs --prepare
 *
 * `--prepare` only builds: it is what npm runs in a clone that it made for a git
 * URL, before it packs that clone by the `files` of package.json itself. In a
 * checkout dist/ also holds what earlier builds left, so here the files are
 * gathered first, and package.json without what only a checkout needs.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "./build.mjs";
import { buildLibrary } from "./build/library.mjs";
import { root } from "./ensure.mjs";

const dist = path.join(root, "dist");
/** What a package may weigh, in bytes. */
export const packageLimits = { packedMax: 3_000_000, unpackedMax: 12_000_000 };
const checkoutOnly = ["workspaces", "scripts", "devDependencies", "overrides"];

/** `{ file, packed, unpacked, files }`, sizes in bytes. */
export async function makePackage({ out = dist, types = true } = {}) {
  await mkdir(out, { recursive: true });
  const temporary = await mkdtemp(path.join(out, ".packing-"));
  try {
    const staged = path.join(temporary, "bridle");
    // The library of the checkout has its types; one without them is nobody's but the package's.
    await prepare(types ? {} : { types, place: path.join(staged, "dist/lib") });
    await stage(staged);
    const { stdout } = await npm(
      ["pack", "--json", "--ignore-scripts", "--pack-destination", temporary],
      staged,
    );
    const [made] = Object.values(JSON.parse(stdout));
    const file = path.join(out, made.filename);
    await rename(path.join(temporary, made.filename), file);
    return {
      file,
      packed: made.size,
      unpacked: made.unpackedSize,
      files: made.files.map((each) => each.path),
    };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function prepare(library = {}) {
  await build();
  const { shared } = await readJson(path.join(dist, ".build.json"));
  await buildLibrary({ shared, ...library });
}

/** Schemas are for programs, so the package holds them without the room between their words. */
async function put(from, to) {
  if (path.dirname(from) !== path.join(root, "schemas")) return cp(from, to);
  await mkdir(path.dirname(to), { recursive: true });
  await writeFile(to, `${JSON.stringify(await readJson(from))}\n`);
}

async function stage(folder) {
  const { files, packed } = await readJson(path.join(dist, ".build.json"));
  const manifest = await readJson(path.join(root, "package.json"));
  const current = new Set([
    ...files.filter((file) => !file.endsWith(".compiled")).map((file) => `dist/cli/${file}`),
    ...packed.map((file) => path.dirname(path.join("dist/cli", file))),
  ]);
  const isCurrent = (file) =>
    !/^dist\/(?:cli|packages)\//.test(file) || current.has(file) || current.has(path.dirname(file));
  const wanted = [...manifest.files.filter((name) => !name.startsWith("!")), "README.md", "LICENSE"];
  const made = (await readdir(folder, { recursive: true }).catch(() => [])).length > 0;
  const missing = made ? wanted.filter((name) => name !== "dist/lib") : wanted;
  for (const file of (await Promise.all(missing.map(filesAt))).flat().filter(isCurrent))
    await put(path.join(root, file), path.join(folder, file));
  const trimmed = Object.entries(manifest).filter(([field]) => !checkoutOnly.includes(field));
  await writeFile(
    path.join(folder, "package.json"),
    `${JSON.stringify(Object.fromEntries(trimmed), null, 2)}\n`,
  );
}

/** A file, or those below a folder, relative to the root. */
async function filesAt(name) {
  if ((await stat(path.join(root, name))).isFile()) return [name];
  const found = await readdir(path.join(root, name), { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}

function npm(args, cwd) {
  return promisify(execFile)("npm", args, { cwd, maxBuffer: 1 << 24 });
}

async function readJson(file) {
  return JSON.parse(await readFile(file, "utf8"));
}

/** npm 11 installs nothing that the build needs, and would leave a link to a clone that it removes. */
function refuseGlobal({ npm_config_global: isGlobal }) {
  if (isGlobal !== "true") return;
  throw new Error(
    "npm cannot install Bridle from a git URL globally; make the package first: `npm pack <git URL>`, then `npm i -g ./bridle-*.tgz`",
  );
}

function sayMade({ file, packed, unpacked, files }) {
  const mb = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
  process.stdout.write(
    `  ${path.relative(process.cwd(), file)}   ${files.length} files, ${mb(packed)} packed, ${mb(unpacked)} unpacked\n`,
  );
  const { packedMax, unpackedMax } = packageLimits;
  if (packed > packedMax || unpacked > unpackedMax)
    throw new Error(`the package is larger than ${mb(packedMax)} packed or ${mb(unpackedMax)} unpacked`);
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    const args = process.argv.slice(2);
    const types = !args.includes("--without-types");
    if (args.includes("--prepare")) {
      refuseGlobal(process.env);
      await prepare();
    } else {
      const at = args.indexOf("--out");
      sayMade(await makePackage({ types, ...(at < 0 ? {} : { out: path.resolve(args[at + 1]) }) }));
    }
  } catch (error) {
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
  }
}
