/** The judge of histories: what it must let pass, and what it must not. */
import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { holds } from "../support/property.js";
import { type Call, checkLinearizable, historyCallsMax, type Model } from "./linearizable.js";

type Op = { readonly read: true } | { readonly write: number } | { readonly swap: readonly [number, number] };

/** A register: a write answers nothing, a read its value, a swap whether it took place. */
const register: Model<number, Op, number | boolean | undefined> = {
  initial: 0,
  step: (state, op) => {
    if ("read" in op) return { state, answer: state };
    if ("write" in op) return { state: op.write, answer: undefined };
    const [from, to] = op.swap;
    return state === from ? { state: to, answer: true } : { state, answer: false };
  },
  stateKey: String,
  sameAnswer: Object.is,
};

const call = (op: Op, from: number, to?: number, answer?: number | boolean): Call<Op, typeof answer> =>
  to === undefined ? { op, invokedAt: from } : { op, invokedAt: from, returned: { at: to, answer } };
const read = (value: number, from: number, to: number) => call({ read: true }, from, to, value);
const write = (value: number, from: number, to?: number) => call({ write: value }, from, to);
const swap = (a: number, b: number, from: number, to: number, answer: boolean) =>
  call({ swap: [a, b] }, from, to, answer);

const verdict = (...history: Call<Op, number | boolean | undefined>[]) =>
  checkLinearizable(register, history).linearizable;

describe("a history passes", () => {
  it("when it is empty", () => expect(verdict()).toBe(true));
  it("when its calls came one after the other", () =>
    expect(verdict(write(1, 1, 2), read(1, 3, 4), write(2, 5, 6), read(2, 7, 8))).toBe(true));
  it("when a read during a write sees the old value or the new one", () => {
    expect(verdict(write(1, 1, 4), read(0, 2, 3))).toBe(true);
    expect(verdict(write(1, 1, 4), read(1, 2, 3))).toBe(true);
  });
  it("when a call that never returned took effect, late or not at all", () => {
    expect(verdict(write(1, 1), read(1, 2, 3))).toBe(true);
    expect(verdict(write(1, 1), read(0, 2, 3), read(1, 4, 5))).toBe(true);
    expect(verdict(write(1, 1), read(0, 2, 3))).toBe(true);
  });
  it("when overlapping calls returned in another order than they took effect", () =>
    expect(verdict(write(1, 1, 10), write(2, 2, 9), read(2, 3, 4), read(1, 5, 6))).toBe(true));
});

describe("a history is rejected", () => {
  it("when a read misses what was written before it began", () =>
    expect(verdict(write(1, 1, 2), read(0, 3, 4))).toBe(false));
  it("when a value comes back after it was seen replaced", () =>
    expect(verdict(write(1, 1, 8), read(1, 2, 3), read(0, 4, 5))).toBe(false));
  it("when a value was read that nobody wrote", () =>
    expect(verdict(write(1, 1), read(2, 2, 3))).toBe(false));
  it("when a call that never returned took effect before it was made", () =>
    expect(verdict(read(1, 1, 2), write(1, 3))).toBe(false));
  it("when a call that never returned took effect twice", () =>
    expect(verdict(write(1, 1), read(1, 2, 3), write(0, 4, 5), read(1, 6, 7))).toBe(false));
  it("when two both won what one could win", () =>
    expect(verdict(swap(0, 1, 1, 4, true), swap(0, 2, 2, 3, true))).toBe(false));
  it("when one lost although nobody had won", () => expect(verdict(swap(0, 1, 1, 2, false))).toBe(false));

  it("and the verdict names what fitted nowhere", () => {
    const late = read(0, 3, 4);
    expect(checkLinearizable(register, [write(1, 1, 2), late])).toMatchObject({
      linearizable: false,
      stuck: [late],
    });
  });
});

describe("every history", () => {
  const operations = fc.array(
    fc.oneof(
      fc.constant<Op>({ read: true }),
      fc.nat(3).map((value): Op => ({ write: value })),
      fc.tuple(fc.nat(3), fc.nat(3)).map((pair): Op => ({ swap: pair })),
    ),
    { maxLength: 12 },
  );
  const widths = fc.array(fc.tuple(fc.nat(30), fc.nat(30), fc.boolean()), { minLength: 12, maxLength: 12 });

  it("that was made by taking effect one after the other passes, however wide the calls are", () => {
    holds(
      fc.property(operations, widths, (ops, wide) => {
        let state = register.initial;
        const history = ops.map((op, i): Call<Op, number | boolean | undefined> => {
          const next = register.step(state, op);
          state = next.state;
          const [before, after, returns] = wide[i] ?? [0, 0, true];
          // Moments are 100 apart; fractions keep the ends of calls apart.
          const invokedAt = 100 * i - before * 10 - i / 100;
          if (!returns) return { op, invokedAt };
          return {
            op,
            invokedAt,
            returned: { at: 100 * i + after * 10 + 0.5 + i / 100, answer: next.answer },
          };
        });
        expect(checkLinearizable(register, history).linearizable).toBe(true);
      }),
    );
  });

  it("is as long as the search can bear, or refused", () => {
    const many = Array.from({ length: historyCallsMax + 1 }, (_, i) => read(0, 2 * i, 2 * i + 1));
    expect(() => checkLinearizable(register, many)).toThrow(RangeError);
  });
});
