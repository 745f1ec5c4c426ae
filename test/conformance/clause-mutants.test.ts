/**
 * A test that cites a clause proves something only if it fails when the clause is broken.
 *
 * Clauses that are done are drawn by seed. For each, the code behind it is broken in a copy of the
 * tree, once for every mutant of the clause, and the tests that cite it run there: one of them must
 * fail. BRIDLE_MUTANTS=all draws every clause, and BRIDLE_MUTANTS=TUSK-11.25,… those.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "@bridle/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collectCitations, collectClauses } from "../../scripts/clauses.mjs";
import { applyChange } from "../support/broken-copy.js";
import { full, proving, seed, share } from "../support/scale.js";
import { type TestRun, TreeCopy, treeRoot } from "../support/tree-copy.js";
import { type ClauseMutant, clauseMutants } from "./clause-mutants.js";

const done = collectClauses(treeRoot)
  .clauses.filter(({ status }) => status === "done")
  .map(({ id }) => id);
const citations = collectCitations(treeRoot);
const runMsMax = 180_000;

describe("the table of mutants", () => {
  it("has one for every clause that is done, and none for another", () => {
    const broken = new Set(clauseMutants.map(({ clause }) => clause));
    expect(done.filter((id) => !broken.has(id))).toEqual([]);
    expect([...broken].filter((id) => !done.includes(id))).toEqual([]);
  });

  it("changes a text that stands exactly once where it says, and changes it", () => {
    for (const { changes } of clauseMutants) {
      for (const change of changes) {
        const source = readFileSync(join(treeRoot, change.file), "utf8");
        expect(applyChange(source, change)).not.toBe(source);
      }
    }
  });
});

// Each clause takes two runs of vitest on a copy of the tree: nothing for `npm test`.
if (proving) {
  describe("breaking the code behind a clause", () => {
    const copies: TreeCopy[] = [];
    beforeAll(() => {
      for (let i = 0; i < share(2, 1); i++) copies.push(TreeCopy.make());
    });
    afterAll(() => {
      for (const copy of copies) copy.remove();
    });

    it(
      "makes a test that cites the clause fail",
      async () => {
        const drawn = drawClauses();
        const [first] = copies;
        const sound = await first?.test({ ...citing(drawn), withinMs: 4 * runMsMax });
        expect(sound?.trouble).toEqual([]);
        expect(sound?.failed).toEqual([]);
        for (const id of drawn) expect(sound?.passed.join("\n")).toContain(`[${id}]`);

        const mutants = clauseMutants.filter(({ clause }) => drawn.includes(clause));
        const survivors: string[] = [];
        const waiting = [...mutants];
        const work = async (copy: TreeCopy): Promise<void> => {
          for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
            const run = await runBroken(copy, mutant);
            if (!isNoticed(run, mutant)) survivors.push(describeSurvivor(run, mutant));
          }
        };
        await Promise.all(copies.map(work));

        const alive = new Set(survivors.map((survivor) => survivor.split(" ")[0]));
        console.log(
          `proof: ${drawn.length} clauses broken, ${drawn.length - alive.size} noticed (seed ${seed}), ` +
            `by ${mutants.length} mutants, ${mutants.length - survivors.length} noticed`,
        );
        expect(survivors).toEqual([]);
      },
      3 * 60 * 60_000,
    );
  });
}

function drawClauses(): readonly string[] {
  const asked = process.env["BRIDLE_MUTANTS"];
  if (asked === "all") return done;
  if (asked !== undefined) return done.filter((id) => asked.split(",").includes(id));
  const random = new Random(seed);
  const left = full ? [...done] : done.filter(isCitedBesideCode);
  return Array.from({ length: share(30, 1) }, () => left.splice(random.below(left.length), 1)).flat();
}

/** Its tests run without a build, which every mutant would make necessary again. */
function isCitedBesideCode(id: string): boolean {
  return citing([id]).files.every((file) => file.startsWith("packages/"));
}

function citing(ids: readonly string[]): { readonly files: string[]; readonly pattern: string } {
  const cited = citations.filter(({ id }) => ids.includes(id));
  const pattern = ids.map((id) => `\\[${id.replaceAll(".", "\\.")}\\]`).join("|");
  return { files: [...new Set(cited.map(({ file }) => file))], pattern };
}

function runBroken(copy: TreeCopy, { clause, changes }: ClauseMutant): Promise<TestRun> {
  return copy.changed(changes, () => copy.test({ ...citing([clause]), withinMs: runMsMax }));
}

/** A suite that could not be loaded notices nothing. */
function isNoticed(run: TestRun, { clause }: ClauseMutant): boolean {
  return run.failed.some((name) => name.includes(`[${clause}]`));
}

function describeSurvivor({ passed, trouble }: TestRun, { clause, breaks }: ClauseMutant): string {
  return [`${clause} (${breaks}) went unnoticed`, ...passed, ...trouble].join("\n  ");
}
