/** Trajectory rows as a harness writes them, a fixed function of their number. */
import { closeSync, openSync, writeSync } from "node:fs";

const results = ["accepted", "verified_accept", "check_failed", "transient_timeout", "completed"];
const startMs = Date.UTC(2026, 0, 1);

export function stepRow(i: number) {
  return {
    schema: 1,
    stepKind: "premath.harness.step.v1",
    stepId: `step-${String(i).padStart(8, "0")}`,
    issueId: `bd-${i % 977}`,
    action: "worker.step",
    resultClass: results[(i * 7) % results.length] as string,
    witnessRefs: [`lease://handoff/bd-${i % 977}/active/${(i * 2_654_435_761) >>> 0}`],
    finishedAt: `${new Date(startMs + i * 1000).toISOString().slice(0, 19)}Z`,
  };
}

export function writeRows(path: string, count: number): void {
  const fd = openSync(path, "w");
  let chunk = "";
  for (let i = 0; i < count; i++) {
    chunk += `${JSON.stringify(stepRow(i))}\n`;
    if (chunk.length > 1 << 20 || i === count - 1) {
      writeSync(fd, chunk);
      chunk = "";
    }
  }
  closeSync(fd);
}
