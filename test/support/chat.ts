/** `bridle chat` as people and programs run it: built, with a provider on loopback. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@bridle/record";
import { onTestFinished } from "vitest";
import { newFolder } from "./folder.js";
import { type Asked, type ChatAnswer, chat, ModelServer, type Reply } from "./model-server.js";
import { Pty } from "./pty.js";

const bridle = join(fileURLToPath(new URL("../..", import.meta.url)), "bin/bridle");

export class ChatWorld {
  readonly folder = newFolder();

  private constructor(
    readonly server: ModelServer,
    readonly home: string,
  ) {}

  /** The model says this, in this order. */
  static async with(...replies: readonly (Reply | ChatAnswer)[]): Promise<ChatWorld> {
    const server = await ModelServer.start();
    server.reply(...replies.map((reply) => (typeof reply === "function" ? reply : chat(reply))));
    return new ChatWorld(server, newFolder());
  }

  get env(): Record<string, string> {
    return {
      PATH: process.env["PATH"] ?? "",
      HOME: this.home,
      AGENT_API_BASE_URL: `${this.server.url}/v1`,
      AGENT_API_KEY: "canary-key-of-the-test",
      AGENT_MODEL: "tiny",
      AGENT_REFLEXION_SEMANTIC: "0",
    };
  }

  terminal(words: readonly string[] = [], env: Record<string, string> = {}): Pty {
    return Pty.start([process.execPath, bridle, "chat", ...words], {
      cwd: this.folder,
      env: { ...this.env, ...env },
    });
  }

  start(words: readonly string[], env: Record<string, string> = {}): Talk {
    return new Talk(words, { cwd: this.folder, env: { ...this.env, NO_COLOR: "1", ...env } });
  }

  /** To its end, with nothing more on stdin. */
  async run(words: readonly string[], { input = "", env = {} } = {}): Promise<Ran> {
    const talk = this.start(words, env);
    talk.tell(input);
    talk.end();
    return talk.ended;
  }
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Talk {
  readonly events: JsonObject[] = [];
  readonly ended: Promise<Ran>;
  private readonly child: ChildProcess;
  private readonly waiting = new Set<() => void>();
  private over = false;
  private stdout = "";
  private stderr = "";

  constructor(
    words: readonly string[],
    options: { readonly cwd: string; readonly env: Record<string, string> },
  ) {
    const child = spawn(process.execPath, [bridle, ...words], {
      ...options,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.child = child;
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8").on("data", (text: string) => (this.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("{") && line.endsWith("}")) this.events.push(JSON.parse(line) as JsonObject);
      for (const wake of this.waiting) wake();
    });
    this.ended = new Promise((done) =>
      child.on("close", (code) => {
        this.over = true;
        for (const wake of this.waiting) wake();
        done({ code, stdout: this.stdout, stderr: this.stderr });
      }),
    );
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await this.ended;
    });
  }

  /** The first event of that type, from number `from` on. */
  async hears(type: string, from = 0): Promise<JsonObject> {
    for (;;) {
      const found = this.events.slice(from).find((event) => event["type"] === type);
      if (found !== undefined) return found;
      if (this.over) throw new Error(`it ended without ${type}: ${this.stdout}${this.stderr}`);
      await new Promise<void>((wake) => {
        this.waiting.add(wake);
        void this.ended.then(() => wake());
      }).finally(() => this.waiting.clear());
    }
  }

  tell(text: string): void {
    this.child.stdin?.write(text);
  }

  line(value: object | string): void {
    this.tell(`${typeof value === "string" ? value : JSON.stringify(value)}\n`);
  }

  end(): void {
    this.child.stdin?.end();
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

/** An answer that calls one tool. */
export function calls(name: string, args: object, id = `call_${name}`): ChatAnswer {
  const text = JSON.stringify(args);
  const half = Math.floor(text.length / 2);
  return { toolCalls: [{ id, name, fragments: [text.slice(0, half), text.slice(half)] }] };
}

/** What the model was told as results of its calls, in the last request. */
export function toldIn(asked: Asked | undefined): string[] {
  const messages = (asked?.body["messages"] ?? []) as { role: string; content: unknown }[];
  return messages.flatMap(({ role, content }) =>
    role === "tool" ? [typeof content === "string" ? content : JSON.stringify(content)] : [],
  );
}
