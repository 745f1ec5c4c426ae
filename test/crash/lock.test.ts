/** The lock under real signals: killed holders are replaced at once, stopped ones never. */
import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Lock, nodePorts } from "@bridle/record";
import { Random } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../support/failure.js";
import { type Child, useChildren } from "../support/children.js";
import { newFolder } from "../support/folder.js";
import { seed, share } from "../support/scale.js";
import { until } from "../support/until.js";

const children = useChildren();
const longMs = 60_000;
const newPath = () => join(newFolder(), "the.lock");
const stateOf = (pid: number) => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];

async function holding(path: string): Promise<Child> {
  const child = children.start("hold", { path });
  child.tell(`acquire ${longMs}`);
  await child.says("held");
  return child;
}

/** A process that stands in line. */
async function waiting(path: string, waitMsMax = longMs): Promise<Child> {
  const child = children.start("hold", { path });
  child.tell(`acquire ${waitMsMax}`);
  await child.says("in line");
  return child;
}

describe("a lock", () => {
  it("whose holder was killed passes on within a second", async () => {
    const path = newPath();
    const trials = share(40, 2);
    const took: number[] = [];
    let holder = await holding(path);
    for (let trial = 0; trial < trials; trial++) {
      const next = await waiting(path);
      const from = performance.now();
      holder.kill("SIGKILL");
      await next.says("held");
      took.push(performance.now() - from);
      holder = next;
    }
    const slowest = Math.max(...took);
    console.log(
      `proof: lock: ${trials} holders killed, the next one held it after ${slowest.toFixed(0)} ms at most`,
    );
    expect(slowest).toBeLessThan(1_000);
  }, 120_000);

  it("whose holder is stopped is waited for, reported by pid, and never given to a second one", async () => {
    const rounds = share(8, 1);
    for (let round = 0; round < rounds; round++) {
      const path = newPath();
      const holder = await holding(path);
      process.kill(holder.pid, "SIGSTOP");
      await until("it is stopped", () => stateOf(holder.pid) === "T");
      const waitMsMax = 700;
      const from = performance.now();
      const others = await Promise.all([1, 2, 3].map(() => waiting(path, waitMsMax)));
      for (const other of others)
        expect(await other.says("failed")).toBe(`failed lock_holder_stopped ${holder.pid}`);
      expect(performance.now() - from).toBeLessThan(waitMsMax + 4_000);
      for (const other of others) expect(other.lines).not.toContain("held");

      // It wakes up where it was, still the only one inside; then the others get their turn.
      for (const other of others) other.tell(`acquire ${longMs}`);
      process.kill(holder.pid, "SIGCONT");
      holder.tell("check");
      expect(await holder.says("still held")).toBe("still held");
      holder.tell("release");
      await holder.says("released");
      for (let turn = 0; turn < others.length; turn++) {
        const inside = () => others.filter((other) => other.lines.at(-1) === "held");
        await until("one of them has it", () => inside().length > 0);
        const [winner, ...more] = inside();
        expect(more).toEqual([]);
        winner?.tell("release");
        await winner?.says("released");
      }
    }
    console.log(`proof: lock: ${rounds} stopped holders, 3 waiters each, none overruled`);
  }, 120_000);

  it("whose waiter was killed too passes on to the one after it", async () => {
    const path = newPath();
    const holder = await holding(path);
    const doomed = await waiting(path);
    const last = await waiting(path);
    doomed.kill("SIGKILL");
    await doomed.ended;
    holder.kill("SIGKILL");
    expect(await last.says("held")).toBe("held");
  });

  it(
    "that eight want, and whose holders and takers die all the time, has one holder at a time",
    async () => {
      const folder = newFolder();
      const [path, book] = [join(folder, "the.lock"), join(folder, "book")];
      writeFileSync(book, "");
      const random = new Random(seed);
      const goals = { enters: share(8_000, 150), insides: share(100, 2), takers: share(60, 1) };
      let [started, deaths, insides, takers, enters] = [0, 0, 0, 0, 0];
      const complaints: string[] = [];
      let stopping = false;
      const alive = new Set<Child>();
      const died = new Set<string>();
      let wake = () => {};
      const start = () => {
        const name = `p${started++}`;
        const child = children.start("contend", { path, book, name, seed: random.next(), deaths: 0.02 });
        alive.add(child);
        child.onLine = (line) => {
          if (line.startsWith("enter")) enters++;
          if (line === "dies inside") insides++;
          wake();
        };
        void child.ended.then(({ code, signal }) => {
          alive.delete(child);
          if (signal === "SIGKILL") {
            deaths++;
            died.add(name);
            if (child.lines.some((line) => line.includes(".after-"))) takers++;
            if (!stopping) start();
          } else if (code !== 0) {
            complaints.push(child.complaint);
          }
          wake();
        });
      };
      for (let i = 0; i < 8; i++) start();
      while (insides < goals.insides || takers < goals.takers || enters < goals.enters) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
      stopping = true;
      const rest = [...alive];
      for (const child of rest) child.tell("stop");
      await Promise.all(rest.map((child) => child.ended));
      // Whoever died last has a successor too.
      const held = await new Lock({ path, name: "the lock", ports: nodePorts() }).acquire();
      appendFileSync(book, "enter last 0\nleave last 0\n");
      await held.release();

      let inside: string | undefined;
      const over = new Set<string>();
      let takeovers = 0;
      for (const line of readFileSync(book, "utf8").trim().split("\n")) {
        const [word, name = ""] = line.split(" ");
        if (over.has(name)) throw new Error(`${name} was written off, but goes on: ${line}`);
        if (word === "enter") {
          // Whoever is still inside must have died there, and is never heard of again.
          if (inside !== undefined) {
            if (!died.has(inside)) throw new Error(`${name} entered while ${inside} was inside and alive`);
            over.add(inside);
            takeovers++;
          }
          inside = name;
        } else {
          if (inside !== name) throw new Error(`${name} left while ${inside ?? "nobody"} was inside`);
          inside = undefined;
        }
      }
      console.log(
        `proof: lock: ${enters} times inside by 8 processes at a time (seed ${seed}), ${deaths} died, ${takers} of them ` +
          `while taking over, ${takeovers} takeovers from inside, never two at once`,
      );
      expect(complaints).toEqual([]);
      expect(takeovers).toBeGreaterThanOrEqual(goals.insides);
    },
    share(600_000, 120_000),
  );

  it("is waited for without being busy", async () => {
    const path = newPath();
    const ports = nodePorts();
    const held = await new Lock({ path, name: "the lock", ports }).acquire();
    const waiter = children.start("hold", { path });
    await waiter.says("ready");
    const from = performance.now();
    waiter.tell("acquire 3000");
    expect(await waiter.says("failed")).toBe(`failed lock_busy ${process.pid}`);
    const waited = performance.now() - from;
    const cpuMs = Number((await waiter.says("cpu")).split(" ")[1]);
    await held.release();
    console.log(
      `proof: lock: ${cpuMs.toFixed(0)} ms of processor time in ${(waited / 1000).toFixed(1)} s of waiting`,
    );
    expect(waited).toBeGreaterThanOrEqual(3_000);
    expect(cpuMs).toBeLessThan(300);
  });

  it("of a process whose number was given to another, or of an earlier boot, is taken at once", async () => {
    const { processes } = nodePorts();
    const self = await processes.self();
    const gone = [
      { ...self, startTime: `${self.startTime}7` },
      { ...self, bootId: "00000000-0000-0000-0000-000000000000" },
      { ...self, pid: 2 ** 22 + 1 },
    ];
    for (const { pid, startTime, bootId, pidNamespace, host } of gone) {
      const path = newPath();
      symlinkSync(
        [pid, startTime, bootId, pidNamespace, host, "nonce"].map(encodeURIComponent).join(" "),
        path,
      );
      const from = performance.now();
      const held = await new Lock({ path, name: "the lock", ports: nodePorts() }).acquire();
      expect(performance.now() - from).toBeLessThan(1_000);
      await held.release();
    }
  });

  it("of another machine or another container is never taken, only reported", async () => {
    const { processes } = nodePorts();
    const self = await processes.self();
    const elsewhere = [
      { ...self, bootId: "other", host: "other-host" },
      { ...self, pidNamespace: "pid:[1]" },
    ];
    for (const { pid, startTime, bootId, pidNamespace, host } of elsewhere) {
      const path = newPath();
      symlinkSync(
        [pid, startTime, bootId, pidNamespace, host, "nonce"].map(encodeURIComponent).join(" "),
        path,
      );
      const lock = new Lock({ path, name: "the lock", ports: nodePorts(), waitMsMax: 300 });
      const failure = await rejectsWith("lock_holder_unknown", lock.acquire());
      expect(failure.detail).toMatchObject({ pid, host });
      expect((await lock.holder())?.nonce).toBe("nonce");
    }
  });

  it("is not thought abandoned because the asker ran out of file handles", async () => {
    const other = await nodePorts().processes.self();
    const child = children.start("breathless", { other });
    expect(await child.says("no more")).toBe("no more: EMFILE");
    expect(await child.says("liveness")).toBe("liveness unknown");
  });
});
