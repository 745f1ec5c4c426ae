/**
 * Doctrine: no parallel operations (RUNTIME §8).
 *
 * Every name of every operation in the built manifest stands for one operation
 * only. The registry refuses a duplicate when it is built; this looks at what
 * was written down, which is what every surface reads.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./ensure.mjs";

const file = "packages/surface/src/manifest/manifest.generated.json";

try {
  const { operations } = JSON.parse(readFileSync(path.join(root, file), "utf8"));
  const problems = ["id", "action", "tool", "command"].flatMap((kind) => sharedNames(operations, kind));
  for (const problem of problems) process.stdout.write(`${file}: ${problem}\n`);
  process.stdout.write(
    `${operations.length} operations, ${problems.length === 0 ? "no" : problems.length} shared names\n`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
} catch (error) {
  const missing = error.code === "ENOENT";
  process.stderr.write(
    `error: ${missing ? `${file} is missing; \`npm run build\` writes it` : error.message}\n`,
  );
  process.exitCode = 1;
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
    .map(([name, ids]) => `the ${kind} ${name} belongs to ${ids.join(" and ")}`);
}
