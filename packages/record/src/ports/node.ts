/** The real ports. Nothing else in Bridle reads a clock, draws a number or opens a file. */
import { randomBytes } from "node:crypto";
import { nodeFiles } from "./node-files.js";
import { nodeProcesses } from "./node-processes.js";
import type { Clock, Ids, Ports, Randomness } from "./types.js";

const clock: Clock = {
  async now() {
    return Date.now();
  },
  async monotonic() {
    return performance.now();
  },
  async sleep(ms, signal) {
    if (signal?.aborted === true) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((done) => {
      timer = setTimeout(done, ms);
      signal?.addEventListener("abort", () => done(), { once: true });
    });
    clearTimeout(timer);
  },
};

const randomness: Randomness = {
  async bytes(length) {
    return randomBytes(length);
  },
};

const ids: Ids = {
  async next() {
    return randomBytes(10).toString("hex");
  },
};

export function nodePorts(): Ports {
  return { clock, ids, randomness, files: nodeFiles, processes: nodeProcesses };
}
