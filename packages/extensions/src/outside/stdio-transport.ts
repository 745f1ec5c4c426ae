/**
 * A server as a program: one message of JSON a line on its standard input and output.
 *
 * Unlike the SDK's own transport it starts the program in a group of its own, so that
 * what it started ends with it, bounds what it says, and gives it no environment but what
 * it was handed.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { extensionLimits } from "../limits.js";

export interface StdioOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Throws where the line is no message of the protocol. */
  parse(line: string): JSONRPCMessage;
  /** So many more bytes came; why that is too much, where it is. */
  heard(bytes: number): Error | undefined;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  /** The end of what it said on its standard error. */
  complaint = "";
  private child: Child | undefined;
  private pieces: Buffer[] = [];
  private held = 0;
  private ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: StdioOptions) {}

  async start(): Promise<void> {
    const { command, args, cwd, env } = this.options;
    const child = spawn(command, args, { cwd, env, detached: true, stdio: "pipe", windowsHide: true });
    this.child = child;
    this.ended = new Promise((done) => child.once("close", () => done()));
    void this.ended.then(() => this.onclose?.());
    child.stdin.on("error", () => {});
    child.stdout.on("data", (chunk: Buffer) => this.take(chunk));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.complaint = (this.complaint + text).slice(-extensionLimits.errorCharsMax);
      this.count(Buffer.byteLength(text));
    });
    await new Promise<void>((started, failed) => {
      child.once("spawn", started);
      child.once("error", failed);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.child?.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Asks it to end by closing its input, and then ends its whole group. */
  async close(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child === undefined) return;
    child.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await this.hasEnded(extensionLimits.graceMs)) break;
      signalGroup(child, signal);
    }
    // What left its parent behind is still in the group.
    signalGroup(child, "SIGKILL");
    child.stdout.destroy();
    child.stderr.destroy();
  }

  /** At once: it said or did what it must not. */
  kill(): void {
    if (this.child !== undefined) signalGroup(this.child, "SIGKILL");
  }

  private async hasEnded(withinMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((done) => (timer = setTimeout(() => done(false), withinMs)));
    const ended = await Promise.race([this.ended.then(() => true as const), late]);
    clearTimeout(timer);
    return ended;
  }

  private count(bytes: number): boolean {
    const tooMuch = this.options.heard(bytes);
    if (tooMuch === undefined) return true;
    this.child?.stdout.removeAllListeners("data");
    this.child?.stderr.removeAllListeners("data");
    this.pieces = [];
    this.kill();
    this.onerror?.(tooMuch);
    return false;
  }

  private take(chunk: Buffer): void {
    if (!this.count(chunk.length)) return;
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = Buffer.concat([...this.pieces, rest.subarray(0, end)]).toString("utf8");
      this.pieces = [];
      this.held = 0;
      rest = rest.subarray(end + 1);
      this.line(line);
    }
    this.held += rest.length;
    if (rest.length > 0) this.pieces.push(rest);
    if (this.held > extensionLimits.messageBytesMax) this.count(Number.MAX_SAFE_INTEGER);
  }

  private line(line: string): void {
    if (line.trim() === "") return;
    let message: JSONRPCMessage;
    try {
      message = this.options.parse(line);
    } catch {
      // Programs print greetings; what is no message is for nobody.
      return;
    }
    this.onmessage?.(message);
  }
}

function signalGroup({ pid }: Child, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}
