/** Whether another process lives, as the real machine tells it; what every machine must tell is in the suite of `testing`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { nodeProcesses as processes } from "./node-processes.js";

describe("another process", () => {
  it("whose start nobody knows is not judged", async () => {
    const self = await processes.self();
    expect(await processes.liveness({ ...self, startTime: "unknown" })).toBe("unknown");
    expect(await processes.liveness({ ...self, bootId: "another", host: "elsewhere" })).toBe("unknown");
  });

  it("of this boot names the boot as the kernel does, without the end of the line", async () => {
    // It is looked up once in a process, so the module is loaded anew.
    vi.resetModules();
    const { nodeProcesses } = await import("./node-processes.js");
    expect((await nodeProcesses.self()).bootId).toMatch(/^[0-9a-f-]{36}$/);
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
  /** Of the process with that id, as it is now. */
  function judge(pid: number): () => Promise<string> {
    const [startTime = ""] = /(?<=\) (?:\S+ ){19})\S+/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return async () => processes.liveness({ ...(await processes.self()), pid, startTime });
  }

  it("is told as what it is", async () => {
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"]);
    const ended = new Promise((done) => child.on("exit", done));
    await new Promise((done) => child.on("spawn", done));
    const liveness = judge(child.pid ?? 0);
    expect(await liveness()).toBe("alive");
    child.kill("SIGSTOP");
    await expect.poll(liveness).toBe("stopped");
    child.kill("SIGCONT");
    await expect.poll(liveness).toBe("alive");
    child.kill("SIGKILL");
    await ended;
    expect(await liveness()).toBe("gone");
  });

  it("is gone although nobody has asked how it ended", async () => {
    // The shell becomes a program that never asks after the child that it began; that one ends with its input.
    const parent = spawn("sh", ["-c", "cat <&3 & echo $!; exec sleep 600"], {
      stdio: ["ignore", "pipe", "ignore", "pipe"],
    });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const [line] = (await once(parent.stdio[1] as Readable, "data")) as [Buffer];
    const liveness = judge(Number(line.toString()));
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
    expect(await liveness()).toBe("alive");
    (parent.stdio[3] as Writable).end();
    await expect.poll(liveness).toBe("gone");
  });
});
