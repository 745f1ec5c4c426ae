import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { commandsOf, type Launcher } from "./commands.js";
import { loadManifest } from "../manifest/load.js";
import { demoManifest } from "./demo-table.js";
import { parse } from "./parse.js";

function ask(argv: readonly string[], launcher: Launcher = "bridle") {
  return parse(argv, {
    launcher,
    entries: commandsOf(demoManifest, launcher),
    everywhere: commandsOf(demoManifest, "bridle"),
  });
}

function inputOf(line: string[], launcher: Launcher = "bridle") {
  const asked = ask(line, launcher);
  if (asked.kind !== "call") throw new Error(JSON.stringify(asked));
  return asked.input;
}

function complaintOf(line: string[], launcher: Launcher = "bridle") {
  const asked = ask(line, launcher);
  if (asked.kind !== "invalid") throw new Error(JSON.stringify(asked));
  expect(asked.refusal.refused).toBe("invocation_invalid");
  return asked.refusal;
}

describe("a command line becomes an input", () => {
  test.each<[string[], object]>([
    [["note", "add", "milk"], { text: "milk" }],
    [["note", "add", "--text", "milk"], { text: "milk" }],
    [["note", "add", "milk", "--state", "done"], { text: "milk", state: "done" }],
    [["note", "add", "--state=done", "milk"], { text: "milk", state: "done" }],
    [["note", "add", "milk", "--tag", "a", "--tag=b"], { text: "milk", tags: ["a", "b"] }],
    [["note", "add", "milk", "--priority", "3"], { text: "milk", priority: 3 }],
    [["note", "add", "milk", "--priority", "-3"], { text: "milk", priority: -3 }],
    [["note", "add", "milk", "--weight=1.5e3"], { text: "milk", weight: 1500 }],
    [["note", "add", "milk", "--pinned"], { text: "milk", pinned: true }],
    [["note", "add", "milk", "--no-pinned"], { text: "milk", pinned: false }],
    [["note", "add", "milk", "--pinned=false"], { text: "milk", pinned: false }],
    [["note", "add", "milk", "--extra", '{"a":[1]}'], { text: "milk", extra: { a: [1] } }],
    [["note", "add", "--", "--json"], { text: "--json" }],
    [["note", "add", "-"], { text: "-" }],
    [["note", "add", "", "--tag", ""], { text: "", tags: [""] }],
    [["note", "add", "milk", "--tag=--json"], { text: "milk", tags: ["--json"] }],
    [["tools", "a", "b", "c"], { files: ["a", "b", "c"] }],
    [["tools"], {}],
  ])("%j", (line, input) => {
    expect(inputOf(line)).toEqual(input);
  });

  test("--json may stand anywhere before --, and then only", () => {
    for (const line of [
      ["--json", "note", "check"],
      ["note", "--json", "check"],
      ["note", "check", "--json"],
    ]) {
      expect(ask(line)).toMatchObject({ kind: "call", json: true });
    }
    expect(ask(["tools", "--", "--json"])).toMatchObject({
      kind: "call",
      json: false,
      input: { files: ["--json"] },
    });
    expect(ask(["note", "chek", "--json"])).toMatchObject({ kind: "invalid", json: true });
  });
});

describe("help, version and completion", () => {
  test.each<[string[], object]>([
    [[], { kind: "help", topic: [] }],
    [["--help"], { kind: "help", topic: [] }],
    [["-h"], { kind: "help", topic: [] }],
    [["help"], { kind: "help", topic: [] }],
    [["help", "note", "add"], { kind: "help", topic: ["note", "add"] }],
    [["help", "--all"], { kind: "help", topic: [], all: true }],
    [["help", "--all", "note"], { kind: "invalid" }],
    [["help", "buy", "milk"], { kind: "find", words: ["buy", "milk"] }],
    [["help", "completion"], { kind: "help", topic: ["completion"] }],
    [["completion", "--help"], { kind: "help", topic: ["completion"] }],
    [["note", "--help"], { kind: "help", topic: ["note"] }],
    [["note", "add", "--help"], { kind: "help", topic: ["note", "add"] }],
    [["--help", "note", "add"], { kind: "help", topic: ["note", "add"] }],
    [["note", "add", "--state", "open", "--bogus-before", "--help"], { kind: "invalid" }],
    [["--version"], { kind: "version" }],
    [["-V"], { kind: "version" }],
    [["version"], { kind: "version" }],
    [["completion", "zsh"], { kind: "completion", shell: "zsh" }],
  ])("%j", (line, asked) => {
    expect(ask(line)).toMatchObject(asked);
  });
});

describe("what cannot be understood is said, with the nearest thing that could", () => {
  test.each<[string[], string]>([
    [["nota"], 'there is no command "nota"; did you mean "note"?'],
    [["note", "ad"], 'there is no command "note ad"; did you mean "note add"?'],
    [["note", "zzz"], 'there is no command "note zzz"; there is add, check'],
    [["hepl"], 'there is no command "hepl"; did you mean "help"?'],
    [["zzzzzz"], 'there is no command "zzzzzz"'],
    [["note"], "note needs one more word: add, check"],
    [["note", "add", "x", "--sate", "open"], "unknown flag --sate; did you mean --state?"],
    [["note", "add", "x", "--tags", "a"], "unknown flag --tags; did you mean --tag?"],
    [["note", "add", "x", "-s"], "unknown flag -s"],
    [["note", "add", "x", "--state"], "--state needs a value, as in --state <text>"],
    [
      ["note", "add", "x", "--state", "--json"],
      "--state needs a value; if the value is --json, write --state=--json",
    ],
    [["note", "add", "x", "--state", "open", "--state", "done"], "--state is given twice"],
    [["note", "add", "x", "y"], 'unexpected argument "y"'],
    [["note", "add", "x", "--priority", "1.5"], '--priority needs a whole number, got "1.5"'],
    [["note", "add", "x", "--priority", "0x10"], '--priority needs a whole number, got "0x10"'],
    [["note", "add", "x", "--priority", ""], '--priority needs a whole number, got ""'],
    [["note", "add", "x", "--priority", "99999999999999999999"], "--priority needs a whole number"],
    [["note", "add", "x", "--weight", "NaN"], '--weight needs a number, got "NaN"'],
    [["note", "add", "x", "--weight", "1e999"], '--weight needs a number, got "1e999"'],
    [["note", "add", "x", "--pinned=yes"], '--pinned needs true or false, got "yes"'],
    [["note", "add", "x", "--no-pinned=1"], "--no-pinned takes no value"],
    [["note", "add", "x", "--no-state"], "unknown flag --no-state"],
    [["note", "add", "x", "--json=1"], "--json takes no value"],
    [["note", "add", "x", "--extra", "{"], '--extra needs JSON, got "{"'],
    [["--jsn", "note"], "unknown flag --jsn; did you mean --json?"],
    [["--state", "open", "note", "add"], "unknown flag --state; flags of a command come after it"],
    [["completion"], "completion needs the name of a shell: bash, zsh or fish"],
    [["completion", "bsh"], 'there is no completion for "bsh"; did you mean bash?'],
    [["completion", "bash", "more"], 'unexpected argument "more"'],
    [["version", "2"], 'unexpected argument "2"'],
    [["secret"], 'there is no command "secret"'],
  ])("%j", (line, message) => {
    expect(complaintOf(line).message).toContain(message);
  });

  test("a command of another launcher is sent there", () => {
    expect(complaintOf(["tools"], "premath")).toMatchObject({
      message: 'there is no command "tools" in premath',
      hint: "It belongs to bridle: see `bridle help tools`.",
    });
    expect(complaintOf(["note"], "hlq").hint).toBe("It belongs to premath: see `premath help note`.");
  });

  test("the hint names the command that was meant", () => {
    expect(complaintOf(["note", "add", "--sate"], "premath").hint).toBe("See `premath note add --help`.");
  });
});

test("any words at all are either understood or answered with a sentence", () => {
  const token = fc.oneof(
    fc.constantFrom(
      "note",
      "add",
      "check",
      "tools",
      "help",
      "completion",
      "--",
      "--json",
      "--help",
      "-",
      "--state",
    ),
    fc.constantFrom(
      "--tag",
      "--priority=1",
      "--no-pinned",
      "--=x",
      "-=",
      "---",
      "--__proto__",
      "constructor",
    ),
    fc.string(),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(
      fc.array(token, { maxLength: 8 }),
      fc.constantFrom<Launcher>("bridle", "premath", "hlq"),
      (argv, launcher) => {
        const asked = ask(argv, launcher);
        if (asked.kind !== "invalid") return;
        expect(asked.refusal.message).not.toBe("");
        expect(asked.refusal.hint).toMatch(/`/);
      },
    ),
    { numRuns: 3000 },
  );
});

describe("what people type", () => {
  const called = (launcher: Launcher, ...argv: string[]) => {
    const asked = parse(argv, { launcher, entries: commandsOf(loadManifest(), launcher) });
    return asked.kind === "call" ? [asked.entry.names.tool, asked.input] : asked;
  };

  test.each<[Launcher, string[], unknown[]]>([
    ["premath", ["issue", "ls", "--type", "bug"], ["issue_list", { labels: ["bug"] }]],
    ["premath", ["issue", "add", "x", "-p", "1"], ["issue_add", { title: "x", priority: 1 }]],
    ["premath", ["issue", "add", "x", "-p=P0"], ["issue_add", { title: "x", priority: 0 }]],
    ["bridle", ["add", "x", "--priority", "p3"], ["issue_add", { title: "x", priority: 3 }]],
    [
      "bridle",
      ["add", "x", "--label", "ui", "--type", "bug", "--label", "ios"],
      ["issue_add", { title: "x", labels: ["ui", "bug", "ios"] }],
    ],
    ["bridle", ["add", "x", "--type", "epic"], ["issue_add", { title: "x", issueType: "epic" }]],
    ["bridle", ["ready"], ["issue_ready", {}]],
    ["bridle", ["claim-next", "--assignee", "ada"], ["issue_claim_next", { assignee: "ada" }]],
    ["bridle", ["close", "bd-1"], ["issue_close", { id: "bd-1" }]],
  ])("%s %j", (launcher, argv, wanted) => {
    expect(called(launcher, ...argv)).toEqual(wanted);
  });

  test("is said once", () => {
    for (const argv of [
      ["add", "x", "-p", "1", "-p", "P1"],
      ["add", "x", "-p", "P1", "--priority", "1"],
      ["add", "x", "--type", "bug", "--type", "chore"],
      ["add", "x", "--type", "bug", "--type", "task"],
    ])
      expect(called("bridle", ...argv)).toMatchObject({
        refusal: { message: expect.stringMatching(/is given twice$/) },
      });
  });

  test("a frozen contract has no short words of ours", () => {
    expect(called("premath", "ready")).toMatchObject({ kind: "invalid" });
  });
});

describe("a command that has another below it", () => {
  const entries = commandsOf(loadManifest(), "premath");
  const real = (...argv: string[]) => parse(argv, { launcher: "premath", entries });
  const called = (...argv: string[]) => {
    const asked = real(...argv);
    return asked.kind === "call" ? [asked.entry.names.tool, asked.input] : asked;
  };

  test("is itself when flags or nothing follow, and the other one when its word does", () => {
    expect(called("harness-kpi")).toEqual(["harness_kpi_report", {}]);
    expect(called("harness-kpi", "--window-hours", "3")).toEqual(["harness_kpi_report", { windowHours: 3 }]);
    expect(called("harness-kpi", "--json")).toEqual(["harness_kpi_report", {}]);
    const remediation = ["harness_kpi_remediate", { issue: "bd-1", reason: "remediate" }];
    const flags = ["--issue", "bd-1", "--reason", "remediate"];
    expect(called("harness-kpi", "remediate", ...flags)).toEqual(remediation);
    expect(called("harness-kpi", "--json", "remediate", ...flags)).toEqual(remediation);
  });

  test("is explained on its own, and so is the other one", () => {
    for (const argv of [
      ["harness-kpi", "--help"],
      ["--help", "harness-kpi"],
      ["help", "harness-kpi"],
    ]) {
      expect(real(...argv)).toMatchObject({ kind: "help", topic: ["harness-kpi"] });
    }
    for (const argv of [
      ["harness-kpi", "remediate", "--help"],
      ["--help", "harness-kpi", "remediate"],
      ["help", "harness-kpi", "remediate"],
    ]) {
      expect(real(...argv)).toMatchObject({ kind: "help", topic: ["harness-kpi", "remediate"] });
    }
  });

  test("takes no word that is not below it, and names the nearest", () => {
    expect(real("harness-kpi", "remdiate")).toMatchObject({
      kind: "invalid",
      refusal: {
        message: expect.stringMatching(/no command "harness-kpi remdiate".*"harness-kpi remediate"/),
      },
    });
    expect(real("harness-kpi", "--window-hours", "3", "remediate")).toMatchObject({ kind: "invalid" });
  });
});
