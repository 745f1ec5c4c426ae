import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { agentKeys } from "@bridle/agent";
import { describe, expect, test } from "vitest";
import { settingRefusal, settings, unfitSettings, unknownSettings } from "./settings.js";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const known = new Set(settings.map(({ key }) => key));

describe("the list of settings", () => {
  test("names every key once, with a meaning and a source", () => {
    expect(known.size).toBe(settings.length);
    for (const { key, meaning, source } of settings) {
      expect(key).toMatch(/^[A-Z][A-Z0-9_]*$/);
      expect(meaning).toMatch(/\.$/);
      expect(source).not.toBe("");
    }
  });

  test.each([
    "AGENT_RULE_RECALL",
    "AGENT_WEB_READABILITY",
    "AGENT_WEB_FETCH_TOTAL_WALL_MS",
    "AGENT_WEB_FETCH_403_RETRY",
    "AGENT_BROWSER",
    "AGENT_HEARTBEAT",
    "AGENT_HEARTBEAT_SURFACE",
    "AGENT_LENGTH_RESUME_MAX",
    "AGENT_MAX_COMPLETION_TOKENS",
    "AGENT_WRITE_INTEGRITY_NUDGE",
    "AGENT_WRITE_STREAM_SINK",
    "HLQ_TRAJECTORY_LOG_DIR",
    "PREMATH_ACTIVE_ISSUE_ID",
    "PREMATH_ISSUE_ID",
    "PREMATH_HARNESS_SESSION_PATH",
  ])("knows %s, which a seed names", (key) => {
    expect(known).toContain(key);
  });

  test("[AGENT-14.1] knows every key that our own files mention", () => {
    const mentioned = new Set<string>();
    for (const file of sourceFiles()) {
      if (file === fileURLToPath(import.meta.url)) continue;
      for (const [key] of readFileSync(file, "utf8").matchAll(
        /\b(AGENT|HLQ|PREMATH|BRIDLE)_[A-Z][A-Z0-9_]*\b/g,
      )) {
        mentioned.add(key);
      }
    }
    const unheardOf = [...mentioned].filter(
      (key) => !known.has(key) && !/^BRIDLE_(TEST_|MANIFEST$)/.test(key),
    );
    // A beginning stands for the whole group of keys.
    expect(unheardOf.filter((key) => ![...known].some((one) => one.startsWith(`${key}_`)))).toEqual([]);
    expect(mentioned.size).toBeGreaterThan(10);
  });

  test("[AGENT-14.1] has every key of the agent's own table, with its default, what it takes and what it is for", () => {
    for (const { key, takes, help, default: standard } of Object.values(agentKeys)) {
      const setting = settings.find((each) => each.key === key);
      expect(setting).toMatchObject({ takes, meaning: help });
      const told = typeof standard === "boolean" ? Number(standard) : standard;
      expect(setting?.default ?? "").toBe(String(told));
    }
  });

  test("a value that a setting does not take is found; its default always fits", () => {
    const unfit = (env: Record<string, string>) => unfitSettings(env).map(({ key }) => key);
    expect(unfit({ AGENT_MAX_ROUNDS: "many", AGENT_YOLO: "yes", AGENT_STREAM_MAX_RETRIES: "-1" })).toEqual([
      "AGENT_MAX_ROUNDS",
      "AGENT_YOLO",
      "AGENT_STREAM_MAX_RETRIES",
    ]);
    expect(unfit({ AGENT_MAX_ROUNDS: "0" })).toEqual(["AGENT_MAX_ROUNDS"]);
    expect(unfit({ AGENT_MAX_ROUNDS: " 7 ", AGENT_LENGTH_RESUME_MAX: "0", AGENT_YOLO: "" })).toEqual([]);
    const defaults = settings.flatMap(({ key, default: standard }) =>
      standard === undefined ? [] : [[key, standard]],
    );
    expect(unfitSettings(Object.fromEntries(defaults) as Record<string, string>)).toEqual([]);
  });

  test("keeps keys and tokens secret", () => {
    const secrets = settings.filter(({ secret }) => secret).map(({ key }) => key);
    expect(secrets).toEqual(settings.map(({ key }) => key).filter((key) => /KEY$|TOKEN$/.test(key)));
    expect(secrets).toContain("AGENT_API_KEY");
  });
});

function* sourceFiles(): Generator<string> {
  const folders = ["packages", "scripts", "bin", "bench", "examples", "test/support"];
  for (const folder of folders) {
    let names: string[];
    try {
      names = readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" });
    } catch {
      continue;
    }
    for (const name of names) {
      if (/(^|\/)(dist|node_modules)\//.test(name) || name.endsWith(".test.ts")) continue;
      if (/\.(ts|mjs)$/.test(name) || folder === "bin") yield path.join(root, folder, name);
    }
  }
}

describe("a key that looks like ours", () => {
  test.each([
    ["AGENT_RULE_RECAL", "AGENT_RULE_RECALL"],
    ["AGENT_RULE_RECALLL", "AGENT_RULE_RECALL"],
    ["AGNET_RULE_RECALL", "AGENT_RULE_RECALL"],
    ["AGENT_RULES_RECALLS", "AGENT_RULE_RECALL"],
    ["agent_rule_recall", "AGENT_RULE_RECALL"],
    ["PREMATH_ISSUEID", "PREMATH_ISSUE_ID"],
    ["PREMATH_ISSUE_PATH", "PREMATH_ISSUES_PATH"],
    ["HLQ_TRAJECTORY_LOGDIR", "HLQ_TRAJECTORY_LOG_DIR"],
    ["BRIDLE_DEBG", "BRIDLE_DEBUG"],
  ])("[AGENT-14.4] %s is taken for %s", (key, nearest) => {
    expect(unknownSettings({ [key]: "1" })).toEqual([{ key, nearest }]);
  });

  test("[AGENT-14.4] is an error that says what was meant", () => {
    const [unknown] = unknownSettings({ AGENT_RULE_RECAL: "0", PATH: "/bin" });
    expect(settingRefusal(unknown!)).toMatchObject({
      refused: "setting_unknown",
      message:
        "unknown setting AGENT_RULE_RECAL; did you mean AGENT_RULE_RECALL? (`bridle config` lists them)",
    });
  });

  test("starting with BRIDLE_ can only be ours, however far it is", () => {
    expect(unknownSettings({ BRIDLE_COMPLETELY_DIFFERENT: "1" })).toEqual([
      { key: "BRIDLE_COMPLETELY_DIFFERENT", nearest: undefined },
    ]);
    expect(unknownSettings({ BRIDLE_TEST_WHATEVER: "1" })).toEqual([]);
  });
});

describe("keys of other programs are left alone", () => {
  const others = [
    ..."AGENT_INFO AGENT_ID AGENT_NAME AGENT_OS AGENT_HOME AGENT_HOMEDIRECTORY AGENT_TOOLSDIRECTORY".split(
      " ",
    ),
    ..."AGENT_BUILDDIRECTORY AGENT_TEMPDIRECTORY AGENT_WORKFOLDER AGENT_ROOTDIRECTORY AGENT_VERSION".split(
      " ",
    ),
    ..."AGENT_JOBNAME AGENT_JOBSTATUS AGENT_MACHINENAME AGENT_OSARCHITECTURE AGENT_RELEASEDIRECTORY".split(
      " ",
    ),
    ..."AGENT_ACCEPTTEEEULA AGENT_DIAGNOSTIC AGENT_SERVEROMDIRECTORY AGENT_WORKDIR AGENT_RETAINDEFAULTENCODING".split(
      " ",
    ),
    ..."SSH_AGENT_PID SSH_AUTH_SOCK BUILDKITE_AGENT_NAME DD_AGENT_HOST USER_AGENT HTTP_USER_AGENT".split(" "),
    ..."PREMATH PREMATH_SOMETHING_ELSE HLQ_API HLQ OPENAI_API_KEYS OPENAI_KEY AI_API_KEY NO_COLORS".split(
      " ",
    ),
    ..."PATH HOME PWD USER LANG TERM SHELL NODE_OPTIONS npm_config_cache CI".split(" "),
  ];

  test.each(others)("%s", (key) => {
    expect(unknownSettings({ [key]: "1" })).toEqual([]);
  });

  test("and ours are fine", () => {
    expect(unknownSettings(Object.fromEntries(settings.map(({ key }) => [key, "1"])))).toEqual([]);
  });
});
