/**
 * Starting real servers in real processes, and ending them.
 *
 * The program is bundled once, as the product is, so that what the
 * tests start is what a user would start. A server is ready when it says where it
 * listens; nothing here waits for time to pass.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { buildOnce, madeOnce, repository } from "../support/built.js";

/** The real command line. */
export async function premath(): Promise<string> {
  await buildOnce();
  return join(repository, "bin/premath");
}

/** The program of mcp-support. */
export async function bundleServer(): Promise<string> {
  return join(await madeOnce("mcp server", bundle), "serve.mjs");
}

async function bundle(folder: string): Promise<void> {
  // Where a refusal's class is looked up, from sources as well as from here.
  const manifest = "manifest.generated.json";
  await copyFile(join(repository, "packages/surface/src/manifest", manifest), join(folder, manifest));
  const rooms = ["record", "operation", "work", "surface"];
  await build({
    entryPoints: [join(repository, "test/mcp-support/serve.ts")],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
    alias: Object.fromEntries(
      rooms.map((room) => [`@bridle/${room}`, join(repository, `packages/${room}/src/index.ts`)]),
    ),
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
  });
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface StartedServer {
  readonly child: ChildProcess;
  readonly exited: Promise<Ending>;
  stdout(): string;
  stderr(): string;
}

const running = new Set<ChildProcess>();

/** What a failing test left behind must not outlive its file. */
export function killLeftovers(): void {
  for (const child of running) child.kill("SIGKILL");
}

export interface StartOptions {
  readonly program: string;
  /** For the program of mcp-support: the input of `mcp-serve`. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** For the real command line: the words after its name. */
  readonly words?: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

export function startServer({ program, input = {}, words, cwd, env }: StartOptions): StartedServer {
  const child = spawn(process.execPath, [program, ...(words ?? [JSON.stringify(input)])], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  running.add(child);
  child.once("close", () => running.delete(child));
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const exited = new Promise<Ending>((resolve) =>
    child.once("close", (code, signal) => resolve({ code, signal })),
  );
  return { child, exited, stdout: () => stdout, stderr: () => stderr };
}

export interface HttpServerUnderTest extends StartedServer {
  readonly url: URL;
  readonly token: string;
}

/** Starts an HTTP server and reads from its stderr where it listens and, if it drew one, the token. */
export async function startHttpServer(
  options: StartOptions & { readonly token?: string },
): Promise<HttpServerUnderTest> {
  const server = startServer({ ...options, input: { http: true, ...options.input } });
  const stderr = server.child.stderr;
  if (stderr === null) throw new Error("stderr is a pipe");
  const ready = await new Promise<{ url: string; token: string }>((resolve, reject) => {
    const look = (): void => {
      const url = /at (http:\S+)/.exec(server.stderr())?.[1];
      const token = options.token ?? /token (\S+) \(shown once\)/.exec(server.stderr())?.[1];
      if (url !== undefined && token !== undefined) resolve({ url, token });
    };
    stderr.on("data", look);
    void server.exited.then(({ code }) =>
      reject(new Error(`exit ${code} before listening: ${server.stderr()}`)),
    );
  });
  return { ...server, url: new URL(ready.url), token: ready.token };
}

export async function stopServer(server: StartedServer): Promise<Ending> {
  server.child.kill("SIGTERM");
  return server.exited;
}
