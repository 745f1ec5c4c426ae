/**
 * schemas/: one JSON Schema for every kind of artifact, written from the TypeBox
 * types that the code validates with.
 *
 * A room that writes artifacts exports `artifactKinds`, a list of {kind, schema}.
 * What is only ever an answer is taken from the operation itself: the envelope,
 * the answers of `bridle log`, those about issues as `premath.answer.<action>`,
 * those about packs and runs as `hlq.answer.<action>`.
 * Files here are never edited by hand; one that no room knows is removed.
 *
 *     node scripts/schemas.mjs [--check]
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { root } from "./ensure.mjs";
import { importFromSources } from "./from-sources.mjs";

const folder = path.join(root, "schemas");
const rooms = ["operation", "work", "model", "search", "query", "agent", "surface"];
/** Answers that stand in no file, by the operation that gives them. */
const answers = {
  "log.verify": "bridle.log.verification.v1",
  "log.repair": "bridle.log.repair.v1",
  "log.follow": "bridle.log.follow.v1",
};
const generator = `
${rooms.map((room) => `import * as ${room} from "@bridle/${room}";`).join("\n")}
import { operations } from "./packages/surface/src/log/index.js";
import { operations as git } from "./packages/surface/src/git/index.js";
import { operations as hlq } from "./packages/surface/src/hlq/mcp-serve.js";
import { operations as models } from "./packages/surface/src/model/index.js";
import { operations as agents } from "./packages/surface/src/agent/index.js";
import type { Operation } from "@bridle/operation";
const envelope = { kind: operation.envelopeSchemaName, schema: operation.HostEffect };
const rooms: Record<string, unknown>[] = [${rooms.join(", ")}];
const answers: Record<string, string> = ${JSON.stringify(answers)};
export const kinds = [
  envelope,
  ...rooms.flatMap((room) => room["artifactKinds"] ?? []),
  ...operations.map((each) => answer(each, answers[each.names.action])),
  ...[...(await work.allOperations()), ...git]
    .filter(({ names }) => !["required.witness", "required.witness_decide", "instruction.witness"].includes(names.action))
    .filter(({ names }) => /^(issue|dep|required|instruction|ci)\\./.test(names.action))
    .map((each) => answer(each, \`premath.answer.\${each.names.action}\`)),
  ...[...(await search.allSearchOperations()), ...(await query.allQueryOperations()), ...hlq, ...models, ...agents].map((each) =>
    answer(each, \`\${each.family}.answer.\${each.names.action.replace(/^hlq\\./, "")}\`),
  ),
];
function answer({ summary, output }: Operation, kind: string | undefined) {
  return { kind, schema: { title: summary.replace(/\\.$/, ""), ...output } };
}
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
  const { kinds } = await importFromSources(generator);
  const files = kinds.map(({ kind, schema }) => [`${kind}.json`, schemaText(kind, schema)]);
  if (kinds.some(({ kind }) => kind === undefined))
    throw new Error("an answer has no kind; name it in this file");
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
