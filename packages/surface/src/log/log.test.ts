import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { commandLineAuthority, type Call, type Envelope, outcomeOf, perform } from "@bridle/operation";
import { type JsonObject, type JsonValue, Log, nodePorts } from "@bridle/record";
import { Compile } from "typebox/compile";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { plainPaint } from "../cli/paint.js";
import { operations } from "./index.js";
import { DamageMarker } from "./kinds.js";

let folder: string;
const warnings: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "bridle log "));
  warnings.length = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Asking {
  readonly signal?: AbortSignal;
  readonly emit?: Call["emit"];
}

function ask(
  command: "verify" | "repair" | "follow",
  input: JsonObject,
  asking: Asking = {},
): Promise<Envelope> {
  const operation = operations.find(({ names }) => names.command[1] === command)!;
  const call: Call = {
    ports: nodePorts(),
    signal: asking.signal ?? new AbortController().signal,
    cwd: folder,
    env: {},
    warn: (sentence) => warnings.push(sentence),
    progress() {},
    ...(asking.emit ? { emit: asking.emit } : {}),
  };
  return perform(operation, input, { call, authority: commandLineAuthority(), gates: [] });
}

function present(command: string, envelope: Envelope): string {
  const operation = operations.find(({ names }) => names.command[1] === command)!;
  return operation.present!(envelope.payload, plainPaint);
}

const rows = (count: number) => Array.from({ length: count }, (_, i) => `{"n":${i + 1}}\n`).join("");

describe("the damage marker", () => {
  test("that a look leaves behind fits its published schema", async () => {
    // As a writer leaves it.
    mkdirSync(path.join(folder, ".bridle"));
    writeFileSync(path.join(folder, "a.jsonl"), `${rows(2)}{"n":\n\0\0\n`);
    await ask("verify", { path: "a.jsonl" });
    const marker: unknown = JSON.parse(
      readFileSync(path.join(folder, ".bridle/damage/a.jsonl.json"), "utf8"),
    );
    expect(Compile(DamageMarker).Check(marker)).toBe(true);
    expect(marker).toMatchObject({ path: "a.jsonl", damageCount: 2 });
  });
});

describe("log verify", () => {
  test("says that a sound log is sound, and touches nothing", async () => {
    writeFileSync(path.join(folder, "a.jsonl"), rows(3));
    const envelope = await ask("verify", { path: "a.jsonl" });
    expect(envelope.payload).toMatchObject({
      action: "log.verify",
      path: "a.jsonl",
      result: "accepted",
      rows: 3,
      bytes: 24,
    });
    expect(present("verify", envelope)).toContain("a.jsonl: sound, 3 rows, 24 bytes");
    expect(readFileSync(path.join(folder, "a.jsonl"), "utf8")).toBe(rows(3));
  });

  test("names the line and the byte of what is damaged, and rejects", async () => {
    mkdirSync(path.join(folder, ".bridle"));
    writeFileSync(path.join(folder, "a.jsonl"), `${rows(1)}<<<<<<< ours\n\0\0\0\n${rows(1)}`);
    const envelope = await ask("verify", { path: "a.jsonl" });
    expect(envelope.resultClass).toBe("log_damaged");
    expect(outcomeOf(envelope).kind).toBe("rejected");
    expect(envelope.payload).toMatchObject({
      rows: 2,
      damageCount: 2,
      marked: true,
      damage: [
        { line: 2, byte: 8, damage: "merge_marker" },
        { line: 3, byte: 21, damage: "nul_bytes" },
      ],
    });
    const text = present("verify", envelope);
    expect(text).toContain("2 damaged places among 2 rows");
    expect(text).toContain("`bridle log repair a.jsonl`");
  });

  test("leaves an unfinished last line alone and mentions it", async () => {
    writeFileSync(path.join(folder, "a.jsonl"), `${rows(1)}{"n":`);
    const envelope = await ask("verify", { path: "a.jsonl" });
    expect(envelope.payload).toMatchObject({ result: "accepted", rows: 1, unfinishedBytes: 5 });
    expect(present("verify", envelope)).toContain("5 bytes of an unfinished row");
  });

  test("knows that issues.jsonl may have comments, and is told of other logs", async () => {
    for (const name of ["issues.jsonl", "other.jsonl", "third.jsonl"])
      writeFileSync(path.join(folder, name), `# hello\n${rows(1)}`);
    const result = async (input: JsonObject) => (await ask("verify", input)).resultClass;
    expect(await result({ path: "issues.jsonl" })).toBe("accepted");
    expect(await result({ path: "other.jsonl", comments: true })).toBe("accepted");
    expect(await result({ path: "third.jsonl" })).toBe("log_damaged");
  });

  test("a missing file and a folder are said to be that", async () => {
    await mkdir(path.join(folder, "dir.jsonl"));
    expect((await ask("verify", { path: "none.jsonl" })).resultClass).toBe("file_missing");
    expect((await ask("verify", { path: "dir.jsonl" })).resultClass).toBe("file_not_regular");
  });
});

describe("log repair", () => {
  test("keeps every row, sets the rest aside verbatim, and verify is content again", async () => {
    const file = path.join(folder, "a.jsonl");
    writeFileSync(file, `${rows(1)}garbage\n{"n":2}\n`);
    await ask("verify", { path: "a.jsonl" });
    const envelope = await ask("repair", { path: "a.jsonl" });
    expect(envelope.payload).toMatchObject({
      action: "log.repair",
      changed: true,
      rowsKept: 2,
      removedCount: 1,
    });
    expect(envelope).toMatchObject({
      policyDigest: expect.stringMatching(/^pol1_/),
      instructionRef: expect.any(String),
    });
    expect(readFileSync(file, "utf8")).toBe(rows(2));
    const { setAside } = envelope.payload as { setAside: string };
    expect(readFileSync(setAside, "utf8")).toContain("garbage");
    expect(present("repair", envelope)).toContain("2 rows kept, 1 place set aside in");
    expect((await ask("verify", { path: "a.jsonl" })).resultClass).toBe("accepted");
  });

  test("of a sound log changes nothing", async () => {
    const file = path.join(folder, "a.jsonl");
    writeFileSync(file, rows(2));
    const envelope = await ask("repair", { path: "a.jsonl" });
    expect(envelope.payload).toMatchObject({ changed: false, rowsKept: 2, setAside: null });
    expect(readFileSync(file, "utf8")).toBe(rows(2));
    expect(present("repair", envelope)).toContain("nothing to set aside, 2 rows");
  });

  test("of a file that is not there creates none", async () => {
    expect((await ask("repair", { path: "none.jsonl" })).resultClass).toBe("file_missing");
    expect(existsSync(path.join(folder, "none.jsonl"))).toBe(false);
  });
});

describe("log follow", () => {
  /** Follows until `count` rows came, doing `next` after each. */
  async function follow(
    input: JsonObject,
    count: number,
    next: (seen: number) => Promise<void> | void = () => {},
  ) {
    const stop = new AbortController();
    const seen: [JsonValue, string | undefined][] = [];
    const envelope = await ask("follow", input, {
      signal: stop.signal,
      async emit(item, text) {
        seen.push([item, text]);
        if (seen.length === count) stop.abort();
        else await next(seen.length);
      },
    });
    return { envelope, seen };
  }

  test("prints what is there and then what comes, as it stands in the file", async () => {
    const file = path.join(folder, "a.jsonl");
    writeFileSync(file, '{"n":1.0}\n');
    const { envelope, seen } = await follow({ path: "a.jsonl" }, 3, async (count) => {
      const log = await Log.open({ path: file, bearing: "trajectory", ports: nodePorts() });
      await log.append({ n: count + 1 });
      await log.close();
    });
    expect(seen.map(([, text]) => text)).toEqual(['{"n":1.0}', '{"n":2}', '{"n":3}']);
    expect(envelope).toMatchObject({ resultClass: "accepted", payload: { rows: 3 } });
  });

  test("--from end prints only what comes", async () => {
    const file = path.join(folder, "a.jsonl");
    writeFileSync(file, rows(5));
    const appending = setInterval(() => appendFileSync(file, '{"late":true}\n'), 20);
    const { seen } = await follow({ path: "a.jsonl", from: "end" }, 1);
    clearInterval(appending);
    expect(seen[0]?.[0]).toEqual({ late: true });
  });

  test("tells of damage on the way and goes on", async () => {
    writeFileSync(path.join(folder, "a.jsonl"), `${rows(1)}garbage\n${rows(1)}`);
    const { seen } = await follow({ path: "a.jsonl" }, 2);
    expect(seen).toHaveLength(2);
    expect(warnings).toEqual([expect.stringContaining("a.jsonl line 2")]);
  });
});
