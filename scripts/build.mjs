/**
 * Builds the command line: dist/cli/main.js starts entry.js, with a lazy chunk
 * for everything that a short command does not need.
 *
 *     node scripts/build.mjs [--force]
 *
 * Nothing is done when nothing changed. Builds may run at the same time, and
 * commands may run during one: files are made in a folder of their own and moved
 * into place one by one, entry.js last. Chunks are named by their content, so an
 * old entry.js keeps the chunks it knows; those that nobody knows go after a day.
 */
import { createHash } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { externalPackages } from "./external.mjs";
import { roomBundle } from "./build/bundles.mjs";
import { generateManifest } from "./build/manifest.mjs";
import { compileAhead } from "./build/compile-ahead.mjs";
import { packPackages, packs } from "./build/pack-packages.mjs";
import { lazyBuiltins, oneCore, roomSources } from "./build/plugins.mjs";
import { sharedOutside, writeShared } from "./build/shared-modules.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = path.join(root, "dist");
const out = path.join(dist, "cli");
const recordFile = path.join(dist, ".build.json");
const manifestFile = path.join(root, "packages/surface/src/manifest/manifest.generated.json");
const staleChunkMs = 24 * 60 * 60 * 1000;

export async function build({ force = false } = {}) {
  const before = await digestOfSources();
  if (!force && (await isCurrent(before))) return { built: false };
  await mkdir(out, { recursive: true });
  const temporary = await mkdtemp(path.join(dist, ".building-"));
  try {
    const manifest = await writeManifest();
    const outputs = await bundle(temporary, manifest);
    // Writing the manifest changed the sources; that is the state which was built.
    await publish(path.join(temporary, "cli"), outputs);
    // In their place, because what V8 keeps of a chunk names its file. Until it is there, commands compile for themselves.
    outputs.files = [...outputs.files, ...(await compileAhead(out))].toSorted();
    await replaceFile(
      recordFile,
      `${JSON.stringify({ sources: await digestOfSources(), ...outputs }, null, 2)}\n`,
    );
    await removeStale(outputs);
    return { built: true };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

// --- What the build depends on ---------------------------------------------------------------------

async function digestOfSources() {
  const hash = createHash("sha256").update(process.versions.node);
  const files = ["package.json", "package-lock.json", "scripts/build.mjs"];
  const parts = await readdir(path.join(root, "scripts/build"));
  files.push(...parts.toSorted().map((part) => `scripts/build/${part}`));
  const rooms = (await readdir(path.join(root, "packages"))).toSorted();
  for (const room of rooms) files.push(...(await sourcesUnder(`packages/${room}/src`)));
  const texts = await Promise.all(files.map((file) => readFile(path.join(root, file)).catch(() => "")));
  for (const [i, file] of files.entries()) hash.update(`\0${file}\0${texts[i].length}\0`).update(texts[i]);
  return hash.digest("hex");
}

async function sourcesUnder(folder) {
  const found = await readdir(path.join(root, folder), { withFileTypes: true, recursive: true }).catch(
    () => [],
  );
  return found
    .filter((entry) => entry.isFile() && /\.(ts|json)$/.test(entry.name) && !entry.name.endsWith(".test.ts"))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

async function isCurrent(sources) {
  try {
    const record = JSON.parse(await readFile(recordFile, "utf8"));
    if (record.sources !== sources || record.entry !== sha256(await readFile(path.join(out, "entry.js"))))
      return false;
    await Promise.all([...record.files, ...record.packed].map((file) => stat(path.join(out, file))));
    return true;
  } catch {
    return false;
  }
}

// --- Making it -------------------------------------------------------------------------------------

/** Runs the rooms' definitions once, and writes down what they define. */
async function writeManifest() {
  const { manifest, text } = await generateManifest();
  if ((await readFile(manifestFile, "utf8").catch(() => "")) !== text) await replaceFile(manifestFile, text);
  return manifest;
}

async function bundle(temporary, manifest) {
  const { esbuild, options } = await bundler();
  const folder = path.join(temporary, "cli");
  await mkdir(folder);
  const shared = await writeShared({ esbuild, folder });
  const { metafile } = await esbuild.build({
    ...options,
    plugins: [sharedOutside(shared, "."), ...options.plugins],
    entryPoints: { entry: "core:" },
    outdir: folder,
    metafile: true,
    define: { BRIDLE_MANIFEST: JSON.stringify(JSON.stringify(manifest)) },
  });
  const chunks = Object.keys(metafile.outputs).map((file) => path.basename(file));
  const packed = await packPackages();
  for (const chunk of chunks) await toCommonJs({ esbuild, file: path.join(folder, chunk), packed });
  await writeFile(path.join(folder, "package.json"), '{ "type": "commonjs" }\n');
  await copyFile(path.join(root, "scripts/build/launcher.cjs"), path.join(folder, "main.js"));
  const files = ["package.json", "main.js", ...chunks, ...new Set(shared.values())].toSorted();
  return {
    shared: Object.fromEntries(shared),
    entry: sha256(await readFile(path.join(folder, "entry.js"))),
    files,
    packed: [...packed.values()].map((file) => path.relative(out, file)),
  };
}

/** esbuild splits modules only, and Node starts CommonJS many milliseconds sooner. Packages stay what they are. */
async function toCommonJs({ esbuild, file, packed }) {
  const text = await readFile(file, "utf8");
  const whereIs = (name) => (packed.has(name) ? path.relative(out, packed.get(name)) : name);
  const lazy = text
    .replaceAll(/\bimport\(("\.\/[^"]+")\)/g, "Promise.resolve().then(()=>require($1))")
    // Chunks have no module loader behind them; the launcher has.
    .replaceAll(/\bimport\("([^"]+)"\)/g, (_, name) => `importPackage(${JSON.stringify(whereIs(name))})`)
    // A file that somebody named, such as a policy of their own.
    .replaceAll(/(?<![\w$.])import\((?=[A-Za-z_$])/g, "importPackage(");
  const { code } = await esbuild.transform(lazy, {
    format: "cjs",
    platform: "node",
    target: "node20",
    minify: true,
  });
  await writeFile(file, code);
}

async function bundler() {
  const esbuild = await import("esbuild");
  const options = {
    ...roomBundle,
    chunkNames: "[name]-[hash]",
    external: externalPackages,
    plugins: [oneCore, roomSources, lazyBuiltins],
  };
  return { esbuild, options };
}

// --- Putting it in place ---------------------------------------------------------------------------

async function publish(from, { files }) {
  const chunks = files.filter((file) => file !== "entry.js");
  await Promise.all(chunks.map((file) => rename(path.join(from, file), path.join(out, file))));
  await rename(path.join(from, "entry.js"), path.join(out, "entry.js"));
}

async function replaceFile(file, text) {
  const fresh = `${file}.${process.pid}.tmp`;
  await writeFile(fresh, text);
  await rename(fresh, file);
}

/** Leftovers of builds that were killed, and chunks that no build of the last day made. */
async function removeStale({ files, packed }) {
  const known = new Set([...files, ...packed.map((file) => path.basename(path.dirname(file)))]);
  for (const [folder, isLeftover] of [
    [out, (name) => !known.has(name)],
    [packs, (name) => !known.has(name)],
    [dist, (name) => name.startsWith(".building-") || name.endsWith(".tmp")],
  ]) {
    for (const name of (await readdir(folder)).filter(isLeftover)) {
      const file = path.join(folder, name);
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Infinity }));
      if (Date.now() - mtimeMs > staleChunkMs) await rm(file, { recursive: true, force: true });
    }
  }
}

function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await build({ force: process.argv.includes("--force") });
  } catch (error) {
    // esbuild has already shown what it found.
    if (!Array.isArray(error?.errors))
      process.stderr.write(`error: the build failed: ${error?.stack ?? error}\n`);
    process.exitCode = 1;
  }
}
