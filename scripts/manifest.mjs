/**
 * Whether the manifest in the repository is what the rooms define today.
 *
 * `npm run build` writes it; this only looks, so that a check changes nothing.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "./ensure.mjs";
import { importFromSources } from "./from-sources.mjs";

const file = "packages/surface/src/manifest/manifest.generated.json";
const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
const { generateManifest, manifestFileText } = await importFromSources(
  'export * from "./packages/surface/src/manifest/generate.js";',
);
const manifest = await generateManifest(version);
const written = await readFile(path.join(root, file), "utf8").catch(() => undefined);

if (written === manifestFileText(manifest)) {
  process.stdout.write(`${manifest.operations.length} operations, current\n`);
} else {
  const what = written === undefined ? "is missing" : "differs from what the rooms define";
  process.stdout.write(`${file}: ${what}; \`npm run build\` writes it\n`);
  process.exitCode = 1;
}
