/** What calls share is opened once, never closed under a call, and bounded in number. */
import { describe, expect, it } from "vitest";
import { KeptThings } from "./kept.js";

class Thing {
  closed = false;
  constructor(readonly name: string) {}
  async close(): Promise<void> {
    this.closed = true;
  }
}

function shop() {
  const kept = new KeptThings();
  const opened: Thing[] = [];
  const open = (name: string) => async () => {
    const thing = new Thing(name);
    opened.push(thing);
    return thing;
  };
  return { kept, opened, open };
}

describe("kept things", () => {
  it("are opened by the first call and shared by the next, also at the same time", async () => {
    const { kept, opened, open } = shop();
    const seen = await Promise.all([
      kept.use("a", open("a"), async (thing) => thing),
      kept.use("a", open("a"), async (thing) => thing),
    ]);
    expect(await kept.use("a", open("a"), async (thing) => thing)).toBe(seen[0]);
    expect(seen[0]).toBe(seen[1]);
    expect(opened).toHaveLength(1);
  });

  it("beyond a few are closed, the longest unused first, but not while a call uses one", async () => {
    const { kept, opened, open } = shop();
    let letGo = () => {};
    const busy = kept.use("busy", open("busy"), async (thing) => {
      await new Promise<void>((resolve) => (letGo = resolve));
      return thing.closed;
    });
    for (let i = 0; i < 20; i++) await kept.use(`t${i}`, open(`t${i}`), async () => {});
    const closed = () => opened.filter((thing) => thing.closed).map(({ name }) => name);
    expect(closed()).toEqual(Array.from({ length: 13 }, (_, i) => `t${i}`));
    letGo();
    expect(await busy).toBe(false);
    await kept.close();
    expect(closed()).toHaveLength(21);
  });

  it("that could not be opened are tried again by the next call", async () => {
    const { kept, open } = shop();
    const broken = () => Promise.reject(new Error("no"));
    await expect(kept.use("a", broken, async () => {})).rejects.toThrow("no");
    expect(await kept.use("a", open("a"), async ({ name }) => name)).toBe("a");
  });

  it("stay open when a call that used them fails", async () => {
    const { kept, opened, open } = shop();
    const fail = () => Promise.reject(new Error("the call's own"));
    await expect(kept.use("a", open("a"), fail)).rejects.toThrow("own");
    expect(await kept.use("a", open("a"), async (thing) => thing.closed)).toBe(false);
    expect(opened).toHaveLength(1);
  });
});

it("keeps what was used last, and closes what was not used for the longest time", async () => {
  const { kept, opened, open } = shop();
  const use = (name: string) => kept.use(name, open(name), async (thing) => thing);
  for (const name of ["a", "b", "c", "d", "e", "f", "g", "h"]) await use(name);
  await use("a");
  await use("i");
  expect(opened.filter(({ closed }) => closed).map(({ name }) => name)).toEqual(["b"]);
  await kept.close();
});
