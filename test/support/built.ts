/**
 * What is made once for all test files of a worker: the built command line, and
 * folders of programs for the tests.
 *
 * Files share it, so a test changes nothing in it; one that needs to makes its own.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inject } from "vitest";

export const repository = fileURLToPath(new URL("../..", import.meta.url));

const made = new Map<string, Promise<string>>();

/** The folder of that name, with what `make` puts into it. */
export function madeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const known = made.get(name);
  if (known !== undefined) return known;
  const folder = join(inject("runFolder"), `${name} ${process.pid}`);
  mkdirSync(folder, { mode: 0o755 });
  const making = make(folder).then(() => folder);
  made.set(name, making);
  return making;
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
