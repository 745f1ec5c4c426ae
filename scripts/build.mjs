/**
 * Builds the command line: dist/cli/main.js, with a lazy chunk for everything
 * that a short command does not need.
 *
 *     node scripts/build.mjs [--force]
 *
 * Nothing is done when nothing changed. Builds may run at the same time, and
 * commands may run during one: files are made in a folder of their own and moved
 * into place one by one, main.js last. Chunks are named by their content, so an
 * old main.js keeps the chunks it knows; those that nobody knows go after a day.
 */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const packages = path.join(root, "packages") + path.sep;
const dist = path.join(root, "dist");
const out = path.join(dist, "cli");
const recordFile = path.join(dist, ".build.json");
const mainFile = path.join(root, "packages/surface/src/cli/main.ts");
const manifestFile = path.join(root, "packages/surface/src/manifest/manifest.generated.json");
const staleChunkMs = 24 * 60 * 60 * 1000;

export async function build({ force = false } = {}) {
  const before = await digestOfSources();
  if (!force && (await isCurrent(before))) return { built: false };
  await mkdir(out, { recursive: true });
  const temporary = await mkdtemp(path.join(dist, ".building-"));
  try {
    const manifest = await generateManifest(temporary);
    const outputs = await bundle(temporary, manifest);
    // Writing the manifest changed the sources; that is the state which was built.
    await publish(path.join(temporary, "cli"), outputs);
    await replaceFile(path.join(out, "package.json"), '{ "type": "module" }\n');
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
    if (record.sources !== sources || record.main !== sha256(await readFile(path.join(out, "main.js"))))
      return false;
    await Promise.all(record.files.map((file) => stat(path.join(out, file))));
    return true;
  } catch {
    return false;
  }
}

// --- Making it -------------------------------------------------------------------------------------

/** Runs the rooms' definitions once, to write down what they define. */
async function generateManifest(temporary) {
  const entry = path.join(temporary, "generate", "generate.mjs");
  const { esbuild, options } = await bundler();
  await esbuild.build({
    ...options,
    entryPoints: { generate: path.join(root, "packages/surface/src/manifest/generate.ts") },
    outdir: path.dirname(entry),
    outExtension: { ".js": ".mjs" },
  });
  const { generateManifest: generate, manifestFileText } = await import(pathToFileURL(entry).href);
  const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  const manifest = await generate(version);
  const text = manifestFileText(manifest);
  if ((await readFile(manifestFile, "utf8").catch(() => "")) !== text) await replaceFile(manifestFile, text);
  return manifest;
}

async function bundle(temporary, manifest) {
  const { esbuild, options } = await bundler();
  const { metafile } = await esbuild.build({
    ...options,
    entryPoints: { main: "core:" },
    outdir: path.join(temporary, "cli"),
    metafile: true,
    define: { BRIDLE_MANIFEST: JSON.stringify(JSON.stringify(manifest)) },
  });
  const files = Object.keys(metafile.outputs)
    .map((file) => path.basename(file))
    .toSorted();
  await giveRequire(path.join(temporary, "cli"), files);
  return { main: sha256(await readFile(path.join(temporary, "cli/main.js"))), files };
}

async function bundler() {
  const esbuild = await import("esbuild");
  const options = {
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    chunkNames: "[name]-[hash]",
    plugins: [oneCore, roomSources, lazyBuiltins],
  };
  return { esbuild, options };
}

/**
 * Rooms are bundled from their sources, and an import from a room goes straight
 * to the file that has the name: through the room's index.ts, esbuild would take
 * everything in the room to be needed wherever any of it is. No file of a room
 * does anything by being imported, so what is not used is left out.
 */
const roomSources = {
  name: "room-sources",
  setup(esbuild) {
    const indexes = new Map();
    const indexOf = async (room) => {
      if (!indexes.has(room)) indexes.set(room, await exportsOf(room));
      return indexes.get(room);
    };
    esbuild.onResolve({ filter: /^@bridle\/[a-z]+$/ }, ({ path: name }) => ({
      path: path.join(packages, name.slice("@bridle/".length), "src/index.ts"),
      sideEffects: false,
    }));
    esbuild.onResolve({ filter: /^(\.{1,2})?\/.*\.[jt]s$/ }, ({ path: name, resolveDir }) => {
      const file = path.resolve(resolveDir, name.replace(/\.js$/, ".ts"));
      return resolveDir.startsWith(packages) ? { path: file, sideEffects: false } : undefined;
    });
    esbuild.onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      if (!file.startsWith(packages)) return undefined;
      const text = await readFile(file, "utf8");
      const rooms = new Map();
      for (const [, , room] of text.matchAll(namedImport)) rooms.set(room, await indexOf(room));
      const contents = text.replace(namedImport, (_, names, room) =>
        straightImports(names, room, rooms.get(room)),
      );
      return { contents, loader: "ts" };
    });
  },
};

const namedImport = /^import \{([^}]*)\} from "@bridle\/([a-z]+)";$/gm;

/** Which file of a room each of its names comes from. */
async function exportsOf(room) {
  const text = await readFile(path.join(packages, room, "src/index.ts"), "utf8");
  const found = new Map();
  for (const [, names, file] of text.matchAll(/^export \{([^}]*)\} from "(\.\/[^"]*)\.js";$/gm)) {
    for (const name of namesIn(names)) found.set(name, path.join(packages, room, "src", `${file}.ts`));
  }
  return found;
}

function straightImports(names, room, index) {
  return namesIn(names)
    .map(
      (name) =>
        `import { ${name} } from ${JSON.stringify(index.get(name.split(" as ")[0]) ?? `@bridle/${room}`)};`,
    )
    .join(" ");
}

function namesIn(list) {
  return list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "));
}

/**
 * Everything that main.ts needs at once is one file, and so is what rooms have
 * in common. esbuild makes a file for each set of chunks that share code, and
 * opening a file costs a millisecond; as every lazy chunk is made to import the
 * core, there is one such set.
 */
const coreFiles = [
  "record/src/index.ts",
  "operation/src/index.ts",
  // What every question about issues needs; apart, it would be small files that each of them opens.
  "work/src/operations/issue-question.ts",
  "work/src/operations/issue-schemas.ts",
  "work/src/operations/issue-words.ts",
  "work/src/operations/time-words.ts",
];
const importOf = (file) => `import ${JSON.stringify(path.join(packages, file))};`;

const oneCore = {
  name: "one-core",
  setup(esbuild) {
    const filter = /.*/;
    esbuild.onResolve({ filter }, async ({ path: name, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === "behind" || kind !== "dynamic-import" || !importer.startsWith(packages))
        return undefined;
      const target = await esbuild.resolve(name, { kind, importer, resolveDir, pluginData: "behind" });
      return target.external || target.errors.length > 0 ? target : { path: target.path, namespace: "lazy" };
    });
    esbuild.onResolve({ filter: /^core:/ }, () => ({ path: "core", namespace: "core" }));
    esbuild.onResolve({ filter, namespace: "core" }, ({ path: file }) => ({ path: file }));
    esbuild.onLoad({ filter, namespace: "core" }, () => ({
      contents: [`export { main } from ${JSON.stringify(mainFile)};`, ...coreFiles.map(importOf)].join(" "),
      resolveDir: root,
    }));
    esbuild.onResolve({ filter, namespace: "lazy" }, ({ path: file }) => ({
      path: file,
      sideEffects: false,
    }));
    esbuild.onLoad({ filter, namespace: "lazy" }, ({ path: file }) => ({
      contents: `import "core:"; export * from ${JSON.stringify(file)};`,
      resolveDir: path.dirname(file),
    }));
  },
};

/**
 * What a room imports from Node is loaded when it is first called. An ordinary
 * import would load it at once, with everything that hangs on it, and a short
 * command would pay for hashing and for streams that it never uses. Functions
 * are forwarded; classes, constants and functions with members are fetched when
 * the importing file starts, as always.
 */
const lazyBuiltins = {
  name: "lazy-builtins",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^node:/ }, ({ path: name, importer }) =>
      importer.startsWith(packages)
        ? { path: name, namespace: "lazy-builtin", sideEffects: false }
        : undefined,
    );
    esbuild.onLoad({ filter: /.*/, namespace: "lazy-builtin" }, async ({ path: name }) => {
      const members = Object.entries(await import(name)).filter(([key]) => key !== "default");
      const lines = members.map(([key, value]) => {
        const isPlain = typeof value === "function" && /^[a-z]/.test(key) && Object.keys(value).length === 0;
        return isPlain
          ? `export const ${key} = (...args) => load().${key}(...args);`
          : `export const ${key} = /* @__PURE__ */ take("${key}");`;
      });
      const load = `const load = () => process.getBuiltinModule("${name}"); const take = (key) => load()[key];`;
      return { contents: [load, ...lines, "export default /* @__PURE__ */ load();"].join("\n") };
    });
  },
};

/** Some dependencies are CommonJS inside and ask for `require`, which a module does not have. */
const requireBanner =
  'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);\n';

async function giveRequire(folder, files) {
  for (const file of files) {
    const text = await readFile(path.join(folder, file), "utf8");
    if (text.includes("Dynamic require of")) await writeFile(path.join(folder, file), requireBanner + text);
  }
}

// --- Putting it in place ---------------------------------------------------------------------------

async function publish(from, { files }) {
  const chunks = files.filter((file) => file !== "main.js");
  await Promise.all(chunks.map((file) => rename(path.join(from, file), path.join(out, file))));
  await rename(path.join(from, "main.js"), path.join(out, "main.js"));
}

async function replaceFile(file, text) {
  const fresh = `${file}.${process.pid}.tmp`;
  await writeFile(fresh, text);
  await rename(fresh, file);
}

/** Leftovers of builds that were killed, and chunks that no build of the last day made. */
async function removeStale({ files }) {
  const known = new Set(files);
  for (const [folder, isLeftover] of [
    [out, (name) => !known.has(name) && name !== "package.json"],
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
