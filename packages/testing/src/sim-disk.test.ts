/** What a machine crash does to the disk: each documented outcome occurs, and no other. */
import type { Ports } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { Simulation } from "./simulation.js";
import { readFile, text, utf8 } from "./suite-help.js";
import type { SimulationOptions } from "./types.js";

const seedCount = 400;

/** Runs `body` as a process, crashes, and counts what `look` makes of the disk, over many seeds. */
async function afterCrash(
  body: (ports: Ports, sim: Simulation) => Promise<void>,
  look: (sim: Simulation) => string,
  options: Omit<SimulationOptions, "seed"> & { before?: (sim: Simulation) => void } = {},
): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  for (let seed = 1; seed <= seedCount; seed++) {
    const sim = new Simulation({ ...options, seed });
    options.before?.(sim);
    await sim.run(() => sim.spawn("writer", (ports) => body(ports, sim)).ended);
    sim.crashMachine();
    const outcome = look(sim);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return outcomes;
}

async function write(
  ports: Ports,
  path: string,
  content: string,
  sync: "synced" | "unsynced",
): Promise<void> {
  const file = await ports.files.open(path, "append");
  await file.append(utf8(content));
  if (sync === "synced") await file.sync();
  await file.close();
}

const log = (sim: Simulation) => sim.machine().disk.peekText("/data/log") ?? "missing";
const withOldLog = { before: (sim: Simulation) => sim.machine().disk.put("/data/log", "old ") };

describe("content", () => {
  it("what was synced, with its name, survives every crash", async () => {
    const outcomes = await afterCrash(async (ports) => {
      await write(ports, "/data/log", "abc", "synced");
      await ports.files.syncDirectory("/data");
    }, log);
    expect(outcomes).toEqual({ abc: seedCount });
  });

  it("an unsynced append is kept, lost, torn, or there in length with zeros as content", async () => {
    const outcomes = await afterCrash(
      (ports) => write(ports, "/data/log", "abcdef", "unsynced"),
      log,
      withOldLog,
    );
    console.log(`an unsynced append, ${seedCount} seeds: ${JSON.stringify(outcomes)}`);
    for (const each of Object.keys(outcomes)) expect(each).toMatch(/^old (a?b?c?d?e?f?|(?=.{6}$)[a-f\0]*)$/s);
    for (const each of [
      "old ",
      "old abcdef",
      "old abc",
      "old a",
      "old \0\0\0\0\0\0",
      "old abc\0\0\0",
      "old \0\0\0def",
    ]) {
      expect(outcomes[each], JSON.stringify(each)).toBeGreaterThan(0);
    }
  });

  it("of several unsynced appends a later one may survive an earlier one", async () => {
    const outcomes = await afterCrash(
      async (ports) => {
        for (const part of ["aa", "bb", "cc"]) await write(ports, "/data/log", part, "unsynced");
      },
      log,
      withOldLog,
    );
    expect(outcomes["old aa\0\0cc"]).toBeGreaterThan(0);
    expect(outcomes["old aabb"]).toBeGreaterThan(0);
    for (const each of Object.keys(outcomes)) expect(each.startsWith("old ")).toBe(true);
  });

  it("an unsynced overwrite is kept, lost or torn, never zeros", async () => {
    const outcomes = await afterCrash(
      async ({ files }) => {
        const file = await files.open("/data/log", "update");
        await file.writeAt(1, utf8("XY"));
      },
      log,
      withOldLog,
    );
    expect(Object.keys(outcomes).sort()).toEqual(["oXY ", "oXd ", "olY ", "old "]);
  });

  it("an unsynced truncation is kept or lost, and with it what was appended after", async () => {
    const outcomes = await afterCrash(
      async ({ files }) => {
        const file = await files.open("/data/log", "append");
        await file.truncate(1);
        await file.append(utf8("X"));
      },
      log,
      withOldLog,
    );
    expect(Object.keys(outcomes).sort()).toEqual(["o", "o\0", "oX", "old "]);
  });

  it("after a failed sync the content is readable, the next one succeeds, and a crash loses it", async () => {
    const outcomes = await afterCrash(
      async ({ files }, sim) => {
        const file = await files.open("/data/log", "append");
        await file.append(utf8("abc"));
        sim.machine().faults = { syncError: 1 };
        await expect(file.sync()).rejects.toMatchObject({ code: "EIO" });
        sim.machine().faults = {};
        await file.sync();
        expect(await readFile(files, "/data/log")).toBe("old abc");
      },
      log,
      withOldLog,
    );
    for (const each of ["old ", "old \0\0\0", "old a", "old abc"]) {
      expect(outcomes[each], JSON.stringify(each)).toBeGreaterThan(0);
    }
    expect(outcomes["old abc"]).toBeLessThan(seedCount / 2);
  });

  it("what is written again after a failed sync is saved by the next one", async () => {
    const outcomes = await afterCrash(
      async ({ files }, sim) => {
        const file = await files.open("/data/log", "append");
        await file.append(utf8("abc"));
        sim.machine().faults = { syncError: 1 };
        await expect(file.sync()).rejects.toMatchObject({ code: "EIO" });
        sim.machine().faults = {};
        await file.truncate(4);
        await file.append(utf8("abc"));
        await file.sync();
      },
      log,
      withOldLog,
    );
    expect(outcomes).toEqual({ "old abc": seedCount });
  });
});

describe("names", () => {
  it("a file whose folder was not synced may be gone, however well the file was synced", async () => {
    const outcomes = await afterCrash((ports) => write(ports, "/data/log", "abc", "synced"), log);
    expect(Object.keys(outcomes).sort()).toEqual(["abc", "missing"]);
  });

  it("a rename whose folder was not synced may be lost, and then both names are as they were", async () => {
    const outcomes = await afterCrash(
      async (ports) => {
        await write(ports, "/data/tmp", "new", "synced");
        await ports.files.syncDirectory("/data");
        await ports.files.rename("/data/tmp", "/data/log");
      },
      (sim) =>
        sim
          .machine()
          .disk.tree()
          .slice(1)
          .map((path) => `${path}=${sim.machine().disk.peekText(path)}`)
          .join(" "),
      withOldLog,
    );
    expect(Object.keys(outcomes).sort()).toEqual(["/data/log=new", "/data/log=old  /data/tmp=new"]);
  });

  it("a rename without a sync of the content may put a torn file under the name", async () => {
    const outcomes = await afterCrash(
      async (ports) => {
        await write(ports, "/data/tmp", "new", "unsynced");
        await ports.files.rename("/data/tmp", "/data/log");
        await ports.files.syncDirectory("/data");
      },
      log,
      withOldLog,
    );
    for (const each of ["", "n", "new", "\0\0\0"])
      expect(outcomes[each], JSON.stringify(each)).toBeGreaterThan(0);
    expect(outcomes["old "]).toBeUndefined();
  });

  it("a removal may be undone, a link may be lost", async () => {
    const outcomes = await afterCrash(
      async ({ files }) => {
        await files.remove("/data/log");
        await files.symlink("me", "/data/lock");
      },
      (sim) => sim.machine().disk.tree().slice(1).join(" "),
      withOldLog,
    );
    expect(Object.keys(outcomes).sort()).toEqual(["", "/data/lock -> me", "/data/log"]);
  });

  it("the changes of one folder survive in order, those of two folders need not", async () => {
    const outcomes = await afterCrash(
      async ({ files }) => {
        for (const path of ["/data/a/1", "/data/b/1", "/data/a/2"]) await files.symlink("x", path);
      },
      (sim) =>
        sim
          .machine()
          .disk.tree()
          .filter((path) => path.includes("->"))
          .map((path) => path.slice(6, 9))
          .join(" "),
      { folders: ["/data/a", "/data/b"] },
    );
    expect(Object.keys(outcomes).sort()).toEqual(["", "a/1", "a/1 a/2", "a/1 a/2 b/1", "a/1 b/1", "b/1"]);
  });

  it("a move between folders happens in both or in neither, and syncing one folder is enough", async () => {
    const look = (sim: Simulation) =>
      sim
        .machine()
        .disk.tree()
        .filter((path) => path.endsWith("log"))
        .join(" ");
    const options = {
      folders: ["/data/a", "/data/b"],
      before: (sim: Simulation) => sim.machine().disk.put("/data/a/log", "x"),
    };
    const unsynced = await afterCrash(
      ({ files }) => files.rename("/data/a/log", "/data/b/log"),
      look,
      options,
    );
    expect(Object.keys(unsynced).sort()).toEqual(["/data/a/log", "/data/b/log"]);
    const synced = await afterCrash(
      async ({ files }) => {
        await files.rename("/data/a/log", "/data/b/log");
        await files.syncDirectory("/data/b");
      },
      look,
      options,
    );
    expect(synced).toEqual({ "/data/b/log": seedCount });
  });

  it("a new folder takes all in it along when its own name is lost", async () => {
    const outcomes = await afterCrash(
      async (ports) => {
        await ports.files.makeDirectory("/data/new");
        await write(ports, "/data/new/log", "abc", "synced");
        await ports.files.syncDirectory("/data/new");
      },
      (sim) => sim.machine().disk.peekText("/data/new/log") ?? "missing",
    );
    expect(Object.keys(outcomes).sort()).toEqual(["abc", "missing"]);
  });
});

describe("the machine goes on after a crash", () => {
  it("what a crash left is durable: a second crash changes nothing", async () => {
    for (let seed = 1; seed <= 100; seed++) {
      const sim = new Simulation({ seed });
      await sim.run(
        async () => void sim.spawn("writer", (ports) => write(ports, "/data/log", "abcdef", "unsynced")),
      );
      sim.crashMachine();
      const once = [sim.machine().disk.tree(), log(sim)];
      sim.crashMachine();
      expect([sim.machine().disk.tree(), log(sim)]).toEqual(once);
    }
  });

  it("peekDurable is what a crash cannot take", async () => {
    const sim = new Simulation({ seed: 1 });
    const { disk } = sim.machine();
    await sim.run(async () => {
      await sim.spawn("writer", async (ports) => {
        await write(ports, "/data/log", "abc", "synced");
        expect(disk.peekDurable("/data/log")).toBeUndefined();
        await ports.files.syncDirectory("/data");
        await write(ports, "/data/log", "def", "unsynced");
      }).ended;
    });
    expect(text(disk.peekDurable("/data/log") ?? utf8(""))).toBe("abc");
    expect(disk.peekText("/data/log")).toBe("abcdef");
  });
});

describe("limits and faults", () => {
  it("a full disk refuses what needs space and nothing else", async () => {
    const sim = new Simulation({ seed: 1 });
    const { disk } = sim.machine();
    disk.put("/data/log", "abc");
    disk.full = true;
    const codes = await sim.run(async () => {
      const end = await sim.spawn("writer", async ({ files }) => {
        const file = await files.open("/data/log", "append");
        const tries = [
          file.append(utf8("x")),
          files.open("/data/new", "create"),
          files.symlink("x", "/data/l"),
        ];
        const results = await Promise.allSettled(tries);
        await file.truncate(1);
        await files.remove("/data/log");
        return results.map(
          (each) => each.status === "rejected" && (each.reason as NodeJS.ErrnoException).code,
        );
      }).ended;
      return end.how === "returned" ? end.value : [];
    });
    expect(codes).toEqual(["ENOSPC", "ENOSPC", "ENOSPC"]);
  });

  it("a folder that may not be written refuses new names and still lists", async () => {
    const { disk } = new Simulation({ seed: 1 }).machine();
    disk.put("/data/log", "abc");
    disk.setMode("/data", 0o555);
    const files = disk.files();
    await expect(files.symlink("x", "/data/lock")).rejects.toMatchObject({ code: "EACCES" });
    await expect(files.remove("/data/log")).rejects.toMatchObject({ code: "EACCES" });
    expect(await files.list("/data")).toEqual(["log"]);
  });

  it("each fault occurs at about its rate", async () => {
    const faults = { noSpace: 0.2, shortWrite: 0.2, syncError: 0.2, syncDirectoryError: 0.2, readError: 0.2 };
    const sim = new Simulation({ seed: 1, faults });
    sim.machine().disk.put("/data/log", "");
    const seen: Record<string, number> = {};
    const rounds = 1000;
    await sim.run(async () => {
      sim.spawn("writer", async ({ files }) => {
        const file = await files.open("/data/log", "append");
        const count = (name: string, promise: Promise<unknown>) =>
          promise.then(
            (value) => value === 1 && (seen["shortWrite"] = (seen["shortWrite"] ?? 0) + 1),
            () => (seen[name] = (seen[name] ?? 0) + 1),
          );
        for (let i = 0; i < rounds; i++) {
          await count("noSpace", file.append(utf8("xy")));
          await count("syncError", file.sync());
          await count("syncDirectoryError", files.syncDirectory("/data"));
          await count("readError", file.read(0, 1));
        }
      });
    });
    expect(Object.keys(seen).sort()).toEqual(Object.keys(faults).sort());
    for (const times of Object.values(seen)) expect(Math.abs(times - rounds / 5)).toBeLessThan(rounds / 20);
  });

  it("inode numbers are given out again, but never while somebody holds the file open", async () => {
    const { disk } = new Simulation({ seed: 1 }).machine();
    const files = disk.files();
    const held = await files.open("/data/held", "create");
    const heldInode = (await held.stat()).inode;
    await files.remove("/data/held");
    const seen = new Set<string>();
    for (let i = 0; i < 50; i++) {
      disk.put("/data/tmp", "x");
      const inode = (await files.stat("/data/tmp"))?.inode ?? "";
      expect(inode).not.toBe(heldInode);
      seen.add(inode);
      await files.remove("/data/tmp");
    }
    expect(seen.size).toBeLessThan(50);
  });
});
