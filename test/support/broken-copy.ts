/**
 * A copy of a room with a bug planted in it: a small change of its source text,
 * bundled and loaded as a module of its own. The source itself is not touched.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin, transform } from "esbuild";

export interface Change {
  /** Below packages/, e.g. `record/src/lock.ts`. */
  readonly file: string;
  /** Must stand there exactly once. */
  readonly find: string;
  readonly replace: string;
}

export const packagesFolder = fileURLToPath(new URL("../../packages/", import.meta.url));

export function applyChange(text: string, change: Change): string {
  const parts = text.split(change.find);
  if (parts.length === 2) return parts.join(change.replace);
  throw new Error(
    `${change.file}: ${JSON.stringify(change.find)} stands ${parts.length - 1} times, expected once`,
  );
}

/** Fails unless each of these changes alone can be made in a copy, and is code. */
export async function canBreak(entry: string, changes: readonly Change[]): Promise<void> {
  const { metafile } = await build({
    entryPoints: [join(packagesFolder, entry)],
    absWorkingDir: packagesFolder,
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
    external: notOurs,
    plugins: [roomsBySource],
  });
  const parts = new Set(Object.keys(metafile.inputs));
  for (const change of changes) {
    if (!parts.has(change.file)) throw new Error(`${change.file} is no part of ${entry}`);
    const text = await readFile(join(packagesFolder, change.file), "utf8");
    await transform(applyChange(text, change), { loader: "ts" });
  }
}

/** Loaded only when it is used, and not to be bundled. */
const notOurs = ["@duckdb/*"];

const roomsBySource: Plugin = {
  name: "rooms-by-source",
  setup(plugin) {
    // Rooms reach one another by name, which would lead to what was last built.
    plugin.onResolve({ filter: /^@bridle\// }, ({ path }) => ({
      path: join(packagesFolder, path.slice("@bridle/".length), "src/index.ts"),
    }));
  },
};

/** `entry` is the module to load, below packages/ as well; the copy holds all that it imports of our rooms. */
export async function loadBroken<Room>(entry: string, changes: readonly Change[]): Promise<Room> {
  const folder = await mkdtemp(join(tmpdir(), "bridle-broken-"));
  const outfile = join(folder, "room.mjs");
  const pending = new Set(changes);
  try {
    await build({
      entryPoints: [join(packagesFolder, entry)],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      logLevel: "silent",
      external: notOurs,
      plugins: [
        roomsBySource,
        {
          name: "planted-bugs",
          setup(plugin) {
            plugin.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
              let contents = await readFile(path, "utf8");
              for (const change of changes) {
                if (join(packagesFolder, change.file) !== path) continue;
                contents = applyChange(contents, change);
                pending.delete(change);
              }
              return { contents, loader: "ts" };
            });
          },
        },
      ],
    });
    for (const change of pending) throw new Error(`${change.file} is no part of ${entry}`);
    return (await import(pathToFileURL(outfile).href)) as Room;
  } finally {
    await rm(folder, { recursive: true });
  }
}
