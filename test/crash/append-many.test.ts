/**
 * Many real processes append to one log, some are killed in the middle of a
 * write, another rewrites and repairs the file under them, and one reads it all
 * the while: every acknowledged row stands there once, whole.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Log, nodePorts } from "@bridle/record";
import { Random } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { type Child, useChildren } from "../support/children.js";
import { newFolder } from "../support/folder.js";
import { seed, share } from "../support/scale.js";

const children = useChildren();

/** Goals, not times: the run ends when all of them are reached. */
const goals = {
  processes: share(32, 8),
  acks: share(5_000, 120),
  kills: share(60, 4),
  /** Deaths in the middle of a row; the fragment is real. */
  tearings: share(50, 3),
  /** Deaths of those who were setting a fragment aside, and of those who were rewriting the file. */
  recoveries: share(10, 0),
  rewrites: share(30, 4),
  looks: share(100, 3),
};

interface Books {
  readonly tried: Set<string>;
  readonly acked: Set<string>;
  readonly damage: string[];
  kills: number;
  tearings: number;
  recoveries: number;
  rewritings: number;
  rewrites: number;
  repairs: number;
  looks: number;
  failures: number;
}

class Crew {
  readonly books: Books = {
    tried: new Set(),
    acked: new Set(),
    damage: [],
    kills: 0,
    tearings: 0,
    recoveries: 0,
    rewritings: 0,
    rewrites: 0,
    repairs: 0,
    looks: 0,
    failures: 0,
  };
  private readonly random = new Random(seed);
  private readonly alive = new Set<Child>();
  private started = 0;
  private stopping = false;
  private wake = () => {};

  constructor(private readonly path: string) {}

  appender(): void {
    const name = `p${this.started++}`;
    const own = this.started % 2 === 0;
    const child = children.start("append", {
      path: this.path,
      name,
      seed: this.random.next(),
      deaths: own ? 0.04 : 0,
    });
    this.watch(child, () => this.appender());
  }

  tidier(): void {
    this.watch(children.start("tidy", { path: this.path, seed: this.random.next(), deaths: 0.002 }), () =>
      this.tidier(),
    );
  }

  reader(): void {
    this.watch(children.start("look", { path: this.path }), () => this.reader());
  }

  /** Resolves when every goal is reached. */
  async reach(): Promise<void> {
    const { books } = this;
    const reached = () =>
      books.acked.size >= goals.acks &&
      books.kills >= goals.kills &&
      books.tearings >= goals.tearings &&
      books.recoveries >= goals.recoveries &&
      books.rewrites >= goals.rewrites &&
      books.looks >= goals.looks;
    while (!reached()) await new Promise<void>((wake) => (this.wake = wake));
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const children = [...this.alive];
    for (const child of children) child.tell("stop");
    await Promise.all(children.map((child) => child.ended));
  }

  /** Hears what the child says, and has a new one start when it was killed. */
  private watch(child: Child, again: () => void): void {
    this.alive.add(child);
    child.onLine = (line) => {
      this.note(line, child);
      this.wake();
    };
    void child.ended.then(({ code, signal }) => {
      this.alive.delete(child);
      if (signal === "SIGKILL") {
        if (!this.stopping) again();
      } else if (code !== 0) {
        this.books.damage.push(`a process failed: ${child.complaint}`);
      }
      this.wake();
    });
  }

  private note(line: string, child: Child): void {
    const { books } = this;
    const [word = "", what = ""] = line.split(" ");
    if (word === "begin" && what.startsWith("p")) books.tried.add(what);
    if (word === "ack") books.acked.add(what);
    if (word === "failed") books.failures++;
    if (word === "dies") {
      if (line.includes("/set-aside") || line.includes("truncate")) books.recoveries++;
      else if (line.endsWith(this.path) && what === "within") books.tearings++;
      else books.rewritings++;
    }
    if (word === "rewritten") books.rewrites++;
    if (word === "repair") books.repairs++;
    if (word === "looked") books.looks++;
    if (word === "damage") books.damage.push(line);
    // Right when it begins, so that it dies while it waits, writes or rewrites.
    if (word === "begin" && !this.stopping && this.random.chance(goals.kills / (goals.acks * 1.2))) {
      books.kills++;
      child.kill("SIGKILL");
    }
  }
}

describe("a log that many processes share", () => {
  it(
    "keeps every acknowledged row once and whole, through kills, tears, rewrites and repairs",
    async () => {
      const folder = newFolder();
      const path = join(folder, "log.jsonl");
      const crew = new Crew(path);
      const { books } = crew;
      for (let i = 0; i < goals.processes; i++) crew.appender();
      crew.tidier();
      crew.reader();
      await crew.reach();
      await crew.stop();

      // Whoever comes next sets the last fragment aside, if there is one.
      const log = await Log.open({ path, bearing: "trajectory", ports: nodePorts() });
      await log.append({ id: "last", sum: sumOf(""), pad: "" });
      const times = new Map<string, number>();
      for await (const entry of log.entries()) {
        if (entry.kind !== "row") throw new Error(`no row: ${JSON.stringify(entry)}`);
        const { id, sum, pad } = entry.row as { id: string; sum: string; pad: string };
        if (sum !== sumOf(pad)) throw new Error(`rows are interleaved in ${id}`);
        times.set(id, (times.get(id) ?? 0) + 1);
      }
      await log.close();

      for (const id of books.acked) {
        const count = times.get(id) ?? 0;
        // Garbage may have been compacted away, but it never stands twice.
        if (id.endsWith("-garbage") ? count > 1 : count !== 1)
          throw new Error(`acknowledged row ${id} stands ${count} times`);
      }
      for (const [id, count] of times) {
        if (count !== 1) throw new Error(`row ${id} stands ${count} times`);
        if (id !== "last" && !books.tried.has(id)) throw new Error(`row ${id} was never written`);
      }
      const aside = join(folder, ".bridle", "set-aside");
      const fragments = existsSync(aside)
        ? readdirSync(aside).map((name) => readFileSync(join(aside, name)))
        : [];
      for (const fragment of fragments)
        expect(fragment.includes(10), "a fragment is less than a row").toBe(false);

      console.log(
        `proof: append many: ${goals.processes} processes at once (seed ${seed}), ${books.acked.size} rows acknowledged, ` +
          `${books.kills} killed from outside, ${books.tearings} in the middle of a row, ${books.recoveries} while recovering, ` +
          `${books.rewritings} while rewriting or elsewhere, ${fragments.length} tears, ` +
          `${books.rewrites} rewrites, ${books.repairs} repairs, ${books.looks} looks; each row once, none interleaved`,
      );
      expect(books.damage).toEqual([]);
      expect(books.failures).toBe(0);
      expect(fragments.length).toBeGreaterThan(0);
      expect(fragments.length).toBeGreaterThanOrEqual(books.tearings / 2);
    },
    share(600_000, 120_000),
  );
});

function sumOf(pad: string): string {
  return createHash("sha256").update(pad).digest("hex").slice(0, 16);
}
