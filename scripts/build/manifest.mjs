/** The manifest as the rooms define it today: their operations and their failure classes. */
import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "../ensure.mjs";
import { importFromSources } from "../from-sources.mjs";

/** `{ manifest, text }`, the text as it stands in manifest.generated.json. */
export async function generateManifest() {
  const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  const sources = await importFromSources(`
    export { generateManifest, manifestFileText } from "./packages/surface/src/manifest/generate.js";
    ${failureSources()}`);
  const manifest = await sources.generateManifest({ version, failures: sources.failures });
  return { manifest, text: sources.manifestFileText(manifest) };
}

/** A room declares its failure classes by having a failures.ts; nobody lists the rooms that do. */
function failureSources() {
  const rooms = readdirSync(path.join(root, "packages"))
    .filter((room) => existsSync(path.join(root, "packages", room, "src/failures.ts")))
    .toSorted();
  const imports = rooms.map(
    (room) => `import { failures as ${room} } from "./packages/${room}/src/failures.js";`,
  );
  return [...imports, `export const failures = { ${rooms.join(", ")} };`].join("\n");
}
