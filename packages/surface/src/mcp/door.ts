/**
 * The door of the HTTP server: who may come in.
 *
 * A page in a browser can reach a server on loopback, and by rebinding its own
 * name to 127.0.0.1 it can even pretend to be of the same origin. So the Host
 * header must name this server, an Origin must be one that was allowed, and the
 * token must be shown; all of it before a byte of the body is read. The order
 * matters: a stranger learns from the answer only that it is a stranger.
 */
import { addressInUrl, inUrl } from "./loopback.js";
import { sameToken } from "./token.js";

export const mcpPath = "/mcp";

export interface DoorRules {
  readonly token: string;
  readonly realm: string;
  /** The address or name that the server was bound to. */
  readonly host: string;
  readonly port: number;
  /** Set when the server was opened to other machines on purpose. */
  readonly allowRemote: boolean;
  /** Beyond the loopback origins of the same port, e.g. `https://console.example`. */
  readonly allowedOrigins: readonly string[];
}

/** What is known of a request before its body; every header as often as it was sent. */
export interface Knock {
  readonly method: string;
  readonly target: string;
  readonly host: readonly string[];
  readonly origin: readonly string[];
  readonly authorization: readonly string[];
}

export type DoorVerdict =
  | { readonly kind: "enter"; readonly origin: string | undefined }
  | { readonly kind: "preflight"; readonly origin: string }
  | {
      readonly kind: "refused";
      readonly status: 401 | 403 | 404;
      readonly message: string;
      readonly headers: Readonly<Record<string, string>>;
    };

export function judge(knock: Knock, rules: DoorRules): DoorVerdict {
  const [host, ...moreHosts] = knock.host;
  if (host === undefined || moreHosts.length > 0 || !isThisServer(host, rules)) {
    return refused(403, "The Host header does not name this server.");
  }
  const [origin, ...moreOrigins] = knock.origin;
  if (moreOrigins.length > 0 || (origin !== undefined && !originAllowed(origin, rules))) {
    return refused(403, "This Origin is not allowed; the server's --allowed-origin names those that are.");
  }
  if (knock.target !== mcpPath) return refused(404, `There is only ${mcpPath} here.`);
  // A browser sends its preflight without credentials, and only to ask.
  if (knock.method === "OPTIONS" && origin !== undefined) return { kind: "preflight", origin };

  const shown = bearerToken(knock.authorization);
  if (shown === undefined) {
    return refused(401, "Show the server's token: Authorization: Bearer <token>.", challenge(rules));
  }
  if (!sameToken(shown, rules.token)) {
    return refused(401, "This is not the server's token.", challenge(rules, "invalid_token"));
  }
  return { kind: "enter", origin };
}

function isThisServer(header: string, rules: DoorRules): boolean {
  const named = splitPort(header.toLowerCase());
  if (named === undefined || (named.port ?? 80) !== rules.port) return false;
  if (loopbackNames.has(named.host) || named.host === inUrl(rules.host).toLowerCase()) return true;
  // Rebinding needs a name; an address in the Host header can only have been meant.
  return rules.allowRemote && addressInUrl(named.host) !== undefined;
}

const loopbackNames: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

function splitPort(header: string): { host: string; port: number | undefined } | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::(\d{1,5}))?$/.exec(header);
  if (match?.[1] === undefined) return undefined;
  return { host: match[1], port: match[2] === undefined ? undefined : Number(match[2]) };
}

function originAllowed(origin: string, rules: DoorRules): boolean {
  if (rules.allowedOrigins.includes(origin)) return true;
  return [...loopbackNames].some((name) => origin === originOf(name, rules.port));
}

function originOf(host: string, port: number): string {
  return port === 80 ? `http://${host}` : `http://${host}:${port}`;
}

function bearerToken(headers: readonly string[]): string | undefined {
  const [header, ...more] = headers;
  if (header === undefined || more.length > 0) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1];
}

function challenge(rules: DoorRules, error?: "invalid_token"): Record<string, string> {
  const value = `Bearer realm="${rules.realm.replaceAll(/["\\]/g, "")}"`;
  return { "www-authenticate": error === undefined ? value : `${value}, error="${error}"` };
}

function refused(
  status: 401 | 403 | 404,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): DoorVerdict {
  return { kind: "refused", status, message, headers };
}
