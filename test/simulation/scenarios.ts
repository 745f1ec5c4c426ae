/**
 * What the simulator plays with the record room: a shared log, a shared
 * document and a lock, under kills, pauses, power losses and a bad disk.
 *
 * Each scenario takes the room as a parameter, because planted-bugs.test.ts
 * hands it broken copies. It keeps books of what was acknowledged and throws
 * when the files do not bear them out.
 */
import { strict as assert } from "node:assert";
import type { Decision, Document, HeldLock, Lock, Log, LogState, Ports } from "@bridle/record";
import { harass, type DiskFaults, type SimProcess, type Simulation } from "@bridle/testing";

export type RecordRoom = typeof import("@bridle/record");
export type Scenario = (record: RecordRoom, sim: Simulation) => Promise<void>;

const logPath = "/data/.premath/log.jsonl";
const documentPath = "/data/.premath/count.json";

interface Books {
  /** Rows that must be there whatever happens to the machine. */
  readonly synced: Set<string>;
  /** Rows that must be there as long as the machine does not lose its power. */
  readonly written: Set<string>;
  /** Rows that somebody tried to add. */
  readonly tried: Set<string>;
  powerLosses: number;
}

interface LogPlay {
  readonly writers: number;
  readonly rowsEach: number;
  readonly kills: number;
  readonly pauses: number;
  readonly crashes: number;
  readonly rewriter: boolean;
  readonly faults?: DiskFaults;
  readonly syncedShare: number;
  /** Writers open a log for each row, as a command does, instead of keeping one. */
  readonly shortLived: boolean;
}

function openLog(record: RecordRoom, ports: Ports): Promise<Log> {
  return record.Log.open({
    path: logPath,
    bearing: "trajectory",
    ports,
    rowId: (row) => (typeof row["id"] === "string" ? row["id"] : undefined),
    lockWaitMsMax: 60_000,
  });
}

function isFailure(record: RecordRoom, error: unknown): boolean {
  return error instanceof record.Failure;
}

/** Appends its rows, two at a time, trying each again until it is acknowledged, as a careful caller does. */
function writer(
  record: RecordRoom,
  sim: Simulation,
  books: Books,
  name: string,
  play: LogPlay,
  plan: string[],
) {
  return async (ports: Ports) => {
    let log = await openLog(record, ports);
    const lane = async (ids: string[]) => {
      for (const id of ids) {
        if (books.synced.has(id) || (books.written.has(id) && books.powerLosses === 0)) continue;
        const before = books.tried.has(id);
        books.tried.add(id);
        await appendSurely(record, sim, books, log, ports, { id, by: name, before });
        if (sim.random.chance(0.3)) await ports.clock.sleep(sim.random.between(1, 30));
      }
    };
    if (play.shortLived) {
      for (const id of plan) {
        await lane([id]);
        await log.close();
        log = await openLog(record, ports);
      }
    } else {
      const half = plan.length >> 1;
      await Promise.all([lane(plan.slice(0, half)), lane(plan.slice(half))]);
    }
    await log.close();
  };
}

async function appendSurely(
  record: RecordRoom,
  sim: Simulation,
  books: Books,
  log: Log,
  ports: Ports,
  row: { readonly id: string; readonly by: string; readonly before: boolean },
): Promise<void> {
  const { id, by, before } = row;
  const synced = id.endsWith("s");
  for (let attempt = 0; attempt < 20; attempt++) {
    const losses = books.powerLosses;
    try {
      const options = before || attempt > 0 ? { once: id } : {};
      const pad = "x".repeat((id.length * 7 + attempt) % 40);
      await log.append({ id, by, pad }, { durability: synced ? "synced" : "written", ...options });
      if (synced) books.synced.add(id);
      else if (losses === books.powerLosses) books.written.add(id);
      return;
    } catch (error) {
      if (!isFailure(record, error)) throw error;
      const inDoubt = (error as { failureClass?: string }).failureClass === "row_in_doubt";
      const reopened = await log.reopen().then(
        () => true,
        () => false,
      );
      // A row in doubt that is there after a good reopening is as good as acknowledged.
      if (synced && inDoubt && reopened && sim.random.chance(0.5) && (await stands(log, id))) {
        books.synced.add(id);
        return;
      }
      await ports.clock.sleep(5);
    }
  }
  throw new Error(`${id} could not be appended in 20 attempts`);
}

async function stands(log: Log, id: string): Promise<boolean> {
  for await (const entry of log.entries()) if (entry.kind === "row" && entry.row["id"] === id) return true;
  return false;
}

function rewriter(record: RecordRoom, sim: Simulation, rounds: number) {
  return async (ports: Ports) => {
    const log = await openLog(record, ports);
    for (let round = 0; round < rounds; round++) {
      try {
        if (sim.random.chance(0.2)) await log.repair();
        else {
          await log.rewrite(async function* (entries) {
            for await (const entry of entries) yield entry.text;
          });
        }
      } catch (error) {
        if (!isFailure(record, error)) throw error;
        await log.reopen().catch(() => {});
      }
      await ports.clock.sleep(sim.random.between(1, 20));
    }
    await log.close();
  };
}

async function playLog(record: RecordRoom, sim: Simulation, play: LogPlay): Promise<void> {
  const books: Books = { synced: new Set(), written: new Set(), tried: new Set(), powerLosses: 0 };
  const machine = sim.machine();
  if (play.faults !== undefined) machine.faults = play.faults;
  await sim.run(async () => {
    const people: SimProcess[] = [];
    const start = (name: string, body: (ports: Ports) => Promise<void>) =>
      people.push(sim.spawn(name, body, { mayThrow: play.faults !== undefined }));
    for (let w = 0; w < play.writers; w++) {
      const plan = Array.from({ length: play.rowsEach }, (_, i) =>
        sim.random.chance(play.syncedShare) ? `w${w}-${i}-s` : `w${w}-${i}-w`,
      );
      start(`w${w}`, writer(record, sim, books, `w${w}`, play, plan));
    }
    if (play.rewriter) start("rewriter", rewriter(record, sim, 3));
    await harass(sim, {
      kills: play.kills,
      pauses: play.pauses,
      crashes: play.crashes,
      gapEventsMax: 60,
      pauseMsMax: 2000,
      victims: () => people,
      after: (deed) => {
        if (deed === "crash") {
          books.powerLosses++;
          books.written.clear();
        }
        if (deed !== "kill" && deed !== "crash") return;
        for (const [i, person] of people.entries())
          if (person.state === "ended") people[i] = person.restart();
      },
    });
  });
  machine.faults = {};
  // Half of the time the power goes once more when all is quiet: what was promised must be on the disk itself.
  if (sim.random.chance(0.5)) {
    sim.crashMachine();
    books.powerLosses++;
    books.written.clear();
  }
  await checkLog(record, sim, books);
}

async function checkLog(record: RecordRoom, sim: Simulation, books: Books): Promise<void> {
  const seen = new Map<string, number>();
  let damage = 0;
  await sim.run(async () => {
    await sim.spawn("checker", async (ports) => {
      const log = await openLog(record, ports);
      await log.append({ id: "last" }, { durability: "synced" });
      for await (const entry of log.entries()) {
        if (entry.kind === "damage") damage++;
        if (entry.kind === "row")
          seen.set(String(entry.row["id"]), (seen.get(String(entry.row["id"])) ?? 0) + 1);
      }
      await log.close();
    }).ended;
  });
  for (const id of books.synced)
    assert.equal(seen.get(id), 1, `synced row ${id} stands ${seen.get(id) ?? 0} times`);
  for (const id of books.written)
    assert.equal(seen.get(id), 1, `written row ${id} stands ${seen.get(id) ?? 0} times`);
  for (const [id, times] of seen) {
    if (id === "last") continue;
    assert.ok(books.tried.has(id), `row ${id} was never written`);
    assert.equal(times, 1, `row ${id} stands ${times} times`);
  }
  assert.equal(seen.get("last"), 1, "the row after all of it was swallowed");
  // Without a power loss nothing but whole rows may ever stand in the file.
  if (books.powerLosses === 0) assert.equal(damage, 0, `${damage} damaged places without a power loss`);
}

const quiet: LogPlay = {
  writers: 3,
  rowsEach: 4,
  kills: 0,
  pauses: 0,
  crashes: 0,
  rewriter: false,
  syncedShare: 0.3,
  shortLived: false,
};

/** Processes die while they write; others go on and rewrite the file under them. */
export const killedWriters: Scenario = (record, sim) =>
  playLog(record, sim, { ...quiet, kills: 4, pauses: 1, rewriter: true, shortLived: sim.random.chance(0.5) });

/** The power goes while rows are being synced. */
export const powerLoss: Scenario = (record, sim) =>
  playLog(record, sim, {
    ...quiet,
    kills: 1,
    crashes: 2,
    syncedShare: 0.8,
    rewriter: sim.random.chance(0.5),
  });

/** Syncs fail, and later the power goes. */
export const failingSyncs: Scenario = (record, sim) =>
  playLog(record, sim, {
    ...quiet,
    crashes: 1,
    kills: 1,
    syncedShare: 0.9,
    faults: { syncError: 0.15 },
    rewriter: sim.random.chance(0.3),
  });

/** The disk takes half of a write, or is full now and then. */
export const crampedDisk: Scenario = (record, sim) =>
  playLog(record, sim, { ...quiet, kills: 2, faults: { noSpace: 0.05, shortWrite: 0.3 }, rewriter: false });

/** Every fragment that a killed writer left is kept somewhere, to the byte. */
export const keptFragments: Scenario = async (record, sim) => {
  const machine = sim.machine();
  const whole = `${JSON.stringify({ id: "a" })}\n`;
  const fragment = JSON.stringify({ id: "b", pad: "y".repeat(sim.random.between(1, 60)) }).slice(0, -1);
  machine.disk.put(logPath, whole + fragment);
  await sim.run(async () => {
    const body = async (ports: Ports) => {
      const log = await openLog(record, ports);
      await log.append({ id: "c" }, { once: "c", durability: "synced" });
      await log.close();
    };
    const people = [sim.spawn("one", body), sim.spawn("two", body)];
    await harass(sim, {
      kills: 1,
      crashes: sim.random.below(2),
      gapEventsMax: 50,
      victims: () => people,
      after: () => {
        for (const [i, person] of people.entries())
          if (person.state === "ended") people[i] = person.restart();
      },
    });
  });
  sim.crashMachine();
  const text = machine.disk.peekText(logPath) ?? "";
  const aside = machine.disk
    .tree()
    .filter((path) => path.includes("/set-aside/") && !path.endsWith("/"))
    .map((path) => machine.disk.peekText(path));
  assert.ok(text.startsWith(whole), "the whole row before the fragment is gone");
  assert.ok(aside.includes(fragment) || text.includes(fragment), "the fragment is nowhere");
  assert.match(text, /\{"id":"c"\}\n$/, "the acknowledged row is gone");
};

/** Several processes add to one document; nobody's addition may be lost, and no reader sees half of one. */
export const sharedDocument: Scenario = async (record, sim) => {
  const machine = sim.machine();
  const acknowledged = new Set<string>();
  const open = (ports: Ports): Promise<Document<{ tokens: string[] }>> =>
    record.Document.open({
      path: documentPath,
      ports,
      members: ["tokens"],
      lockWaitMsMax: 60_000,
      check: (value) => {
        if (!Array.isArray(value["tokens"])) throw new Error("no tokens");
        return value as unknown as { tokens: string[] };
      },
    });
  if (sim.random.chance(0.3)) machine.faults = { noSpace: 0.03, shortWrite: 0.2, syncError: 0.05 };
  const body = (name: string) => async (ports: Ports) => {
    const document = await open(ports);
    for (let i = 0; i < 3; i++) {
      const token = `${name}-${i}`;
      if (acknowledged.has(token)) continue;
      try {
        await document.change((current) => ({
          tokens: [...new Set([...(current?.tokens ?? []), token])],
        }));
        acknowledged.add(token);
      } catch (error) {
        if (!isFailure(record, error)) throw error;
      }
    }
  };
  sim.invariant("the document is always whole", () => {
    const text = machine.disk.peekText(documentPath);
    if (text === undefined) return;
    assert.ok(Array.isArray((JSON.parse(text) as { tokens: unknown }).tokens));
  });
  await sim.run(async () => {
    const people = ["a", "b", "c"].map((name) => sim.spawn(name, body(name)));
    await harass(sim, {
      kills: 2,
      pauses: 1,
      crashes: sim.random.below(3),
      gapEventsMax: 60,
      victims: () => people,
      after: (deed) => {
        if (deed !== "kill" && deed !== "crash") return;
        for (const [i, person] of people.entries())
          if (person.state === "ended") people[i] = person.restart();
      },
    });
  });
  sim.crashMachine();
  const text = machine.disk.peekText(documentPath);
  const tokens = text === undefined ? [] : (JSON.parse(text) as { tokens: string[] }).tokens;
  for (const token of acknowledged) assert.ok(tokens.includes(token), `the acknowledged ${token} is lost`);
};

/**
 * Many want one lock; holders die, takers die, one is stopped inside its
 * critical section, and some lose their patience in the moment it is handed to them.
 */
export const contendedLock: Scenario = async (record, sim) => {
  let inside: string | undefined;
  let entered = 0;
  const body = (name: string) => async (ports: Ports) => {
    const me = `${name}@${(await ports.processes.self()).pid}.${(await ports.processes.self()).startTime}`;
    const lockFor = (waitMsMax: number) =>
      new record.Lock({ path: "/data/one.lock", name: "one", ports, waitMsMax });
    const stay = async (held: HeldLock) => {
      assert.equal(inside, undefined, `${me} entered while ${inside} was inside`);
      inside = me;
      entered++;
      await ports.clock.sleep(sim.random.between(0, 8));
      assert.equal(inside, me, `${inside} entered while ${me} was inside`);
      inside = undefined;
      await held.release();
    };
    const lock = lockFor(120_000);
    for (let round = 0; round < 2; round++) {
      if (sim.random.chance(0.4))
        await impatient(record, sim, ports, lockFor).then((held) => held && stay(held));
      const from = await ports.clock.monotonic();
      const held = await lock.acquire();
      const waitedMs = (await ports.clock.monotonic()) - from;
      await stay(held);
      assert.ok(waitedMs < 60_000, `${me} waited ${waitedMs} ms for a lock that nobody held for long`);
    }
  };
  await sim.run(async () => {
    const people = ["a", "b", "c", "d"].map((name) => sim.spawn(name, body(name)));
    await harass(sim, {
      kills: 5,
      pauses: 3,
      gapEventsMax: 40,
      pauseMsMax: 3000,
      victims: () => people,
      after: (deed) => {
        if (deed !== "kill") return;
        for (const [i, person] of people.entries()) {
          if (person.state !== "ended") continue;
          const { pid, startTime } = person.identity;
          if (inside?.endsWith(`@${pid}.${startTime}`) === true) inside = undefined;
          people[i] = person.restart();
        }
      },
    });
  });
  assert.ok(entered >= 8, `only ${entered} entered`);
};

/** Gives up after a few milliseconds, by its own limit or because somebody aborts it. */
async function impatient(
  record: RecordRoom,
  sim: Simulation,
  ports: Ports,
  lockFor: (waitMsMax: number) => Lock,
): Promise<HeldLock | undefined> {
  const ms = sim.random.between(0, 12);
  const stop = new AbortController();
  const byAbort = sim.random.chance(0.5);
  if (byAbort) void ports.clock.sleep(ms).then(() => stop.abort());
  try {
    return await lockFor(byAbort ? 120_000 : ms).acquire(stop.signal);
  } catch (error) {
    if (!isFailure(record, error)) throw error;
    return undefined;
  }
}

/** Nobody is killed or stopped, so whoever lets go hands the lock on: nobody is left to find it by polling. */
export const promptHandOver: Scenario = async (record, sim) => {
  let freeSince = 0;
  const body = async (ports: Ports) => {
    const lock = new record.Lock({ path: "/data/one.lock", name: "one", ports, waitMsMax: 120_000 });
    for (let round = 0; round < 4; round++) {
      const from = await ports.clock.monotonic();
      const held = await lock.acquire();
      const idleMs = (await ports.clock.monotonic()) - Math.max(from, freeSince);
      // Well below the time after which a waiter looks for itself, well above some slow calls.
      assert.ok(idleMs < 75, `the lock lay idle for ${idleMs} ms while somebody waited for it`);
      if (sim.random.chance(0.5)) await ports.clock.sleep(sim.random.between(0, 8));
      freeSince = await ports.clock.monotonic();
      await held.release();
      if (sim.random.chance(0.5)) await ports.clock.sleep(sim.random.between(0, 8));
    }
  };
  await sim.run(async () => {
    for (const name of ["a", "b", "c"]) sim.spawn(name, body);
  });
};

/** Transactions of several processes: each counts on from the last row, so no two may see the same one. */
export const countedTransactions: Scenario = async (record, sim) => {
  const acked = new Map<string, number>();
  const machine = sim.machine();
  if (sim.random.chance(0.4)) machine.faults = { syncError: 0.1, noSpace: 0.02 };
  let powerLosses = 0;
  const body = (name: string) => async (ports: Ports) => {
    const log = await openLog(record, ports);
    for (let i = 0; i < 4; i++) {
      const token = `${name}-${i}`;
      for (let attempt = 0; attempt < 20 && !acked.has(token); attempt++) {
        try {
          const counted = await log.transact((state) => countOn(state, token));
          // One that stood there already was never acknowledged, and is not durable for having been seen.
          if (counted === undefined) break;
          acked.set(token, counted);
        } catch (error) {
          if (!isFailure(record, error)) throw error;
          await log.reopen().catch(() => {});
          await ports.clock.sleep(5);
        }
      }
    }
    await log.close();
  };
  await sim.run(async () => {
    const people = ["a", "b", "c"].map((name) => sim.spawn(name, body(name)));
    if (sim.random.chance(0.3)) people.push(sim.spawn("rewriter", rewriter(record, sim, 2)));
    await harass(sim, {
      kills: 2,
      pauses: 1,
      crashes: sim.random.below(2),
      gapEventsMax: 80,
      victims: () => people,
      after: (deed) => {
        if (deed === "crash") powerLosses++;
        if (deed !== "kill" && deed !== "crash") return;
        for (const [i, person] of people.entries())
          if (person.state === "ended") people[i] = person.restart();
      },
    });
  });
  machine.faults = {};
  if (sim.random.chance(0.5)) {
    sim.crashMachine();
    powerLosses++;
  }
  const counts = new Map<string, number>();
  let last = 0;
  await sim.run(async () => {
    await sim.spawn("checker", async (ports) => {
      const log = await openLog(record, ports);
      for await (const entry of log.entries()) {
        if (entry.kind === "damage") assert.ok(powerLosses > 0, "damage without a power loss");
        if (entry.kind !== "row") continue;
        const [token, n] = [String(entry.row["id"]), Number(entry.row["n"])];
        assert.ok(n > last, `${token} counted ${n} after ${last}`);
        if (powerLosses === 0) assert.equal(n, last + 1, `${token} counted ${n} after ${last}`);
        last = n;
        counts.set(token, n);
      }
    }).ended;
  });
  for (const [token, n] of acked) assert.equal(counts.get(token), n, `the acknowledged ${token} is not ${n}`);
};

async function countOn(state: LogState, token: string): Promise<Decision<number | undefined>> {
  let last = 0;
  for await (const { entries } of state.read()) {
    for (const entry of entries) {
      if (entry.kind !== "row") continue;
      if (entry.row["id"] === token) return { answer: undefined };
      last = Number(entry.row["n"]);
    }
  }
  return { answer: last + 1, line: JSON.stringify({ id: token, n: last + 1 }) };
}

export const scenarios = {
  killedWriters,
  powerLoss,
  failingSyncs,
  crampedDisk,
  keptFragments,
  sharedDocument,
  contendedLock,
  promptHandOver,
  countedTransactions,
} satisfies Record<string, Scenario>;
