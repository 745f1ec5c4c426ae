/**
 * Every public operation of the record room, on real files whose disk fails at its
 * k-th call, for every k until none fails: the old state or the new one, never a
 * third; what was acknowledged is there; a retry adds nothing twice; no lock, no
 * handle and no caller is left hanging.
 */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Document,
  Failure,
  type JsonObject,
  Lock,
  Log,
  type LogOptions,
  nodePorts,
  type Ports,
  type Summarizer,
} from "@bridle/record";
import { alterFiles, type Fault, type FaultOptions, FaultyFiles, faults } from "@bridle/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { newFastFolder } from "../support/folder.js";
import { full, seed, share } from "../support/scale.js";

const real = nodePorts();
const hangMs = 10_000;
const lockWaitMsMax = 1_500;

/** How an operation ended, as its caller saw it. */
type Outcome =
  | { readonly how: "resolved"; readonly value: unknown }
  | { readonly how: "rejected"; readonly error: unknown; readonly failureClass: string | undefined };

interface Stage {
  readonly folder: string;
  readonly path: string;
  /** Through the disk that fails. */
  readonly ports: Ports;
  /** From now on it does not. */
  readonly heal: () => void;
}

interface Operation {
  /** Puts the old state there. */
  readonly prepare?: (stage: Pick<Stage, "folder" | "path">) => Promise<void> | void;
  /** The operation; what it resolves with is its outcome. */
  readonly run: (stage: Stage) => Promise<unknown>;
  /** Throws unless the disk bears the outcome out. The disk no longer fails. */
  readonly check: (stage: Stage, outcome: Outcome) => Promise<void>;
}

const rowId = (row: JsonObject) => (typeof row["id"] === "string" ? row["id"] : undefined);
const openLog = (path: string, ports: Ports, options: Partial<LogOptions> = {}) =>
  Log.open({ path, bearing: "trajectory", ports, rowId, lockWaitMsMax, ...options });
const read = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
const oneOf = (actual: string | undefined, ...allowed: (string | undefined)[]) => {
  if (!allowed.includes(actual))
    throw new Error(`a third state: ${JSON.stringify(actual)}; allowed: ${JSON.stringify(allowed)}`);
};

/** Runs with a log and gives it back, whatever happens. */
async function withLog<T>(
  path: string,
  ports: Ports,
  act: (log: Log) => Promise<T>,
  options: Partial<LogOptions> = {},
): Promise<T> {
  const log = await openLog(path, ports, options);
  try {
    return await act(log);
  } finally {
    // A disk that fails while the log is closed takes nothing back that was acknowledged.
    await log.close().catch(() => {});
  }
}

const [a, b, c] = ['{"id":"a"}\n', '{"id":"b"}\n', '{"id":"c"}\n'] as const;
const fragment = '{"id":"torn","text":"never finis';
const damaged = `${a}not json\n${b}`;

function writes(content: string) {
  return ({ path }: { path: string }) => writeFileSync(path, content);
}

/** After an append that may have failed: old or new, and after a retry exactly new. */
async function checkAppended(
  { path, ports }: Stage,
  outcome: Outcome,
  before: string | undefined,
  after: string,
  id: string,
): Promise<void> {
  const now = read(path);
  if (outcome.how === "resolved") oneOf(now, after);
  else if (outcome.failureClass === "row_in_doubt") oneOf(withoutFragment(now), before ?? "", after);
  else oneOf(now, before, before ?? "", after === before ? after : undefined);
  const retried = await withLog(path, ports, (log) => log.append({ id }, { once: id, durability: "synced" }));
  if (outcome.how === "resolved" && retried.added) throw new Error("an acknowledged row was not there");
  oneOf(read(path), after);
}

const withoutFragment = (content: string | undefined) => content?.slice(0, content.lastIndexOf("\n") + 1);

const ids: Summarizer<string[]> = {
  name: "ids.v1",
  summarize: (entries) => entries.flatMap((entry) => (entry.kind === "row" ? [String(entry.row["id"])] : [])),
};
const askIds = (log: Log) =>
  log.indexed(ids, async (index) => index.blocks.flatMap((block) => block.summary).join());

interface Note {
  readonly text: string;
}
const openNote = (path: string, ports: Ports) =>
  Document.open<Note>({
    path,
    ports,
    members: ["text"],
    lockWaitMsMax,
    check: (value) => {
      if (typeof value["text"] !== "string") throw new Failure("document_invalid", { message: "no text" });
      return { text: value["text"] };
    },
  });

async function deadHolder(path: string): Promise<void> {
  const self = await real.processes.self();
  const parts = [self.pid, `${self.startTime}1`, self.bootId, self.pidNamespace, self.host, "deadnonce"];
  symlinkSync(parts.map(encodeURIComponent).join(" "), path);
}

const lockAt = (path: string, ports: Ports) =>
  new Lock({ path, name: "a lock", ports, waitMsMax: lockWaitMsMax });

/** Also the check: whoever comes next gets it, for nothing that failed may hold it for as long as this process lives. */
async function takeAndGiveBack({ path, ports }: Stage): Promise<void> {
  const held = await lockAt(path, ports).acquire();
  try {
    await held.check();
  } finally {
    await held.release();
  }
}

const altered = new WeakMap<Stage, Ports>();

/** The same disk for a stage each time, because what a lock remembers it remembers of a disk. */
function firstSyncFails(stage: Stage): Ports {
  let syncs = 0;
  const files = alterFiles(stage.ports.files, {
    openFile: (file) => ({
      sync: async () => {
        if (syncs++ === 0) throw Object.assign(new Error("EIO"), { code: "EIO" });
        await file.sync();
      },
    }),
  });
  const ports = altered.get(stage) ?? { ...stage.ports, files };
  altered.set(stage, ports);
  return ports;
}

const operations: Record<string, Operation> = {
  "append to a new log": {
    run: ({ path, ports }) => withLog(path, ports, (log) => log.append({ id: "a" })),
    check: (stage, outcome) => checkAppended(stage, outcome, undefined, a, "a"),
  },
  "append, written": {
    prepare: writes(a),
    run: ({ path, ports }) => withLog(path, ports, (log) => log.append({ id: "b" })),
    check: (stage, outcome) => checkAppended(stage, outcome, a, a + b, "b"),
  },
  "append, synced": {
    prepare: writes(a),
    run: ({ path, ports }) =>
      withLog(path, ports, (log) => log.append({ id: "b" }, { durability: "synced" })),
    check: (stage, outcome) => checkAppended(stage, outcome, a, a + b, "b"),
  },
  "append a line": {
    prepare: writes(a),
    run: ({ path, ports }) =>
      withLog(path, ports, (log) => log.appendLine('{"id":"b"}', { durability: "synced" })),
    check: (stage, outcome) => checkAppended(stage, outcome, a, a + b, "b"),
  },
  "append once, for the first time": {
    prepare: writes(a),
    run: ({ path, ports }) => withLog(path, ports, (log) => log.append({ id: "b" }, { once: "b" })),
    check: (stage, outcome) => checkAppended(stage, outcome, a, a + b, "b"),
  },
  "append once, again": {
    prepare: writes(a + b),
    run: ({ path, ports }) =>
      withLog(path, ports, (log) => log.append({ id: "b" }, { once: "b", durability: "synced" })),
    check: (stage, outcome) => checkAppended(stage, outcome, a + b, a + b, "b"),
  },
  "append behind a fragment": {
    prepare: writes(a + fragment),
    run: ({ path, ports }) =>
      withLog(path, ports, (log) => log.append({ id: "b" }, { durability: "synced" })),
    async check(stage, outcome) {
      const now = read(stage.path) ?? "";
      const aside = asideOf(stage.folder);
      if (!now.endsWith(fragment) && !aside.includes(fragment)) throw new Error("the fragment is nowhere");
      if (outcome.how === "resolved") oneOf(now, a + b);
      else if (outcome.failureClass === "row_in_doubt") oneOf(withoutFragment(now), a, a + b);
      else oneOf(now, a + fragment, a);
      await withLog(stage.path, stage.ports, (log) => log.append({ id: "b" }, { once: "b" }));
      oneOf(read(stage.path), a + b);
      if (!asideOf(stage.folder).includes(fragment)) throw new Error("the fragment was not kept to the byte");
    },
  },
  "append three at once": {
    prepare: writes(a),
    run: ({ path, ports }) =>
      withLog(path, ports, async (log) => {
        const appends = ["x", "y", "z"].map((id, i) =>
          log.append({ id }, { durability: i === 1 ? "synced" : "written" }).then(
            () => ({ id, said: "added" }),
            (error: unknown) => ({ id, said: error instanceof Failure ? error.failureClass : String(error) }),
          ),
        );
        return Promise.all(appends);
      }),
    async check({ path, ports }, outcome) {
      if (outcome.how !== "resolved") return oneOf(read(path), a);
      const said = outcome.value as { id: string; said: string }[];
      await withLog(path, ports, (log) => log.append({ id: "last" }));
      const found = [...(read(path) ?? "").matchAll(/"id":"(\w+)"/g)].map((match) => match[1]);
      for (const row of said) {
        const times = found.filter((id) => id === row.id).length;
        if (row.said === "added" ? times !== 1 : row.said === "row_in_doubt" ? times > 1 : times !== 0) {
          throw new Error(`row ${row.id} (${row.said}) stands ${times} times: ${read(path)}`);
        }
      }
      if (found[0] !== "a" || found.at(-1) !== "last") throw new Error(`not in order: ${found.join()}`);
    },
  },
  rewrite: {
    prepare: writes(a + b + c),
    run: ({ path, ports }) =>
      withLog(path, ports, (log) =>
        log.rewrite(async function* (entries) {
          for await (const entry of entries)
            if (entry.kind === "row" && entry.row["id"] !== "a") yield entry.text;
        }),
      ),
    async check({ path, ports }, outcome) {
      oneOf(read(path), b + c, outcome.how === "resolved" ? b + c : a + b + c);
      const before = read(path) ?? "";
      await withLog(path, ports, (log) => log.append({ id: "x" }));
      oneOf(read(path), `${before}{"id":"x"}\n`);
    },
  },
  "append, rewrite, append": {
    prepare: writes(a + b),
    run: ({ path, ports }) =>
      withLog(path, ports, async (log) => {
        await log.append({ id: "c" });
        await log.rewrite(async function* (entries) {
          for await (const entry of entries)
            if (entry.kind === "row" && entry.row["id"] !== "a") yield entry.text;
        });
        await log.append({ id: "d" }, { durability: "synced" });
      }),
    async check({ path }, outcome) {
      const d = '{"id":"d"}\n';
      const states = [a + b, a + b + c, b + c, b + c + d];
      if (outcome.how === "resolved") oneOf(read(path), b + c + d);
      else oneOf(withoutFragment(read(path)), ...states);
    },
  },
  repair: {
    prepare: writes(damaged),
    run: ({ path, ports }) => withLog(path, ports, (log) => log.repair(), { bearing: "state" }),
    async check({ path, folder, ports }, outcome) {
      const now = read(path);
      oneOf(now, a + b, outcome.how === "resolved" ? a + b : damaged);
      if (now === a + b && !asideOf(folder).some((kept) => kept.includes("not json\n")))
        throw new Error("the damage is nowhere");
      await withLog(path, ports, (log) => log.repair(), { bearing: "state" });
      oneOf(read(path), a + b);
      await withLog(path, ports, (log) => log.append({ id: "c" }), { bearing: "state" });
    },
  },
  "verify what is damaged": {
    prepare: writes(damaged),
    run: ({ path, ports }) => withLog(path, ports, (log) => log.verify()),
    async check({ path, ports }, outcome) {
      oneOf(read(path), damaged);
      const found =
        outcome.how === "resolved" ? (outcome.value as { damageCount: number; marked: boolean }) : undefined;
      if (found !== undefined && found.damageCount !== 1) throw new Error("damage was not found");
      const append = () => withLog(path, ports, (log) => log.append({ id: "c" }), { bearing: "state" });
      if (found?.marked === true)
        await expect(append()).rejects.toMatchObject({ failureClass: "log_damaged" });
      const again = await withLog(path, ports, (log) => log.verify());
      if (again?.damageCount !== 1 || !again.marked) throw new Error("damage was not found again");
      await expect(append()).rejects.toMatchObject({ failureClass: "log_damaged" });
    },
  },
  "read what is damaged": {
    prepare: writes(damaged),
    run: ({ path, ports }) =>
      withLog(path, ports, async (log) => {
        const kinds: string[] = [];
        for await (const entry of log.entries()) kinds.push(entry.kind);
        return kinds.join();
      }),
    async check({ path }, outcome) {
      oneOf(read(path), damaged);
      if (outcome.how === "resolved") oneOf(String(outcome.value), "row,damage,row");
    },
  },
  "reopen after a failed sync": {
    prepare: writes(a),
    run: (stage) =>
      withLog(stage.path, firstSyncFails(stage), async (log) => {
        const failed = await log
          .append({ id: "b" }, { durability: "synced" })
          .catch((error: unknown) => error);
        await log.reopen();
        const retried = await log.append({ id: "b" }, { durability: "synced", once: "b" });
        return { failed, retried };
      }),
    async check(stage, outcome) {
      if (outcome.how === "resolved") oneOf(read(stage.path), a + b);
      else oneOf(withoutFragment(read(stage.path)), a, a + b);
      await withLog(stage.path, firstSyncFails(stage), (log) =>
        log.append({ id: "b" }, { once: "b", durability: "synced" }).catch(async () => {
          await log.reopen();
          await log.append({ id: "b" }, { once: "b", durability: "synced" });
        }),
      );
      oneOf(read(stage.path), a + b);
    },
  },
  "ask the index": {
    prepare: async ({ path }) => {
      writeFileSync(path, a);
      await withLog(path, real, askIds);
      writeFileSync(path, a + b);
    },
    run: ({ path, ports }) => withLog(path, ports, askIds),
    async check({ path, ports }, outcome) {
      oneOf(read(path), a + b);
      if (outcome.how === "resolved") oneOf(String(outcome.value), "a,b");
      for (let look = 0; look < 2; look++) oneOf(await withLog(path, ports, askIds), "a,b");
      const verification = await withLog(path, ports, (log) => log.verify());
      if (verification?.damageCount !== 0) throw new Error("a fault was taken for damage");
    },
  },
  "make a document": {
    run: async ({ path, ports }) => (await openNote(path, ports)).change(() => ({ text: "new" })),
    async check({ path, ports }, outcome) {
      const made = '{\n  "text": "new"\n}\n';
      oneOf(read(path), made, outcome.how === "resolved" ? made : undefined);
      await (await openNote(path, ports)).change((current) => ({ text: current?.text ?? "new" }));
      oneOf(read(path), made);
    },
  },
  "change a document": {
    prepare: writes('{"text":"old","other":1.0}'),
    run: async ({ path, ports }) => (await openNote(path, ports)).change(() => ({ text: "new" })),
    async check({ path, ports }, outcome) {
      const after = '{\n  "text": "new",\n  "other": 1.0\n}\n';
      oneOf(read(path), after, outcome.how === "resolved" ? after : '{"text":"old","other":1.0}');
      await (await openNote(path, ports)).change(() => ({ text: "new" }));
      oneOf(read(path), after);
    },
  },
  "take a lock and give it back": {
    run: takeAndGiveBack,
    check: takeAndGiveBack,
  },
  "take over the lock of a dead holder": {
    prepare: ({ path }) => deadHolder(path),
    run: takeAndGiveBack,
    check: takeAndGiveBack,
  },
  "wait for a lock in vain": {
    prepare: async ({ path }) => {
      const other = (await real.processes.self()).pid;
      const held = lockAt(path, real).acquire();
      if (other === 0) throw new Error("no process");
      await held;
    },
    run: async ({ path, ports }) => {
      const lock = new Lock({ path, name: "a lock", ports, waitMsMax: 30 });
      await lock.acquire().then(
        () => {
          throw new Error("a second winner");
        },
        (error: unknown) => {
          if (!(error instanceof Failure) && !(error instanceof Error && "code" in error)) throw error;
        },
      );
    },
    async check(stage, outcome) {
      if (outcome.how === "rejected") throw outcome.error;
      const { path } = stage;
      rmSync(path);
      await takeAndGiveBack(stage);
    },
  },
};

function asideOf(folder: string): string[] {
  const aside = join(folder, ".bridle", "set-aside");
  return existsSync(aside) ? readdirSync(aside).map((name) => readFileSync(join(aside, name), "utf8")) : [];
}

/** The ways in which one fault can strike. */
type Strike = Pick<FaultOptions, "fault" | "when" | "sticky">;

const strikes = faults.flatMap((fault: Fault): Strike[] => {
  if (fault === "short-write" || fault === "torn-write") return [{ fault }, { fault, sticky: true }];
  return [{ fault }, { fault, when: "after" as const }, { fault, sticky: true }];
});

const openHandles = () => readdirSync("/proc/self/fd").length;

async function inTime<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`hangs for more than ${hangMs / 1000} s`)), hangMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** One injection; false when the operation made fewer calls than k. */
async function inject(base: string, operation: Operation, options: FaultOptions): Promise<boolean> {
  const folder = mkdtempSync(join(base, "f-"));
  const path = join(folder, "file");
  await operation.prepare?.({ folder, path });
  const files = new FaultyFiles(real.files, options);
  const stage: Stage = { folder, path, ports: { ...real, files }, heal: () => files.heal() };
  const before = openHandles();
  const outcome = await inTime(
    operation.run(stage).then(
      (value): Outcome => ({ how: "resolved", value }),
      (error: unknown): Outcome => ({
        how: "rejected",
        error,
        failureClass: error instanceof Failure ? error.failureClass : undefined,
      }),
    ),
  );
  files.heal();
  if (
    outcome.how === "rejected" &&
    !(outcome.error instanceof Failure) &&
    !(outcome.error instanceof Error && "code" in outcome.error)
  ) {
    throw outcome.error;
  }
  await inTime(operation.check(stage, outcome));
  // Whoever comes next puts right what a disk without space left half made beside the file.
  await withLog(join(folder, "other"), stage.ports, (log) => log.append({ id: "other" }));
  const ignore = join(folder, ".bridle", ".gitignore");
  if (existsSync(ignore) && !readFileSync(ignore, "utf8").startsWith("*"))
    throw new Error("git would show the local folder");
  await new Promise(setImmediate);
  if (openHandles() > before) throw new Error(`${openHandles() - before} handles were left open`);
  rmSync(folder, { recursive: true });
  return files.fired > 0;
}

describe("a disk that fails at the k-th call", () => {
  // The first watch of a process opens a handle that all later ones share.
  beforeAll(async () => (await real.files.watch(tmpdir())).close());

  const injections = new Map<string, number>();
  /** In a share, every so many k; which ones is up to the seed. */
  const stride = share(1, 10);

  for (const [name, operation] of Object.entries(operations)) {
    it(`leaves the old state or the new one: ${name}`, async () => {
      const base = newFastFolder();
      let count = 0;
      const problems: string[] = [];
      for (const [turn, strike] of strikes.entries()) {
        for (let k = 1 + ((turn + seed) % stride); ; k += stride) {
          const what = `${strike.fault}${strike.when === "after" ? " after the effect" : ""}${strike.sticky === true ? " and all after it" : ""} at call ${k}`;
          try {
            if (!(await inject(base, operation, { ...strike, at: k }))) break;
            count++;
          } catch (error) {
            count++;
            problems.push(
              `${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
            );
            if (problems.length >= 8) break;
          }
        }
      }
      injections.set(name, count);
      expect(problems.join("\n\n")).toBe("");
      expect(count).toBeGreaterThan(0);
    }, 600_000);
  }

  it("was tried often enough to mean something", () => {
    const total = [...injections.values()].reduce((sum, count) => sum + count, 0);
    const each = [...injections].map(([name, count]) => `${name} ${count}`).join(", ");
    console.log(
      `proof: faults: ${total} injections into ${injections.size} operations (seed ${seed}): ${each}`,
    );
    expect(total).toBeGreaterThan(full ? 1_000 : 200);
  });
});
