/**
 * Makes a few files of the packages that a conversation with a model needs.
 *
 * They come as hundreds of small modules, and to find and open these took every
 * `bridle chat` half a second. A pack is named by what it was made of, so it is
 * made once for each state of package-lock.json, and never changed.
 */
import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { splitBundle } from "./bundles.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** By the name under which they are imported, the entry of each. */
const entries = {
  "@earendil-works/pi-ai": "pi-ai",
  "@earendil-works/pi-agent-core": "pi-agent-core",
  "@earendil-works/pi-tui": "pi-tui",
};

/** A client asks for it where it is there, and goes without. */
const notInstalled = ["@opentelemetry/api"];

const requireBanner =
  'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);';

export const packs = path.join(root, "dist", "packages");

/** The file of each package, by its name. */
export async function packPackages() {
  const folder = path.join(packs, await digestOfPackages());
  if (!(await isThere(folder))) {
    await mkdir(packs, { recursive: true });
    const temporary = await mkdtemp(path.join(packs, ".packing-"));
    try {
      await pack(temporary);
      await chmod(temporary, 0o755);
      await rename(temporary, folder).catch(async (error) => {
        // Somebody else was sooner, with the same.
        if (!(await isThere(folder))) throw error;
      });
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }
  // Not stale, however long ago it was made.
  await utimes(folder, new Date(), new Date());
  return new Map(Object.entries(entries).map(([name, entry]) => [name, path.join(folder, `${entry}.js`)]));
}

async function pack(folder) {
  const { build } = await import("esbuild");
  // pi loads this one by a name that no bundler sees.
  const bedrock = path.join(root, "node_modules/@earendil-works/pi-ai/dist/providers/amazon-bedrock.js");
  const named = Object.entries(entries).map(([name, entry]) => [entry, name]);
  await build({
    ...splitBundle,
    entryPoints: { ...Object.fromEntries(named), "amazon-bedrock": bedrock },
    outdir: folder,
    banner: { js: requireBanner },
    external: notInstalled,
  });
  await writeFile(path.join(folder, "package.json"), '{ "type": "module" }\n');
}

async function digestOfPackages() {
  const hash = createHash("sha256");
  for (const file of ["package-lock.json", "scripts/build/bundles.mjs", "scripts/build/pack-packages.mjs"])
    hash.update(await readFile(path.join(root, file)));
  return hash.digest("hex").slice(0, 16);
}

function isThere(file) {
  return stat(file).then(
    () => true,
    () => false,
  );
}
