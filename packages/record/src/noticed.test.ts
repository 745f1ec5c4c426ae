/**
 * Behaviour that a small mistake could change unnoticed: each was planted once by
 * hand, and each of these tests fails when it is.
 */
import { chmodSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder } from "../../../test/support/folder.js";
import { putFile } from "./atomic.js";
import { limits } from "./limits.js";
import { Lock } from "./lock.js";
import { Log } from "./log/log.js";
import { nodePorts } from "./ports/node.js";
import type { Files, Ports } from "./ports/types.js";

const real = nodePorts();

/** Everything that is done to files, by name and in order. */
function watched(did: string[]): Ports {
  const { files } = real;
  const seen: Files = {
    ...files,
    async open(path, mode, permissions) {
      const file = await files.open(path, mode, permissions);
      return {
        ...file,
        sync: () => (did.push(`sync ${path}`), file.sync()),
        read: (a, b) => file.read(a, b),
        append: (bytes) => file.append(bytes),
        writeAt: (at, bytes) => file.writeAt(at, bytes),
        truncate: (length) => file.truncate(length),
        stat: () => file.stat(),
        close: () => file.close(),
      };
    },
    rename: (from, to) => (did.push(`rename ${to}`), files.rename(from, to)),
    syncDirectory: (path) => (did.push(`folder ${path}`), files.syncDirectory(path)),
  };
  return { ...real, files: seen };
}

test("a repair makes what it set aside durable before the file without it takes its place", async () => {
  const path = join(newFolder(), "a.jsonl");
  writeFileSync(path, '{"n":1}\nbroken\n');
  const did: string[] = [];
  const log = await Log.open({ path, bearing: "state", ports: watched(did) });
  const { setAside } = await log.repair();
  await log.close();
  const synced = did.indexOf(`sync ${setAside}`);
  expect(synced).toBeGreaterThanOrEqual(0);
  expect(synced).toBeLessThan(did.indexOf(`rename ${path}`));
});

describe("a file that is put in place of another", () => {
  test("has the mode of that one, also when only its owner may read it", async () => {
    const path = join(newFolder(), "token");
    writeFileSync(path, "old");
    chmodSync(path, 0o600);
    await putFile(path, Buffer.from("new"), real);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

test("a ticket of somebody of whom nobody can tell whether they live lapses", async () => {
  const folder = newFolder();
  const path = join(folder, "the.lock");
  let nowMs = 1_000_000;
  const ports: Ports = {
    ...real,
    clock: { ...real.clock, now: async () => nowMs },
    processes: {
      ...real.processes,
      liveness: async ({ host }) => (host === "elsewhere" ? "unknown" : "alive"),
    },
  };
  const lock = new Lock({ path, name: "the lock", ports, waitMsMax: 1_000 });
  const held = await lock.acquire();
  // A ticket as a process on another machine leaves it; ours is copied and its host changed.
  const waiting = new Lock({
    path,
    name: "the lock",
    ports: {
      ...ports,
      processes: {
        ...ports.processes,
        self: async () => ({ ...(await real.processes.self()), host: "elsewhere" }),
      },
    },
    waitMsMax: 60_000,
  });
  const stop = new AbortController();
  const waiter = waiting.acquire(stop.signal).catch(() => undefined);
  const tickets = () => readdirSync(`${path}.line`).length;
  while (
    (() => {
      try {
        return tickets();
      } catch {
        return 0;
      }
    })() === 0
  )
    await new Promise((r) => setImmediate(r));
  await held.passOn();
  expect(tickets()).toBe(1);
  nowMs += limits.lockTicketMsMax + 1;
  await held.passOn();
  expect(tickets()).toBe(0);
  stop.abort();
  await held.release().catch(() => {});
  await waiter;
});

test("an index does not trust a file whose time went back: it was replaced in place by an older one", async () => {
  const path = join(newFolder(), "a.jsonl");
  const rows = (letter: string) =>
    Array.from({ length: 4_000 }, (_, n) => `{"n":${10_000 + n},"x":"${letter.repeat(120)}"}\n`).join("");
  writeFileSync(path, rows("a"));
  const log = await Log.open({ path, bearing: "trajectory", ports: real });
  await log.append({ n: 1 }, { durability: "synced" });
  const summarizer = { name: "test", summarize: () => 0 };
  await log.indexed(summarizer, async () => 0);
  await log.close();
  const { size } = statSync(path);
  // Same size, same inode, another content; the first block differs, and the last does not.
  const text = `${rows("a").replace('"x":"aa', '"x":"ba')}{"n":1}\n`;
  expect(Buffer.byteLength(text)).toBe(size);
  writeFileSync(path, text, { flag: "r+" });
  utimesSync(path, new Date(1_000_000_000_000), new Date(1_000_000_000_000));
  const again = await Log.open({ path, bearing: "trajectory", ports: real });
  const mismatches = await again.indexed(summarizer, async (index) => index.mismatches.length);
  expect(mismatches).toBe(1);
  await again.close();
});
