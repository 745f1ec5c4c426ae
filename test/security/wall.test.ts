/**
 * The wall, from outside: hostile commands in each tier, as root and as an ordinary
 * user, and what the machine shows afterwards. The same commands without the wall
 * show that they are real.
 */
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useChildren } from "../support/children.js";
import { newFolder } from "../support/folder.js";
import { full, seed } from "../support/scale.js";
import { corpus } from "../support/wall/corpus.js";
import { wallLayers, wallStands } from "../support/wall/stands.js";

const children = useChildren();
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const people = isRoot ? ["root", "an ordinary user"] : ["an ordinary user"];

interface Result {
  readonly at: number;
  readonly ran: boolean;
  readonly effects: readonly string[];
  readonly text: string;
}

/** In the small every so manyth, another one each day. */
function sample(every: number): number[] {
  return corpus.flatMap((_, at) => (full || at % every === seed % every ? [at] : []));
}

async function attack(who: string, needs: string, wanted: readonly number[]): Promise<Result[]> {
  const folder = newFolder();
  chmodSync(folder, 0o755);
  const base = join(folder, "machine");
  mkdirSync(base);
  const person = who === "root" || !isRoot ? {} : { uid: nobody, gid: nobody };
  if (person.uid !== undefined) chownSync(base, person.uid, person.gid);
  const child = children.start("wall-run", { base, needs, wanted }, person);
  await child.finish();
  return child.lines
    .filter((line) => line.startsWith("done {"))
    .map((line) => JSON.parse(line.slice(5)) as Result);
}

const named = ({ at, effects, text }: Result) => `${corpus[at]?.name}: ${effects.join(", ")} (${text})`;

it("there are at least 300 hostile commands, and no two are the same", () => {
  expect(corpus.length).toBeGreaterThanOrEqual(300);
  expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
});

if (wallStands) {
  describe.each(people)("hostile commands of %s", (who) => {
    it.each(["read", "write"])("reach nothing beyond %s", { timeout: 1_800_000 }, async (needs) => {
      const wanted = sample(79).filter((at) => needs === "read" || corpus[at]?.only === undefined);
      const results = await attack(who, needs, wanted);
      expect(results.length).toBe(wanted.length);
      expect(results.filter(({ effects }) => effects.length > 0).map(named)).toEqual([]);
      // Each of them ran: what it printed first is there.
      expect(results.filter(({ ran }) => !ran).map(named)).toEqual([]);
      process.stdout.write(
        `proof: ${who}, ${needs}: ${results.length} hostile commands ran behind the wall${wallLayers ? "" : " (read-only, without a layer)"}, 0 effects beyond the tier\n`,
      );
    });

    it("reach what they are after without the wall", { timeout: 1_800_000 }, async () => {
      const real = sample(41).filter((at) => {
        const { bomb, root } = corpus[at] ?? {};
        return bomb === undefined && (root === undefined || who === "root");
      });
      const results = await attack(who, "bare", real);
      const failed = results.filter(({ effects }) => effects.length === 0);
      process.stdout.write(
        `proof: ${who}, without the wall: ${results.length - failed.length} of ${results.length} hostile commands reach what they are after\n`,
      );
      expect(results.length - failed.length, failed.map(named).join("\n")).toBeGreaterThanOrEqual(
        Math.floor(results.length * 0.9),
      );
    });
  });
}
