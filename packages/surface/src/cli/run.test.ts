import { agentKeys } from "@bridle/agent";
import { type Ports, nodePorts } from "@bridle/record";
import { describe, expect, test } from "vitest";
import { loadManifest } from "../manifest/load.js";
import { operations as configOperations } from "./config.js";
import { demoManifest, demoOperations } from "./demo-table.js";
import type { Launcher } from "./commands.js";
import { run } from "./run.js";
import type { Terminal } from "./terminal.js";

class Recorder implements Terminal {
  stdout = "";
  stderr = "";
  outState: Terminal["outState"] = "open";
  onClosed: (() => void) | undefined = undefined;
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;

  constructor(isTerminal = false) {
    this.outIsTerminal = isTerminal;
    this.errIsTerminal = isTerminal;
  }
  async out(text: string): Promise<void> {
    this.stdout += text;
  }
  err(text: string): void {
    this.stderr += text;
  }
}

interface Typing {
  readonly launcher?: Launcher;
  readonly env?: Record<string, string>;
  readonly terminal?: Recorder;
  readonly signal?: AbortSignal;
  readonly ports?: Ports;
  readonly cwd?: () => string;
}

async function type(argv: readonly string[], typing: Typing = {}) {
  const terminal = typing.terminal ?? new Recorder();
  const loaded: string[] = [];
  const code = await run({
    launcher: typing.launcher ?? "bridle",
    argv,
    env: typing.env ?? {},
    terminal,
    manifest: { ...demoManifest, operations: [...demoManifest.operations, ...configEntries] },
    async load(entry) {
      loaded.push(entry.room);
      return [...demoOperations, ...configOperations].find(({ names }) => names.id === entry.names.id)!;
    },
    ports: () => typing.ports ?? nodePorts(),
    cwd: typing.cwd ?? (() => "/"),
    signal: typing.signal ?? new AbortController().signal,
  });
  return { code, stdout: terminal.stdout, stderr: terminal.stderr, loaded };
}

const configEntries = loadManifest().operations.filter(({ room }) => room === "config");

describe("exit codes and streams", () => {
  test("an answer is on stdout, for people", async () => {
    expect(await type(["note", "add", "milk"])).toMatchObject({
      code: 0,
      stdout: "noted milk\n",
      stderr: "",
    });
  });

  test("with --json it is the payload, with two blanks", async () => {
    const { code, stdout, stderr } = await type(["note", "add", "milk", "--json"]);
    expect(stdout).toBe('{\n  "action": "note.add",\n  "input": {\n    "text": "milk"\n  }\n}\n');
    expect([code, stderr]).toEqual([0, ""]);
  });

  test("an operation that presents nothing prints JSON", async () => {
    expect((await type(["note", "check"])).stdout).toBe('{\n  "fine": true\n}\n');
  });

  test("a refusal is 1, with its class and what to do next, and cannot steer the terminal", async () => {
    expect(await type(["note", "check", "--how", "refuse"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "error: there is no note\\u001b[2J (session_missing).\n       Add one.\n",
    });
  });

  test("with --json a failure is an object on stdout and a sentence on stderr", async () => {
    const { code, stdout, stderr } = await type(["note", "check", "--how", "refuse", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      action: "note.check",
      result: "rejected",
      failureClass: "session_missing",
      failureClasses: ["session_missing"],
      message: "there is no note\u001b[2J",
      hint: "Add one.",
      detail: { n: 0 },
    });
    expect(stderr).toMatch(/^error: there is no note/);
  });

  test("a rejected verdict is 1 and its payload is still the answer", async () => {
    const { code, stdout, stderr } = await type(["note", "check", "--how", "reject", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ result: "rejected", failureClasses: ["log_damaged"] });
    expect(stderr).toContain("(log_damaged).");
  });

  test("where a rejected verdict is an answer, it is 0", async () => {
    expect(await type(["tools"])).toMatchObject({ code: 0, stderr: "" });
  });

  test.each([
    [["note", "add"], "error: <text> is missing (input_invalid).\n       See `premath note add --help`.\n"],
    [
      ["note", "add", "x", "--state", "opn"],
      'error: --state is "opn", expected open or done; did you mean open?',
    ],
    [["note", "add", "x", "--priority", "9"], "error: --priority must be at most 4, got 9 (input_invalid)."],
    [
      ["note", "add", "x", "--sate=1"],
      "error: unknown flag --sate; did you mean --state? (invocation_invalid)\n",
    ],
    [["nte"], 'error: there is no command "nte"; did you mean "note"? (invocation_invalid)\n'],
  ])("%j is 2", async (argv, stderr) => {
    const asked = await type(argv);
    expect(asked).toMatchObject({ code: 2, stdout: "" });
    expect(asked.stderr).toContain(stderr);
    const json = await type([...argv, "--json"]);
    expect(json.code).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({
      result: "rejected",
      failureClass: /_invalid$/.exec(asked.stderr)?.[0] ?? expect.stringMatching(/_invalid$/),
    });
  });

  test("the world breaking is 1 and keeps its class", async () => {
    expect(await type(["note", "check", "--how", "fail"])).toMatchObject({
      code: 1,
      stderr: "error: no room left (disk_full).\n",
    });
  });

  test("a bug is 1, in one sentence; BRIDLE_DEBUG=1 shows where", async () => {
    const quiet = await type(["note", "check", "--how", "throw"]);
    expect(quiet.code).toBe(1);
    expect(quiet.stderr).toContain("error: note.check went wrong: oops (internal_error).");
    expect(quiet.stderr).not.toContain("    at ");
    const loud = await type(["note", "check", "--how", "throw"], { env: { BRIDLE_DEBUG: "1" } });
    expect(loud.stderr).toContain("demo-table.ts");
  });

  test("a warning does not change the answer", async () => {
    expect(await type(["note", "check", "--how", "warn", "--json"])).toMatchObject({
      code: 0,
      stdout: '{\n  "fine": true\n}\n',
      stderr: "warning: line 3 is not JSON\n",
    });
  });

  test("emitted items are the answer, one line each, as they stand", async () => {
    expect((await type(["note", "check", "--how", "emit"])).stdout).toBe('{"a":1}\n{"a":2.0}\n');
  });
});

describe("interruptions", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])("%s while it runs ends with %i", async (signal, code) => {
    const controller = new AbortController();
    const typed = type(["note", "check", "--how", "wait"], { signal: controller.signal });
    setTimeout(() => controller.abort(signal), 5);
    expect(await typed).toMatchObject({ code, stderr: expect.stringContaining("(aborted)") });
  });

  test("a reader that went away stops the call and is no failure", async () => {
    const terminal = new Recorder();
    const typed = type(["note", "check", "--how", "wait"], { terminal });
    setTimeout(() => {
      terminal.outState = "closed";
      terminal.onClosed?.();
    }, 5);
    expect((await typed).code).toBe(0);
  });

  test("an answer that could not be written is a failure", async () => {
    const terminal = new Recorder();
    terminal.outState = "broken";
    expect((await type(["note", "check"], { terminal })).code).toBe(1);
  });
});

describe("the environment", () => {
  test("[AGENT-14.1] `config` lists every setting of the agent with its default, what it takes and what it is for", async () => {
    const { stdout } = await type(["config", "--json"]);
    const { settings } = JSON.parse(stdout) as { settings: { key: string }[] };
    for (const { key, takes, help, default: standard } of Object.values(agentKeys)) {
      const told = String(typeof standard === "boolean" ? Number(standard) : standard);
      expect(settings.find((row) => row.key === key)).toMatchObject({
        ...{ takes, meaning: help, default: told === "" ? null : told },
      });
    }
  });

  test("[AGENT-14.4] a misspelt setting is 2, before anything is loaded", async () => {
    const typed = await type(["note", "check"], { env: { AGENT_RULE_RECAL: "0" } });
    expect(typed).toMatchObject({ code: 2, stdout: "", loaded: [] });
    expect(typed.stderr).toBe(
      "error: unknown setting AGENT_RULE_RECAL; did you mean AGENT_RULE_RECALL? (`bridle config` lists them)\n",
    );
  });

  test("help, version and completion work all the same, and `config` says what is wrong", async () => {
    const env = { AGENT_RULE_RECAL: "0", AGENT_API_KEY: "hush", AGENT_MODEL: "m" };
    for (const argv of [["--help"], ["--version"], ["completion", "bash"]]) {
      expect((await type(argv, { env })).code).toBe(0);
    }
    const config = await type(["config", "--only-set"], { env });
    expect(config.code).toBe(0);
    expect(config.stderr).toBe(
      "warning: AGENT_RULE_RECAL is not a setting; did you mean AGENT_RULE_RECALL?\n",
    );
    expect(config.stdout).toMatch(/AGENT_MODEL +=m/);
    expect(config.stdout).toMatch(/AGENT_API_KEY +\(set\)/);
    expect(config.stdout).not.toContain("hush");
    expect((await type(["config", "--json"], { env })).stdout).not.toContain("hush");
    expect((await type(["config", "rule_rec"], { env })).stdout).toMatch(
      /^ {2}AGENT_RULE_RECALL +1 +Recall the ids.*\n$/,
    );
  });

  test("help loads no room", async () => {
    expect((await type(["note", "add", "--help"])).loaded).toEqual([]);
    expect((await type(["note", "check"])).loaded).toEqual(["demo"]);
  });

  test("a folder that is gone is said, not thrown", async () => {
    const cwd = () => {
      throw new Error("ENOENT: uv_cwd");
    };
    expect(await type(["note", "check"], { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the folder that you stand in is gone (file_missing)."),
    });
  });
});

describe("colour", () => {
  test("on a terminal, unless NO_COLOR; never in a pipe, unless FORCE_COLOR", async () => {
    const coloured = "\u001b[32mnoted\u001b[39m milk\n";
    const at = async (isTerminal: boolean, env: Record<string, string> = {}) =>
      (await type(["note", "add", "milk"], { terminal: new Recorder(isTerminal), env })).stdout;
    expect(await at(true)).toBe(coloured);
    expect(await at(true, { NO_COLOR: "1" })).toBe("noted milk\n");
    expect(await at(false)).toBe("noted milk\n");
    expect(await at(false, { FORCE_COLOR: "1" })).toBe(coloured);
  });
});

describe("version and help as JSON", () => {
  test("version", async () => {
    expect((await type(["--version"], { launcher: "premath" })).stdout).toBe("premath 9.8.7\n");
    expect(JSON.parse((await type(["--version", "--json"])).stdout)).toMatchObject({
      name: "bridle",
      version: "9.8.7",
    });
  });

  test("help", async () => {
    const { operations } = JSON.parse((await type(["help", "note", "--json"])).stdout) as {
      operations: unknown[];
    };
    expect(operations).toHaveLength(2);
  });
});
