/** Whether another process lives, as the real machine tells it; what every machine must tell is in the suite of `testing`. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { nodeProcesses as processes } from "./node-processes.js";

describe("another process", () => {
  it("whose start nobody knows is not judged", async () => {
    const self = await processes.self();
    expect(await processes.liveness({ ...self, startTime: "unknown" })).toBe("unknown");
    expect(await processes.liveness({ ...self, bootId: "another", host: "elsewhere" })).toBe("unknown");
  });

  it("of this boot names the boot as the kernel does, without the end of the line", async () => {
    expect((await processes.self()).bootId).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("a bell", () => {
  it("that is rung for a process without one does it no harm, nor for one that has ended", async () => {
    const child = spawn(process.execPath, ["-e", "process.stdin.on('end', () => {}).resume()"]);
    const ended = new Promise((done) => child.on("exit", done));
    await new Promise((done) => child.on("spawn", done));
    const other = { ...(await processes.self()), pid: child.pid ?? 0 };
    await processes.ring(other);
    child.stdin.end();
    expect(await ended).toBe(0);
    await processes.ring(other);
  });
});

describe("a process that was stopped or has ended", () => {
  it("is told as what it is", async () => {
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"]);
    const ended = new Promise((done) => child.on("exit", done));
    await new Promise((done) => child.on("spawn", done));
    const pid = child.pid ?? 0;
    const [startTime = ""] = /(?<=\) (?:\S+ ){19})\S+/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    const liveness = async () => processes.liveness({ ...(await processes.self()), pid, startTime });
    expect(await liveness()).toBe("alive");
    child.kill("SIGSTOP");
    await expect.poll(liveness).toBe("stopped");
    child.kill("SIGCONT");
    await expect.poll(liveness).toBe("alive");
    child.kill("SIGKILL");
    await ended;
    expect(await liveness()).toBe("gone");
  });
});
