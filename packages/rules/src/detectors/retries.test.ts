/** Third attempts as they are dressed up, and those that are no repetition. */
import { describe, expect, it } from "vitest";
import {
  bad,
  call,
  edit,
  findings,
  fine,
  ok,
  read,
  shell,
  write,
  type Case,
  type SendEvent,
} from "../../../../test/support/replay-send.js";
import { oneShotRetry } from "../../../../test/support/rule-scores/stage-detectors.js";

/** Each in its own round. */
const rounds = ({ events, ...rest }: Case): Case => ({
  ...rest,
  events: events.map((event, i) => ("say" in event ? event : { ...event, round: i + 1 })),
});
const fails = (command: string, output: string) => shell(command, output, false);
const thrice = (commands: readonly string[], output: string | readonly string[]): SendEvent[] =>
  commands.map((command, i) => fails(command, typeof output === "string" ? output : (output[i] ?? "")));
const missing = "exit=1\nError: Cannot find module 'typedoc'";
const failed = (tool: string, args: object, output: string) => call(tool, args, false, output);

describe("R-ONE-SHOT-RETRY, the same in other clothes", () => {
  const cases: Case[] = [
    bad("|| true", thrice(["npm run docs", "npm run docs", "npm run docs || true"], missing)),
    bad(
      "a file for the output",
      thrice(["npm run docs", "npm run docs > docs.log 2>&1", "npm run docs 2> err.txt"], missing),
    ),
    bad(
      "ids that differ",
      thrice(
        ["./sync", "./sync", "./sync"],
        [
          "exit=1\nrequest 0a11f3d2-77aa-4c10-9d10-abcdefabcdef failed: upstream said no",
          "exit=1\nrequest 1b22f3d2-88bb-4d20-8e20-fedcbafedcba failed: upstream said no",
          "",
        ],
      ),
    ),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(oneShotRetry, rounds(one)).length).toBeGreaterThan(0),
  );
});

describe("R-ONE-SHOT-RETRY, another attempt", () => {
  const cases: Case[] = [
    fine("more time after time ran out", [
      ...thrice(["make e2e", "make e2e"], "exit=124\nERROR [timeout] stopped after 60000 ms."),
      failed("run_shell", { command: "make e2e", timeout_ms: 600000 }, "exit=1\nother"),
    ]),
    fine(
      "more time in the command",
      thrice(["timeout 10 make e2e", "timeout 10 make e2e", "timeout 300 make e2e"], "exit=124\ntimed out"),
    ),
    fine(
      "other rights",
      thrice(
        ["apt-get install jq", "apt-get install jq", "sudo apt-get install jq"],
        "exit=100\nE: Permission denied",
      ),
    ),
    fine(
      "another status",
      thrice(
        ["curl -fsS https://a.example", "curl -fsS https://a.example", "curl -fsS https://a.example"],
        [
          "exit=22\ncurl: (22) The requested URL returned error: 404",
          "exit=22\ncurl: (22) The requested URL returned error: 503",
        ],
      ),
    ),
    fine(
      "a volume of docker",
      thrice(
        ["docker run img", "docker run img", "docker run -v data img"],
        "exit=1\nerror: /data is missing",
      ),
    ),
    fine("the named file was edited", [
      ...thrice(["./deploy.sh", "./deploy.sh"], "exit=127\n./deploy.sh: line 3: hlem: command not found"),
      edit("deploy.sh", "hlem", "helm"),
      shell("./deploy.sh", "exit=0"),
    ]),
    fine("a package was installed", [
      ...thrice(["npm run docs", "npm run docs"], missing),
      shell("npm i -D typedoc", "exit=0"),
      shell("npm run docs", "exit=0"),
    ]),
    fine("settings were written", [
      ...thrice(["npm run dev", "npm run dev"], "exit=1\nError: listen EADDRINUSE :::3000"),
      write(".env", "PORT=3001"),
      shell("npm run dev", "exit=0"),
    ]),
    fine("the process in the way was ended", [
      ...thrice(["npm run dev", "npm run dev"], "exit=1\nError: listen EADDRINUSE :::3000"),
      shell("kill 4711", "exit=0"),
      shell("npm run dev", "exit=0"),
    ]),
    fine(
      "another test of the same file",
      thrice(
        ["pytest tests/a.py -k one", "pytest tests/a.py -k two", "pytest tests/a.py -k three"],
        "exit=1\nE assert 1 == 2",
      ),
    ),
    fine(
      "polling that moves",
      thrice(
        ["kubectl rollout status d/a", "kubectl rollout status d/a", "kubectl rollout status d/a"],
        [
          "exit=1\nWaiting: 1 of 3 updated",
          "exit=1\nWaiting: 2 of 3 updated",
          "exit=1\nWaiting: 3 of 3 updated",
        ],
      ),
    ),
    fine(
      "what is pending grows less",
      thrice(
        ["./migrate status", "./migrate status", "./migrate status"],
        ["exit=1\n3 migrations pending", "exit=1\n2 migrations pending", "exit=1\n1 migration pending"],
      ),
    ),
    fine("the port was changed in the code", [
      ...thrice(["npm run dev", "npm run dev"], "exit=1\nError: listen EADDRINUSE :::3000"),
      edit("src/server.ts", "listen(3000)", "listen(3001)"),
      shell("npm run dev", "exit=0"),
    ]),
    fine("something was staged", [
      ...thrice(["git commit -m x", "git commit -m x"], "exit=1\nno changes added to commit"),
      shell("git add -A", "exit=0"),
      shell("git commit -m x", "exit=0"),
    ]),
    fine("logged in", [
      ...thrice(["git push", "git push"], "exit=128\nfatal: Authentication failed"),
      shell("gh auth login --with-token < token", "exit=0"),
      shell("git push", "exit=0"),
    ]),
    fine("another branch was taken", [
      ...thrice(["npm test", "npm test"], "exit=1\n1 failing"),
      shell("git switch fix/tests", "exit=0"),
      shell("npm test", "exit=0"),
    ]),
    fine("a read in between two only", [
      fails("npm test", "exit=1\nfail"),
      read("a.ts"),
      fails("npm test", "exit=1\nfail"),
    ]),
    fine(
      "another branch",
      thrice(
        ["git push origin a", "git push origin a", "git push origin a:b"],
        "exit=1\n! [rejected] (non-fast-forward)",
      ),
    ),
    fine("other content where it was too large", [
      failed("write_file", { path: "a", content: "x".repeat(900) }, "ERROR [too_large] at most 500 bytes."),
      failed("write_file", { path: "a", content: "x".repeat(900) }, "ERROR [too_large] at most 500 bytes."),
      ok("write_file", { path: "a", content: "a few words" }, "Created a."),
    ]),
  ];
  it.each(cases)("$name: $label", (one) => expect(findings(oneShotRetry, rounds(one))).toEqual([]));
});
