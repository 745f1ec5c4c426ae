/**
 * Completes package-lock.json with the builds for machines that this registry does not have,
 * and takes out of it what is wanted by a package but not by us.
 *
 * `npm install` leaves an optional package that it cannot find out of the lockfile,
 * and `npm ci` then refuses that lockfile for being incomplete, on every machine.
 * Builds for other systems are named and pinned by the package that wants them,
 * so their entries can be written from that. They carry no checksum, and only a
 * machine of their own kind ever fetches them.
 *
 * npm has no setting that leaves out one optional package; what does not stand in
 * the lockfile, as a wish or as a package, is never fetched.
 *
 *     node scripts/lockfile.mjs [--check]
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./ensure.mjs";

const file = path.join(root, "package-lock.json");
const lock = JSON.parse(readFileSync(file, "utf8"));

/** Optional packages that nobody gets, by who wants them. koffi: 28 MB of machine code, for Windows only. */
const leftOut = { "node_modules/@earendil-works/pi-tui": "koffi" };
const unwanted = Object.entries(leftOut).filter(
  ([place, name]) =>
    lock.packages[place]?.optionalDependencies?.[name] !== undefined ||
    lock.packages[`node_modules/${name}`] !== undefined,
);
const missing = Object.entries(lock.packages).flatMap(([place, entry]) =>
  Object.entries(entry.optionalDependencies ?? {})
    .filter(([name]) => leftOut[place] !== name && !isLocked(place, name))
    .map(([name, version]) => ({ name, version, wantedBy: place })),
);

if (process.argv.includes("--check")) {
  for (const { name, wantedBy } of missing) process.stdout.write(`${name} of ${wantedBy} is missing\n`);
  for (const [place, name] of unwanted) process.stdout.write(`${name} of ${place} is to be left out\n`);
  const count = Object.keys(lock.packages).length;
  const good = missing.length === 0 && unwanted.length === 0;
  process.stdout.write(good ? `${count} packages, complete\n` : "`npm run lockfile` mends this\n");
  process.exitCode = good ? 0 : 1;
} else {
  for (const [place, name] of unwanted) leaveOut(place, name);
  for (const each of missing) lock.packages[`node_modules/${each.name}`] = entryOf(each);
  const packages = Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (missing.length > 0 || unwanted.length > 0) {
    writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
  }
  process.stdout.write(`${missing.length} packages added, ${unwanted.length} left out\n`);
}

function leaveOut(place, name) {
  delete lock.packages[`node_modules/${name}`];
  const { optionalDependencies: { [name]: _, ...others } = {}, ...entry } = lock.packages[place];
  const keeps = Object.keys(others).length > 0;
  lock.packages[place] = { ...entry, ...(keeps ? { optionalDependencies: others } : {}) };
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
