/**
 * Many real workers claim shared issues under leases of a second, and are
 * killed, started again and stopped past the end of their lease: no issue has
 * two holders, no holder of old writes, and nothing acknowledged is lost.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import {
  type History,
  type IssueAtEnd,
  type JournalLine,
  judgeHistory,
  readStep,
  type Verdict,
} from "../support/claim-history.js";
import { type Child, useChildren } from "../support/children.js";
import { newFolder } from "../support/folder.js";
import { full, seed, share } from "../support/scale.js";
import { until } from "../support/until.js";

const children = useChildren();
const stopMs = 1_300;
const stateOf = (pid: number) => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];

interface Size {
  readonly workers: number;
  readonly issues: number;
  /** Every so-and-so-manieth change that begins, a worker is killed, or stopped, from outside. */
  readonly killEvery: number;
  readonly stopEvery: number;
  /** See the worker: by its own hand. */
  readonly deaths: number;
  readonly stopAfter: number;
  readonly stopInside: number;
  readonly compactions: number;
  readonly longLeaseMs: number;
  readonly shortLeases: number;
}

interface Books {
  begun: number;
  kills: number;
  ownDeaths: number;
  stopsAfterClaim: number;
  stopsInside: number;
  stopsFromOutside: number;
  readonly complaints: string[];
}

class Crew {
  readonly path: string;
  readonly books: Books = {
    begun: 0,
    kills: 0,
    ownDeaths: 0,
    stopsAfterClaim: 0,
    stopsInside: 0,
    stopsFromOutside: 0,
    complaints: [],
  };
  private readonly random = new Random(seed);
  private readonly workers = new Set<Child>();
  private readonly stopped = new Set<Child>();
  private wake = () => {};
  private killAt: number;
  private stopAt: number;

  constructor(
    private readonly folder: string,
    private readonly size: Size,
  ) {
    this.path = join(folder, "issues.jsonl");
    this.killAt = size.killEvery;
    this.stopAt = size.stopEvery;
    writeIssues(this.path, size.issues);
  }

  /** Resolves when every issue is closed. */
  async run(): Promise<{ readonly observed: Observed }> {
    const observer = children.start("observe", { path: this.path });
    observer.onLine = (line) => {
      if (line.startsWith("damage")) this.books.complaints.push(line);
    };
    for (let i = 0; i < this.size.workers; i++) this.worker(`w${i}`, i % 16 === 3);
    while (this.workers.size > 0 && this.books.complaints.length === 0) {
      await new Promise<void>((wake) => (this.wake = wake));
    }
    observer.tell("stop");
    const observed = await observer.says("observed");
    await observer.finish();
    return { observed: JSON.parse(observed.slice("observed ".length)) as Observed };
  }

  private worker(name: string, openEach: boolean): void {
    const { stopInside, deaths, stopAfter, compactions, longLeaseMs, shortLeases } = this.size;
    const child = children.start(
      "claim",
      {
        ...{ path: this.path, journal: journalOf(this.folder, name), name, seed: this.random.next() },
        ...{ openEach, deaths, stopAfter, compactions, longLeaseMs, shortLeases },
        lockWaitMsMax: 120_000,
        // A whole crew waits for it each time, so only one of them does that.
        stopInside: name === "w1" ? stopInside : 0,
      },
      { nodeArgs: ["--max-semi-space-size=2", "--max-old-space-size=256"] },
    );
    this.workers.add(child);
    child.onLine = (line) => {
      this.note(line, child);
      // What a worker says is dealt with at once; a crew says too much to keep it all.
      child.lines.length = 0;
    };
    void child.ended.then(({ code, signal }) => {
      this.workers.delete(child);
      if (signal === "SIGKILL") this.worker(name, openEach);
      else if (code !== 0) this.books.complaints.push(`${name} failed: ${child.complaint}`);
      this.wake();
    });
  }

  private note(line: string, child: Child): void {
    const { books, size } = this;
    if (line.startsWith("failed")) books.complaints.push(line);
    if (line.startsWith("dies")) books.ownDeaths++;
    if (line === "stops inside") books.stopsInside++;
    if (line === "stops after a claim") books.stopsAfterClaim++;
    if (line.startsWith("stops")) return this.wakeLater(child);
    if (!line.startsWith("begin")) return;
    books.begun++;
    if (size.killEvery > 0 && books.begun >= this.killAt) {
      this.killAt = books.begun + this.random.between(size.killEvery >> 1, size.killEvery);
      books.kills++;
      child.kill("SIGKILL");
    } else if (size.stopEvery > 0 && books.begun >= this.stopAt && !this.stopped.has(child)) {
      this.stopAt = books.begun + this.random.between(size.stopEvery >> 1, size.stopEvery);
      books.stopsFromOutside++;
      child.kill("SIGSTOP");
      this.wakeLater(child);
    }
  }

  /** It sleeps past the end of its lease. */
  private wakeLater(child: Child): void {
    this.stopped.add(child);
    setTimeout(() => {
      this.stopped.delete(child);
      child.kill("SIGCONT");
    }, stopMs);
  }
}

interface Observed {
  readonly looks: number;
  readonly rows: number;
  readonly compactions: number;
  readonly tails: number;
}

const journalOf = (folder: string, name: string) => join(folder, `${name}.journal`);

function writeIssues(path: string, count: number): void {
  const row = (i: number) => ({
    id: `bd-${String(i).padStart(5, "0")}`,
    title: `Part ${i}`,
    status: "open",
    priority: 2,
    issue_type: "task",
    created_at: "2026-01-01T00:00:00Z",
    // Not ours to touch, and not to be touched by way of a double.
    serial: "NUMBER",
  });
  const lines = Array.from({ length: count }, (_, i) =>
    JSON.stringify(row(i + 1)).replace('"NUMBER"', `${2n ** 63n + BigInt(i)}`),
  );
  writeFileSync(path, `${lines.join("\n")}\n`);
}

/** What the file says at the end, read by nothing of ours. */
function readHistory(folder: string, path: string): History {
  const last = new Map<string, IssueAtEnd>();
  const text = readFileSync(path, "utf8");
  if (!text.endsWith("\n")) throw new Error("the last row is torn");
  for (const line of text.trimEnd().split("\n")) {
    const row = JSON.parse(line) as Omit<IssueAtEnd, "trail"> & { readonly trail?: string[] };
    const { id, fence = 0, status, work, trail = [] } = row;
    const serial = /"serial":(\d+)/.exec(line)?.[1];
    if (serial !== String(2n ** 63n + BigInt(id.slice(3)) - 1n))
      throw new Error(`${id} has serial ${serial}`);
    last.set(id, { id, fence, status, ...(work === undefined ? {} : { work }), trail: trail.map(readStep) });
  }
  const journal: JournalLine[] = [];
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".journal"))) {
    const lines = readFileSync(join(folder, name), "utf8").split("\n");
    // A line that a death tore says nothing, so what it belongs to is in doubt.
    for (const line of lines) if (line.endsWith("}")) journal.push(JSON.parse(line) as JournalLine);
  }
  return { journal, issues: [...last.values()] };
}

describe("issues that many workers share", () => {
  it(
    "have one holder at a time, refuse old holders and lose nothing, through kills, restarts and stops past the lease",
    async () => {
      const folder = newFolder();
      const size: Size = {
        workers: share(64, 4),
        issues: share(10_000, 24),
        killEvery: share(500, 40),
        stopEvery: share(1_500, 250),
        deaths: share(0.001, 0.004),
        stopAfter: share(8, 12),
        stopInside: share(60, 100),
        compactions: share(0.0001, 0.02),
        longLeaseMs: share(30_000, 2_000),
        shortLeases: share(0.25, 0.7),
      };
      const crew = new Crew(folder, size);
      const { observed } = await crew.run();
      const { books } = crew;
      expect(books.complaints).toEqual([]);
      const history = readHistory(folder, crew.path);
      const verdict = judgeHistory(history);
      const stops = books.stopsAfterClaim + books.stopsInside + books.stopsFromOutside;
      console.log(
        `proof: claims: ${size.workers} processes × ${size.issues} issues (seed ${seed}): ${verdict.claims} claims, ` +
          `${verdict.reclaims} reclaims, ${verdict.changes} changes; ${books.kills} killed from outside, ` +
          `${books.ownDeaths} within a write or at a sync, all started again; ${stops} stops past the lease ` +
          `(${books.stopsInside} inside the critical section, ${books.stopsFromOutside} anywhere); ` +
          `${verdict.staleRefused} stale writes refused, ${torn(folder)} torn rows set aside, ` +
          `${observed.compactions} compactions; read ${observed.looks} times meanwhile, always whole`,
      );
      expect(verdict.findings).toEqual([]);
      expect(history.issues).toHaveLength(size.issues);
      expect(history.issues.filter(({ status }) => status !== "closed")).toEqual([]);
      for (const count of [books.kills, stops, books.stopsInside, verdict.reclaims])
        expect(count).toBeGreaterThan(0);
      // In a short run everybody may happen to come back in time; see the overtaken one below.
      if (full) expect(verdict.staleRefused).toBeGreaterThan(0);
    },
    share(600_000, 120_000),
  );

  it("whose holder of the lock is stopped while it decides wait for it, and have no second winner", async () => {
    const folder = newFolder();
    const path = join(folder, "issues.jsonl");
    writeIssues(path, 12);
    const start = (name: string, more: object) => startWorker(folder, name, more);
    const holder = start("holder", { stopInside: 1 });
    await holder.says("stops inside");
    await until("it is stopped", () => stateOf(holder.pid) === "T");
    const before = readFileSync(path, "utf8");

    const hurried = ["h1", "h2", "h3"].map((name) => start(name, { lockWaitMsMax: 700 }));
    const patient = start("patient", {});
    for (const child of hurried)
      expect(await child.says("failed")).toBe(`failed lock_holder_stopped ${holder.pid}`);
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(patient.lines.filter((line) => line.startsWith("claimed"))).toEqual([]);

    // Where it stopped it goes on, and stops at its next decision, with the lock handed on or not.
    holder.kill("SIGCONT");
    expect(await holder.says("claimed")).toBe("claimed bd-00001 1");
    let woken = 1;
    holder.onLine = (line) => {
      if (line === "stops inside") void wakeUp();
    };
    const wakeUp = async () => {
      await until("it is stopped", () => stateOf(holder.pid) === "T");
      woken++;
      holder.kill("SIGCONT");
    };
    if (holder.lines.filter((line) => line === "stops inside").length > 1) await wakeUp();
    await patient.finish();
    await holder.finish();
    const { findings, claims } = judgeHistory(readHistory(folder, path));
    console.log(
      `proof: claims: stopped ${woken} times while it decided, 3 gave up and said by whom, 1 waited; ${claims} claims, no second winner`,
    );
    expect(findings).toEqual([]);
  }, 120_000);

  it("refuse the write of a worker that slept past its lease and was overtaken", async () => {
    const { findings, staleRefused } = await overtaken({ careless: false });
    expect(findings).toEqual([]);
    expect(staleRefused).toBeGreaterThan(0);
  }, 120_000);

  it("show it when they do not", async () => {
    const { findings, staleRefused } = await overtaken({ careless: true });
    expect(staleRefused).toBe(0);
    expect(findings).toContain(
      "bd-00001: a stale write was accepted, the fence was 2: update by sleeper-2 with fence 1",
    );
    expect(findings.join("\n")).toMatch(
      /^bd-00001: the stale write sleeper-2 was acknowledged after other-\d+$/m,
    );
  }, 120_000);
});

/** One worker stops right after its claim and goes on when another has claimed the same issue. */
async function overtaken({ careless }: { readonly careless: boolean }): Promise<Verdict> {
  const folder = newFolder();
  const path = join(folder, "issues.jsonl");
  writeIssues(path, 1);
  // A log that was just used may still have its lock; one that was closed does not.
  const start = (name: string, stopAfter: number) =>
    startWorker(folder, name, { stopAfter, careless, openEach: true });
  const sleeper = start("sleeper", 1);
  await sleeper.says("stops after a claim");
  await until("it is stopped", () => stateOf(sleeper.pid) === "T");
  const other = start("other", 0);
  expect(await other.says("claimed")).toBe("claimed bd-00001 2");
  // From now on it may sleep as little as it likes.
  sleeper.onLine = (line) => {
    if (line.startsWith("stops")) void until("it is stopped", isStopped).then(() => sleeper.kill("SIGCONT"));
  };
  const isStopped = () => stateOf(sleeper.pid) === "T";
  sleeper.kill("SIGCONT");
  await other.finish();
  await sleeper.finish();
  return judgeHistory(readHistory(folder, path));
}

/** One that does nothing unusual, unless told to. */
function startWorker(folder: string, name: string, more: object): Child {
  const [path, journal] = [join(folder, "issues.jsonl"), journalOf(folder, name)];
  return children.start("claim", {
    ...{ path, journal, name, seed: 7, openEach: false, deaths: 0, stopAfter: 0, stopInside: 0 },
    ...{ compactions: 0, longLeaseMs: 2_000, shortLeases: 1, lockWaitMsMax: 60_000, ...more },
  });
}

function torn(folder: string): number {
  const aside = join(folder, ".bridle", "set-aside");
  return existsSync(aside) ? readdirSync(aside).length : 0;
}
