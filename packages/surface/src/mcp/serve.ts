/**
 * `mcp-serve`, from flags to a server that has ended.
 *
 * Ending is its normal outcome: the client closes stdin, or the call is aborted by
 * SIGINT or SIGTERM. Running calls are aborted and waited for, so that they let go
 * of their locks.
 */
import { resolve } from "node:path";
import { type Call, KeptThings } from "@bridle/operation";
import { type Refusal, isRefusal, refuse } from "@bridle/record";
import { durationMs, overrideMsMax } from "@bridle/work";
import { Calls } from "./calls.js";
import { offeredEntries } from "./families.js";
import { startHttp } from "./http.js";
import { mcpLimits } from "./limits.js";
import type { ServeInput, Served } from "./operation.js";
import { startStdio } from "./stdio.js";
import { findToken, tokenVariable, withoutToken } from "./token.js";
import type { McpSettings, ToolTable } from "./types.js";

interface Serving {
  readonly input: ServeInput;
  readonly call: Call;
  readonly settings: McpSettings;
  readonly calls: Calls;
}

export async function serve(
  input: ServeInput,
  call: Call,
  source: { readonly table: ToolTable; readonly serverVersion: string },
): Promise<Served | Refusal> {
  const entries = offeredEntries(source.table.entries, input.families ?? [], source.table.usualFamilies);
  if (isRefusal(entries)) return entries;
  const folder = resolve(call.cwd, input.root ?? input.repoRoot ?? ".");
  if ((await call.ports.files.stat(folder))?.kind !== "directory") {
    return refuse("file_missing", { message: `${folder}: there is no such folder`, hint: "Check --root." });
  }
  const cwd = await call.ports.files.realPath(folder);
  const mutation = await mutationOf(input, call);
  if (isRefusal(mutation)) return mutation;
  const kept = new KeptThings();
  const serverName = input.serverName ?? "premath-mcp";
  const settings: McpSettings = {
    table: { ...source.table, entries },
    ports: call.ports,
    mutation,
    cwd,
    ...(input.issuesPath === undefined ? {} : { issuesPath: resolve(call.cwd, input.issuesPath) }),
    ...(input.surface === undefined ? {} : { surfacePath: resolve(call.cwd, input.surface) }),
    env: withoutToken(call.env),
    serverName,
    serverVersion: source.serverVersion,
    kept,
    log: (line) => say(`${serverName}: ${oneLine(line)}`),
  };
  const serving = { input, call, settings, calls: new Calls() };
  try {
    return await (input.http === true ? serveHttp(serving) : serveStdio(serving));
  } finally {
    await kept.close();
  }
}

/** What a mutation must show, as whoever starts the server says it. */
async function mutationOf(input: ServeInput, { ports }: Call): Promise<McpSettings["mutation"] | Refusal> {
  const { mutationPolicy: policy = "instruction-linked", lane, overrideReason, overrideFor } = input;
  const isOverride = policy === "human-override";
  if (!isOverride && (overrideReason ?? overrideFor) !== undefined)
    return refuse("mutation.override_invalid", {
      message: "--override-reason and --override-for belong to --mutation-policy human-override",
    });
  if (!isOverride)
    return {
      policy,
      ...(lane === undefined || policy === "open" ? {} : { lane }),
    } as McpSettings["mutation"];
  const reason = overrideReason?.trim() ?? "";
  const lastsMs = durationMs(overrideFor ?? "1h");
  if (reason === "" || lastsMs === undefined || lastsMs > overrideMsMax)
    return refuse("mutation.override_invalid", {
      message:
        reason === ""
          ? "a human override needs a reason"
          : `a human override lasts at most 24 hours, and not ${overrideFor}`,
      hint: 'As in `--mutation-policy human-override --override-reason "lane file lost" --override-for 2h`.',
    });
  return { policy, reason, expiresAtMs: (await ports.clock.now()) + lastsMs };
}

async function serveStdio({ input, call, settings, calls }: Serving): Promise<Served | Refusal> {
  const stray = httpFlags.filter(({ name }) => input[name] !== undefined).map(({ flag }) => flag);
  if (stray.length > 0) {
    return refuse("input_invalid", {
      message: `${stray.join(", ")}: without --http there is nothing to listen on`,
      hint: "Add --http, or leave it out.",
    });
  }
  if (process.stdin.isTTY) {
    settings.log(`${count(settings)} over stdio, waiting for a client. Ctrl-D ends it; --http listens.`);
  }
  const server = startStdio(settings, calls);
  const endedBy = await firstOf(call.signal, server.ended);
  await server.close();
  const stopped = await calls.stop({ clock: settings.ports.clock, withinMs: mcpLimits.shutdownMsMax });
  if (!stopped) settings.log(`a call did not stop within ${mcpLimits.shutdownMsMax} ms and was left`);
  return { transport: "stdio", tools: settings.table.entries.length, calls: calls.begun, endedBy };
}

const httpFlags = [
  { name: "port", flag: "--port" },
  { name: "host", flag: "--host" },
  { name: "allowRemote", flag: "--allow-remote" },
  { name: "token", flag: "--token" },
  { name: "tokenFile", flag: "--token-file" },
  { name: "allowedOrigins", flag: "--allowed-origin" },
] as const;

async function serveHttp({ input, call, settings, calls }: Serving): Promise<Served | Refusal> {
  const { env, cwd, ports } = call;
  const token = await findToken({ flag: input.token, file: input.tokenFile, env, cwd, ports });
  if (isRefusal(token)) return token;
  const allowedOrigins = input.allowedOrigins ?? [];
  const unclear = allowedOrigins.find((origin) => !isOrigin(origin));
  if (unclear !== undefined) {
    return refuse("input_invalid", {
      message: `${JSON.stringify(unclear)} is not an origin`,
      hint: "An origin is scheme, host and port, like https://console.example:8443; there is no wildcard.",
    });
  }
  const server = await startHttp(settings, calls, {
    host: input.host ?? "127.0.0.1",
    port: input.port ?? 0,
    allowRemote: input.allowRemote ?? false,
    allowedOrigins,
    token: token.secret,
  });
  if (isRefusal(server)) return server;

  const { serverName } = settings;
  settings.log(`${count(settings)} at ${server.url}`);
  // Not through the log, which shortens lines.
  if (token.origin === "drawn") say(`${serverName}: token ${token.secret} (shown once)`);
  if (token.origin === "flag") {
    const better = `${tokenVariable} or --token-file`;
    call.warn(`A token given by --token is visible in the process list; prefer ${better}.`);
  }
  const endedBy = await firstOf(call.signal);
  await server.close();
  const { url } = server;
  return { transport: "http", url, tools: settings.table.entries.length, calls: calls.begun, endedBy };
}

/** The command line turns signals into an abort whose reason is the signal's name. */
function firstOf(signal: AbortSignal, clientGone?: Promise<void>): Promise<Served["endedBy"]> {
  return new Promise((resolve) => {
    const onAbort = (): void => {
      resolve(signal.reason === "SIGTERM" || signal.reason === "SIGINT" ? signal.reason : "aborted");
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    void clientGone?.then(() => resolve("client"));
  });
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && text !== "null" && !text.includes("*");
}

function count(settings: McpSettings): string {
  const tools = settings.table.entries.length;
  return tools === 1 ? "1 tool" : `${tools} tools`;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** What a client sent may be part of an error's message; it must not steer a terminal. */
function oneLine(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
  return plain.length > mcpLimits.logLineCharsMax ? `${plain.slice(0, mcpLimits.logLineCharsMax)}…` : plain;
}
