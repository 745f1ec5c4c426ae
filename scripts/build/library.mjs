/**
 * dist/lib: every room as something to import, `import { Log } from "bridle/record"`.
 *
 * The code is bundled from the sources, one entry a room and a chunk for whatever
 * rooms share, so that a class is the same class wherever it is imported from. The
 * types are what `tsc -b` emits for the files that an `index.ts` reaches; imports
 * of other rooms are made relative. Of the registry's packages a declaration may
 * name typebox and nothing else, because nothing else is installed with Bridle.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { externalPackages } from "../external.mjs";
import { roomBundle } from "./bundles.mjs";
import { packPackages } from "./pack-packages.mjs";
import { roomSources } from "./plugins.mjs";
import { sharedOutside } from "./shared-modules.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dist = path.join(root, "dist");
/** Installed with Bridle. */
export const dependencies = ["typebox", "minisearch"];

/** `shared`: from the build's record. Without types it takes two seconds instead of forty. `place` is replaced. */
export async function buildLibrary({ shared, types = true, place = path.join(dist, "lib") }) {
  await mkdir(path.dirname(place), { recursive: true });
  const temporary = await mkdtemp(path.join(path.dirname(place), ".building-"));
  const fresh = path.join(temporary, "lib");
  try {
    await mkdir(fresh);
    await writeCode(fresh, shared);
    if (types) await writeTypes(fresh);
    await rename(place, path.join(temporary, "before")).catch((error) => {
      if (error.code !== "ENOENT") throw error;
    });
    await rename(fresh, place);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

export async function roomNames() {
  return (await readdir(path.join(root, "packages"))).toSorted();
}

async function writeCode(folder, shared) {
  const { build } = await import("esbuild");
  const rooms = await roomNames();
  // Entries and chunks are equally deep, so that what is outside is found from both.
  const beside = "../..";
  await build({
    ...roomBundle,
    entryPoints: Object.fromEntries(
      rooms.map((room) => [`${room}/index`, path.join(root, "packages", room, "src/index.ts")]),
    ),
    outdir: folder,
    chunkNames: "chunks/[name]-[hash]",
    external: [...dependencies, ...dependencies.map((name) => `${name}/*`), ...externalPackages],
    plugins: [
      sharedOutside(new Map(Object.entries(shared)), `${beside}/cli`),
      packedOutside(await packPackages(), beside),
      roomSources,
    ],
  });
  await copyManifest(folder);
}

/** pi is in the package as the files that the command line loads. */
function packedOutside(packed, beside) {
  return {
    name: "packed-packages",
    setup(esbuild) {
      esbuild.onResolve({ filter: /^@earendil-works\// }, ({ path: name }) => {
        const file = packed.get(name);
        if (file === undefined) return { errors: [{ text: `${name} is not packed` }] };
        return { path: `${beside}/${path.relative(dist, file).split(path.sep).join("/")}`, external: true };
      });
    },
  };
}

/** For what failure classes mean; read from beside the chunk that asks, see packages/surface/src/manifest/load.ts. */
async function copyManifest(folder) {
  const source = path.join(root, "packages/surface/src/manifest/manifest.generated.json");
  const manifest = JSON.parse(await readFile(source, "utf8"));
  await writeFile(
    path.join(folder, "chunks/manifest.generated.json"),
    JSON.stringify({ ...manifest, operations: [] }),
  );
}

// --- Types -----------------------------------------------------------------------------------------

async function writeTypes(folder) {
  await emitTypes();
  for (const [file, text] of await declarations()) {
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
  }
}

/** Into packages/<room>/dist; nothing is done where nothing changed. */
export async function emitTypes() {
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  const rooms = (await roomNames()).map((room) => `packages/${room}`);
  await promisify(execFile)(process.execPath, [tsc, "-b", ...rooms], { cwd: root, maxBuffer: 1 << 24 }).catch(
    ({ stdout, stderr }) => {
      throw new Error(`the types are not in order:\n${stdout}${stderr}`);
    },
  );
}

/** What an `index.d.ts` reaches, by its place below dist/lib. */
export async function declarations() {
  const found = new Map();
  const waiting = (await roomNames()).map((room) => `${room}/index.d.ts`);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    const [room, ...below] = file.split("/");
    const emitted = await readFile(path.join(root, "packages", room, "dist", ...below), "utf8");
    const reached = (name) => path.posix.join(path.posix.dirname(file), name).replace(/\.js$/, ".d.ts");
    const text = emitted.replaceAll(
      /(\bfrom |\bimport\(|^import |^declare module )"([^"]+)"/gm,
      (_, before, name) => {
        if (name.startsWith(".")) waiting.push(reached(name));
        return `${before}"${nameInLibrary(name, file)}"`;
      },
    );
    found.set(file, text.replace(/^\/\/# sourceMappingURL=.*\n?/m, ""));
  }
  return found;
}

function nameInLibrary(name, file) {
  const room = /^@bridle\/([a-z]+)$/.exec(name)?.[1];
  if (room !== undefined)
    return path.posix.join(path.posix.relative(path.posix.dirname(file), room), "index.js");
  const isThere =
    /^(?:\.|node:)/.test(name) || dependencies.some((each) => name === each || name.startsWith(`${each}/`));
  if (isThere) return name;
  throw new Error(
    `${file}: a public type names ${name}, which is not installed with Bridle; declare the part of it that is meant`,
  );
}
