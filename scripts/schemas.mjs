/**
 * schemas/: one JSON Schema for every kind of artifact, written from the TypeBox
 * types that the code validates with.
 *
 * A room that writes artifacts exports `artifactKinds`, a list of {kind, schema}.
 * What is only ever an answer is taken from the operation itself and named as
 * answer-kinds.mjs says; the envelope is one of them.
 * Files here are never edited by hand; one that no room knows is removed.
 *
 *     node scripts/schemas.mjs [--check]
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { answerKind } from "./answer-kinds.mjs";
import { roomsDrawnIn } from "./drawn-rooms.mjs";
import { root } from "./ensure.mjs";
import { importFromSources } from "./from-sources.mjs";

const folder = path.join(root, "schemas");
const rooms = Object.keys(roomsDrawnIn(root)).filter((room) => room !== "testing");
const generator = `
${rooms.map((room) => `import * as ${room} from "@bridle/${room}";`).join("\n")}
import { rooms as offered } from "./packages/surface/src/manifest/rooms.js";
const all: Record<string, unknown>[] = [${rooms.join(", ")}];
const parts = await Promise.all(Object.values(offered).map((load) => load()));
export const operations = parts.flatMap((part) => part.operations);
export const artifactKinds = [
  { kind: operation.envelopeSchemaName, schema: operation.HostEffect },
  ...all.flatMap((room) => room["artifactKinds"] ?? []),
];
`;

const wanted = await generate();
const found = await existing();
const stale = [...new Set([...wanted.keys(), ...found.keys()])]
  .filter((name) => wanted.get(name) !== found.get(name))
  .toSorted();

if (process.argv.includes("--check")) {
  for (const name of stale) process.stdout.write(`schemas/${name}: ${complaint(name)}\n`);
  process.stdout.write(
    `${wanted.size} schemas, ${stale.length === 0 ? "all current" : `${stale.length} not current`}\n`,
  );
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  await mkdir(folder, { recursive: true });
  for (const name of stale) {
    const text = wanted.get(name);
    if (text === undefined) await rm(path.join(folder, name));
    else await writeFile(path.join(folder, name), text);
  }
  process.stdout.write(`${wanted.size} schemas, ${stale.length} written or removed\n`);
}

async function generate() {
  const { artifactKinds, operations } = await importFromSources(generator);
  const answers = operations
    .map((operation) => ({ kind: answerKind(operation), operation }))
    .filter(({ kind }) => kind !== undefined)
    .map(({ kind, operation: { summary, output } }) => ({
      kind,
      schema: { title: summary.replace(/\.$/, ""), ...output },
    }));
  const kinds = [...artifactKinds, ...answers];
  const files = kinds.map(({ kind, schema }) => [`${kind}.json`, schemaText(kind, schema)]);
  const twice = files.find(([name], i) => files.findIndex(([other]) => other === name) !== i);
  if (twice) throw new Error(`two rooms describe ${twice[0]}; an artifact kind has one schema`);
  return new Map(files);
}

function schemaText(kind, schema) {
  const { $id: _, ...rest } = schema;
  const document = { $schema: "https://json-schema.org/draft/2020-12/schema", $id: kind, ...rest };
  return `${JSON.stringify(document, null, 2)}\n`;
}

async function existing() {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(".json"));
  return new Map(
    await Promise.all(files.map(async (name) => [name, await readFile(path.join(folder, name), "utf8")])),
  );
}

function complaint(name) {
  if (!wanted.has(name)) return "no room has this kind; `npm run schemas` removes it";
  return `${found.has(name) ? "differs from the types" : "is missing"}; \`npm run schemas\` writes it`;
}
