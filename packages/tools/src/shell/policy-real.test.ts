/**
 * The policy against real bash: whatever it calls safe is run, in a folder full
 * of things to break and with a program that reports whenever it is started.
 */
import { spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { share } from "../../../../test/support/scale.js";
import { judgeCommand } from "./policy.js";

let base = "";
let root = "";
let tools = "";
let reports = "";
const readers = [
  "ls",
  "cat",
  "head",
  "wc",
  "grep",
  "sort",
  "uniq",
  "sed",
  "find",
  "echo",
  "true",
  "stat",
  "diff",
  "tr",
  "env",
];

beforeAll(() => {
  base = mkdtempSync(path.join(tmpdir(), "bridle-policy-"));
  [root, tools, reports] = [path.join(base, "work"), path.join(base, "tools"), path.join(base, "reports")];
  for (const folder of [root, tools, reports, path.join(root, "src")]) mkdirSync(folder);
  for (const name of readers) symlinkSync(`/usr/bin/${name}`, path.join(tools, name));
  for (const name of ["rm", "mark", "tee", "git"]) {
    writeFileSync(path.join(tools, name), `#!/bin/sh\nexec > ${reports}/$$\necho "$0 $@"\n`);
    chmodSync(path.join(tools, name), 0o755);
  }
  writeFileSync(path.join(base, "outside"), "canary-outside\n");
  writeFileSync(path.join(root, "a"), "rm x\n$(mark)\n../outside\n");
  writeFileSync(path.join(root, "x"), "-v a[$(mark)]\n");
  writeFileSync(path.join(root, "src", "a"), "1\n");
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function state(): string {
  const files = readdirSync(base, { recursive: true, withFileTypes: true });
  return files
    .map((file) => path.join(file.parentPath, file.name))
    .toSorted()
    .map((file) => `${file} ${statSync(file).isFile() ? readFileSync(file, "utf8") : ""}`)
    .join("\n");
}

function run(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/bash", ["--noprofile", "--norc", "-c", "--", command], {
      cwd: root,
      env: { PATH: tools, LC_ALL: "C.UTF-8", HOME: path.join(base, "home") },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
      timeout: 5_000,
      killSignal: "SIGKILL",
    });
    let seen = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => (seen = (seen + chunk).slice(-65_536)));
    child.on("error", reject);
    child.on("close", () => resolve(seen));
  });
}

const pieces = fc.constantFrom(
  ...[
    "ls",
    "cat",
    "echo",
    "grep x",
    "sort",
    "sed",
    "find .",
    "true",
    "wc",
    "rm x",
    "mark",
    "rm",
    "tee y",
    "[",
    "]",
    "test",
    "uniq",
    "head",
    "env",
    "command",
    "bash -c",
    "printf",
  ],
  ...[
    "a",
    "x",
    "src",
    "-o y",
    "-i",
    "-exec mark {} +",
    "-delete",
    "../outside",
    "'s/a/b/w y'",
    "p",
    "*",
    "y",
    "-v",
    "--output=y",
    "-name x",
  ],
  ...[
    ";",
    "&&",
    "||",
    "|",
    "&",
    "\n",
    "(",
    ")",
    "{ ",
    " ;}",
    "$(",
    "`",
    "'",
    '"',
    "\\",
    "$x",
    '"$x"',
    "x=",
    "x=$(cat x)",
    "x='a[$(mark)]'",
    "$((x))",
    "${x:1}",
    "${x:1+x}",
    "${x/a/",
    "${#x}",
    "$((1))",
    "${x:-",
    "}",
    "${x}",
  ],
  ...[
    "> y",
    ">> y",
    "> /dev/null",
    "2>&1",
    "< a",
    "<<E",
    "\nE\n",
    "<(",
    "#",
    "!",
    "if ",
    "then ",
    "fi ",
    "for x in ",
    "do ",
    "done ",
    "{mark,x}",
    "\\\n",
    "\t",
    "=",
    "f() ",
    "case x in x) ",
    "esac ",
    ";;",
    "[[ ",
    " ]]",
    "-eq",
    "<<<",
    "PATH=.",
    "cd src",
    "cd ..",
  ],
);
const soup = fc
  .tuple(
    fc.constantFrom(
      "ls ",
      "cat ",
      "echo ",
      "x=",
      "grep x ",
      "for x in ",
      "if ",
      "[ ",
      "sed ",
      "find ",
      "sort ",
      "",
    ),
    fc.array(fc.tuple(pieces, fc.constantFrom(" ", " ", "")), { maxLength: 9 }),
  )
  .map(([start, parts]) => start + parts.map((part) => part.join("")).join(""));

it("nothing that is called safe changes a file, starts another program or leaves the workspace", async () => {
  const safe = new Set<string>();
  fc.assert(
    fc.property(soup, (command) => {
      const intent = judgeCommand(command, { workspaceRoot: root, home: path.join(base, "home") });
      if (intent.risk === "safe" && command.length > 8) safe.add(command);
    }),
    { numRuns: share(400_000, 8_000) },
  );
  const before = state();
  // The longest have the most in them that could be misread.
  const tried = [...safe].toSorted((a, b) => b.length - a.length).slice(0, share(6_000, 150));
  for (let at = 0; at < tried.length; at += 8) {
    const batch = tried.slice(at, at + 8);
    const outputs = await Promise.all(batch.map(run));
    if (state() !== before || outputs.some((output) => output.includes("canary-outside"))) {
      for (const command of batch) {
        rmSync(reports, { recursive: true });
        mkdirSync(reports);
        expect([command, (await run(command)).includes("canary-outside"), state() === before]).toEqual([
          command,
          false,
          true,
        ]);
      }
    }
    expect(state()).toBe(before);
  }
  expect(tried.length).toBeGreaterThan(100);
  process.stdout.write(
    `proof: ${tried.length} random commands that the policy calls safe, run by bash, nothing changed\n`,
  );
});

it("the same program does report when a command that is not safe is run", async () => {
  await run("echo $(mark)");
  expect(readdirSync(reports).length).toBe(1);
});
