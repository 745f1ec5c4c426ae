/**
 * Doctrine: where every operation belongs, and no parallel operations (RUNTIME §8).
 *
 * Every name of every operation in the built manifest stands for one operation only, and every
 * operation has its row in the registry of routes. The table refuses a duplicate when it is built;
 * this looks at what was written down, which is what every surface reads.
 *
 *     node scripts/doctrine.mjs [--add]
 *
 * `--add` writes a row for each operation that has none, as its name and its effect suggest; whoever
 * adds it looks at it.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./ensure.mjs";
import { importFromSources } from "./from-sources.mjs";

const manifestFile = "packages/surface/src/manifest/manifest.generated.json";
const registryFile = "policies/control/doctrine-op-registry-v1.json";

try {
  const { operations } = readJson(manifestFile);
  const registry = readJson(registryFile);
  if (process.argv.includes("--add")) addRows(registry, operations);
  const { doctrineProblems } = await importFromSources(
    `export { doctrineProblems } from "./packages/work/src/evidence/doctrine.js";`,
  );
  const problems = [
    ...["id", "action", "tool", "command"].flatMap((kind) => sharedNames(operations, kind)),
    ...doctrineProblems(registry, operations, sourceOf).map(
      ({ class: failureClass, message }) => `${registryFile}: ${failureClass}: ${message}`,
    ),
  ];
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.stdout.write(
    `${operations.length} operations, ${problems.length === 0 ? "all of them routed, no shared names" : `${problems.length} problems`}\n`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}

function readJson(file) {
  const where = path.join(root, file);
  if (!existsSync(where)) throw new Error(`${file} is missing; \`npm run build\` writes the manifest`);
  return JSON.parse(readFileSync(where, "utf8"));
}

function sourceOf(file) {
  const where = path.join(root, file);
  return existsSync(where) ? readFileSync(where, "utf8") : undefined;
}

function sharedNames(operations, kind) {
  const owners = new Map();
  for (const { names, family } of operations) {
    // Each launcher has its own commands, so two families may spell one alike; a mode tells apart those who share one.
    const command = `${family} ${names.command.join(" ")}${names.mode === undefined ? "" : ` --mode ${names.mode}`}`;
    const own = { action: [names.action, ...(names.otherActions ?? [])], command: [command] }[kind];
    for (const name of own ?? [names[kind]]) owners.set(name, [...(owners.get(name) ?? []), names.id]);
  }
  return [...owners]
    .filter(([, ids]) => ids.length > 1)
    .map(([name, ids]) => `${manifestFile}: the ${kind} ${name} belongs to ${ids.join(" and ")}`);
}

function addRows(registry, operations) {
  const there = new Set(registry.operations.map(({ id }) => id));
  const sources = readdirSync(path.join(root, "packages"), { recursive: true })
    .map(String)
    .filter((file) => /\/src\/.*\.ts$/.test(file) && !file.endsWith(".test.ts"));
  for (const { names, effect } of operations.filter((each) => !there.has(each.names.id))) {
    const holds = (text) => sources.find((each) => text.test(sourceOf(`packages/${each}`) ?? ""));
    const word = names.id.slice(names.id.lastIndexOf(".") + 1);
    const file =
      holds(new RegExp(`"${names.id.replaceAll(".", "\\.")}"`)) ??
      holds(new RegExp(`id: \`op/[^]*"${word}"|"${word}"[^]*id: \`op/`));
    const family = `route.${names.action.split(".")[0]}`;
    registry.operations.push({
      id: names.id,
      edgeId: `e.${names.action}`,
      path: `packages/${file}`,
      kind: "operation",
      routeFamilyId: registry.routeFamilies.some(({ id }) => id === family) ? family : "route.bridle",
      morphisms:
        effect === "mutate"
          ? ["dm.commitment.attest", "dm.identity", "dm.profile.execution"]
          : ["dm.identity", "dm.presentation.projection"],
    });
  }
  const known = new Set(operations.map(({ names }) => names.id));
  registry.operations = registry.operations
    .filter(({ id }) => known.has(id))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  writeFileSync(path.join(root, registryFile), `${JSON.stringify(registry, null, 2)}\n`);
}
