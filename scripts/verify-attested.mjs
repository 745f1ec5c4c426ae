/**
 * Derives again what the last `premath ci-required-attested --all` of this repository wrote.
 *
 *     node scripts/verify-attested.mjs
 *
 * The witness is about HEAD, everything in it follows from the map, the delta and the gate
 * witnesses, and the decision is about this very witness. What differs is said, a line
 * each, and the exit code is 1. Whether the checks passed is not asked here.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "./ensure.mjs";

const folder = path.join(root, "artifacts/ciwitness");
const work = mkdtempSync(path.join(tmpdir(), "bridle-attested-"));
try {
  const problems = differences();
  for (const problem of problems) process.stdout.write(`  differs: ${problem}\n`);
  if (problems.length === 0) process.stdout.write("  the witness and the decision hold\n");
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

function differences() {
  if (!existsSync(file("decision"))) return ["nothing was attested"];
  const [witness, deltaSnapshot, decision] = ["required", "delta", "decision"].map((name) =>
    JSON.parse(readFileSync(file(name), "utf8")),
  );
  const head = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  if (witness.commit !== head) return [`the witness is about ${witness.commit}, HEAD is ${head}`];
  const hashes = { actualWitnessSha256: sha256(file("required")), actualDeltaSha256: sha256(file("delta")) };
  return [
    ...verified("required-witness-verify", {
      ...{ witness, changedPaths: deltaSnapshot.changedPaths, witnessRoot: folder },
      everything: true,
    }),
    ...verified("required-decision-verify", { decision, witness, deltaSnapshot, ...hashes }),
  ];
}

/** What a checker finds wrong. */
function verified(command, question) {
  const input = path.join(work, `${command}.json`);
  writeFileSync(input, JSON.stringify(question));
  const words = [path.join(root, "bin/premath"), command, "--input", input, "--json"];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });
  return status === 0 ? JSON.parse(stdout).errors : [`${command} ended with ${status}: ${stderr.trim()}`];
}

function file(name) {
  return path.join(folder, `latest-${name}.json`);
}

function sha256(name) {
  return createHash("sha256").update(readFileSync(name)).digest("hex");
}
