/**
 * What is made once for all test files of a worker: the built command line, and
 * folders of programs for the tests.
 *
 * Files share it, so a test changes nothing in it; one that needs to makes its own.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inject } from "vitest";

export const repository = fileURLToPath(new URL("../..", import.meta.url));

const made = new Map<string, Promise<string>>();

/**
 * The folder of that name, with what `make` puts into it.
 *
 * A folder that is there was made by an earlier thread of this process: `npm run mutate` starts one for each mistake.
 * It is used again, because a `beforeAll` that fails is no failed test, and every mistake would seem to be missed.
 */
export function madeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const known = made.get(name);
  if (known !== undefined) return known;
  const folder = join(inject("runFolder"), `${name} ${process.pid}`);
  const making = existsSync(folder) ? Promise.resolve(folder) : makeIn(folder, make);
  made.set(name, making);
  return making;
}

async function makeIn(folder: string, make: (folder: string) => Promise<void>): Promise<string> {
  mkdirSync(folder, { mode: 0o755 });
  await make(folder);
  return folder;
}

let built: Promise<unknown> | undefined;

/** dist/cli, up to date. */
export async function buildOnce(): Promise<void> {
  const script = pathToFileURL(join(repository, "scripts/build.mjs")).href;
  built ??= import(script).then(({ build }: { build(): Promise<unknown> }) => build());
  await built;
}

/** The file of each package that the build packs, by the package's name. */
export async function packedPackages(): Promise<ReadonlyMap<string, string>> {
  const script = pathToFileURL(join(repository, "scripts/build/pack-packages.mjs")).href;
  const { packPackages } = (await import(script)) as { packPackages(): Promise<Map<string, string>> };
  return packPackages();
}
