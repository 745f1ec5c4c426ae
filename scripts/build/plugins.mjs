/** How esbuild finds the rooms, keeps what is shared in one file, and leaves Node's own modules until they are used. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const packages = path.join(root, "packages") + path.sep;
const mainFile = path.join(packages, "surface/src/cli/main.ts");

/**
 * Rooms are bundled from their sources, and an import from a room goes straight
 * to the file that has the name: through the room's index.ts, esbuild would take
 * everything in the room to be needed wherever any of it is. No file of a room
 * does anything by being imported, so what is not used is left out.
 */
export const roomSources = {
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

export const oneCore = {
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
export const lazyBuiltins = {
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
