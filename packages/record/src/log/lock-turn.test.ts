/** How long a writer keeps the lock, decision by decision: a lock, a commit and a clock that do as they are told. */
import { describe, expect, it } from "vitest";
import { limits } from "../limits.js";
import type { HeldLock, Lock } from "../lock.js";
import type { GroupCommit } from "./group-commit.js";
import { LockTurn } from "./lock-turn.js";
import type { LogOptions } from "./types.js";

/** A writer that has just taken the lock. */
async function entered() {
  const deeds: string[] = [];
  const notices: string[] = [];
  const state = {
    /** Whether somebody stands in line. */
    waiting: false,
    /** What the disk says to whoever asks the lock. */
    failure: undefined as Error | undefined,
    draining: false,
    commit: { awaited: false, quick: false, busy: false },
  };
  const asked = async <T>(deed: string, answer: () => T): Promise<T> => {
    deeds.push(deed);
    if (state.failure !== undefined) throw state.failure;
    return answer();
  };
  const held: HeldLock = {
    wanted: () => asked("wanted", () => state.waiting),
    callNext: () => asked("callNext", () => {}),
    passOn: () => asked("passOn", () => state.waiting),
    check: async () => {},
    release: () => asked("release", () => {}),
  };
  let wake = () => {};
  const clock = {
    sleep: (ms: number) => (deeds.push(`sleep ${ms}`), new Promise<void>((done) => (wake = done))),
  };
  const turn = new LockTurn({
    log: { ports: { clock }, notice: (sentence: string) => notices.push(sentence) } as unknown as LogOptions,
    lock: { acquire: async () => held } as unknown as Lock,
    commit: () => state.commit as unknown as GroupCommit,
    draining: () => state.draining,
  });
  await turn.take(async () => {});
  return {
    ...{ turn, held, state, deeds, notices },
    /** The sleep ends, and what it was waited for with happens. */
    async awake() {
      wake();
      await new Promise(setImmediate);
    },
    /** What was done since this was last asked. */
    done: () => deeds.splice(0),
  };
}

describe("after its first row, a writer", () => {
  it("looks once whether somebody waits, and then keeps the lock for a burst", async () => {
    const { turn, done } = await entered();
    await turn.passOn({ moreRows: false });
    await turn.passOn({ moreRows: false });
    expect([done(), turn.held === undefined]).toEqual([["passOn"], false]);
  });

  it("that has more of them keeps it, and does not even look", async () => {
    const { turn, done } = await entered();
    for (let i = 0; i < 2 * limits.lockTurnMax; i++) await turn.passOn({ moreRows: true });
    expect(done()).toEqual([]);
  });

  it("no longer holds what it handed on", async () => {
    const { turn, state, done } = await entered();
    state.waiting = true;
    await turn.passOn({ moreRows: false });
    await turn.passOn({ moreRows: false });
    expect([done(), turn.held]).toEqual([["passOn"], undefined]);
  });

  it("gives back what it could not hand on because of the disk", async () => {
    const { turn, state, done, notices } = await entered();
    state.failure = new Error("EIO");
    await turn.passOn({ moreRows: false });
    expect([done(), turn.held, notices]).toEqual([["passOn", "release"], undefined, ["EIO"]]);
  });
});

describe("while rows wait for a sync, a writer", () => {
  it("hands the lock on before it, each time", async () => {
    const { turn, state, done } = await entered();
    state.commit.awaited = true;
    for (let i = 0; i < 3; i++) await turn.passOn({ moreRows: false });
    expect(done()).toEqual(["passOn", "passOn", "passOn"]);
  });

  it("that has more of them does so once in a turn", async () => {
    const { turn, state, done } = await entered();
    state.commit.awaited = true;
    for (let i = 1; i < limits.lockTurnMax; i++) await turn.passOn({ moreRows: true });
    expect(done()).toEqual([]);
    for (let i = 0; i < limits.lockTurnMax; i++) await turn.passOn({ moreRows: true });
    expect(done()).toEqual(["passOn"]);
  });

  it("keeps it on a disk that syncs quickly, and calls who is next towards the end of its turn", async () => {
    const { turn, state, done } = await entered();
    Object.assign(state.commit, { awaited: true, quick: true });
    for (let i = 1; i < limits.lockCallAfter; i++) await turn.passOn({ moreRows: false });
    expect(done()).toEqual([]);
    await turn.passOn({ moreRows: false });
    expect(done()).toEqual(["callNext"]);
    await turn.passOn({ moreRows: false });
    expect(done()).toEqual([]);
  });

  it("does not mind a disk that cannot call anybody", async () => {
    const { turn, state, held } = await entered();
    Object.assign(state.commit, { awaited: true, quick: true });
    state.failure = new Error("EIO");
    for (let i = 0; i < limits.lockTurnMax; i++) await turn.passOn({ moreRows: false });
    expect(turn.held).toBe(held);
  });
});

describe("a lock that is held", () => {
  it("is given back when nothing was done with it for a while", async () => {
    const { turn, held, done, awake } = await entered();
    const tending = turn.tend(held);
    await awake();
    await tending;
    expect([done(), turn.held]).toEqual([[`sleep ${limits.lockIdleMs}`, "release"], undefined]);
  });

  it.each<[string, (from: Awaited<ReturnType<typeof entered>>) => void]>([
    ["rows were written meanwhile", ({ turn }) => turn.busy()],
    ["rows are being written", ({ state }) => (state.draining = true)],
    ["a sync runs", ({ state }) => (state.commit.busy = true)],
    ["it is asked who waits", ({ turn }) => (turn.pause = Promise.resolve())],
  ])("stays, and it is looked who waits, when %s", async (_, busy) => {
    const from = await entered();
    void from.turn.tend(from.held);
    busy(from);
    await from.awake();
    expect(from.done()).toEqual([`sleep ${limits.lockIdleMs}`, "wanted", `sleep ${limits.lockIdleMs}`]);
    expect(from.turn.held).toBe(from.held);
  });

  it("is not tended any more once it is another's", async () => {
    const { turn, held, done, awake } = await entered();
    const tending = turn.tend(held);
    turn.held = undefined;
    await awake();
    await tending;
    expect(done()).toEqual([`sleep ${limits.lockIdleMs}`]);
  });

  it("is handed on in the middle of a burst once somebody was seen to wait", async () => {
    const { turn, held, state, done, awake } = await entered();
    void turn.tend(held);
    [state.draining, state.waiting] = [true, true];
    await awake();
    done();
    await turn.passOn({ moreRows: true });
    expect([done(), turn.held]).toEqual([["passOn"], undefined]);
  });

  it("is given back where whoever was seen to wait cannot take it", async () => {
    const { turn, held, state, done, awake } = await entered();
    void turn.tend(held);
    [state.draining, state.waiting] = [true, true];
    await awake();
    done();
    state.waiting = false;
    await turn.passOn({ moreRows: true });
    expect([done(), turn.held]).toEqual([["passOn", "release"], undefined]);
  });

  it("stays where it cannot be seen who waits", async () => {
    const { turn, held, state, awake } = await entered();
    void turn.tend(held);
    state.draining = true;
    state.failure = new Error("EIO");
    await awake();
    expect(turn.held).toBe(held);
  });
});

describe("after a sync, a writer with nothing more to write", () => {
  it("gives the lock back where somebody waits, and else keeps it", async () => {
    for (const waiting of [true, false]) {
      const { turn, state, done, awake } = await entered();
      state.waiting = waiting;
      const aside = turn.stepAside();
      await awake();
      await aside;
      expect(done()).toEqual(["sleep 0", "wanted", ...(waiting ? ["release"] : [])]);
      expect(turn.held === undefined).toBe(waiting);
    }
  });

  it.each<[string, (from: Awaited<ReturnType<typeof entered>>) => void]>([
    ["it went on at once", ({ turn }) => turn.busy()],
    ["rows are being written", ({ state }) => (state.draining = true)],
    ["another sync runs", ({ state }) => (state.commit.busy = true)],
    ["the lock is another's", ({ turn }) => (turn.held = undefined)],
  ])("does not look when %s", async (_, happens) => {
    const from = await entered();
    from.state.waiting = true;
    const aside = from.turn.stepAside();
    happens(from);
    await from.awake();
    await aside;
    expect(from.done()).toEqual(["sleep 0"]);
  });

  it("does nothing without the lock, and keeps it where it cannot be seen who waits", async () => {
    const { turn, held, state, done, awake } = await entered();
    state.failure = new Error("EIO");
    const aside = turn.stepAside();
    await awake();
    await aside;
    expect([done(), turn.held]).toEqual([["sleep 0", "wanted"], held]);
    turn.held = undefined;
    await turn.stepAside();
    expect(done()).toEqual([]);
  });

  it("whose turn is over hands it on, and nothing is begun before that is known", async () => {
    const { turn, state, done } = await entered();
    Object.assign(state.commit, { awaited: true, quick: true });
    for (let i = 0; i < limits.lockTurnMax; i++) await turn.passOn({ moreRows: false });
    done();
    state.draining = true;
    void turn.stepAside();
    expect(turn.pause).toBeUndefined();
    [state.draining, state.waiting] = [false, true];
    await turn.stepAside();
    expect(turn.pause).toBeDefined();
    await turn.pause;
    expect([done().includes("passOn"), turn.held, turn.pause]).toEqual([true, undefined, undefined]);
  });

  it("gives it back where it could not be handed on at the end of a turn", async () => {
    const { turn, state, notices } = await entered();
    Object.assign(state.commit, { awaited: true, quick: true });
    for (let i = 0; i < limits.lockTurnMax; i++) await turn.passOn({ moreRows: false });
    state.failure = new Error("EIO");
    await turn.stepAside();
    await turn.pause;
    expect([turn.held, notices]).toEqual([undefined, ["EIO"]]);
  });
});
