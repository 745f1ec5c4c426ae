/**
 * The server on a socket: streamable HTTP behind the door.
 *
 * Each request is answered by a fresh protocol server. What ties the requests of
 * one client together is a session id, handed out at the opening and remembered
 * nowhere: it only lets a cancellation find the call that it means.
 */
import { randomUUID } from "node:crypto";
import { type IncomingMessage, createServer } from "node:http";
import { type Refusal, isRefusal } from "@bridle/record";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { type McpHttpHandler, createMcpHandler } from "@modelcontextprotocol/server";
import type { Calls } from "./calls.js";
import { type DoorRules, type Knock, judge, mcpPath } from "./door.js";
import { type HttpError, allowOrigin, sendError, sendPreflight } from "./http-replies.js";
import { type McpLimits, mcpLimits } from "./limits.js";
import { type ListenOptions, listen } from "./listen.js";
import { inUrl } from "./loopback.js";
import { protocolServers, sessionHeader } from "./server.js";
import { Turnstile } from "./turnstile.js";
import type { McpSettings } from "./types.js";

export interface HttpOptions extends ListenOptions {
  readonly allowedOrigins: readonly string[];
  readonly token: string;
  readonly limits?: Partial<McpLimits>;
}

export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function startHttp(
  settings: McpSettings,
  calls: Calls,
  options: HttpOptions,
): Promise<HttpServer | Refusal> {
  const limits = { ...mcpLimits, ...options.limits };
  const logOnce = onceOnly(settings.log, limits.logLinesMax);

  const handler = createMcpHandler(protocolServers(settings, calls), {
    maxRequestBodySize: limits.messageBytesMax,
    maxSubscriptions: limits.subscriptionsMax,
    onerror: (error) => logOnce(error.message),
  });
  const answer = toNodeHandler(withSessions(handler), {
    maxRequestBodySize: limits.messageBytesMax,
    onerror: (error) => logOnce(error.message),
  });

  const turnstile = new Turnstile(limits.requestsOpenMax);
  /** Unset until the port is known, and again when the server ends. */
  let rules: DoorRules | undefined;
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersMsMax,
      requestTimeout: limits.requestMsMax,
      keepAliveTimeout: limits.keepAliveMsMax,
      connectionsCheckingInterval: limits.timeoutCheckMs,
    },
    (request, response) => {
      const say = (error: HttpError): void => {
        logOnce(`refused a request with ${error.status}: ${error.message}`);
        sendError(request, response, error, limits);
      };
      response.setHeader("cache-control", "no-store");
      response.setHeader("x-content-type-options", "nosniff");
      if (rules === undefined) return say({ status: 503, message: "The server is starting or ending." });
      const verdict = judge(knockOf(request), rules);
      if (verdict.kind === "refused") return say(verdict);
      if (verdict.kind === "preflight") return sendPreflight(response, verdict.origin);

      if (verdict.origin !== undefined) allowOrigin(response, verdict.origin);
      if (Number(request.headers["content-length"]) > limits.messageBytesMax) {
        return say({ status: 413, message: `The body is larger than ${limits.messageBytesMax} bytes.` });
      }
      if (!turnstile.admit(response)) {
        const message = `${limits.requestsOpenMax} requests are being answered already; try again in a moment.`;
        return say({ status: 503, message, headers: { "retry-after": "1" } });
      }
      answer(request as IncomingMessage & { method: string; url: string }, response).catch(
        (error: unknown) => {
          logOnce(error instanceof Error ? error.message : String(error));
          response.destroy();
        },
      );
    },
  );
  server.maxConnections = limits.connectionsMax;

  const address = await listen(server, options);
  if (isRefusal(address)) return address;
  const { host, token, allowRemote, allowedOrigins } = options;
  rules = { host, port: address.port, token, realm: settings.serverName, allowRemote, allowedOrigins };

  return {
    url: `http://${inUrl(host)}:${address.port}${mcpPath}`,
    async close() {
      rules = undefined;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const { clock } = settings.ports;
      const stopped = await calls.stop({ clock, withinMs: limits.shutdownMsMax });
      if (!stopped) settings.log(`a call did not stop within ${limits.shutdownMsMax} ms and was left`);
      await turnstile.empty({ clock, withinMs: limits.flushMsMax });
      await handler.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A request without session and without version can only be an opening: the version is agreed there. */
function withSessions(handler: McpHttpHandler): Pick<McpHttpHandler, "fetch"> {
  return {
    async fetch(request, options) {
      const opening = !request.headers.has(sessionHeader) && !request.headers.has("mcp-protocol-version");
      const response = await handler.fetch(request, options);
      if (opening && response.ok) response.headers.set(sessionHeader, randomUUID());
      return response;
    },
  };
}

/** Every client can cause these lines, so each is said once and there is an end to them. */
function onceOnly(log: (line: string) => void, linesMax: number): (line: string) => void {
  const said = new Set<string>();
  return (line) => {
    if (said.size >= linesMax || said.has(line)) return;
    said.add(line);
    log(line);
  };
}

function knockOf(request: IncomingMessage): Knock {
  const headers = request.headersDistinct;
  return {
    method: request.method ?? "",
    target: request.url ?? "",
    host: headers.host ?? [],
    origin: headers.origin ?? [],
    authorization: headers.authorization ?? [],
  };
}
