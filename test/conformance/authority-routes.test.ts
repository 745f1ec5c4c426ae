/**
 * The pages on the typestate and on retry stand under the runtime contract and add no authority of
 * their own: what they name is there, is routed, and changes nothing by itself.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const text = (file: string) => readFileSync(path.join(root, file), "utf8");
const pages = ["typestate", "retry-escalation"].map((name) => `docs/contracts/${name}.md`);

interface Registry {
  readonly routeFamilies: readonly { readonly id: string; readonly worldId: string }[];
  readonly operations: readonly { readonly id: string; readonly routeFamilyId: string }[];
}

it("[RUNTIME-1.0.1] there is one runtime contract, and every other page of contracts is under it", () => {
  const contracts = readdirSync(path.join(root, "docs/contracts"));
  const numbered = contracts.filter((name) => /^- \[RUNTIME-[\d.]+\]/m.test(text(`docs/contracts/${name}`)));
  expect(numbered).toEqual(["runtime.md"]);
});

describe.each(pages)("%s", (page) => {
  it("[RUNTIME-1.1.19] refers to the runtime contract for how the surface is divided", () => {
    expect(text(page)).toContain("RUNTIME §1.1, [RUNTIME-1.1.1] to [RUNTIME-1.1.20]");
  });

  it("[RUNTIME-1.1.20] names routes of the registry only", () => {
    const { operations, routeFamilies } = JSON.parse(
      text("policies/control/doctrine-op-registry-v1.json"),
    ) as Registry;
    const routes = [...text(page).matchAll(/`(op\/[^`]+)`/g)].map(([, id = ""]) => id);
    expect(routes.length).toBeGreaterThan(0);
    for (const route of routes) {
      const row = operations.find(({ id }) => id === route);
      const family = routeFamilies.find(({ id }) => id === row?.routeFamilyId);
      expect([route, family?.worldId]).toEqual([route, "world.work"]);
    }
  });

  it("[RUNTIME-1.1.20] names modules that decide and change nothing themselves", () => {
    const modules = [...text(page).matchAll(/`(packages\/[^`]+\.ts)`/g)].map(([, file = ""]) => file);
    expect(modules.length).toBeGreaterThan(3);
    for (const file of modules) {
      expect(existsSync(path.join(root, file)), `${file} is missing`).toBe(true);
      expect(text(file), `${file} writes`).not.toMatch(/\bputFile\(|\.change\(|\.append\(|makeDirectory\(/);
    }
  });
});

describe("the anchors of the seed", () => {
  const dryRun = (...words: string[]) =>
    spawnSync(process.execPath, ["scripts/run.mjs", ...words], {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, BRIDLE_DRY_RUN: "1" },
    }).stdout;

  it("[RUNTIME-1.1.12] npm run conformance runs the typestate vectors", () => {
    const folder = /vitest\.mjs run (\S+)/.exec(dryRun("conformance"))?.[1] ?? "";
    expect(readdirSync(path.join(root, folder))).toContain("typestate.test.ts");
  });

  it("[RUNTIME-1.1.18] ci-pipeline-test runs the tests of gate, retry and escalation", () => {
    const run = dryRun("ci-pipeline-test");
    for (const file of ["gate/join.test.ts", "evidence/retry.test.ts", "evidence/escalation.test.ts"]) {
      const folder = `packages/work/src/${path.dirname(file)}`;
      expect(run).toContain(` ${folder}`);
      expect(existsSync(path.join(root, folder, path.basename(file)))).toBe(true);
    }
  });
});
