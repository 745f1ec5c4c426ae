/** A live view shows every row once and nothing that is not yet a row. */
import { appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { nodePorts } from "../ports/node.js";
import { Log } from "./log.js";
import type { FollowOptions } from "./follow.js";

const ports = nodePorts();

class View {
  private readonly stop = new AbortController();
  private readonly shown: AsyncGenerator<unknown, void, undefined>;

  private constructor(log: Log, from: FollowOptions["from"]) {
    this.shown = log.follow({ signal: this.stop.signal, ...(from === undefined ? {} : { from }) });
    onTestFinished(() => this.end());
  }

  static async of(path: string, from?: FollowOptions["from"]): Promise<View> {
    return new View(await Log.open({ path, bearing: "trajectory", ports }), from);
  }

  /** What comes next; waits for it. */
  async next(): Promise<unknown> {
    const next = await this.shown.next();
    if (next.done === true) return "the end";
    const entry = next.value as { kind: string; row?: Record<string, unknown>; damage?: string };
    return entry.kind === "row" ? entry.row?.["id"] : (entry.damage ?? entry.kind);
  }

  async take(count: number): Promise<unknown[]> {
    const taken: unknown[] = [];
    while (taken.length < count) taken.push(await this.next());
    return taken;
  }

  async end(): Promise<void> {
    this.stop.abort();
    for await (const _ of this.shown);
  }
}

const row = (id: number | string) => `${JSON.stringify({ id })}\n`;
const newPath = () => join(newFolder(), "log.jsonl");

describe("following a log", () => {
  it("shows what is there and then what comes, in order and once", async () => {
    const path = newPath();
    writeFileSync(path, row(1) + row(2));
    const view = await View.of(path);
    expect(await view.take(2)).toEqual([1, 2]);
    const third = view.next();
    appendFileSync(path, row(3));
    expect(await third).toBe(3);
    appendFileSync(path, row(4) + row(5));
    expect(await view.take(2)).toEqual([4, 5]);
  });

  it("waits for a file that is not there yet", async () => {
    const path = newPath();
    const view = await View.of(path);
    const first = view.next();
    writeFileSync(path, row(1));
    expect(await first).toBe(1);
  });

  it("from the end shows only what is added from now on", async () => {
    const path = newPath();
    writeFileSync(path, row(1) + row(2));
    const view = await View.of(path, "end");
    const next = view.next();
    const adding = setInterval(() => appendFileSync(path, row("new")), 20);
    try {
      expect(await next).toBe("new");
    } finally {
      clearInterval(adding);
    }
  });

  it("leaves an unfinished line alone until it is finished", async () => {
    const path = newPath();
    writeFileSync(path, row(1));
    const view = await View.of(path);
    expect(await view.next()).toBe(1);
    const next = view.next();
    appendFileSync(path, '{"id":"ha');
    appendFileSync(path, 'lf"}\n');
    expect(await next).toBe("half");
  });

  it("does not show a fragment that was cut off, and goes on with the row after it", async () => {
    const path = newPath();
    writeFileSync(path, row(1) + '{"id":"torn');
    const view = await View.of(path);
    expect(await view.next()).toBe(1);
    const next = view.next();
    const log = await Log.open({ path, bearing: "trajectory", ports });
    await log.append({ id: "after" });
    await log.close();
    expect(await next).toBe("after");
  });

  it("says that it starts again when the file was rewritten, and shows the new one from its start", async () => {
    const path = newPath();
    writeFileSync(path, row(1) + row(2));
    const view = await View.of(path);
    expect(await view.take(2)).toEqual([1, 2]);
    const next = view.next();
    const log = await Log.open({ path, bearing: "trajectory", ports });
    await log.rewrite(async function* (entries) {
      for await (const entry of entries) if (entry.kind === "row" && entry.row["id"] === 2) yield entry.text;
    });
    await log.append({ id: 3 });
    await log.close();
    expect(await next).toBe("restarted");
    expect(await view.take(2)).toEqual([2, 3]);
  });

  it("starts again when the file was removed or emptied", async () => {
    const path = newPath();
    writeFileSync(path, row(1) + row(2));
    const view = await View.of(path);
    expect(await view.take(2)).toEqual([1, 2]);
    const gone = view.next();
    rmSync(path);
    expect(await gone).toBe("restarted");
    writeFileSync(`${path}.new`, row("other"));
    renameSync(`${path}.new`, path);
    expect(await view.next()).toBe("other");
    truncateSync(path, 0);
    expect(await view.next()).toBe("restarted");
    appendFileSync(path, row("again"));
    expect(await view.next()).toBe("again");
  });

  it("names damage instead of stopping at it", async () => {
    const path = newPath();
    writeFileSync(path, `${row(1)}not json\n${row(2)}`);
    const view = await View.of(path);
    expect(await view.take(3)).toEqual([1, "json_invalid", 2]);
  });

  it("ends when it is told to, even while it waits", async () => {
    const path = newPath();
    writeFileSync(path, row(1));
    const view = await View.of(path);
    expect(await view.next()).toBe(1);
    const next = view.next();
    await view.end();
    expect(await next).toBe("the end");
  });

  it("keeps up with a writer that never pauses", async () => {
    const path = newPath();
    const log = await Log.open({ path, bearing: "trajectory", ports });
    const view = await View.of(path);
    const seen = view.take(2_000);
    for (let id = 0; id < 2_000; id++) await log.append({ id });
    await log.close();
    expect(await seen).toEqual(Array.from({ length: 2_000 }, (_, id) => id));
  });
});
