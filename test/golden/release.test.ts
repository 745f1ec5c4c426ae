/**
 * What a release wrote, every later version reads; and what a later one will write is
 * refused by this one with a sentence, or kept to the byte. docs/compatibility.md says so.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { commandHere, type Ended } from "../support/command-here.js";
import { newFolder } from "../support/folder.js";

const golden = fileURLToPath(new URL(".", import.meta.url));
const releases = readdirSync(golden).filter((name) => name.startsWith("release-0"));

interface Answered {
  readonly command: string;
  readonly answer: object;
}

/** A copy, because reading leaves an index beside a log. */
function projectOf(release: string): string {
  const folder = join(newFolder(), "project");
  cpSync(join(golden, release, "project"), folder, { recursive: true });
  return folder;
}

function run(command: string, cwd: string): Promise<Ended> {
  const [launcher, ...words] = command.split(" ");
  return commandHere(words, { cwd, launcher: launcher as "bridle" });
}

describe.each(releases)("a project of %s", (release) => {
  const read = readFileSync(join(golden, release, "answers.json"), "utf8");
  const answers = JSON.parse(read) as readonly Answered[];

  it("was looked at with a dozen commands", () => expect(answers.length).toBeGreaterThan(8));

  it.each(answers)("$command says the same", async ({ command, answer }) => {
    const ended = await run(`${command} --json`, projectOf(release));
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.json()).toMatchObject(answer);
  });
});

describe("a file of a version that is not there yet", () => {
  const newest = releases.at(-1) ?? "";
  /** The project with that file changed by a later version. */
  function later(file: string, from: string, to: string): string {
    const folder = projectOf(newest);
    const text = readFileSync(join(folder, file), "utf8");
    writeFileSync(join(folder, file), text.replaceAll(from, to));
    return folder;
  }

  it.each([
    [".premath/harness_session.json", "session.v1", "session.v9", "premath harness-session write --issue-id bd-3"],
    [
      ".premath/harness_feature_ledger.json",
      "ledger.v1",
      "ledger.v9",
      "premath harness-feature write --feature-id upload --status blocked",
    ],
    ["packs/p/manifest.json", "replay_pack.v2", "replay_pack.v9", "hlq run --pack packs/p --policy heuristic --out runs/b"],
  ])("%s is refused by name, and not written over", async (file, from, to, command) => {
    const folder = later(file, from, to);
    const before = readFileSync(join(folder, file), "utf8");
    const ended = await run(command, folder);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("v9");
    expect(readFileSync(join(folder, file), "utf8")).toBe(before);
  });

  it("rows of a trajectory that it added are named, left out of the answer and kept", async () => {
    const file = ".premath/harness_trajectory.jsonl";
    const folder = later(file, '"s-1"', '"s-1","novel":{"b":1,"a":2}');
    const row = '{"schema":9,"stepKind":"premath.harness.step.v9","stepId":"s-9"}\n';
    const before = readFileSync(join(folder, file), "utf8") + row;
    writeFileSync(join(folder, file), before);
    const ended = await run("premath harness-trajectory query --mode latest --json", folder);
    expect([ended.code, ended.json()["count"]]).toEqual([0, 2]);
    expect(ended.stderr).toContain("premath.harness.step.v9");
    const append = "premath harness-trajectory append --step-id s-3 --action read --result-class accepted";
    expect((await run(append, folder)).code).toBe(0);
    expect(readFileSync(join(folder, file), "utf8").startsWith(before)).toBe(true);
  });

  it("members of an issue that it added survive a change", async () => {
    const folder = later(".premath/issues.jsonl", '"id":"bd-3"', '"id":"bd-3","novel":{"b":1,"a":[2]}');
    expect((await run("premath issue update bd-3 --title Another", folder)).code).toBe(0);
    const last = readFileSync(join(folder, ".premath/issues.jsonl"), "utf8").trimEnd().split("\n").at(-1);
    expect(last).toContain('"novel":{"b":1,"a":[2]}');
  });
});
