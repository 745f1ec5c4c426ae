/** docs/guides/configuration.md says what the table of settings says today. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("[AGENT-14.1] the guide to settings is current", () => {
  const script = fileURLToPath(new URL("../../scripts/configuration.mjs", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
  expect(stdout + stderr).toMatch(/^\d+ settings, the guide is current\n$/);
  expect(status).toBe(0);
});
