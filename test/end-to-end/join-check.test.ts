/** The join check as a program meets it: the built command, real files, exit codes and classes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect } from "vitest";
import { test } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { Premath } from "../support/premath.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

const golden = (name: string) => {
  const file = fileURLToPath(new URL(`../golden/join-check/${name}.json`, import.meta.url));
  return (JSON.parse(readFileSync(file, "utf8")) as { input: unknown }).input;
};

function check(content: string | Buffer, ...words: string[]) {
  const folder = newFolder();
  writeFileSync(join(folder, "turn.json"), content);
  return premath.oneOfMany(["harness-join-check", "--input", "turn.json", ...words], { cwd: folder });
}

describe("[RUNTIME-1.1.11] premath harness-join-check", () => {
  test("accepts a closed turn, with its digests and its normal form", async () => {
    const ended = await check(JSON.stringify(golden("accepted")), "--json");
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.json()).toMatchObject({
      ...{ action: "harness-join-check", result: "accepted", failureClasses: [], joinClosed: true },
      ...{ mutationReady: true, mutationFailureClasses: [] },
      witness: { schema: 1, witnessKind: "premath.harness.join_check.v1" },
      normalized: { kind: "premath.harness.typestate_normalized.v1" },
    });
  });

  test("answers the same to the byte in every process, time zone and locale", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "turn.json"), JSON.stringify(golden("accepted")));
    const words = ["harness-join-check", "--input", "turn.json", "--json"];
    const places = [
      { TZ: "UTC", LC_ALL: "C" },
      { TZ: "Pacific/Kiritimati", LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8" },
      { TZ: "America/St_Johns", LC_ALL: "ar_EG.UTF-8", LANG: "ar_EG.UTF-8" },
    ];
    const ended = await Promise.all(places.map((env) => premath.run(words, { cwd, env })));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
    const here = await premath.here(words, { cwd });
    for (const { stdout } of ended) expect(stdout).toBe(here.stdout);
  });

  test("answers a rejection with exit code 0, its classes for programs and sentences for people", async () => {
    const open = JSON.stringify(golden("tool.result_missing"));
    const json = await check(open, "--json");
    expect(json.code).toBe(0);
    expect(json.json()).toMatchObject({
      result: "rejected",
      failureClasses: ["tool.join_incomplete", "tool.result_missing"],
      joinClosed: false,
    });
    const text = await check(open);
    expect(text.code).toBe(0);
    expect(text.stdout).toContain("tool.result_missing  A request has no result.");
  });

  test("[RUNTIME-3.2.10] a turn under another policy than the one in force may change nothing", async () => {
    const ended = await check(JSON.stringify(golden("accepted")), "--policy-digest", "other", "--json");
    expect(ended.json()).toMatchObject({
      ...{ result: "accepted", mutationReady: false },
      mutationFailureClasses: ["mutation.policy_unbound"],
    });
  });

  const conflicting = golden("accepted") as { evidence: { toolRequests: object[] } };
  conflicting.evidence.toolRequests.push({ toolCallId: "c1", toolName: "other" });
  test.each<[string, string | Buffer, string]>([
    ["text that is no JSON", "{", "is not JSON"],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x00]), "is not UTF-8 text"],
    ["no evidence", "{}", "evidence must be an object"],
    ["one id with two contents", JSON.stringify(conflicting), "conflicting duplicate toolCallId: c1"],
    ["more than 8 MiB", `"${"x".repeat(8 * 1024 * 1024)}"`, "at most 8 388 608 are read"],
  ])("%s is invalid: its class first, exit code 2", async (_what, content, says) => {
    const ended = await check(content);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/^harness_join_check_invalid: /);
    expect(ended.stderr.replaceAll(/[,\u202f\u00a0 ]/g, " ")).toContain(says);
    expect(ended.stdout).toBe("");
  });

  test("a file that is not there, or none at all, is invalid too", async () => {
    const cwd = newFolder();
    for (const words of [["--input", "gone.json"], []]) {
      const ended = await premath.here(["harness-join-check", ...words], { cwd });
      expect(ended.code).toBe(2);
      expect(ended.stderr).toMatch(/^harness_join_check_invalid: /);
    }
  });
});
