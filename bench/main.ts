/** All benchmarks, in one run, as one table; `--json` for programs. A broken promise is exit 1. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchAgent } from "./agent.js";
import { benchAsk } from "./ask.js";
import { benchAppend } from "./append.js";
import { benchClaimCost } from "./claim-cost.js";
import { benchClaims } from "./claims.js";
import { benchColdStart, benchQuery } from "./commands.js";
import { benchGate } from "./gate.js";
import { benchInstalled } from "./installed.js";
import { benchLanggraph } from "./langgraph.js";
import type { Line } from "./measure.js";
import { benchPack } from "./pack.js";
import { benchReady } from "./ready.js";
import { benchRunner } from "./runner.js";
import { benchSearchSize } from "./search-size.js";
import { benchSearch } from "./search.js";
import { benchShell } from "./shell.js";
import { benchSynced } from "./synced.js";

const benches: Record<string, (folder: string, root: string) => Promise<Line[]>> = {
  append: benchAppend,
  synced: benchSynced,
  claims: benchClaims,
  "claim-cost": benchClaimCost,
  query: benchQuery,
  "cold-start": benchColdStart,
  ready: benchReady,
  search: benchSearch,
  pack: benchPack,
  "search-size": benchSearchSize,
  langgraph: benchLanggraph,
  agent: benchAgent,
  shell: benchShell,
  ask: benchAsk,
  gate: benchGate,
  runner: benchRunner,
  installed: benchInstalled,
};

const [root = ".", ...args] = process.argv.slice(2);
const json = args.includes("--json");
const wanted = args.filter((arg) => !arg.startsWith("--"));
for (const name of wanted) {
  if (name in benches) continue;
  console.error(`error: there is no benchmark ${name}; there are ${Object.keys(benches).join(", ")}`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "bridle bench "));
const lines: Line[] = [];
try {
  for (const [name, bench] of Object.entries(benches)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    if (!json) console.error(`measuring ${name} …`);
    lines.push(...(await bench(folder, root)));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

if (json) console.log(JSON.stringify({ kind: "bridle.bench.v1", node: process.version, lines }, null, 2));
else {
  const cells = lines.map((line) => [
    line.name,
    line.against,
    `${line.ratio?.toFixed(line.ratio < 0.1 ? 3 : 2) ?? "–"} ×`,
    line.promise,
    line.kept === "not judged" ? "not judged" : line.kept ? "kept" : "BROKEN",
    line.note,
  ]);
  const rows = [["what", "against", "ratio", "promise", "", "here"], ...cells];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows)
    console.log(
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}
process.exit(lines.some((line) => line.kept === false) ? 1 : 0);
