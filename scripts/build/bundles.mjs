/** What every bundle has in common: for the oldest Node that is supported, small, and silent unless something is wrong. */
import { fileURLToPath } from "node:url";

export const nodeBundle = {
  absWorkingDir: fileURLToPath(new URL("../..", import.meta.url)),
  bundle: true,
  platform: "node",
  target: "node20",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
};

/** Of several entries, whose common parts are chunks. */
export const splitBundle = { ...nodeBundle, splitting: true, format: "esm" };

/** Of rooms: an index.ts imports its failures.ts for the types only. */
export const roomBundle = { ...splitBundle, logOverride: { "ignored-bare-import": "silent" } };
