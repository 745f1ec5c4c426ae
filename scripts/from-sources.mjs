/**
 * Bundles something that imports the rooms, from their sources and without a build.
 *
 * For generators and for the guided run, not for the product: the packages'
 * own exports point at dist/, which may be missing or old; here `@bridle/*`
 * always stands for the sources.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./ensure.mjs";
import { externalPackages } from "./external.mjs";

const requireBanner =
  'import { createRequire as __require } from "node:module"; const require = __require(import.meta.url);';

/** What the text exports. */
export async function importFromSources(text) {
  const folder = await mkdtemp(path.join(tmpdir(), "bridle-generate-"));
  try {
    const outfile = path.join(folder, "generate.mjs");
    await bundleFromSources({ text, outfile });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One file that runs anywhere, from a file of the repository or from a text. */
export async function bundleFromSources({ entry, text, outfile }) {
  const { build } = await import("esbuild");
  await build({
    ...(entry === undefined
      ? { stdin: { contents: text, resolveDir: root, loader: "ts" } }
      : { entryPoints: [path.join(root, entry)] }),
    outfile,
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "silent",
    external: externalPackages,
    banner: { js: requireBanner },
    plugins: [roomSources],
  });
}

const roomSources = {
  name: "room-sources",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^@bridle\/[a-z]+$/ }, ({ path: name }) => ({
      path: path.join(root, "packages", name.slice("@bridle/".length), "src/index.ts"),
    }));
  },
};
