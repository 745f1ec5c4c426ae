/** Which revision runs: only our own repository is asked. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { git, newRepository } from "../../../../test/support/git.js";

/** Of a program that lies in this folder; it is asked once in a process, so the module is loaded anew. */
async function revisionIn(folder: string): Promise<string> {
  const { argv } = process;
  onTestFinished(() => void (process.argv = argv));
  writeFileSync(join(folder, "program.js"), "");
  process.argv = [argv[0] ?? "", join(folder, "program.js")];
  vi.resetModules();
  const { nodeRevision } = await import("./node-revision.js");
  const revision = await nodeRevision.current();
  process.argv = [];
  expect(await nodeRevision.current()).toBe(revision);
  return revision;
}

it("a program in our own repository has its commit, and is told apart once something was changed", async () => {
  const folder = newRepository(newFolder());
  writeFileSync(join(folder, "package.json"), '{"name":"bridle"}');
  git(folder, "add", "package.json");
  git(folder, "commit", "--quiet", "--message=second");
  const head = git(folder, "rev-parse", "HEAD").trim();
  expect(await revisionIn(folder)).toBe(head);
  writeFileSync(join(folder, "readme"), "changed\n");
  expect(await revisionIn(folder)).toBe(`${head}-dirty`);
});

it("a program in somebody else's repository, or in none, has an unknown one", async () => {
  const folder = newRepository(newFolder());
  writeFileSync(join(folder, "package.json"), '{"name":"another"}');
  expect(await revisionIn(folder)).toBe("unknown");
  expect(await revisionIn(newFolder())).toBe("unknown");
});
