/** The real ports. Nothing else in Bridle reads a clock, draws a number or opens a file. */
import { randomBytes } from "node:crypto";
import { nodeFiles } from "./node-files.js";
import { nodeProcesses } from "./node-processes.js";
import { nodeRevision } from "./node-revision.js";
import { waitFor } from "./wait.js";
import type { Clock, Ids, Ports, Randomness } from "./types.js";

const clock: Clock = {
  async now() {
    return Date.now();
  },
  async monotonic() {
    return performance.now();
  },
  async sleep(ms, signal) {
    // A timer takes a millisecond at least; who only wants to let others go first gets just that.
    if (ms <= 0) await new Promise(setImmediate);
    else await waitFor(ms, signal);
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
  return { clock, ids, randomness, files: nodeFiles, processes: nodeProcesses, revision: nodeRevision };
}
