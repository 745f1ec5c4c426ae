/**
 * A log cut at every byte: what was whole stays, what was not is kept aside, and
 * the next row is never swallowed by a fragment.
 */
import { readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Log, nodePorts } from "@bridle/record";
import { Random } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { newFastFolder } from "../support/folder.js";
import { seed, share } from "../support/scale.js";

const bytesMin = 64 * 1024;
const ports = nodePorts();

/** Rows of many lengths, with characters of one to four bytes, so that cuts fall everywhere in them. */
function someLog(random: Random): Buffer {
  const lines: string[] = [];
  for (let bytes = 0; bytes < bytesMin; bytes += Buffer.byteLength(lines.at(-1) ?? "")) {
    const text = Array.from({ length: random.below(120) }, () =>
      random.pick(["a", "é", "€", "😀", "\\", '"', "{", "}", "\n"]),
    );
    lines.push(`${JSON.stringify({ id: `row-${lines.length}`, n: random.next(), text: text.join("") })}\n`);
  }
  return Buffer.from(lines.join(""));
}

/** All of them in a full proof; else some, and every place around some ends of rows. */
function cutsOf(log: Buffer): number[] {
  const cuts = new Set<number>([0, 1, log.length - 1, log.length]);
  for (let cut = 0; cut <= log.length; cut += share(1, 193)) cuts.add(cut);
  for (let end = log.indexOf(10), row = 0; end !== -1; end = log.indexOf(10, end + 1), row++) {
    if (row % 24 === 0) for (const near of [-1, 0, 1, 2]) cuts.add(Math.min(log.length, end + near));
  }
  return [...cuts].toSorted((a, b) => a - b);
}

/** Every file of the folder, which is empty afterwards. */
function takeFiles(folder: string): Buffer[] {
  return readdirSync(folder).map((name) => {
    const content = readFileSync(join(folder, name));
    unlinkSync(join(folder, name));
    return content;
  });
}

describe("a log that was cut", () => {
  it("at any byte comes back as its whole rows, keeps the fragment, and takes the next row", async () => {
    const content = someLog(new Random(seed));
    const folder = newFastFolder();
    const path = join(folder, "log.jsonl");
    const aside = join(folder, ".bridle", "set-aside");
    const row = { id: "after", text: "the row after the cut, é😀" };
    const line = Buffer.from(`${JSON.stringify(row)}\n`);
    const cuts = cutsOf(content);
    let torn = 0;
    let fragments = 0;

    for (const cut of cuts) {
      writeFileSync(path, content.subarray(0, cut));
      const whole = content.lastIndexOf(10, cut - 1) + 1;
      const prefix = content.subarray(0, cut === 0 ? 0 : whole);
      const fragment = content.subarray(prefix.length, cut);

      const notices: string[] = [];
      const options = {
        path,
        bearing: "state",
        ports,
        notice: (said: string) => notices.push(said),
      } as const;
      const log = await Log.open(options);
      const appended = await log.append(row);
      await log.close();
      expect(appended.byte).toBe(prefix.length);

      const after = readFileSync(path);
      if (!after.equals(Buffer.concat([prefix, line])))
        throw new Error(`cut at ${cut}: not the prefix and the new row`);
      const kept = takeFiles(aside);
      if (fragment.length === 0 ? kept.length > 0 : kept.length !== 1 || !kept[0]?.equals(fragment)) {
        throw new Error(`cut at ${cut}: the fragment was not kept to the byte`);
      }
      expect(notices).toHaveLength(fragment.length === 0 ? 0 : 1);
      if (fragment.length > 0) torn++;
      fragments += kept.length;

      const reopened = await Log.open(options);
      let read = 0;
      for await (const batch of reopened.batches()) {
        const rows = batch.entries.filter((entry) => entry.kind === "row");
        if (rows.length !== batch.lines || rows.length !== batch.entries.length)
          throw new Error(`cut at ${cut}: no row`);
        if (!after.subarray(read, read + batch.bytes.length).equals(batch.bytes))
          throw new Error(`cut at ${cut}: differs`);
        read += batch.bytes.length;
      }
      await reopened.close();
      if (read !== after.length) throw new Error(`cut at ${cut}: read ${read} of ${after.length} bytes`);
    }
    console.log(
      `proof: log cut: ${cuts.length} cuts of ${content.length} bytes (seed ${seed}), ${torn} torn rows, ` +
        `${fragments} fragments kept, no row lost, none swallowed`,
    );
    expect(fragments).toBe(torn);
    expect(torn).toBeGreaterThan(0);
  }, 600_000);
});
