/**
 * The clause checker, on small repositories made for the purpose.
 *
 * The test files in them are text, so that what they cite does not count as cited here.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { collectCitations, collectClauses, judge, testTitles, type Verdict } from "../../scripts/clauses.mjs";

const script = fileURLToPath(new URL("../../scripts/clauses.mjs", import.meta.url));
const good = {
  "docs/contracts/search.md": "- [SEARCH-1.1] planned — A statement.\n",
  "docs/contracts/trajectory.md": "- [TRAJ-1.1] planned — A statement.\n",
  "docs/contracts/tusk.md": "- [TUSK-1.1] done — A statement.\n- [TUSK-1.2] planned (may) — Another.\n",
  "docs/contracts/agent.md": "- [AGENT-1.1] planned — A statement.\n",
  "docs/contracts/runtime.md": "- [RUNTIME-1.0.1] done (should) — A statement.\n",
  "packages/work/src/a.test.ts": 'it("holds [TUSK-1.1]", () => {});\n',
  "test/end-to-end/b.test.ts": "describe(`b [RUNTIME-1.0.1]`, () => {});\n",
};
const folders: string[] = [];

function repository(changes: Record<string, string> = {}): string {
  const root = mkdtempSync(path.join(tmpdir(), "bridle clauses "));
  folders.push(root);
  for (const [file, text] of Object.entries({ ...good, ...changes })) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return root;
}

function verdictOn(changes: Record<string, string> = {}): Verdict {
  const root = repository(changes);
  return judge(collectClauses(root), collectCitations(root));
}

function problemsOf(changes: Record<string, string>): string[] {
  return verdictOn(changes).problems.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

function run(root: string, ...args: string[]) {
  return spawnSync(process.execPath, [script, "--root", root, ...args], { encoding: "utf8" });
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe("the clauses and the tests agree", () => {
  it("passes a repository whose done clauses are all cited", () => {
    const { problems, documents } = verdictOn();
    expect(problems).toEqual([]);
    expect(documents).toContainEqual({ document: "TUSK", clauses: 2, done: 1, planned: 1, cited: 1 });
    expect(documents).toContainEqual({ document: "RUNTIME", clauses: 1, done: 1, planned: 0, cited: 1 });
  });

  it("[RUNTIME-0.1] reads a clause as required unless it is marked (should) or (may)", () => {
    const strengths = verdictOn().clauses.map(({ id, strength }) => [id, strength]);
    expect(strengths).toContainEqual(["TUSK-1.1", "must"]);
    expect(strengths).toContainEqual(["TUSK-1.2", "may"]);
    expect(strengths).toContainEqual(["RUNTIME-1.0.1", "should"]);
    const marked = { "docs/contracts/agent.md": "- [AGENT-1.1] planned (shall) — A statement.\n" };
    expect(problemsOf(marked)).toEqual([expect.stringContaining("agent.md:1: AGENT-1.1 is malformed")]);
  });

  it("names a done clause that no test cites", () => {
    expect(problemsOf({ "packages/work/src/a.test.ts": "" })).toEqual([
      expect.stringMatching(/^docs\/contracts\/tusk\.md:1: TUSK-1\.1 is done but no test cites it; /),
    ]);
  });

  it("names a citation of a clause that does not exist", () => {
    const text = '\nit("holds [TUSK-1.1] and [TUSK-1.9]", () => {});\n';
    expect(problemsOf({ "packages/work/src/a.test.ts": text })).toEqual([
      expect.stringMatching(/^packages\/work\/src\/a\.test\.ts:2: no clause has the cited id \[TUSK-1\.9\]/),
    ]);
  });

  it.each(["TUSK-1", "TUSK-1.x", "TUSKS-1.1", "TUSK-1.1..3"])("names the citation %s as unknown", (id) => {
    const text = `it("holds [TUSK-1.1] [${id}]", () => {});\n`;
    expect(problemsOf({ "packages/work/src/a.test.ts": text })).toEqual([expect.stringContaining(`[${id}]`)]);
  });
});

describe("the documents are well formed", () => {
  const tusk = "docs/contracts/tusk.md";
  const lines = (...more: string[]) => ({ [tusk]: `${good[tusk]}${more.join("\n")}\n` });

  it("names an id that is defined twice", () => {
    expect(problemsOf(lines("- [TUSK-1.1] planned — Again."))).toEqual([
      expect.stringContaining(`${tusk}:3: TUSK-1.1 is already defined at ${tusk}:1`),
    ]);
  });

  it("names a clause that was removed from the middle of a section", () => {
    expect(problemsOf(lines("- [TUSK-1.5] planned — Later."))).toEqual([
      expect.stringContaining("TUSK-1.3 is missing"),
      expect.stringContaining("TUSK-1.4 is missing"),
    ]);
  });

  it("names an unknown status", () => {
    expect(problemsOf(lines("- [TUSK-1.3] soon — Later."))).toEqual([
      expect.stringContaining(`${tusk}:3: TUSK-1.3 has the unknown status "soon"`),
    ]);
  });

  it.each([
    "- [TUSK-1] planned — No number.",
    "- [TUSK-1.3.4.5] planned — Too deep.",
    "- [TUSK-1.03] planned — A leading zero.",
    "- [TUSK-2.0] planned — Numbers count from 1.",
    "- [tusk-1.3] planned — Small letters.",
    "- [RUNTIME-1.3] planned — The wrong document.",
    "- TUSK-1.3 planned — No brackets.",
    "- [TUSK-1.3] planned: no dash.",
    "- [TUSK-1.3] planned —",
  ])("refuses the line %s", (line) => {
    expect(problemsOf(lines(line))).toEqual([expect.stringMatching(/^docs\/contracts\/tusk\.md:3: /)]);
  });

  it("names a clause in a page that is not a contract", () => {
    expect(problemsOf({ "docs/contracts/anchors.md": "- [TUSK-1.3] planned — Lost.\n" })).toEqual([
      expect.stringContaining("docs/contracts/anchors.md:1: TUSK-1.3 is not in a contract document"),
    ]);
  });

  it("names a reference between clauses that leads nowhere", () => {
    expect(problemsOf(lines("See [TUSK-1.2] and [SEARCH-8.1]."))).toEqual([
      expect.stringContaining(`${tusk}:3: no clause has the id [SEARCH-8.1]`),
    ]);
  });

  it("names a contract document that is missing", () => {
    const root = repository();
    rmSync(path.join(root, "docs/contracts/agent.md"));
    expect(collectClauses(root).problems).toEqual([
      expect.objectContaining({ file: "docs/contracts/agent.md" }),
    ]);
  });
});

describe("only the title of a test that runs is a citation", () => {
  const titles = (source: string) => testTitles(source).map(({ title }) => title);

  it("ignores comments, other strings, and tests that are skipped or to be written", () => {
    const source = [
      '// it("[TUSK-1.1]", () => {});',
      '/* it("[TUSK-1.1]", () => {}); */',
      'const text = "[TUSK-1.1]"; expect(text, "[TUSK-1.1]").toBe(1);',
      'it.skip("[TUSK-1.1]", () => {});',
      'it.todo("[TUSK-1.1]");',
      'digit("[TUSK-1.1]"); x.test("[TUSK-1.1]");',
      'const code = `it("[TUSK-1.1]", () => {})`;',
    ].join("\n");
    expect(titles(source)).toEqual([]);
    expect(problemsOf({ "packages/work/src/a.test.ts": source })).toEqual([
      expect.stringContaining("TUSK-1.1 is done but no test cites it"),
    ]);
  });

  it("reads the titles of every form of test", () => {
    const source = [
      'it("one", () => {});',
      "test('two', () => {});",
      "describe.concurrent(`three ${`in ${1}`} four`, () => {});",
      'it.each([["(", 1]])("five %s", () => {});',
      'it.each`a | b`("six", () => {});',
      'test.for([{ a: "]" }])("seven" + " and more", () => {});',
      'test.each<[string, (a: A<B>) => "x"][]>([["a", b]])("eight %s", () => {});',
      'it("nine", { timeout: 5 }, () => {});',
      'it(\n  "ten \\" and",\n  () => {},\n);',
    ].join("\n");
    expect(titles(source)).toEqual([
      "one",
      "two",
      "three   four",
      "five %s",
      "six",
      "seven and more",
      "eight %s",
      "nine",
      'ten \\" and',
    ]);
  });

  it("is not led astray by regular expressions and divisions", () => {
    const source = [
      "const a = /[/'\"`]/g, b = 4 / 2, c = x.replace(/\\/`/, '');",
      "const d = (1 + 2) / 3; const e = `${b / 2}`;",
      'it("found", () => expect(a).toMatch(/"/));',
      'it("found too", () => {});',
    ].join("\n");
    expect(titles(source)).toEqual(["found", "found too"]);
    expect(testTitles(source).map(({ line }) => line)).toEqual([3, 4]);
  });
});

describe("the command", () => {
  it("prints an aligned table and exits 0 when all is well, also in a path with spaces", () => {
    const { status, stdout, stderr } = run(repository());
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const rows = stdout.trimEnd().split("\n");
    expect(rows[0]).toMatch(/document +clauses +done +planned +cited/);
    expect(rows.at(-1)).toMatch(/total +6 +2 +4 +2/);
    expect(new Set(rows.map((row) => row.length)).size).toBe(1);
  });

  it("prints each problem with its place on a line and exits 1", () => {
    const { status, stderr } = run(repository({ "packages/work/src/a.test.ts": "" }));
    expect(status).toBe(1);
    expect(stderr).toMatch(/^docs\/contracts\/tusk\.md:1: TUSK-1\.1 is done .*\n1 to mend\n$/);
  });

  it("lists every clause with the tests that cite it", () => {
    const { stdout } = run(repository(), "--list");
    expect(stdout).toMatch(
      /TUSK-1\.1 +done +A statement\.\n +packages\/work\/src\/a\.test\.ts:1 +holds \[TUSK-1\.1\]\n/,
    );
    expect(stdout).toMatch(/TUSK-1\.2 +planned \(may\) +Another\.\n/);
  });

  it("prints JSON for programs", () => {
    const verdict = JSON.parse(run(repository(), "--json").stdout) as Verdict;
    expect(verdict.problems).toEqual([]);
    expect(verdict.clauses.find(({ id }) => id === "TUSK-1.1")?.citedBy).toEqual([
      { file: "packages/work/src/a.test.ts", line: 1, title: "holds [TUSK-1.1]" },
    ]);
  });

  it("exits 2 on an option that it does not know", () => {
    const { status, stderr } = run(repository(), "--lst");
    expect(status).toBe(2);
    expect(stderr).toMatch(/cannot understand --lst/);
  });
});
