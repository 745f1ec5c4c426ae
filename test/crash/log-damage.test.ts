/**
 * Ten kinds of damage, each at many places of a log: located, survived, contained, repaired.
 *
 * Eight of them break a line, its JSON or its UTF-8 and are always found. Two
 * leave every line valid and are found where an index with a checksum a block
 * covers the place. Both counts are printed.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Damage, limits, Log, nodePorts } from "@bridle/record";
import { Random } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../support/failure.js";
import { newFastFolder } from "../support/folder.js";
import { seed, share } from "../support/scale.js";

const ports = nodePorts();
const newline = 10;

interface Line {
  readonly byte: number;
  readonly bytes: number;
}

interface Harm {
  /** The file after the damage. */
  readonly content: Buffer;
  /** Bytes of the damaged file that are not as they were; a report must overlap with them. */
  readonly from: number;
  readonly to: number;
  /** Lines of the log as it was, by number from 0, that the damage may have cost. */
  readonly lost: readonly number[];
}

interface Kind {
  /** Whether every line stays valid, so that only an index can tell. */
  readonly silent?: true;
  readonly harm: (log: Buffer, lines: readonly Line[], line: number, random: Random) => Harm;
}

const splice = (log: Buffer, from: number, to: number, bytes: Uint8Array | string): Buffer =>
  Buffer.concat([log.subarray(0, from), Buffer.from(bytes), log.subarray(to)]);
const at = (lines: readonly Line[], line: number): Line => {
  const found = lines[line];
  if (found === undefined) throw new Error(`no line ${line}`);
  return found;
};
/** A place within a line, before its newline. */
const within = ({ byte, bytes }: Line, random: Random) => byte + random.below(bytes - 1);
const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
const linesBetween = (lines: readonly Line[], from: number, to: number): number[] =>
  lines.flatMap(({ byte, bytes }, i) => (byte < to && byte + bytes > from ? [i] : []));

const kinds: Record<string, Kind> = {
  "a page of NULs": {
    harm(log, lines, line, random) {
      const from = within(at(lines, line), random);
      const to = Math.min(log.length - 1, from + random.between(1, 4096));
      return {
        content: splice(log, from, to, Buffer.alloc(to - from)),
        from,
        to,
        lost: linesBetween(lines, from, to),
      };
    },
  },
  "a piece cut out of the middle": {
    harm(log, lines, line, random) {
      for (;;) {
        const first = at(lines, line);
        const from = first.byte + random.between(1, first.bytes - 2);
        const last = at(lines, Math.min(lines.length - 1, line + random.below(6)));
        const to = Math.max(from + 1, last.byte + random.between(1, last.bytes - 2));
        const lost = linesBetween(lines, from, to);
        const { byte, bytes } = at(lines, lost.at(-1) ?? line);
        // What is left of two rows may happen to be a row; that would be a silent kind.
        const joined = Buffer.concat([log.subarray(first.byte, from), log.subarray(to, byte + bytes)]);
        if (isJson(joined.toString())) continue;
        return { content: splice(log, from, to, ""), from: first.byte, to: first.byte + joined.length, lost };
      }
    },
  },
  "a flipped bit that breaks the JSON": {
    harm(log, lines, line) {
      const { byte } = at(lines, line);
      const content = Buffer.from(log);
      content[byte] = (content[byte] ?? 0) ^ 1;
      return { content, from: byte, to: byte + 1, lost: [line] };
    },
  },
  "bytes that are not UTF-8": {
    harm(log, lines, line, random) {
      const from = within(at(lines, line), random);
      const content = Buffer.from(log);
      content[from] = 0xff;
      return { content, from, to: from + 1, lost: [line] };
    },
  },
  "a line that ends with CRLF": {
    harm(log, lines, line) {
      const { byte, bytes } = at(lines, line);
      const end = byte + bytes - 1;
      return { content: splice(log, end, end, "\r"), from: end, to: end + 1, lost: [] };
    },
  },
  "a byte order mark": {
    harm(log, lines, line) {
      const { byte } = at(lines, line);
      return { content: splice(log, byte, byte, "\ufeff"), from: byte, to: byte + 3, lost: [] };
    },
  },
  "merge-conflict markers": {
    harm(log, lines, line) {
      const { byte } = at(lines, line);
      const marker = "<<<<<<< HEAD\n";
      const middle = '=======\n{"id":"theirs"}\n>>>>>>> theirs\n';
      const { bytes } = at(lines, line);
      const ours = log.subarray(byte, byte + bytes);
      const conflict = Buffer.concat([Buffer.from(marker), ours, Buffer.from(middle)]);
      return {
        content: splice(log, byte, byte + bytes, conflict),
        from: byte,
        to: byte + conflict.length,
        lost: [],
      };
    },
  },
  "two rows on one line": {
    harm(log, lines, line) {
      const { byte, bytes } = at(lines, line);
      const end = byte + bytes;
      const lost = line + 1 < lines.length ? [line, line + 1] : [line];
      if (line + 1 === lines.length)
        return { content: splice(log, end - 2, end - 1, ""), from: byte, to: end - 1, lost };
      return {
        content: splice(log, end - 1, end, ""),
        from: byte,
        to: end + at(lines, line + 1).bytes - 1,
        lost,
      };
    },
  },
  "a flipped bit inside of a string": {
    silent: true,
    harm(log, lines, line, random) {
      const { byte, bytes } = at(lines, line);
      const start = log.indexOf('"text":"', byte) + 8;
      const from = random.between(start, byte + bytes - 5);
      const content = Buffer.from(log);
      // Letters stay letters.
      content[from] = (content[from] ?? 0) ^ (random.chance(0.5) ? 1 : 2);
      return { content, from, to: from + 1, lost: [line] };
    },
  },
  "a block of whole rows that stands twice": {
    silent: true,
    harm(log, lines, line, random) {
      // Behind the last row a second copy would be a row that somebody added, and nothing is wrong with that.
      const { byte } = at(lines, Math.min(line, lines.length - 2));
      const last = at(lines, Math.min(lines.length - 2, line + random.below(8)));
      const block = log.subarray(byte, last.byte + last.bytes);
      return { content: splice(log, byte, byte, block), from: byte, to: byte + block.length, lost: [] };
    },
  },
};

function someLog(random: Random, rows: number): { readonly log: Buffer; readonly lines: readonly Line[] } {
  const lines: Line[] = [];
  const texts: string[] = [];
  let byte = 0;
  for (let i = 0; i < rows; i++) {
    // From a to y, so that a flip of the lowest bits gives a letter again, and never a quote.
    const text = Array.from({ length: random.between(4, 90) }, () => random.pick([..."adhlptx"])).join("");
    const line = `${JSON.stringify({ id: `row-${i}`, more: "é€😀", text })}\n`;
    texts.push(line);
    const bytes = Buffer.byteLength(line);
    lines.push({ byte, bytes });
    byte += bytes;
  }
  return { log: Buffer.from(texts.join("")), lines };
}

const overlaps = (damage: Damage, { from, to }: Harm) =>
  damage.byte < to && damage.byte + damage.bytes > from;

/** What a repair set aside: a head of JSON, that many bytes, a newline, and so on. */
function asideOf(folder: string): { readonly byte: number; readonly content: Buffer }[] {
  return readdirSync(folder).flatMap((name) => {
    const bytes = readFileSync(join(folder, name));
    const kept: { byte: number; content: Buffer }[] = [];
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(newline, start);
      const head = JSON.parse(bytes.subarray(start, end).toString()) as { byte: number; bytes: number };
      kept.push({ byte: head.byte, content: bytes.subarray(end + 1, end + 1 + head.bytes) });
      start = end + 1 + head.bytes + 1;
    }
    return kept;
  });
}

/** The whole life of one damage; throws with the place when any of it goes wrong. */
async function endure(
  path: string,
  log: Buffer,
  lines: readonly Line[],
  kind: Kind,
  harm: Harm,
  index: boolean,
): Promise<void> {
  const local = join(path, "..", ".bridle");
  for (const name of ["damage", "index", "set-aside"])
    rmSync(join(local, name), { recursive: true, force: true });
  const notices: string[] = [];
  const open = (bearing: "state" | "trajectory") =>
    Log.open({ path, bearing, ports, notice: (said) => notices.push(said) });
  writeFileSync(path, log);
  const state = await open("state");
  if (index) await state.verify();
  writeFileSync(path, harm.content);

  // Located.
  const verification = await state.verify();
  const located = verification?.damage ?? [];
  if (!located.some((damage) => overlaps(damage, harm))) throw new Error("not located");
  if (kind.silent !== true) {
    const exact = located.filter((damage) => damage.damage !== "checksum_mismatch");
    if (!exact.some((damage) => overlaps(damage, harm))) throw new Error("located by the index only");
    for (const damage of exact)
      if (!overlaps(damage, harm)) throw new Error(`reported at ${damage.byte}, where nothing is wrong`);
    const first = exact[0];
    const expected = harm.content
      .subarray(0, first?.byte ?? 0)
      .reduce((sum, byte) => sum + (byte === newline ? 1 : 0), 1);
    if (first?.line !== expected) throw new Error(`line ${first?.line} instead of ${expected}`);
  }

  // Good rows stay readable.
  const texts = new Set<string>();
  for await (const entry of state.entries()) if (entry.kind === "row") texts.add(entry.text);
  const good = lines
    .filter((_, i) => !harm.lost.includes(i))
    .map(({ byte, bytes }) => log.subarray(byte, byte + bytes - 1).toString());
  for (const text of good) if (!texts.has(text)) throw new Error(`a good row is missing: ${text}`);

  // Contained.
  await rejectsWith("log_damaged", state.append({ id: "refused" }));
  await rejectsWith(
    "log_damaged",
    state.rewrite(async function* () {}),
  );
  await state.close();
  if (!readFileSync(path).equals(harm.content)) throw new Error("a refused change changed the file");
  const trajectory = await open("trajectory");
  await trajectory.append({ id: "goes on" });
  if (!notices.some((said) => said.includes("damaged"))) throw new Error("nobody was warned");
  await rejectsWith(
    "log_damaged",
    trajectory.rewrite(async function* () {}),
  );

  // Repaired.
  const before = readFileSync(path);
  const repair = await trajectory.repair();
  const after = await trajectory.verify();
  if (after?.damageCount !== 0 || after.marked)
    throw new Error(`still damaged after the repair: ${JSON.stringify(after)}`);
  const repaired = readFileSync(path).toString().split("\n");
  let next = 0;
  for (const text of [...good, '{"id":"goes on"}']) {
    next = repaired.indexOf(text, next) + 1;
    if (next === 0) throw new Error(`a good row was not carried over in its place: ${text}`);
  }
  for (const { byte, content } of asideOf(join(local, "set-aside"))) {
    if (!before.subarray(byte, byte + content.length).equals(content))
      throw new Error("not set aside verbatim");
  }
  if (kind.silent === true) {
    if (repair.changed || repair.checksumMismatches.length === 0)
      throw new Error("kept rows should stay as they stand");
  } else {
    if (repair.removedCount === 0) throw new Error("nothing was set aside");
    if (asideOf(join(local, "set-aside")).length !== repair.removedCount)
      throw new Error("not everything was set aside");
  }
  await trajectory.append({ id: "after the repair" });
  await trajectory.close();
  const reopened = await open("state");
  await reopened.append({ id: "last" });
  await reopened.close();
}

describe("a damaged log", () => {
  const positions = share(1_000, 20);
  let always = 0;
  let withIndex = 0;

  for (const [name, kind] of Object.entries(kinds)) {
    it(`is located, read, contained and repaired: ${name}`, async () => {
      const random = new Random(seed).fork(name);
      const path = join(newFastFolder(), "log.jsonl");
      const small = someLog(random, 120);
      const large = someLog(random, 6_000);
      for (let position = 0; position < positions; position++) {
        // Now and then one that fills several blocks of an index.
        const { log, lines } = position % 20 === 19 ? large : small;
        // The last line and the first belong to every share.
        const line = position === 0 ? 0 : position === 1 ? lines.length - 1 : random.below(lines.length);
        const harm = kind.harm(log, lines, line, random);
        const index = kind.silent === true || position % 2 === 0;
        await endure(path, log, lines, kind, harm, index).catch((error: unknown) => {
          throw new Error(`${name}, position ${position} (seed ${seed}), bytes ${harm.from} to ${harm.to}`, {
            cause: error,
          });
        });
        if (kind.silent === true) withIndex++;
        else always++;
      }
    }, 600_000);
  }

  it("by a line that is too long is located, read, contained and repaired", async () => {
    const random = new Random(seed).fork("too long");
    const path = join(newFastFolder(), "log.jsonl");
    const { log, lines } = someLog(random, 30);
    const rounds = share(40, 3);
    for (let round = 0; round < rounds; round++) {
      const { byte } = at(lines, random.below(lines.length));
      const long = Buffer.from(
        `{"p":"${"x".repeat(limits.rowBytesMax + random.below(3 * limits.readChunkBytes))}"}\n`,
      );
      const harm = { content: splice(log, byte, byte, long), from: byte, to: byte + long.length, lost: [] };
      await endure(path, log, lines, { harm: () => harm }, harm, round % 2 === 0);
      always++;
    }
  });

  it("is found by kind and by place as often as it was promised", () => {
    console.log(
      `proof: log damage: ${Object.keys(kinds).length} kinds at ${positions} positions each and too long lines (seed ${seed}): ` +
        `${always} always located, ${withIndex} located with an index; good rows read, changes refused, repaired`,
    );
    expect(Object.keys(kinds).length).toBeGreaterThanOrEqual(10);
    expect(always).toBeGreaterThanOrEqual(8 * positions);
    expect(withIndex).toBe(2 * positions);
  });
});
