/**
 * docs/slices.md: each capability ships a schema, a command, an integration test and a checklist.
 *
 * A cell that points at nothing fails here, and so does a command that has no row. The commands are
 * those of the manifest that the build writes.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

interface Slice {
  readonly capability: string;
  readonly schemas: string[];
  readonly command: string;
  readonly tests: string[];
  readonly checklist: string;
  readonly issue: string;
}

interface Manifest {
  readonly operations: readonly { readonly names: { readonly command: readonly string[] } }[];
}

const docs = fileURLToPath(new URL("../../docs", import.meta.url));
const manifestPath = path.join(docs, "../packages/surface/src/manifest/manifest.generated.json");
const page = readFileSync(path.join(docs, "slices.md"), "utf8");
const slices = readSlices(page);
const issues = readFileSync(path.join(docs, "../.premath/issues.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as { id: string; title: string; description?: string; status: string });
const named = slices.map((slice) => [slice.capability, slice] as const);

function readSlices(markdown: string): Slice[] {
  const rows = markdown.split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(2).map((row) => {
    const [capability = "", schemas = "", command = "", tests = "", checklist = "", issue = ""] = row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
    return {
      capability,
      schemas: targets(schemas),
      command: /^`([^`]+)`$/.exec(command)?.[1] ?? "",
      tests: targets(tests),
      checklist: targets(checklist)[0] ?? "",
      issue,
    };
  });
}

/** What the links of a cell point at. */
function targets(cell: string): string[] {
  return [...cell.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1] ?? "");
}

/** The checkbox items of the section that an anchor of this page points at. */
function checklistItems(anchor: string): string[] {
  const sections = page.split(/^## /m).slice(1);
  const section = sections.find((text) => `#${slug(text.split("\n")[0] ?? "")}` === anchor);
  return section?.match(/^- \[[ x]\] \S.*$/gm) ?? [];
}

function slug(heading: string): string {
  return heading.trim().toLowerCase().replaceAll(" ", "-");
}

/** Commands of the built program, such as "harness-session read". */
function knownCommands(): string[] {
  if (!existsSync(manifestPath)) throw new Error(`${manifestPath} is missing; run npm run build first`);
  const manifest = JSON.parse(readFileSync(manifestPath, "utf8")) as Manifest;
  return manifest.operations.map(({ names }) => names.command.join(" "));
}

/** Commands that the page itself says are no slice. */
function exemptCommands(): string[] {
  const section = page.split(/^## Not slices$/m)[1]?.split(/^## /m)[0] ?? "";
  return [...section.matchAll(/^- `([^`]+)`: \S/gm)].map((match) => withoutProgram(match[1] ?? ""));
}

function withoutProgram(command: string): string {
  return command.replace(/^(bridle|premath|hlq) /, "");
}

describe("every slice is whole", () => {
  it("has the capabilities of the session, the trajectory and the log", () => {
    const expected = [
      "session read",
      "session write",
      "session bootstrap",
      "trajectory append",
      "trajectory query",
    ];
    const capabilities = slices.map(({ capability }) => capability);
    expect(capabilities).toEqual(
      expect.arrayContaining([...expected, "log verify", "log repair", "log follow"]),
    );
    expect(new Set(capabilities).size).toBe(capabilities.length);
  });

  it.each(named)("[TUSK-9.4] %s has a JSON schema", (_, { schemas }) => {
    expect(schemas).not.toEqual([]);
    for (const schema of schemas) {
      expect(schema).toMatch(/^\.\.\/schemas\/[\w.]+\.json$/);
      expect(existsSync(path.join(docs, schema)), `${schema} is missing`).toBe(true);
      const keys = Object.keys(JSON.parse(readFileSync(path.join(docs, schema), "utf8")) as object);
      expect(keys, `${schema} says nothing`).not.toEqual([]);
    }
  });

  it.each(named)("[TUSK-9.5] %s has a command that the program knows", (_, { command }) => {
    expect(command).toMatch(/^(bridle|premath|hlq) \S/);
    expect(knownCommands()).toContain(withoutProgram(command));
  });

  it.each(named)("[TUSK-9.6] %s has an integration test", (_, { tests }) => {
    expect(tests).not.toEqual([]);
    for (const test of tests) {
      expect(test).toMatch(/\.test\.ts$/);
      expect(existsSync(path.join(docs, test)), `${test} is missing`).toBe(true);
    }
  });

  it.each(named)("[TUSK-9.7] %s has an acceptance checklist", (_, { checklist }) => {
    expect(checklistItems(checklist), `${checklist} names no section with checkboxes`).not.toEqual([]);
  });

  it.each(named)(
    "[TUSK-9.8] %s is backed by the issue that it names, which has the checklist and its test",
    (capability, slice) => {
      const backing = issues.filter(({ title }) => title === `Slice: ${capability}`);
      expect(backing.map(({ id }) => id)).toEqual([slice.issue]);
      const { description = "", status } = backing[0] ?? {};
      const items = checklistItems(slice.checklist);
      for (const item of items) expect(description).toContain(item.replace(/^- \[[ x]\] /, ""));
      for (const test of slice.tests)
        expect(description).toContain(`npx vitest run ${test.replace("../", "")}`);
      // Closed is what every box ticked means.
      expect(status).toBe(items.every((item) => item.startsWith("- [x]")) ? "closed" : "open");
    },
  );

  it("[TUSK-9.3] no two slices are for one gap: every command has one row, and every row a title of its own", () => {
    const repeated = (names: readonly string[]) => names.filter((name, i) => names.indexOf(name) !== i);
    expect(repeated(slices.map(({ command }) => command))).toEqual([]);
    const titles = issues.map(({ title }) => title).filter((title) => title.startsWith("Slice: "));
    expect(repeated(titles)).toEqual([]);
    expect(titles.toSorted()).toEqual(slices.map(({ capability }) => `Slice: ${capability}`).toSorted());
  });

  it("leaves no command of the program without a slice", () => {
    const covered = [...slices.map(({ command }) => withoutProgram(command)), ...exemptCommands()];
    expect(knownCommands().filter((command) => !covered.includes(command))).toEqual([]);
  });
});
