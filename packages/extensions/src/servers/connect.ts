/**
 * A connection to one server, by stdio or HTTP, with the official client.
 *
 * What a newcomer gets wrong: the client is loaded here and nowhere else, when there is a
 * server to connect to. Nothing of what a server may ask of a client is offered (sampling,
 * roots, questions to the person), its schemas are never compiled, and one that does not
 * answer or says too much is ended: what it would say later is said to nobody.
 */
import type { Client as SdkClient, JsonSchemaValidator, Transport } from "@modelcontextprotocol/client";
import { Failure, grouped, isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import { visibleLine } from "@bridle/operation";
import { extensionLimits } from "../limits.js";
import { boundedFetch } from "../outside/bounded-fetch.js";
import { StdioTransport } from "../outside/stdio-transport.js";
import type { Env, Http, ServerEntry, Stdio } from "../types.js";
import { serverEnvironment } from "./environment.js";
import { expanded } from "./expand.js";

export interface ConnectOptions {
  readonly env: Env;
  readonly signal: AbortSignal;
  /** Of one call, and of connecting; the usual ones when left out. */
  readonly callMs?: number;
  readonly connectMs?: number;
}

export class Connection {
  /** Since the last request began. */
  private heardBytes = 0;
  private over: Failure | undefined;
  private client: SdkClient | undefined;
  private transport: Transport | undefined;

  private constructor(
    private readonly name: string,
    private readonly options: ConnectOptions,
  ) {}

  /** Throws a `Failure` that says in a sentence why there is no connection; nothing runs then. */
  static async open(entry: ServerEntry, options: ConnectOptions): Promise<Connection> {
    const connection = new Connection(entry.name, options);
    try {
      await connection.connect(expanded(entry, options.env), entry.folder);
      return connection;
    } catch (error) {
      await connection.close();
      throw connection.failureOf(error);
    }
  }

  private async connect(how: Stdio | Http, folder: string): Promise<void> {
    const sdk = await import("./sdk.js");
    const heard = (bytes: number) => this.heard(bytes);
    if (how.kind === "stdio") {
      const { command, args } = how;
      const env = serverEnvironment(how, this.options.env);
      const parse = (line: string) => sdk.deserializeMessage(line);
      this.transport = new StdioTransport({ command, args, cwd: folder, env, parse, heard });
    } else {
      this.transport = new sdk.StreamableHTTPClientTransport(urlOf(how, this.name), {
        requestInit: { headers: { ...how.headers } },
        fetch: boundedFetch({ heard }),
        reconnectionOptions: {
          ...{ initialReconnectionDelay: 1_000, maxReconnectionDelay: 1_000 },
          ...{ reconnectionDelayGrowFactor: 1, maxRetries: 0 },
        },
      }) as Transport;
    }
    const client = new sdk.Client({ name: "bridle", version: "0" }, { jsonSchemaValidator: unchecking });
    this.client = client;
    client.onclose = () => (this.over ??= this.broke("it ended"));
    await client.connect(this.transport, this.limits(this.options.connectMs ?? extensionLimits.connectMs));
  }

  /** One request. Throws a `Failure`; a server that did not answer in time is ended. */
  async request(
    method: "tools/list" | "tools/call",
    params: JsonObject,
    signal?: AbortSignal,
  ): Promise<JsonObject> {
    if (this.over !== undefined) throw this.over;
    this.heardBytes = 0;
    const listing = method === "tools/list";
    const ms = listing
      ? (this.options.connectMs ?? extensionLimits.connectMs)
      : (this.options.callMs ?? extensionLimits.callMs);
    try {
      if (this.client === undefined) throw this.broke("it was never there");
      const answer: unknown = await this.client.request(
        { method, params },
        anyObject,
        this.limits(ms, signal),
      );
      return answer as JsonObject;
    } catch (error) {
      if (signal?.aborted === true)
        throw new Failure("aborted", { message: `the call of ${this.name} was given up` });
      const failure = this.failureOf(error);
      if (failure.failureClass !== "mcp_tool_failed") {
        this.over ??= failure;
        await this.close();
      }
      throw failure;
    }
  }

  /** Contract: never throws. */
  async close(): Promise<void> {
    this.over ??= this.broke("it was ended");
    await this.client?.close().catch(() => {});
    await this.transport?.close().catch(() => {});
  }

  private limits(timeout: number, signal = this.options.signal) {
    return { timeout, maxTotalTimeout: timeout, signal };
  }

  private heard(bytes: number): Error | undefined {
    this.heardBytes += bytes;
    if (this.heardBytes <= extensionLimits.requestBytesMax) return undefined;
    this.over = new Failure("mcp_server_flooded", {
      message: `the MCP server ${JSON.stringify(this.name)} said more than ${grouped(extensionLimits.requestBytesMax)} bytes without an answer, or a message that is too long, and was ended`,
      hint: "It is not there any more in this session.",
    });
    void this.client?.close().catch(() => {});
    return this.over;
  }

  private failureOf(error: unknown): Failure {
    if (error instanceof Failure) return error;
    if (this.over?.failureClass === "mcp_server_flooded") return this.over;
    const code: unknown = isObject(error) ? error["code"] : undefined;
    const said = visibleLine(error instanceof Error ? error.message : String(error), 300);
    if (code === "REQUEST_TIMEOUT")
      return new Failure("mcp_server_stalled", {
        message: `the MCP server ${JSON.stringify(this.name)} did not answer in time and was ended`,
        hint: "It is not there any more in this session.",
      });
    // An error of the protocol: the server lives and says no.
    if (typeof code === "number" && this.over === undefined)
      return new Failure("mcp_tool_failed", {
        message: `the MCP server ${JSON.stringify(this.name)} refused: ${said}`,
        hint: "Look at the arguments, or do without it.",
      });
    return this.broke(said);
  }

  private broke(said: string): Failure {
    const complaint =
      this.transport instanceof StdioTransport ? visibleLine(this.transport.complaint, 300) : "";
    return new Failure("mcp_server_failed", {
      message: `the MCP server ${JSON.stringify(this.name)} is not there: ${said}${complaint === "" ? "" : `; it said: ${complaint}`}`,
      hint: `\`bridle mcp try ${this.name}\` starts it alone.`,
    });
  }
}

/** https, or http to this machine, or http without headers: a key is not sent in the clear. */
function urlOf({ url, headers }: Http, name: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const local = ["localhost", "127.0.0.1", "[::1]"].includes(parsed?.hostname ?? "");
  const safe =
    parsed?.protocol === "https:" ||
    (parsed?.protocol === "http:" && (local || Object.keys(headers).length === 0));
  if (parsed !== undefined && safe && parsed.username === "") return parsed;
  throw new Failure("mcp_server_invalid", {
    message: `the address of the MCP server ${JSON.stringify(name)} cannot be used: it must be https, or http to this machine or without headers, and hold no password`,
    hint: "Mend its entry.",
  });
}

/** What a server says of its results is not compiled: a pattern in a schema could keep us busy for ever. */
const unchecking = {
  getValidator: <Value>(): JsonSchemaValidator<Value> => {
    return (value) => ({ valid: true, data: value as Value, errorMessage: undefined });
  },
};

/** In the place of the SDK's schemas, which know nothing of our bounds: what we read of it we check ourselves. */
const anyObject = {
  "~standard": {
    version: 1 as const,
    vendor: "bridle",
    validate: (value: unknown) =>
      isJsonObject(value as JsonValue)
        ? { value: value as JsonObject }
        : { issues: [{ message: "the answer is no object" }] },
  },
};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
