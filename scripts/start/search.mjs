/** The guided run's scene about searching: a pack, a run, a replay in another process, how well it decided, and one question. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const files = ["starts", "artifacts", "steps", "refusals", "terminals", "episodes"];

/** `run(launcher, …words)` carries a command out and shows it. Resolves with what is wrong, if anything. */
export function searchEvidence({ folder, run }) {
  const hlq = (...words) => run("hlq", ...words);
  hlq("pack", "build", "--source", "synthetic", "--seed", "7", "--synthetic-markets", "12", "--days", "60");
  const [pack] = readdirSync(path.join(folder, "packs"));
  hlq("run", "--pack", `packs/${pack}`, "--policy", "heuristic", "--out", "runs/heuristic");
  hlq("replay", "runs/heuristic", "--pack", `packs/${pack}`);
  hlq("eval", "runs/heuristic", "--pack", `packs/${pack}`, "--plot", "runs/eval.svg");
  hlq("ask", "top 3 movers last 24h");
  const rows = Object.fromEntries(files.map((name) => [name, count(folder, `runs/heuristic/${name}.jsonl`)]));
  const packed = count(folder, `packs/${pack}/episodes.jsonl`);
  const ended = rows.starts === packed && rows.terminals === packed && rows.episodes === packed;
  return ended ? [] : [`of ${packed} episodes ${rows.terminals} ended`];
}

function count(folder, file) {
  return readFileSync(path.join(folder, file), "utf8").split("\n").length - 1;
}
