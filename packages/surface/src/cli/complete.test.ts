import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { loadManifest } from "../manifest/load.js";
import { commandsOf } from "./commands.js";
import { completionScript } from "./complete.js";
import { demoManifest } from "./demo-table.js";

const entries = commandsOf(demoManifest, "bridle");

/** Presses Tab in a real bash after these words; the last one is being typed. */
function completeInBash(words: readonly string[], offered = entries): string[] {
  const script = [
    completionScript("bash", "bridle", offered),
    `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})`,
    `COMP_CWORD=${words.length - 1}`,
    "_bridle_complete",
    'printf "%s\\n" "${COMPREPLY[@]}"',
  ].join("\n");
  const out = execFileSync("bash", ["--norc", "--noprofile", "-u", "-c", script], { encoding: "utf8" });
  return out.split("\n").filter((line) => line !== "");
}

describe("completion in bash", () => {
  test("offers what is below a command beside its own flags", () => {
    const real = commandsOf(loadManifest(), "bridle");
    expect(completeInBash(["bridle", "harness-kpi", ""], real)).toEqual(
      expect.arrayContaining(["remediate", "--window-hours", "--json"]),
    );
    expect(completeInBash(["bridle", "harness-kpi", "remediate", "--rea"], real)).toEqual(["--reason"]);
  });

  test.each<[string[], string[]]>([
    [
      ["bridle", ""],
      ["note", "tools", "completion", "help", "version", "--json", "--help", "--version"],
    ],
    [["bridle", "no"], ["note"]],
    [
      ["bridle", "note", ""],
      ["add", "check", "--json", "--help"],
    ],
    [["bridle", "note", "c"], ["check"]],
    [
      ["bridle", "note", "add", "--p"],
      ["--priority", "--pinned"],
    ],
    [
      ["bridle", "note", "add", "milk", "--state", ""],
      ["open", "done"],
    ],
    [["bridle", "note", "add", "milk", "--state", "d"], ["done"]],
    [
      ["bridle", "note", "add", "milk", "--state", "="],
      ["open", "done"],
    ],
    [["bridle", "note", "add", "milk", "--state", "=", "o"], ["open"]],
    [["bridle", "note", "add", "milk", "--state", "open", "--ta"], ["--tag"]],
    [["bridle", "note", "add", "milk", "--tag", "x"], []],
    [["bridle", "note", "add", "mi"], []],
    [["bridle", "note", "add", "--pinned", "--w"], ["--weight"]],
    [
      ["bridle", "completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [["bridle", "help", "t"], ["tools"]],
    [["bridle", "nonsense", "x"], []],
  ])("%j", (words, offered) => {
    expect(completeInBash(words)).toEqual(offered);
  });

  test("a launcher offers its own commands only", () => {
    expect(completionScript("bash", "hlq", commandsOf(demoManifest, "hlq"))).not.toContain("note");
  });
});

describe("completion elsewhere", () => {
  test("zsh and fish get every command, flag and choice", () => {
    for (const shell of ["zsh", "fish"] as const) {
      const script = completionScript(shell, "bridle", entries);
      for (const word of ["note", "check", "tools", "priority", "open", "done"])
        expect(script).toContain(word);
    }
  });
});
