/**
 * Bugs that a log, a lock or a document could have: each a real mistake that
 * somebody made somewhere, and the scenario that must bring it to light.
 */
import type { Change } from "../support/broken-copy.js";
import type { scenarios } from "./scenarios.js";

export interface PlantedBug {
  readonly name: string;
  readonly scenario: keyof typeof scenarios;
  readonly changes: readonly Change[];
}

const writer = "record/src/log/writer.ts";
const appendedFile = "record/src/log/appended-file.ts";
const commit = "record/src/log/group-commit.ts";
const atomic = "record/src/atomic.ts";
const lock = "record/src/lock.ts";
const document = "record/src/document.ts";
const tail = "record/src/log/tail.ts";

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: "no directory sync after the rename of a document",
    scenario: "sharedDocument",
    changes: [{ file: atomic, find: "if (durable) await syncEntry(target, files);", replace: "" }],
  },
  {
    name: "the draft is not synced before it takes the document's place",
    scenario: "sharedDocument",
    changes: [{ file: atomic, find: "if (durable) await file.sync();", replace: "" }],
  },
  {
    name: "a document is read before its lock is held",
    scenario: "sharedDocument",
    changes: [
      {
        file: document,
        find: "const held = await lock.acquire(signal);",
        replace: "const early = await this.load(); const held = await lock.acquire(signal);",
      },
      { file: document, find: "const current = await this.load();", replace: "const current = early;" },
    ],
  },
  {
    name: "a document is written in place instead of renamed over",
    scenario: "sharedDocument",
    changes: [
      {
        file: atomic,
        find: "await files.rename(draft, target);",
        replace: `const content = await (await files.open(draft, "read")).read(0, 1 << 20);
          const inPlace = await files.open(target, "append");
          await inPlace.truncate(0);
          await inPlace.append(content);
          await inPlace.sync();`,
      },
    ],
  },
  {
    name: "a row is acknowledged before it is synced",
    scenario: "powerLoss",
    changes: [
      {
        file: writer,
        find: "if (!row.synced) return row.resolve(appended);",
        replace: "row.resolve(appended);",
      },
    ],
  },
  {
    name: "rows that were written during a sync are acknowledged by it",
    scenario: "powerLoss",
    changes: [
      {
        file: commit,
        find: "for (const each of group) each.durable();",
        replace: "for (const each of [...group, ...this.waiting.splice(0)]) each.durable();",
      },
    ],
  },
  {
    name: "the name of a new log is not made durable",
    scenario: "powerLoss",
    changes: [
      {
        file: commit,
        find: "if (!this.entrySynced) await syncEntry(this.options.local.path, this.options.files);",
        replace: "",
      },
    ],
  },
  {
    name: "the tail is not checked for a fragment",
    scenario: "killedWriters",
    changes: [{ file: tail, find: "if (last[0] === newline) return { size };", replace: "return { size };" }],
  },
  {
    name: "the fragment is cut off before it was kept",
    scenario: "keptFragments",
    changes: [
      {
        file: tail,
        find: "const setAside = await keepFragment(local, file, files, byte, size);\n  await file.truncate(byte);",
        replace: `const copy = await file.read(byte, size - byte);
          await file.truncate(byte);
          await file.sync();
          const setAside = await keepFragment(local, { ...file, read: async () => copy } as OpenFile, files, byte, size);`,
      },
    ],
  },
  {
    name: "a log that was rewritten meanwhile is not noticed",
    scenario: "killedWriters",
    changes: [
      {
        file: appendedFile,
        find: "if (this.file !== undefined && (await this.file.stat()).inode !== named?.inode) await this.detach();",
        replace: "",
      },
    ],
  },
  {
    name: "a log is rewritten without its lock",
    scenario: "killedWriters",
    changes: [
      {
        file: "record/src/log/log.ts",
        find: "await this.writer.exclusively((file) => rewriteFile(this.local, this.options, file, rewriting));",
        replace: `const file = await this.openToRead();
          if (file !== undefined) await rewriteFile(this.local, this.options, file, rewriting);`,
      },
    ],
  },
  {
    name: "a batch that failed half way is not taken back",
    scenario: "crampedDisk",
    changes: [
      {
        file: writer,
        find: "await file.truncate(this.open.size);\n      return true;",
        replace: "return true;",
      },
    ],
  },
  {
    name: "a short write is taken for a whole one",
    scenario: "crampedDisk",
    changes: [{ file: atomic, find: "written += count;", replace: "written = bytes.length;" }],
  },
  {
    name: "a failed sync is taken for a good one",
    scenario: "failingSyncs",
    changes: [
      { file: commit, find: "each.inDoubt(error);", replace: "each.durable();" },
      { file: commit, find: "return await this.options.failed(error);", replace: "return;" },
    ],
  },
  {
    name: "after a failed sync the next sync is believed",
    scenario: "failingSyncs",
    changes: [{ file: commit, find: "await this.writeAgain(from, size - from);", replace: "" }],
  },
  {
    name: "a row that is tried again is added again",
    scenario: "failingSyncs",
    changes: [
      { file: writer, find: "if (found !== undefined) {", replace: "if (found !== undefined && false) {" },
    ],
  },
  {
    name: "the lock of a dead holder is removed and taken in two steps",
    scenario: "contendedLock",
    changes: [
      {
        file: lock,
        find: "if (await this.takeOver(holder, me)) return;",
        replace: "await this.ports.files.remove(this.path); if (await this.take(me)) return;",
      },
    ],
  },
  {
    name: "the right to take over is used without looking again",
    scenario: "contendedLock",
    changes: [
      {
        file: lock,
        find: "const stillDead = (await this.holder())?.nonce === dead.nonce;",
        replace: "const stillDead = true;",
      },
    ],
  },
  {
    name: "a stopped holder is overruled",
    scenario: "contendedLock",
    changes: [{ file: lock, find: 'if (liveness === "gone") {', replace: 'if (liveness !== "alive") {' }],
  },
  {
    name: "a dead taker blocks the takeover for ever",
    scenario: "contendedLock",
    changes: [{ file: lock, find: "predecessor = taker;", replace: "return false;" }],
  },
  {
    name: "who has let go still puts the next one's name on the lock",
    scenario: "contendedLock",
    changes: [
      {
        file: lock,
        find: "if (ours) await this.wakeFirst(me).catch(() => {});",
        replace: `if (!ours) return false;
          for await (const { path } of this.line.eligible(me)) {
            await this.ports.files.rename(path, this.path).catch(() => {});
            break;
          }`,
      },
    ],
  },
  {
    name: "who lets go does not look again for somebody who came in between",
    scenario: "promptHandOver",
    changes: [{ file: lock, find: "if (ours) await this.wakeFirst(me).catch(() => {});", replace: "" }],
  },
  {
    name: "who is handed the lock is not woken",
    scenario: "promptHandOver",
    changes: [
      {
        file: lock,
        find: "return false;\n    await this.ports.processes.ring(ticket.owner);",
        replace: "return false;",
      },
    ],
  },
  {
    name: "a waiter does not look again once its ticket stands",
    scenario: "promptHandOver",
    changes: [
      {
        file: lock,
        find: "await this.line.join(me, ticket);\n          continue;",
        replace: "await this.line.join(me, ticket);",
      },
    ],
  },
  {
    name: "a waiter forgets to withdraw its ticket",
    scenario: "contendedLock",
    changes: [
      {
        file: lock,
        find: "if (ticket !== undefined && !handed) await this.drop(ticket, me.nonce).catch(() => {});",
        replace: "",
      },
    ],
  },
  {
    name: "a waiter that gives up forgets the lock that it was handed in that moment",
    scenario: "contendedLock",
    changes: [{ file: lock, find: "await this.giveBack(me).catch(() => {});", replace: "" }],
  },
  {
    name: "a waiter that nobody wakes never looks for itself",
    scenario: "contendedLock",
    changes: [{ file: lock, find: "Math.min(limits.lockPollMs, left)", replace: "left" }],
  },
  {
    name: "the lock is handed on before the transaction has written",
    scenario: "countedTransactions",
    changes: [
      {
        file: writer,
        find: "await this.runDecision(next);",
        replace: "await this.turn.passOn({ moreRows: false }); await this.runDecision(next);",
      },
    ],
  },
  {
    name: "a transaction is acknowledged before its sync ran",
    scenario: "countedTransactions",
    changes: [
      {
        file: commit,
        find: "const begun = await this.options.clock.monotonic();\n          await file.sync();",
        replace:
          "const begun = await this.options.clock.monotonic();\n          void file.sync().catch(() => {});",
      },
    ],
  },
];
