/**
 * Whether the manifest in the repository is what the rooms define today.
 *
 * `npm run build` writes it; this only looks, so that a check changes nothing.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "./ensure.mjs";
import { generateManifest } from "./build/manifest.mjs";

const file = "packages/surface/src/manifest/manifest.generated.json";
const { manifest, text } = await generateManifest();
const written = await readFile(path.join(root, file), "utf8").catch(() => undefined);

if (written === text) {
  process.stdout.write(`${manifest.operations.length} operations, current\n`);
} else {
  const what = written === undefined ? "is missing" : "differs from what the rooms define";
  process.stdout.write(`${file}: ${what}; \`npm run build\` writes it\n`);
  process.exitCode = 1;
}
