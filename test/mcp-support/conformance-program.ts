/**
 * The program of `@modelcontextprotocol/conformance` as one file: it loads
 * hundreds of modules, which takes longer than any of its scenarios.
 */
import { join } from "node:path";
import { build } from "esbuild";
import { madeOnce, repository } from "../support/built.js";

export async function conformanceProgram(): Promise<string> {
  return join(await madeOnce("mcp conformance", bundle), "index.mjs");
}

async function bundle(folder: string): Promise<void> {
  await build({
    entryPoints: [join(repository, "node_modules/@modelcontextprotocol/conformance/dist/index.js")],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
    plugins: [
      {
        // It imports `globSync`, which Node 20 does not have. Only its `tier-check` command calls it.
        name: "fs-with-glob",
        setup(esbuild) {
          const namespace = "fs-with-glob";
          esbuild.onResolve({ filter: /^fs$/ }, ({ importer }) =>
            importer.includes("/@modelcontextprotocol/conformance/") ? { path: "fs", namespace } : undefined,
          );
          esbuild.onLoad({ filter: /.*/, namespace }, () => ({
            contents: `export * from "node:fs";
              export function globSync() { throw new Error("not in Node 20"); }`,
          }));
        },
      },
    ],
  });
}
