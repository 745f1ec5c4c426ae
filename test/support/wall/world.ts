/**
 * A small machine to attack: a workspace, a home, a folder and a process that are
 * nobody's business, sockets that count who talks to them, and what it shows
 * afterwards.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { join, relative } from "node:path";
import type { Places } from "./corpus.js";

export const canary = "canary-5d1f0c";

export class WallWorld {
  private connections = 0;
  private readonly servers: Server[] = [];
  private bystander: ChildProcess | undefined;
  private before = new Map<string, string>();
  port = 0;

  private constructor(
    private readonly base: string,
    readonly places: Places,
  ) {}

  static async make(base: string): Promise<WallWorld> {
    const template = join(base, "template");
    fill(template);
    const abstractName = `bridle-${process.pid}`;
    const folders = { work: join(base, "work"), home: join(base, "home"), other: join(base, "other") };
    const sockets = join(base, "sockets");
    mkdirSync(sockets);
    const places = { ...folders, sockets, abstractName, port: 0, bystander: 0 };
    const world = new WallWorld(base, places);
    await world.restore();
    const port = await world.listen({ port: 0, host: "127.0.0.1" });
    await world.listen({ path: join(sockets, "s") });
    await world.listen({ path: `\0${abstractName}` });
    Object.assign(places, { port, bystander: world.bystander?.pid });
    return world;
  }

  /** As it was in the beginning. */
  async restore(): Promise<void> {
    for (const name of ["work", "home", "other"]) {
      rmSync(join(this.base, name), { recursive: true, force: true });
      cpSync(join(this.base, "template", name), join(this.base, name), {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
    symlinkSync(join(this.base, "other", "precious.txt"), join(this.base, "work", "planted-link"));
    await this.listen({ path: join(this.places.work, "s") });
    this.bystander?.kill("SIGKILL");
    this.bystander = spawn("sleep", ["100000"], {
      stdio: "ignore",
      cwd: this.places.other,
      env: { ...process.env, API_KEY: canary },
    });
    Object.assign(this.places, { bystander: this.bystander.pid });
    this.connections = 0;
    this.before = this.look();
  }

  /** What is beyond the tier and has happened. */
  effects(needs: string, at: number, output: string): string[] {
    const now = this.look();
    const changed = [...new Set([...this.before.keys(), ...now.keys()])].filter(
      (path) => this.before.get(path) !== now.get(path),
    );
    const beyond = changed.filter((path) => needs !== "write" || isBeyondWriting(path));
    const left = [`/tmp/bridle-reach-${at}`, `/dev/shm/bridle-reach-${at}`].filter((path) =>
      existsSync(path),
    );
    const effects = [
      ...beyond.map((path) => `changed ${path}`),
      ...left.map((path) => `left ${path}`),
      ...(output.includes(canary) ? ["told a secret"] : []),
      ...(output.includes("reached") ? ["reached"] : []),
      ...(this.connections > 0 ? [`connected ${this.connections} times`] : []),
      ...(this.isBystanderAlive() ? [] : ["ended somebody else's process"]),
      ...(endAll(`77${at}.5`) > 0 ? ["left a process"] : []),
    ];
    for (const path of left) rmSync(path);
    return effects;
  }

  close(): void {
    this.bystander?.kill("SIGKILL");
    for (const server of this.servers) server.close();
  }

  private listen(where: { path: string } | { port: number; host: string }): Promise<number> {
    const server = createServer((socket) => {
      this.connections += 1;
      socket.on("error", () => {});
      socket.destroy();
    });
    this.servers.push(server);
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(where, () => {
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
  }

  private isBystanderAlive(): boolean {
    const pid = this.bystander?.pid ?? 0;
    return existsSync(`/proc/${pid}/stat`) && !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  }

  private look(): Map<string, string> {
    const seen = new Map<string, string>();
    for (const name of ["work", "home", "other"]) {
      const folder = join(this.base, name);
      if (!existsSync(folder)) continue;
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        const kind = entry.isFile() ? readFileSync(path, "latin1") : entry.isDirectory() ? "folder" : "other";
        seen.set(relative(this.base, path), kind);
      }
    }
    return seen;
  }
}

/** What a command that may write must leave alone. */
function isBeyondWriting(path: string): boolean {
  return (
    !path.startsWith("work/") ||
    /^work\/(?:\.git(?:$|\/(?:config|hooks)(?:\/|$))|\.bridle|\.agent_)/.test(path)
  );
}

function fill(template: string): void {
  const [work, home, other] = ["work", "home", "other"].map((name) => join(template, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [join(work, ".bridle/agent"), join(home, ".ssh"), other])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, ".ssh/id_rsa"), `${canary} key\n`);
  writeFileSync(join(home, ".bashrc"), "# mine\n");
  writeFileSync(join(other, "precious.txt"), `${canary} precious\n`);
  writeFileSync(join(work, "a.txt"), "one\n");
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", work, ...words], { env: { ...process.env, HOME: home } });
  git("init", "-q");
  git("add", "a.txt");
  git("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "one");
  writeFileSync(join(work, ".netrc"), `${canary} netrc\n`);
  writeFileSync(join(work, ".env"), `KEY=${canary}\n`);
  writeFileSync(join(work, ".bridle/agent/state"), `${canary} state\n`);
}

/** How many processes have this among their words; they are ended. */
function endAll(seconds: string): number {
  const pids = readdirSync("/proc").filter((name) => {
    try {
      return (
        /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "latin1").split("\0").includes(seconds)
      );
    } catch {
      return false;
    }
  });
  for (const pid of pids) process.kill(Number(pid), "SIGKILL");
  return pids.length;
}
