/**
 * Completes package-lock.json with the builds for machines that this registry does not have.
 *
 * `npm install` leaves an optional package that it cannot find out of the lockfile,
 * and `npm ci` then refuses that lockfile for being incomplete, on every machine.
 * Builds for other systems are named and pinned by the package that wants them,
 * so their entries can be written from that. They carry no checksum, and only a
 * machine of their own kind ever fetches them.
 *
 *     node scripts/lockfile.mjs [--check]
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./ensure.mjs";

const file = path.join(root, "package-lock.json");
const lock = JSON.parse(readFileSync(file, "utf8"));
const missing = Object.entries(lock.packages).flatMap(([place, entry]) =>
  Object.entries(entry.optionalDependencies ?? {})
    .filter(([name]) => !isLocked(place, name))
    .map(([name, version]) => ({ name, version, wantedBy: place })),
);

if (process.argv.includes("--check")) {
  for (const { name, wantedBy } of missing) process.stdout.write(`${name} of ${wantedBy} is missing\n`);
  const count = Object.keys(lock.packages).length;
  process.stdout.write(
    missing.length === 0 ? `${count} packages, complete\n` : "`npm run lockfile` adds what is missing\n",
  );
  process.exitCode = missing.length === 0 ? 0 : 1;
} else {
  for (const each of missing) lock.packages[`node_modules/${each.name}`] = entryOf(each);
  const packages = Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (missing.length > 0) {
    writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
  }
  process.stdout.write(`${missing.length} packages added\n`);
}

/** As Node finds it: beside the package that wants it, or further up. */
function isLocked(place, name) {
  for (let folder = place; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    if (lock.packages[`${folder === "" ? "" : `${folder}/`}node_modules/${name}`]) return true;
    if (folder === "") return false;
  }
}

/** The fields in npm's own order; which machine it is for is in the name, as its makers write it. */
function entryOf({ name, version, wantedBy }) {
  const parent = lock.packages[wantedBy];
  const machine = /-(android|darwin|freebsd|linux|openharmony|win32|wasm32)-(\w+?)(?:-(\w+))?$/.exec(name);
  if (machine === null || !/^\d+\.\d+\.\d+/.test(version)) {
    throw new Error(
      `${name}@${version}, wanted by ${wantedBy}: its name does not say for which machine it is`,
    );
  }
  const [, system, cpu, abi = ""] = machine;
  const isWasm = system === "wasm32";
  return {
    version,
    cpu: [isWasm ? "wasm32" : cpu],
    ...(parent.dev ? { dev: true } : {}),
    ...(system === "linux" ? { libc: [abi.startsWith("musl") ? "musl" : "glibc"] } : {}),
    ...(parent.license ? { license: parent.license } : {}),
    optional: true,
    ...(isWasm ? {} : { os: [system] }),
  };
}
