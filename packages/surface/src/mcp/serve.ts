/**
 * `mcp-serve`, from flags to a server that has ended.
 *
 * Ending is its normal outcome: the client closes stdin, or a person or a service
 * manager sends SIGINT or SIGTERM. Running calls are aborted and waited for, so
 * that they let go of their locks.
 */
import { resolve } from "node:path";
import type { Call } from "@bridle/operation";
import { type Refusal, isRefusal, refuse } from "@bridle/record";
import { Calls } from "./calls.js";
import { offeredEntries } from "./families.js";
import { startHttp } from "./http.js";
import { mcpLimits } from "./limits.js";
import type { ServeInput, Served } from "./operation.js";
import { startStdio } from "./stdio.js";
import { findToken, tokenVariable, withoutToken } from "./token.js";
import type { McpSettings, ToolTable } from "./types.js";

export async function serve(
  input: ServeInput,
  call: Call,
  source: { readonly table: ToolTable; readonly serverVersion: string },
): Promise<Served | Refusal> {
  const entries = offeredEntries(source.table.entries, input.families ?? []);
  if (isRefusal(entries)) return entries;
  const calls = new Calls();
  const settings: McpSettings = {
    table: { ...source.table, entries },
    ports: call.ports,
    mutationPolicy: input.mutationPolicy ?? "instruction-linked",
    cwd: resolve(call.cwd, input.root ?? "."),
    env: withoutToken(call.env),
    serverName: input.serverName ?? "premath-mcp",
    serverVersion: source.serverVersion,
    log: (line) => say(`${input.serverName ?? "premath-mcp"}: ${oneLine(line)}`),
  };
  return input.http === true ? serveHttp(input, call, settings, calls) : serveStdio(input, call, settings, calls);
}

async function serveStdio(
  input: ServeInput,
  call: Call,
  settings: McpSettings,
  calls: Calls,
): Promise<Served | Refusal> {
  const stray = httpFlags.filter((name) => input[name] !== undefined);
  if (stray.length > 0) {
    return refuse("input_invalid", {
      message: `${stray.join(", ")} only mean something together with http`,
      hint: "Add --http.",
      detail: { stray },
    });
  }
  if (process.stdin.isTTY) {
    say(`${settings.serverName}: ${count(settings)} over stdio, waiting for a client. Ctrl-D ends it; --http listens.`);
  }
  const server = startStdio(settings, calls);
  const endedBy = await firstOf(call.signal, server.ended);
  await server.close();
  await stopCalls(settings, calls);
  return { transport: "stdio", tools: settings.table.entries.length, calls: calls.begun, endedBy };
}

async function serveHttp(
  input: ServeInput,
  call: Call,
  settings: McpSettings,
  calls: Calls,
): Promise<Served | Refusal> {
  const token = await findToken({
    flag: input.token,
    file: input.tokenFile,
    env: call.env,
    cwd: call.cwd,
    ports: call.ports,
  });
  if (isRefusal(token)) return token;
  const allowedOrigins = input.allowedOrigins ?? [];
  const unclear = allowedOrigins.find((origin) => !isOrigin(origin));
  if (unclear !== undefined) {
    return refuse("input_invalid", {
      message: `${JSON.stringify(unclear)} is not an origin`,
      hint: "An origin is scheme, host and port, for example https://console.example:8443; there is no wildcard.",
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

  say(`${settings.serverName}: ${count(settings)} at ${server.url}`);
  if (token.origin === "drawn") say(`${settings.serverName}: token ${token.secret} (shown once)`);
  if (token.origin === "flag") {
    call.warn(`A token given by --token is visible in the process list; prefer ${tokenVariable} or --token-file.`);
  }
  const endedBy = await firstOf(call.signal);
  await server.close();
  return {
    transport: "http",
    url: server.url,
    tools: settings.table.entries.length,
    calls: calls.begun,
    endedBy,
  };
}

const httpFlags = ["port", "host", "allowRemote", "token", "tokenFile", "allowedOrigins"] as const;

async function stopCalls(settings: McpSettings, calls: Calls): Promise<void> {
  const stopped = await calls.stop({ clock: settings.ports.clock, withinMs: mcpLimits.shutdownMsMax });
  if (!stopped) settings.log(`a call did not stop within ${mcpLimits.shutdownMsMax} ms and was left`);
}

function firstOf(signal: AbortSignal, clientGone?: Promise<void>): Promise<Served["endedBy"]> {
  return new Promise((resolve) => {
    const onTerm = (): void => end("SIGTERM");
    const onInt = (): void => end("SIGINT");
    const onAbort = (): void => end("aborted");
    const end = (by: Served["endedBy"]): void => {
      process.off("SIGTERM", onTerm).off("SIGINT", onInt);
      signal.removeEventListener("abort", onAbort);
      resolve(by);
    };
    process.on("SIGTERM", onTerm).on("SIGINT", onInt);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    void clientGone?.then(() => end("client"));
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
