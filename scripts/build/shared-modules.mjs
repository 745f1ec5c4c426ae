/**
 * Modules that the command line and the library both need and that are too large
 * to be in the package twice: made into files of their own, which both load.
 *
 * Each is a CommonJS file beside the chunks, named by its content. The launcher
 * loads it like a chunk, and Node loads it for the library.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { nodeBundle } from "./bundles.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const packages = path.join(root, "packages") + path.sep;

/** From the registry, by the file that is made of them; of each, only the names that rooms import. */
const fromRegistry = {
  mcp: [
    ...["@modelcontextprotocol/server", "@modelcontextprotocol/server/stdio", "@modelcontextprotocol/node"],
    "@modelcontextprotocol/client",
  ],
  re2: ["re2js"],
};
/** Our own data, compressed: a tarball of it is a fifth smaller than one of its text, and it is read in milliseconds. */
const data = {
  router: "query/src/router.generated.ts",
  texts: "query/src/more-texts.generated.ts",
};

/** Writes them into `folder`; by what is imported, a package or an absolute path, the file's name. */
export async function writeShared({ esbuild, folder }) {
  const files = new Map();
  const used = await importedNames(Object.values(fromRegistry).flat());
  for (const [name, specifiers] of Object.entries(fromRegistry)) {
    const contents = specifiers.map(
      (from) => `export { ${[...used.get(from)].toSorted().join(", ")} } from "${from}";`,
    );
    const file = await write(name, { stdin: { contents: contents.join("\n"), resolveDir: root } });
    for (const specifier of specifiers) files.set(specifier, file);
  }
  for (const [name, source] of Object.entries(data))
    files.set(path.join(packages, source), await writeData(name, path.join(packages, source)));
  return files;

  async function write(name, entry) {
    return put(name, await bundled(entry));
  }

  async function writeData(name, source) {
    const module = { exports: {} };
    new Function("module", "exports", await bundled({ entryPoints: [source] }))(module, module.exports);
    const values = { ...module.exports };
    const text = JSON.stringify(values);
    assert.deepStrictEqual(JSON.parse(text), values);
    const packed = brotliCompressSync(text).toString("base64");
    // One by one, so that Node finds their names.
    const names = Object.keys(values).map((each) => `exports.${each}=all.${each};`);
    return put(
      name,
      `"use strict";const all=JSON.parse(require("node:zlib").brotliDecompressSync(Buffer.from("${packed}","base64")));${names.join("")}\n`,
    );
  }

  async function bundled(entry) {
    const { outputFiles } = await esbuild.build({
      ...nodeBundle,
      ...entry,
      write: false,
      format: "cjs",
      plugins: [withoutAjv],
    });
    return outputFiles[0].text;
  }

  async function put(name, text) {
    const file = `${name}-${createHash("sha256").update(text).digest("hex").slice(0, 8).toUpperCase()}.js`;
    await writeFile(path.join(folder, file), text);
    return file;
  }
}

/**
 * The SDK's usual validator of schemas, 150 KB each in server and client, is never made: both are given one of ours
 * (surface's mcp/server.ts, extensions' servers/connect.ts). Whoever made it all the same would hear of it at once.
 */
const withoutAjv = {
  name: "without-ajv",
  setup(esbuild) {
    esbuild.onLoad(
      { filter: /@modelcontextprotocol\/(?:client|server)\/dist\/ajvProvider-\w+\.mjs$/ },
      () => ({
        contents: `class Left { constructor() { throw new Error("the package holds no validator of the SDK's"); } }
        export { Left as n, Left as t };`,
      }),
    );
  },
};

/** Leaves imports of them to be resolved when the program runs; `place` is where their folder is then. */
export const sharedOutside = (files, place) => ({
  name: "shared-modules",
  setup(esbuild) {
    const outside = (file) => file && { path: `${place}/${file}`, external: true };
    esbuild.onResolve({ filter: /^[@a-z]/ }, ({ path: name }) => outside(files.get(name)));
    esbuild.onResolve({ filter: /\.generated\.js$/ }, ({ path: name, resolveDir }) =>
      outside(files.get(path.resolve(resolveDir, name.replace(/\.js$/, ".ts")))),
    );
  },
});

async function importedNames(specifiers) {
  const names = new Map(specifiers.map((specifier) => [specifier, new Set()]));
  const sources = (await readdir(packages, { recursive: true })).filter(
    (file) => /^[a-z]+\/src\/.*\.ts$/.test(file) && !file.endsWith(".test.ts"),
  );
  for (const source of sources) {
    const text = await readFile(path.join(packages, source), "utf8");
    for (const [, list, from] of text.matchAll(/^(?:import|export) \{([^}]*)\} from "([^"]+)";$/gm)) {
      for (const name of names.has(from) ? valuesIn(list) : []) names.get(from).add(name);
    }
  }
  return names;
}

function valuesIn(list) {
  return list
    .split(",")
    .map((name) => name.trim().split(" as ")[0])
    .filter((name) => name !== "" && !name.startsWith("type "));
}
