/**
 * The verification tasks of the runtime contract, each on the tree as it is and on a copy in which
 * something is broken: they end with 0 and with 1. ci-hygiene-check takes the names of its checks, so
 * that those run here that take no minute.
 */
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Change } from "../support/broken-copy.js";
import { TreeCopy } from "../support/tree-copy.js";

let copy: TreeCopy;
beforeAll(() => {
  copy = TreeCopy.make();
});
afterAll(() => copy.remove());

function endsWith(task: readonly string[]): Promise<{ readonly code: number | null; readonly said: string }> {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/run.mjs", ...task], {
    cwd: copy.root,
    encoding: "utf8",
  });
  return Promise.resolve({ code: status, said: `${stdout}${stderr}` });
}

const registry = "policies/control/doctrine-op-registry-v1.json";

describe.each<[clause: string, task: readonly string[], change: Change, says: string]>([
  [
    "[RUNTIME-9.1]",
    ["ci-hygiene-check", "boundaries", "cycles"],
    {
      file: "packages/work/src/gate/join.ts",
      find: "import { type Constraints",
      replace: 'import "node:fs";\nimport { type Constraints',
    },
    "node:fs",
  ],
  [
    "[RUNTIME-9.3]",
    ["docs-coherence-check"],
    {
      file: "docs/contracts/typestate.md",
      find: "`tool.use_digest_mismatch`",
      replace: "`tool.use_digest_differs`",
    },
    "nothing is called tool.use_digest_differs",
  ],
  [
    "[RUNTIME-9.3]",
    ["docs-coherence-check"],
    {
      file: "docs/contracts/retry-escalation.md",
      find: "`premath harness-trajectory cluster`",
      replace: "`premath harness-trajectory clusters`",
    },
    "there is no command premath harness-trajectory clusters",
  ],
  [
    "[RUNTIME-9.4] [RUNTIME-8.1]",
    ["doctrine-check"],
    { file: registry, find: '"id": "op/mcp.issue_ready"', replace: '"id": "op/mcp.issue_readiness"' },
    "world_route_unbound: op/mcp.issue_ready has no row",
  ],
])("%s %j", (_clause, task, change, says) => {
  it("ends with 0 on a sound tree and with 1 on a broken one", async () => {
    const sound = await endsWith(task);
    expect(sound.code, sound.said).toBe(0);
    const broken = await copy.changed([change], () => endsWith(task));
    expect(broken.code, broken.said).toBe(1);
    expect(broken.said).toContain(says);
  });
});
