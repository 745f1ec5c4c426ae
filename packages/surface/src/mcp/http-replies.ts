/**
 * What the HTTP server says itself, without asking the protocol: refusals, and
 * the answer to a browser that asks whether it may call.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { McpLimits } from "./limits.js";
import { sessionHeader } from "./server.js";

export interface HttpError {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  { status, message, headers }: HttpError,
  { lingerMsMax }: McpLimits,
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message }, id: null }));
  if (request.complete) return;
  // Closing at once would reset the connection under an answer that is still on its way.
  const impatience = setTimeout(() => request.socket.destroy(), lingerMsMax);
  request.once("close", () => clearTimeout(impatience));
  request.resume();
}

/** The origin that was judged, never a wildcard. */
export function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("vary", "origin");
  response.setHeader(
    "access-control-expose-headers",
    `${sessionHeader}, mcp-protocol-version, www-authenticate`,
  );
}

export function sendPreflight(response: ServerResponse, origin: string): void {
  allowOrigin(response, origin);
  response.writeHead(204, {
    "access-control-allow-methods": "POST",
    "access-control-allow-headers":
      "authorization, content-type, accept, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id",
    "access-control-max-age": "600",
  });
  response.end();
}
