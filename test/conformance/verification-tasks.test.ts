/**
 * The verification tasks of the runtime contract, on a copy of the tree as it is and on the same copy
 * with something broken in it for each of them: they end with 0 and with 1, and say what is broken.
 *
 * ci-hygiene-check takes the names of its checks, so that those run here that take no minute. Of
 * issue-graph-check it is the command that the task runs behind a build; that it does is seen in
 * packages/work/src/operations/issue-authority.test.ts.
 */
import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Change } from "../support/broken-copy.js";
import { commandHere } from "../support/command-here.js";
import { TreeCopy } from "../support/tree-copy.js";

interface End {
  readonly code: number | null;
  readonly said: string;
}

interface Task {
  /** With its clauses; other tests cite them where a copy is broken, because no copy is made of a copy. */
  readonly name: string;
  readonly breaks: readonly Change[];
  readonly says: readonly string[];
  run(root: string): Promise<End>;
}

const script =
  (...words: string[]) =>
  (root: string) =>
    new Promise<End>((resolve, reject) => {
      const child = spawn(process.execPath, ["scripts/run.mjs", ...words], { cwd: root });
      let said = "";
      child.stdout.on("data", (text: Buffer) => (said += text.toString()));
      child.stderr.on("data", (text: Buffer) => (said += text.toString()));
      child.once("error", reject);
      child.once("close", (code) => resolve({ code, said }));
    });

const tasks: readonly Task[] = [
  {
    name: "ci-hygiene-check [RUNTIME-9.1]",
    run: script("ci-hygiene-check", "boundaries", "cycles"),
    breaks: [
      {
        file: "packages/work/src/gate/join.ts",
        find: "import { type Constraints",
        replace: 'import "node:fs";\nimport { type Constraints',
      },
    ],
    says: ["node:fs"],
  },
  {
    name: "issue-graph-check [RUNTIME-9.2]",
    async run(root) {
      const { code, stdout, stderr } = await commandHere(["issue", "check", "--compactness"], { cwd: root });
      return { code, said: `${stdout}${stderr}` };
    },
    breaks: [
      {
        file: ".premath/issues.jsonl",
        find: '{"id":"bd-1","title":"Slice: session read"',
        replace: '{"id":"bd-1","title":"[EPIC] Slice: session read"',
      },
    ],
    says: ["issue_graph.issue_type.epic_mismatch"],
  },
  {
    name: "docs-coherence-check [RUNTIME-9.3]",
    run: script("docs-coherence-check"),
    breaks: [
      {
        file: "docs/contracts/typestate.md",
        find: "`tool.use_digest_mismatch`",
        replace: "`tool.use_digest_differs`",
      },
      {
        file: "docs/contracts/retry-escalation.md",
        find: "`premath harness-trajectory cluster`",
        replace: "`premath harness-trajectory clusters`",
      },
    ],
    says: [
      "nothing is called tool.use_digest_differs",
      "there is no command premath harness-trajectory clusters",
    ],
  },
  {
    name: "doctrine-check [RUNTIME-9.4] [RUNTIME-8.1]",
    run: script("doctrine-check"),
    breaks: [
      {
        file: "policies/control/doctrine-op-registry-v1.json",
        find: '"id": "op/mcp.issue_ready"',
        replace: '"id": "op/mcp.issue_readiness"',
      },
    ],
    says: ["world_route_unbound: op/mcp.issue_ready has no row"],
  },
];

describe("the verification task", () => {
  let copy: TreeCopy;
  let sound: readonly End[];
  let broken: readonly End[];
  beforeAll(async () => {
    copy = TreeCopy.make();
    const all = () => Promise.all(tasks.map(({ run }) => run(copy.root)));
    sound = await all();
    broken = await copy.changed(
      tasks.flatMap(({ breaks }) => breaks),
      all,
    );
  });
  afterAll(() => copy.remove());

  it.each(tasks.map((task, at) => [task.name, task, at] as const))(
    "%s ends with 0 on a sound tree and with 1 on a broken one",
    (_name, { says }, at) => {
      expect(sound[at]).toMatchObject({ code: 0 });
      expect(broken[at]).toMatchObject({ code: 1 });
      for (const words of says) expect(broken[at]?.said).toContain(words);
    },
  );
});
