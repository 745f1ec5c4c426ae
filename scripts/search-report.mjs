/**
 * The pages of the search guide that are numbers:
 *
 *     npm run search:report -- candles.csv funding.csv   docs/guides/search-results.md
 *     npm run search:report -- --data-guide              docs/guides/search-data.md
 *
 * `--zone UTC` is for files whose times have no zone.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "./ensure.mjs";
import { importFromSources } from "./from-sources.mjs";

const args = process.argv.slice(2);
const zone = args.includes("--zone") ? args[args.indexOf("--zone") + 1] : undefined;
const files = args.filter((arg, i) => !arg.startsWith("--") && args[i - 1] !== "--zone");

if (args.includes("--data-guide")) {
  const { dataGuide } = await importFromSources(
    'export { dataGuide } from "./packages/search/src/guide/data-guide.js";',
  );
  await write("docs/guides/search-data.md", dataGuide());
} else if (files.length === 0) {
  process.stderr.write(
    "error: name the files of market data, as in npm run search:report -- candles.csv funding.csv\n",
  );
  process.exitCode = 2;
} else {
  const { searchReport } = await importFromSources(
    'export { searchReport } from "./packages/search/src/guide/report.js";',
  );
  // npm stands in the root; a path that a person typed starts where the person stood.
  const from = process.env.INIT_CWD ?? ".";
  const sources = files.map((file) => ({
    path: path.resolve(from, file),
    ...(zone === undefined ? {} : { zone }),
  }));
  const folder = await mkdtemp(path.join(tmpdir(), "bridle-report-"));
  try {
    await write("docs/guides/search-results.md", await searchReport(sources, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function write(name, text) {
  await writeFile(path.join(root, name), text);
  process.stdout.write(`${name}\n`);
}
