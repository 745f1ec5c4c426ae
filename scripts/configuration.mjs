/**
 * docs/guides/configuration.md: every setting, written from the table that the
 * command line itself knows them by. Never edited by hand.
 *
 *     node scripts/configuration.mjs [--check]
 */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { root } from "./ensure.mjs";
import { importFromSources } from "./from-sources.mjs";

const file = path.join(root, "docs/guides/configuration.md");
const { settings } = await importFromSources(
  `export { settings } from "./packages/surface/src/cli/settings.js";`,
);

const groups = [
  ["Agents", ({ source, key }) => source === "AGENT" && key.startsWith("AGENT_") && !ofModels(key)],
  ["Models and providers", ({ source, key }) => source === "AGENT" && ofModels(key)],
  [
    "Work and its memory",
    ({ source, key }) => ["TUSK", "RUNTIME"].includes(source) || key.startsWith("PREMATH_"),
  ],
  ["Search", ({ source }) => source === "TRAJ"],
  ["Bridle itself", ({ source, key }) => source === "bridle" && !key.startsWith("PREMATH_")],
];

function ofModels(key) {
  return /^AGENT_(?:MODEL|FAST_MODEL|API_|STREAM_|RATE_|TRANSIENT_|RETRY_)|^(?!AGENT_)[A-Z]+_API_KEY$/.test(
    key,
  );
}

const wanted = text();
if (process.argv.includes("--check")) {
  const current = (await readFile(file, "utf8").catch(() => "")) === wanted;
  process.stdout.write(
    current
      ? `${settings.length} settings, the guide is current\n`
      : "docs/guides/configuration.md is not current; `node scripts/configuration.mjs` writes it\n",
  );
  process.exitCode = current ? 0 : 1;
} else {
  await writeFile(file, wanted);
  process.stdout.write(`${settings.length} settings\n`);
}

function text() {
  const now = settings.filter(({ comesLater }) => !comesLater);
  const later = settings.filter(({ comesLater }) => comesLater);
  const told = new Set();
  const sections = groups.map(([title, belongs]) => {
    const mine = now.filter((setting) => !told.has(setting.key) && belongs(setting));
    for (const { key } of mine) told.add(key);
    return `## ${title}\n\n${table(mine)}`;
  });
  const left = now.filter(({ key }) => !told.has(key));
  if (left.length > 0) throw new Error(`no section has ${left.map(({ key }) => key).join(", ")}`);
  return `# Configuration

Settings are environment variables. \`bridle config\` lists them with what they are now and where that comes from. A key
that is nearly one of ours is an error that names the nearest; so is a value that a setting does not take. 0 is a value
and switches off what it counts; blank is the same as unset. Flags of a command win over settings.

Each may also stand in a file, an object with the same keys: \`settings.json\` in \`~/.config/bridle\`, which is yours, and
\`.bridle/settings.json\` of a project, which is committed. The environment comes first, then the project's file, then
yours. \`bridle config set AGENT_MAX_COST_USD 2\` writes yours, with \`--project\` the project's, with \`--unset\` it takes one
out. A project's file lowers no guard: it may make a bound smaller and switch a rule on, never the reverse, and keys,
addresses and approvals are yours alone. A file that is wrong is a sentence, and nothing runs until it is mended.

This page is written by \`node scripts/configuration.mjs\` from the table that the program reads.

${sections.join("\n\n")}

## To come

Named by the contract and known already; nothing reads them yet.

${table(later)}
`;
}

/** Laid out as the formatter wants it. */
function table(rows) {
  const cells = [
    ["key", "default", "takes", "what it is for"],
    ...rows.map(({ key, default: standard, takes, meaning, secret }) => [
      `\`${key}\``,
      standard === undefined ? "" : `\`${standard}\``,
      secret ? "a secret; never shown" : (takes ?? ""),
      meaning.replaceAll("|", "\\|"),
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(3, ...cells.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, i) => cell.padEnd(widths[i])).join(" | ")} |`;
  const [head, ...body] = cells;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}
