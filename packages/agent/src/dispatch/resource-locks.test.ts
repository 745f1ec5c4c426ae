import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ResourceLocks, type Wanted } from "./resource-locks.js";

const never = new AbortController().signal;
/** Lets everything that is ready go on. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Asks, and says by `got` whether it was granted. */
function ask(locks: ResourceLocks, wanted: Partial<Wanted>, signal = never) {
  const asked: { release?: () => void; over?: true } = {};
  void Promise.resolve(locks.acquire({ reads: [], writes: [], ...wanted }, signal)).then((release) => {
    if (release === undefined) asked.over = true;
    else asked.release = release;
  });
  return asked;
}

describe("resource locks", () => {
  it("readers share a path, a writer is alone with it", async () => {
    const locks = new ResourceLocks();
    const [one, two, writer] = [
      ask(locks, { reads: ["a"] }),
      ask(locks, { reads: ["./a"] }),
      ask(locks, { writes: ["x/../a"] }),
    ];
    await settle();
    expect([one.release, two.release, writer.release].map(Boolean)).toEqual([true, true, false]);
    one.release?.();
    two.release?.();
    await settle();
    expect(writer.release).toBeDefined();
  });

  it("a folder and what lies in it are one place, a neighbour is another", async () => {
    const locks = new ResourceLocks();
    ask(locks, { writes: ["src"] });
    const [inside, beside, whole] = [
      ask(locks, { reads: ["src/a.ts"] }),
      ask(locks, { writes: ["src-ui/a.ts"] }),
      ask(locks, { writes: ["*"] }),
    ];
    await settle();
    expect([inside.release, beside.release, whole.release].map(Boolean)).toEqual([false, true, false]);
  });

  it("a reader that came after a waiting writer does not overtake it", async () => {
    const locks = new ResourceLocks();
    const first = ask(locks, { reads: ["a"] });
    const writer = ask(locks, { writes: ["a"] });
    const late = ask(locks, { reads: ["a"] });
    await settle();
    expect([writer.release, late.release]).toEqual([undefined, undefined]);
    first.release?.();
    await settle();
    expect([Boolean(writer.release), late.release]).toEqual([true, undefined]);
  });

  it("waiting ends with the signal, and those behind go on", async () => {
    const locks = new ResourceLocks();
    const stop = new AbortController();
    ask(locks, { reads: ["a"] });
    const writer = ask(locks, { writes: ["a"] }, stop.signal);
    const reader = ask(locks, { reads: ["a"] });
    await settle();
    stop.abort();
    await settle();
    expect([writer.over, Boolean(reader.release)]).toEqual([true, true]);
    expect(ask(locks, { reads: ["b"] }, stop.signal).release).toBeUndefined();
  });

  it("a lock that was granted outlives the signal and releasing twice frees nobody else's", async () => {
    const locks = new ResourceLocks();
    const stop = new AbortController();
    const held = ask(locks, { writes: ["a"] }, stop.signal);
    await settle();
    stop.abort();
    const next = ask(locks, { writes: ["a"] });
    await settle();
    expect(next.release).toBeUndefined();
    held.release?.();
    held.release?.();
    const third = ask(locks, { writes: ["a"] });
    await settle();
    expect([Boolean(next.release), third.release]).toEqual([true, undefined]);
  });

  it("whatever is asked in whatever order, writers are alone and everybody is served", async () => {
    const paths = fc.uniqueArray(fc.constantFrom("a", "a/b", "a/b/c", "b", "b/c", "c", "*"), {
      maxLength: 3,
    });
    const request = fc.record({ reads: paths, writes: paths, turns: fc.nat(3), stops: fc.boolean() });
    let served = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 12 }), async (requests) => {
        const locks = new ResourceLocks();
        const held = new Set<Wanted>();
        await Promise.all(
          requests.map(async (wanted) => {
            const stop = new AbortController();
            if (wanted.stops) queueMicrotask(() => stop.abort());
            const release = await locks.acquire(wanted, stop.signal);
            if (release === undefined) return expect(wanted.stops).toBe(true);
            for (const other of held) expect(overlap(wanted, other)).toBe(false);
            held.add(wanted);
            for (let turn = 0; turn < wanted.turns; turn += 1) await Promise.resolve();
            held.delete(wanted);
            release();
            served += 1;
            return undefined;
          }),
        );
      }),
      { numRuns: 300 },
    );
    console.log(
      `proof: ${served} locks granted over 300 random crowds, no two at odds held at once, none left waiting`,
    );
  });
});

function overlap(one: Wanted, other: Wanted): boolean {
  const meets = (left: readonly string[], right: readonly string[]) =>
    left.some((a) =>
      right.some((b) => a === "*" || b === "*" || a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)),
    );
  return meets(one.writes, other.writes) || meets(one.writes, other.reads) || meets(one.reads, other.writes);
}
