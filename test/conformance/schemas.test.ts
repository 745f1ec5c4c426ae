/**
 * schemas/ is what the types say today, and each file is a usable JSON Schema.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Compile } from "typebox/compile";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const files = readdirSync(path.join(root, "schemas")).filter((name) => name.endsWith(".json"));

describe("the published schemas", () => {
  it("[TUSK-9.4] are current", () => {
    const script = path.join(root, "scripts/schemas.mjs");
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
    expect(stdout + stderr).toMatch(/^\d+ schemas, all current\n$/);
    expect(status).toBe(0);
  });

  it.each(files)("%s names its kind and its dialect, and refuses what is no object", (name) => {
    const schema = JSON.parse(readFileSync(path.join(root, "schemas", name), "utf8")) as Record<
      string,
      unknown
    >;
    expect(schema["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(`${String(schema["$id"])}.json`).toBe(name);
    expect(Compile(schema).Check("a text")).toBe(false);
  });
});
