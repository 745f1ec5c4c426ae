/** What the original's users bring along: who acts comes from the environment, and rows come from a pipe. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect } from "vitest";
import { test } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { Premath } from "../support/premath.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

test("PREMATH_WORKER_ID is who acts, and never the assignee that a change sets", async () => {
  const cwd = newFolder();
  const ada = { PREMATH_WORKER_ID: "ada" };
  const run = (env: Record<string, string>, ...words: string[]) =>
    premath.here([...words, "--json"], { cwd, env });
  const added = (await run(ada, "issue", "add", "first")).json()["issue"];
  expect(added).toMatchObject({ id: "bd-1", assignee: "" });
  expect((await run(ada, "issue", "claim", "bd-1")).json()["issue"]).toMatchObject({ assignee: "ada" });
  // Ada holds it: she may change it by her name alone, and nobody else may.
  const bob = await run({ PREMATH_WORKER_ID: "bob" }, "issue", "update", "bd-1", "--status", "blocked");
  expect([bob.code, bob.json()["failureClass"]]).toEqual([1, "lease_contention_active"]);
  const named = await run(ada, "issue", "update", "bd-1", "--status", "blocked", "--actor", "bob");
  expect(named.json()["failureClass"]).toBe("lease_contention_active");
  expect((await run(ada, "issue", "comment", "bd-1", "mine")).code).toBe(0);
  expect((await run({}, "issue", "show", "bd-1")).stdout).toContain('"author": "ada"');
  expect((await run(ada, "issue", "lease-release", "bd-1")).code).toBe(0);
  expect((await run(ada, "issue", "claim-next")).json()["issue"]).toMatchObject({
    id: "bd-1",
    assignee: "ada",
  });
  const nobody = await run({}, "issue", "claim-next");
  expect([nobody.code, nobody.json()["failureClass"]]).toEqual([2, "lease_invalid_payload"]);
  const discovered = await run(ada, "issue", "discover", "bd-1", "second");
  expect(discovered.json()["issue"]).toMatchObject({ assignee: "" });
});

test("issue import --from - reads the standard input, and issue show prints the link", async () => {
  const cwd = newFolder();
  const row = { number: 7, title: "from a pipe", state: "open", html_url: "https://github.com/o/r/issues/7" };
  writeFileSync(join(cwd, "in.json"), JSON.stringify([row]));
  const piped = await premath.script('"$NODE" "$PREMATH" issue import --format github --from - < in.json', {
    cwd,
  });
  expect([piped.code, piped.stderr]).toEqual([0, ""]);
  const shown = await premath.run(["issue", "show", "gh-7"], { cwd });
  expect(shown.stdout).toContain("https://github.com/o/r/issues/7");
});
