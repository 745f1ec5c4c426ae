/** A query through the index answers what reading the whole file would. */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, limits, Log, nodePorts } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newFastFolder, newFolder } from "../../../../test/support/folder.js";
import { holds, holdsAsync } from "../../../../test/support/property.js";
import { workLimits } from "../limits.js";
import { type Step, type TrajectoryMode, trajectoryModes } from "../types.js";
import { compareRanks } from "./order.js";
import { queryTrajectory, type TrajectoryAnswer } from "./trajectory.js";

const ports = nodePorts();
const open = (path: string) => Log.open({ path, bearing: "trajectory", ports });
const ask = async (path: string, mode: TrajectoryMode = "latest", limit = 20): Promise<TrajectoryAnswer> =>
  queryTrajectory(await open(path), { mode, limit });

/** Attoseconds since 1970, by arithmetic that the product does not share. */
function attoseconds(text: string): bigint | undefined {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/.exec(text);
  if (match === null) return undefined;
  const [, date, time, fraction = ".", zone] = match;
  const ms = Date.parse(`${date}T${time}${zone}`);
  if (Number.isNaN(ms)) return undefined;
  return BigInt(ms) * 10n ** 15n + BigInt(fraction.slice(1).padEnd(18, "0"));
}

/** The whole file, read and sorted without an index. */
function naive(text: string, mode: TrajectoryMode, limit: number) {
  const rows: { step: Step; at: bigint; place: number }[] = [];
  let bad = 0;
  for (const [place, line] of text.split("\n").slice(0, -1).entries()) {
    if (line === "") continue;
    let row: Partial<Step> = {};
    try {
      row = JSON.parse(line) as Partial<Step>;
    } catch {
      bad++;
      continue;
    }
    const at = attoseconds(row.finishedAt ?? "");
    if (
      row.stepKind !== "premath.harness.step.v1" ||
      row.schema !== 1 ||
      row.stepId === undefined ||
      at === undefined
    ) {
      bad++;
      continue;
    }
    rows.push({ step: row as Step, at, place });
  }
  const folded = (step: Step) => step.resultClass.toLowerCase().replaceAll("-", "_");
  const failed = rows.filter(({ step }) => folded(step) !== "accepted" && folded(step) !== "ok");
  const retry = rows.filter(({ step }) => /retry|timeout/.test(folded(step)));
  const chosen = { latest: rows, failed, "retry-needed": retry }[mode];
  const bytes = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right));
  chosen.sort(
    (left, right) =>
      (left.at < right.at ? 1 : left.at > right.at ? -1 : 0) ||
      bytes(left.step.stepId, right.step.stepId) ||
      bytes(left.step.action, right.step.action) ||
      left.place - right.place,
  );
  return {
    items: chosen.slice(0, limit).map(({ step }) => step),
    totalCount: rows.length,
    failedCount: failed.length,
    retryNeededCount: retry.length,
    damageCount: bad,
  };
}

const minuteOffsets = fc.constantFrom(0, 0, 330, -300, 840, -1439);
const times = fc
  .tuple(
    fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 400_000_000 })),
    fc.constantFrom(
      "",
      "",
      ".0",
      ".5",
      ".50",
      ".500000000000000001",
      ".123456789012345678",
      ".000000000000000001",
    ),
    minuteOffsets,
  )
  .map(([seconds, fraction, offset]) => {
    const local = new Date(Date.UTC(2026, 0, 1) + seconds * 1000 + offset * 60_000)
      .toISOString()
      .slice(0, 19);
    const hours = `${Math.trunc(Math.abs(offset) / 60)}`.padStart(2, "0");
    const minutes = `${Math.abs(offset) % 60}`.padStart(2, "0");
    return `${local}${fraction}${offset === 0 ? "Z" : `${offset < 0 ? "-" : "+"}${hours}:${minutes}`}`;
  });
const steps: fc.Arbitrary<JsonObject> = fc
  .record({
    stepId: fc.constantFrom("a", "b", "B", "é", "\uffff", "𝒳", "a-2"),
    action: fc.constantFrom("verify", "push", "𝒳", "\uffff"),
    resultClass: fc.constantFrom("accepted", "OK", "failed", "tool-timeout", "retry"),
    padding: fc.constantFrom(0, 0, 3_000, 30_000),
    finishedAt: times,
  })
  .map(({ stepId, action, resultClass, padding, finishedAt }) => ({
    schema: 1,
    stepKind: "premath.harness.step.v1",
    stepId,
    action,
    resultClass,
    ...(padding === 0 ? {} : { witnessRefs: ["w".repeat(padding)] }),
    finishedAt,
  }));
const badLines = fc.constantFrom(
  "{not json",
  '{"stepKind":"other"}',
  '{"schema":2,"stepKind":"premath.harness.step.v1","stepId":"x","action":"y","resultClass":"ok","finishedAt":"2026-01-01T00:00:00Z"}',
  '{"schema":1,"stepKind":"premath.harness.step.v1","stepId":"x","action":"y","resultClass":"ok","finishedAt":"2026-13-01T00:00:00Z"}',
  "<<<<<<< ours",
);
const lines = fc.oneof(
  { weight: 12, arbitrary: steps.map((step) => JSON.stringify(step)) },
  { weight: 1, arbitrary: badLines },
  { weight: 1, arbitrary: fc.constant("") },
);

type Command =
  | { readonly do: "append"; readonly steps: readonly JsonObject[] }
  | { readonly do: "write"; readonly lines: readonly string[] }
  | { readonly do: "ask"; readonly mode: TrajectoryMode; readonly limit: number };
const commands: fc.Arbitrary<readonly Command[]> = fc.array(
  fc.oneof(
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("append" as const),
        steps: fc.array(steps, { maxLength: 6, size: "max" }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("write" as const),
        lines: fc.array(lines, { maxLength: 60, size: "max" }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("ask" as const),
        mode: fc.constantFrom(...trajectoryModes),
        limit: fc.constantFrom(0, 1, 2, 5, 20, 1_000),
      }),
    },
  ),
  { minLength: 2, maxLength: 12, size: "max" },
);

describe("a query", () => {
  it("equals a full scan, for any rows in any order, any limit, and an index at any age [TUSK-12.5] [TUSK-12.19] [TUSK-12.20] [TUSK-12.21] [RUNTIME-6.8] [RUNTIME-6.9] [RUNTIME-6.10] [RUNTIME-6.11]", async () => {
    let asked = 0;
    let blocks = 0;
    await holdsAsync(
      fc.asyncProperty(commands, async (commands) => {
        const path = join(newFastFolder(), "trajectory.jsonl");
        writeFileSync(path, "");
        for (const command of commands) {
          if (command.do === "write") appendFileSync(path, command.lines.map((line) => `${line}\n`).join(""));
          if (command.do === "append") {
            const log = await open(path);
            for (const step of command.steps) await log.append(step);
            await log.close();
          }
          if (command.do !== "ask") continue;
          const content = readFileSync(path, "utf8");
          const { damage, stepsBeforeDamage: _, ...answer } = await ask(path, command.mode, command.limit);
          expect(answer).toEqual(naive(content, command.mode, command.limit));
          expect(damage.length).toBeLessThanOrEqual(answer.damageCount);
          expect(damage.length).toBeGreaterThanOrEqual(
            Math.min(answer.damageCount, workLimits.invalidPerBlockMax),
          );
          asked++;
          blocks = Math.max(blocks, Math.ceil(content.length / limits.indexBlockBytes));
        }
      }),
      80,
    );
    console.log(`${asked} queries equal to a full scan; the longest file had about ${blocks} blocks`);
    expect(blocks).toBeGreaterThan(2);
  });

  it("orders equal instants by stepId and action, however they are written [TUSK-12.20] [RUNTIME-6.9] [RUNTIME-6.10] [RUNTIME-6.11]", async () => {
    const path = join(newFolder(), "t.jsonl");
    const row = (stepId: string, action: string, finishedAt: string) =>
      `${JSON.stringify({ schema: 1, stepKind: "premath.harness.step.v1", stepId, action, resultClass: "ok", finishedAt })}\n`;
    writeFileSync(
      path,
      [
        row("b", "y", "2026-01-01T01:00:00+01:00"),
        row("b", "x", "2026-01-01T00:00:00.000Z"),
        row("a", "z", "2026-01-01T00:00:00Z"),
        row("c", "w", "2025-12-31T23:59:59.999999999999999999Z"),
        row("d", "w", "2026-01-01T00:00:00.000000000000000001Z"),
      ].join(""),
    );
    const { items } = await ask(path);
    expect(items.map(({ stepId, action }) => stepId + action)).toEqual(["dw", "az", "bx", "by", "cw"]);
  });

  it("looks into every block whose newest row could tie with or beat the last one that is wanted [TUSK-12.20]", async () => {
    // One row a block: what decides is on which blocks the query looks.
    const wide = (stepId: string, finishedAt: string) =>
      `${JSON.stringify({ ...(JSON.parse(plain(0)) as object), stepId, finishedAt, witnessRefs: ["w".repeat(200_000)] })}\n`;
    const narrow = (stepId: string, finishedAt: string) =>
      `${JSON.stringify({ ...(JSON.parse(plain(0)) as object), stepId, finishedAt })}\n`;
    const first = async (content: string) => {
      const path = join(newFastFolder(), "t.jsonl");
      writeFileSync(path, content);
      return (await ask(path, "latest", 1)).items.map(({ stepId }) => stepId);
    };
    const second = "2026-01-01T00:00:05";
    expect(
      await first(wide("b", `${second}Z`) + wide("a", `${second}.0Z`) + wide("c", `${second}Z`)),
    ).toEqual(["a"]);
    const fractions = narrow("low", `${second}.1Z`) + wide("high", `${second}.9Z`);
    expect(await first(fractions + wide("middle", `${second}.5Z`))).toEqual(["high"]);
  });

  it("has a total order, so that the same file gives the same answer every time [TUSK-12.5]", () => {
    const placed = fc.record({
      stepId: fc.constantFrom("a", "𝒳", "\uffff"),
      action: fc.constantFrom("x", "y"),
      finished: fc.record({
        seconds: fc.integer({ min: 0, max: 2 }),
        fraction: fc.constantFrom("", "1", "01", "10000001"),
      }),
      byte: fc.integer({ min: 0, max: 5 }),
    });
    holds(
      fc.property(placed, placed, placed, (a, b, c) => {
        expect(Math.sign(compareRanks(a, b))).toBe(-Math.sign(compareRanks(b, a)) + 0);
        if (compareRanks(a, b) <= 0 && compareRanks(b, c) <= 0)
          expect(compareRanks(a, c)).toBeLessThanOrEqual(0);
      }),
      1_000,
    );
  });

  it("of a trajectory that is not there finds no rows, and makes nothing", async () => {
    const folder = newFolder();
    const path = join(folder, ".premath", "harness_trajectory.jsonl");
    expect(await ask(path)).toEqual({
      items: [],
      totalCount: 0,
      failedCount: 0,
      retryNeededCount: 0,
      damage: [],
      damageCount: 0,
      stepsBeforeDamage: 0,
    });
    expect(existsSync(join(folder, ".premath"))).toBe(false);
  });

  it("leaves a last line that is not finished alone", async () => {
    const path = join(newFolder(), "t.jsonl");
    writeFileSync(path, `${plain(1)}${plain(2).slice(0, -10)}`);
    const before = readFileSync(path, "utf8");
    expect(await ask(path)).toMatchObject({ totalCount: 1, damageCount: 0 });
    expect(readFileSync(path, "utf8")).toBe(before);
  });
});

const plain = (i: number, resultClass = "ok") =>
  `${JSON.stringify({
    schema: 1,
    stepKind: "premath.harness.step.v1",
    stepId: `s-${String(i).padStart(6, "0")}`,
    action: "verify",
    resultClass,
    finishedAt: `${new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString().slice(0, 19)}Z`,
  })}\n`;

describe("with a current index", () => {
  /** Counts what is read of the trajectory itself. */
  function counting() {
    const read = { bytes: 0 };
    const counted: typeof ports = {
      ...ports,
      files: {
        ...ports.files,
        async open(path, mode, permissions) {
          const file = await ports.files.open(path, mode, permissions);
          if (!path.endsWith(".jsonl")) return file;
          return {
            read: async (offset: number, length: number) => {
              const bytes = await file.read(offset, length);
              read.bytes += bytes.length;
              return bytes;
            },
            append: (bytes: Uint8Array) => file.append(bytes),
            writeAt: (offset: number, bytes: Uint8Array) => file.writeAt(offset, bytes),
            truncate: (length: number) => file.truncate(length),
            sync: () => file.sync(),
            stat: () => file.stat(),
            close: () => file.close(),
          };
        },
      },
    };
    return { read, ports: counted };
  }

  it("reads only the blocks that can hold one of the rows", async () => {
    const path = join(newFastFolder(), "t.jsonl");
    const count = 20_000;
    writeFileSync(
      path,
      Array.from({ length: count }, (_, i) => plain(i, i === 7 ? "failed" : "ok")).join(""),
    );
    const { size } = statSync(path);
    await ask(path);
    const { read, ports: counted } = counting();
    const log = await Log.open({ path, bearing: "trajectory", ports: counted });

    const latest = await queryTrajectory(log, { mode: "latest", limit: 20 });
    expect(latest).toMatchObject({ totalCount: count, failedCount: 1 });
    expect(latest.items[0]?.stepId).toBe(`s-0${count - 1}`);
    // The last block twice (its checksum, its rows), and perhaps the one before it.
    expect(read.bytes).toBeLessThanOrEqual(3 * limits.indexBlockBytes);
    expect(size).toBeGreaterThan(8 * limits.indexBlockBytes);

    read.bytes = 0;
    expect((await queryTrajectory(log, { mode: "failed", limit: 20 })).items).toHaveLength(1);
    expect(read.bytes).toBeLessThanOrEqual(2 * limits.indexBlockBytes);

    read.bytes = 0;
    expect((await queryTrajectory(log, { mode: "retry-needed", limit: 20 })).items).toHaveLength(0);
    expect(read.bytes).toBeLessThanOrEqual(limits.indexBlockBytes);

    const reached: number[] = [];
    appendFileSync(path, plain(count));
    await queryTrajectory(log, { mode: "latest", limit: 1, reading: (byte) => reached.push(byte) });
    expect(reached, "only the end is read again").toHaveLength(1);
  });

  it("still names what is no step", async () => {
    const path = join(newFolder(), "t.jsonl");
    writeFileSync(path, `${plain(1)}{"stepKind":"x"}\n{oops\n${plain(2)}`);
    const first = await ask(path);
    const again = await ask(path);
    expect(again).toEqual(first);
    expect(again.damage.map(({ line, kind }) => [line, kind])).toEqual([
      [2, "step_invalid"],
      [3, "json_invalid"],
    ]);
    expect(again.stepsBeforeDamage).toBe(1);
  });

  it("names a block that changed behind its back, and answers from the rows as they are", async () => {
    const path = join(newFolder(), "t.jsonl");
    const content = Array.from({ length: 6_000 }, (_, i) => plain(i)).join("");
    writeFileSync(path, content);
    await ask(path);
    execFileSync("cp", ["-p", path, `${path}.before`]);
    // In the first block, which no look at the last block would notice, and with the time put back.
    writeFileSync(path, content.replace('"resultClass":"ok"', '"resultClass":"no"'));
    execFileSync("touch", ["-r", `${path}.before`, path]);
    const answer = await ask(path, "latest", 10_000);
    expect(answer.totalCount).toBe(6_000);
    expect(answer.failedCount).toBe(1);
    expect(answer.damage).toMatchObject([{ line: 1, byte: 0, kind: "checksum_mismatch", readable: true }]);
    const { local } = await open(path);
    expect(existsSync(local.marker)).toBe(true);
  });

  it("may be stopped while it is brought up to date", async () => {
    const path = join(newFolder(), "t.jsonl");
    writeFileSync(path, plain(1));
    const reading = () => {
      throw new Error("enough");
    };
    await expect(queryTrajectory(await open(path), { mode: "latest", limit: 1, reading })).rejects.toThrow(
      "enough",
    );
    expect(await ask(path)).toMatchObject({ totalCount: 1 });
  });
});

describe("many bad lines", () => {
  it("are counted all and listed up to the limit", async () => {
    const path = join(newFolder(), "t.jsonl");
    writeFileSync(path, `${"{}\n".repeat(50)}${"{oops\n".repeat(500)}${plain(1)}`);
    const answer = await ask(path);
    expect(answer.damageCount).toBe(550);
    expect(answer.damage.length).toBeLessThanOrEqual(limits.damageListMax);
    expect(answer.totalCount).toBe(1);
  });
});
