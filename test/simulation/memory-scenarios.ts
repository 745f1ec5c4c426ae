/**
 * What the simulator plays with issue memory: workers that claim, renew,
 * release, note, close and reopen, some of them long-lived with one memory and
 * two hands, some opening one for each change, while others compact and merge;
 * under kills, sleeps past the end of leases, clocks set forward and back, power
 * losses and a bad disk.
 *
 * Each scenario takes the room as a parameter, because planted-memory-bugs.test.ts
 * hands it broken copies.
 */
import { strict as assert } from "node:assert";
import type { Ports } from "@bridle/record";
import { type DiskFaults, harass, type SimProcess, type Simulation } from "@bridle/testing";
import { firstClaim, issueIds, MemoryBooks } from "./memory-books.js";
import { type Answered, decisionOf, type Intent, type MemoryRoom } from "./memory-decisions.js";
import { type Claimed, type IssueRow, type Term } from "./memory-model.js";

export type MemoryScenario = (room: MemoryRoom, sim: Simulation) => Promise<Tally>;

/** How much was at stake. */
export interface Tally {
  readonly acknowledged: number;
  readonly refused: number;
  readonly inDoubt: number;
  /** Calls in the histories that were judged. */
  readonly judged: number;
}

const path = "/data/.premath/issues.jsonl";

interface Play {
  readonly longLived: number;
  readonly shortLived: number;
  /** Tries of each hand. */
  readonly triesEach: number;
  readonly kills: number;
  readonly pauses: number;
  readonly crashes: number;
  readonly clockJumps: number;
  readonly compactions: number;
  readonly merges: number;
  readonly faults?: DiskFaults;
  /** Workers come back at the very end of a lease. */
  readonly punctual: boolean;
  /** Nobody rests longer than this between two calls. */
  readonly restMsMax?: number;
  /** Share of the calls that only look. */
  readonly reads: number;
}

const calm: Play = {
  longLived: 1,
  shortLived: 2,
  triesEach: 5,
  kills: 0,
  pauses: 0,
  crashes: 0,
  clockJumps: 0,
  compactions: 0,
  merges: 0,
  punctual: false,
  reads: 0.1,
};

/** What a worker knows; it outlives the worker's processes, as a note on its desk would. */
interface Desk {
  readonly name: string;
  triesLeft: number;
  requests: number;
  /** Asked, and not answered yet: to be asked again with the same request id. */
  pending: Intent | undefined;
  lastRequest: Intent | undefined;
  readonly claims: Map<string, Claimed>;
}

type Memory = Awaited<ReturnType<MemoryRoom["IssueMemory"]["open"]>>;

class Stage {
  readonly books: MemoryBooks;
  /** When a lease ends that somebody was told of. */
  private endMs = 0;

  constructor(
    readonly room: MemoryRoom,
    readonly sim: Simulation,
    readonly play: Play,
  ) {
    this.books = new MemoryBooks(sim.machine().disk, path);
    sim.invariant("issue memory keeps its promises", () => this.books.check());
  }

  open(ports: Ports): Promise<Memory> {
    return this.room.IssueMemory.open({ path, ports, lockWaitMsMax: 3_000 });
  }

  /** One memory, two hands. */
  longLived(desks: readonly Desk[]) {
    return async (ports: Ports) => {
      const memory = await this.open(ports);
      await Promise.all(
        desks.map((desk) =>
          this.work(
            desk,
            ports,
            (act) => act(memory),
            () => memory.reopen(),
          ),
        ),
      );
      await memory.close();
    };
  }

  /** As a command does: open, change, close. */
  shortLived(desk: Desk) {
    return async (ports: Ports) => {
      const once = async <Result>(act: (memory: Memory) => Promise<Result>): Promise<Result> => {
        const memory = await this.open(ports);
        try {
          return await act(memory);
        } finally {
          await memory.close().catch(ignoreFailure);
        }
      };
      await this.work(desk, ports, once, async () => {});
    };
  }

  private async work(
    desk: Desk,
    ports: Ports,
    using: <Result>(act: (memory: Memory) => Promise<Result>) => Promise<Result>,
    reopen: () => Promise<void>,
  ): Promise<void> {
    const { random } = this.sim;
    while (desk.triesLeft > 0) {
      desk.triesLeft--;
      try {
        if (desk.pending === undefined && random.chance(this.play.reads))
          await using((memory) => this.read(memory));
        else await this.ask(desk, ports, using);
      } catch (error) {
        await this.recover(ports, error, reopen);
      }
      await this.rest(ports);
    }
  }

  private async read(memory: Memory): Promise<void> {
    const since = this.books.version;
    const graph = await memory.graph();
    const { rowCount } = memory;
    this.books.compareRead({ graph, rowCount }, since);
  }

  private async ask(
    desk: Desk,
    ports: Ports,
    using: <Result>(act: (memory: Memory) => Promise<Result>) => Promise<Result>,
  ): Promise<void> {
    const { books, room } = this;
    const intent = desk.pending ?? (await this.choose(desk, ports));
    const repeatable = intent.kind === "claim" && intent.requestId !== undefined;
    desk.pending = repeatable ? intent : undefined;
    const call = books.begin(desk.name);
    const result = await using((memory) => memory.change(decisionOf(room, intent, books, call)));
    desk.pending = undefined;
    if (repeatable) desk.lastRequest = intent;
    const answered: Answered = room.isRefusal(result) ? { answer: { refused: result.refused } } : result;
    books.returned(call, answered.answer);
    if (!("claimed" in answered.answer) || answered.id === undefined) return;
    desk.claims.set(answered.id, answered.answer.claimed);
    this.endMs = answered.answer.claimed.endMs;
  }

  private async choose(desk: Desk, ports: Ports): Promise<Intent> {
    const { random } = this.sim;
    const by = desk.name;
    const held = desk.claims.size === 0 ? undefined : random.pick([...desk.claims]);
    const wish = random.below(100);
    if (wish < 40 || held === undefined) {
      if (wish < 10 && desk.lastRequest !== undefined) return desk.lastRequest;
      const term = await this.term(ports);
      const request = random.chance(0.7) ? { requestId: `${by}-${++desk.requests}` } : {};
      const id = random.chance(0.45) ? {} : { id: this.anyId() };
      return { kind: "claim", by, term, ...request, ...id };
    }
    const [id, { fence, leaseId }] = held;
    const fenced = random.chance(0.6) ? { fence } : {};
    const named = random.chance(0.7) ? { by } : {};
    if (wish < 58) return { kind: "renew", id, by, leaseId, ...fenced, term: await this.term(ports) };
    if (wish < 70) return { kind: "release", id, ...named, ...fenced };
    if (wish < 88) {
      const other = this.anyId();
      const several = random.chance(0.5) && other !== id;
      return several ? { kind: "note", ids: [id, other] } : { kind: "note", ids: [id], ...fenced };
    }
    return { kind: wish < 95 ? "close" : "reopen", id, ...named, ...fenced };
  }

  private anyId(): string {
    return this.sim.random.chance(0.45) ? issueIds[0] : this.sim.random.pick(issueIds);
  }

  private async term(ports: Ports): Promise<Term> {
    const { random } = this.sim;
    if (random.chance(0.3)) return { seconds: 30 };
    return { endMs: (await ports.clock.now()) + random.between(2, 40) };
  }

  private async rest(ports: Ports): Promise<void> {
    const { random, play } = this;
    if (play.restMsMax !== undefined) return ports.clock.sleep(random.below(play.restMsMax + 1));
    if (play.punctual && random.chance(0.5)) {
      const left = this.endMs - (await ports.clock.now());
      // A change takes about a millisecond from here to its decision.
      if (left > 1 && left < 60_000) return ports.clock.sleep(left - random.below(3) / 2);
    }
    const length = random.below(10);
    if (length < 5) await ports.clock.sleep(random.between(1, 6));
    else if (length === 5) await ports.clock.sleep(random.between(20, 60));
    else if (length === 6) await ports.clock.sleep(random.between(29_000, 31_000));
  }

  private get random() {
    return this.sim.random;
  }

  private async recover(ports: Ports, error: unknown, reopen: () => Promise<void>): Promise<void> {
    const failureClass = failureClassOf(error);
    if (failureClass === undefined) throw error;
    this.books.failed();
    if (failureClass === "row_in_doubt" || failureClass === "log_poisoned") {
      await reopen().catch(ignoreFailure);
    } else if (failureClass === "log_damaged") {
      assert.ok(this.books.powerLosses > 0, "the file is damaged, and there was no power loss");
      await this.repair(ports).catch(ignoreFailure);
    } else await ports.clock.sleep(this.random.between(1, 5_000));
  }

  async repair(ports: Ports): Promise<void> {
    const log = await this.openLog(ports);
    try {
      await log.repair();
    } finally {
      await log.close();
    }
  }

  private openLog(ports: Ports) {
    return this.room.Log.open({ path, bearing: "state", comments: true, ports, lockWaitMsMax: 3_000 });
  }

  compactor(rounds: number) {
    let left = rounds;
    return async (ports: Ports) => {
      const memory = await this.open(ports);
      while (left-- > 0) {
        await ports.clock.sleep(this.random.between(1, 25));
        try {
          await memory.compact();
        } catch (error) {
          await this.recover(ports, error, () => memory.reopen());
        }
      }
      await memory.close();
    };
  }

  merger(rounds: number) {
    let left = rounds;
    return async (ports: Ports) => {
      while (left-- > 0) {
        await ports.clock.sleep(this.random.below((this.play.restMsMax ?? 25) + 1));
        try {
          await this.merge(ports);
        } catch (error) {
          await this.recover(ports, error, async () => {});
        }
      }
    };
  }

  /**
   * As much of a merge as others notice: the file is replaced by one in which
   * some issues have a higher fence. The real one can take this place.
   */
  private async merge(ports: Ports): Promise<void> {
    const { books, random, room } = this;
    const ids = issueIds.filter(() => random.chance(0.5));
    const call = books.begin("merger");
    const log = await this.openLog(ports);
    try {
      const nowMs = await ports.clock.now();
      await log.rewrite(async function* (entries) {
        const lines = new Map<string, string>();
        for await (const entry of entries) {
          if (entry.kind === "row" && typeof entry.row["id"] === "string")
            lines.set(entry.row["id"], entry.text);
          else yield entry.text;
        }
        const decision = books.nextDecision();
        for (const id of ids) {
          const base = lines.get(id);
          assert.ok(base !== undefined, `${id} is gone`);
          const fencesUp = random.between(1, 3);
          const fence = ((JSON.parse(base) as IssueRow).fence ?? 0) + fencesUp;
          const { text } = room.patchRow(id, base, { fence, x_decision: decision });
          const op = { kind: "merge", fencesUp, nowMs } as const;
          call.parts.set(id, { op, text });
          books.expect(decision, id, { base, text, op });
          lines.set(id, text);
        }
        yield* lines.values();
      });
      books.returned(call, { done: true });
    } finally {
      await log.close().catch(ignoreFailure);
    }
  }
}

function failureClassOf(error: unknown): string | undefined {
  return (error as { failureClass?: string }).failureClass;
}

function ignoreFailure(error: unknown): void {
  if (failureClassOf(error) === undefined) throw error;
}

async function playMemory(room: MemoryRoom, sim: Simulation, play: Play): Promise<Tally> {
  const stage = new Stage(room, sim, play);
  const { books } = stage;
  const machine = sim.machine();
  if (play.faults !== undefined) machine.faults = play.faults;
  const desk = (name: string): Desk => ({
    name,
    triesLeft: play.triesEach,
    requests: 0,
    pending: undefined,
    lastRequest: undefined,
    claims: new Map(name === "w0a" ? [[firstClaim.id, firstClaim]] : []),
  });
  await sim.run(async () => {
    const people: SimProcess[] = [];
    const start = (name: string, body: (ports: Ports) => Promise<void>) =>
      people.push(sim.spawn(name, body, { mayThrow: false }));
    for (let i = 0; i < play.longLived; i++) {
      start(`w${i}`, stage.longLived([desk(`w${i}a`), desk(`w${i}b`)]));
    }
    for (let i = 0; i < play.shortLived; i++) start(`s${i}`, stage.shortLived(desk(`s${i}`)));
    if (play.compactions > 0) start("compactor", stage.compactor(play.compactions));
    if (play.merges > 0) start("merger", stage.merger(play.merges));
    await harass(sim, {
      kills: play.kills,
      pauses: play.pauses,
      crashes: play.crashes,
      clockJumps: play.clockJumps,
      gapEventsMax: 80,
      pauseMsMax: sim.random.chance(0.5) ? 50 : 40_000,
      jumpMsMax: sim.random.chance(0.5) ? 40 : 60_000,
      victims: () => people,
      after: (deed) => {
        if (deed === "crash") books.powerLost();
        if (deed !== "kill" && deed !== "crash") return;
        for (const [i, person] of people.entries())
          if (person.state === "ended") people[i] = person.restart();
      },
    });
  });
  machine.faults = {};
  if (play.crashes > 0 && sim.random.chance(0.5)) {
    sim.crashMachine();
    books.powerLost();
  }
  await lastWord(stage);
  const { acknowledged, refused, inDoubt } = books;
  return { acknowledged, refused, inDoubt, judged: books.checkHistories() };
}

/** Whatever happened, the next one finds a memory that works. */
async function lastWord(stage: Stage): Promise<void> {
  const { books, room, sim } = stage;
  await sim.run(async () => {
    await sim.spawn("last", async (ports) => {
      const memory = await stage.open(ports);
      for (const id of issueIds) {
        const call = books.begin("last");
        const note = decisionOf(room, { kind: "note", ids: [id] }, books, call);
        const answer = await memory.change(note).catch(async (error: unknown) => {
          if (failureClassOf(error) !== "log_damaged" || books.powerLosses === 0) throw error;
          await stage.repair(ports);
          return memory.change(note);
        });
        assert.ok(!room.isRefusal(answer), "the last change was refused");
        books.returned(call, answer.answer);
      }
      await memory.compact();
      const since = books.version;
      const graph = await memory.graph();
      books.compareRead({ graph, rowCount: memory.rowCount }, since);
      await memory.close();
    }).ended;
  });
}

/** Many want the same issues; they die, are stopped past the end of their leases, and the clock is set. */
export const contendedClaims: MemoryScenario = (room, sim) =>
  playMemory(room, sim, { ...calm, kills: 2, pauses: 1, clockJumps: 5 });

/** Workers come back at the very millisecond at which a lease ends. */
export const punctualWorkers: MemoryScenario = (room, sim) =>
  playMemory(room, sim, { ...calm, triesEach: 6, clockJumps: 1, punctual: true });

/** The file is compacted and merged while it is worked with. */
export const replacedUnderWork: MemoryScenario = (room, sim) =>
  playMemory(room, sim, { ...calm, triesEach: 4, kills: 2, pauses: 1, compactions: 3, merges: 2 });

/** The file is replaced several times within a tick of the clock, by one of the same size and perhaps the same inode. */
export const replacedAtOnce: MemoryScenario = (room, sim) =>
  playMemory(room, sim, {
    ...calm,
    longLived: 2,
    shortLived: 0,
    triesEach: 5,
    merges: 6,
    restMsMax: 1,
    reads: 0.5,
  });

/** The power goes while changes are being synced. */
export const powerLossAtWork: MemoryScenario = (room, sim) =>
  playMemory(room, sim, {
    ...calm,
    triesEach: 4,
    kills: 1,
    crashes: 2,
    compactions: sim.random.below(3),
    merges: sim.random.below(2),
  });

/** The disk takes half of a write, fails to sync or to read, is full now and then; and the power goes. */
export const badDiskAtWork: MemoryScenario = (room, sim) =>
  playMemory(room, sim, {
    ...calm,
    triesEach: 4,
    kills: 1,
    crashes: sim.random.below(2),
    compactions: sim.random.below(3),
    reads: 0.25,
    faults: {
      syncError: 0.12,
      syncDirectoryError: 0.03,
      shortWrite: 0.2,
      noSpace: 0.02,
      readError: 0.03,
    },
  });

export const memoryScenarios = {
  contendedClaims,
  punctualWorkers,
  replacedUnderWork,
  replacedAtOnce,
  powerLossAtWork,
  badDiskAtWork,
} satisfies Record<string, MemoryScenario>;
