/**
 * BigQuery's REST protocol on this machine, as far as its own client speaks it to
 * ask one question: dry runs, jobs, results in pages. It takes what the real client
 * sends, undoes the rewrites of the templates and runs DuckDB.
 *
 * So it proves transport, parameters, types and paging, and that the BigQuery text
 * is the DuckDB text rewritten. It proves nothing about Google's engine.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { EngineTables, NamedValues, SelectAnswer } from "@bridle/market";
import { fromBigQuery } from "../../packages/query/src/templates/rewrite.js";

export interface BigQueryServer {
  /** For BIGQUERY_EMULATOR_HOST. */
  readonly url: string;
  readonly statements: string[];
  readonly requests: string[];
  /** What a dry run says. */
  bytes: number;
  /** What every request gets instead of an answer. */
  trouble: { readonly status: number; readonly message: string } | undefined;
  close(): void;
}

interface Parameter {
  readonly name: string;
  readonly parameterType: { readonly type: string };
  readonly parameterValue: {
    readonly value?: string | null;
    readonly arrayValues?: readonly { readonly value: string }[];
  };
}
interface Query {
  readonly query: string;
  readonly queryParameters?: readonly Parameter[];
  readonly parameterMode?: string;
  readonly maximumBytesBilled?: string;
  readonly defaultDataset?: { readonly datasetId: string };
}

const pageRows = 3;

export async function startBigQuery(tables: EngineTables): Promise<BigQueryServer> {
  const jobs = new Map<string, SelectAnswer>();
  const self: BigQueryServer = {
    url: "",
    statements: [],
    requests: [],
    bytes: 1_000,
    trouble: undefined,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  const server = createServer((request, response) => {
    void handle(request, response).catch((error: unknown) => send(response, 400, fault(400, String(error))));
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://here");
    self.requests.push(`${request.method} ${url.pathname}`);
    if (self.trouble !== undefined)
      return send(response, self.trouble.status, fault(self.trouble.status, self.trouble.message));
    if (request.method === "POST" && /\/projects\/[^/]+\/jobs$/.test(url.pathname)) {
      const body = JSON.parse(await textOf(request)) as {
        readonly configuration: { readonly query: Query; readonly dryRun?: boolean };
        readonly jobReference?: { readonly jobId?: string };
      };
      const { query, dryRun = false } = body.configuration;
      const jobId = body.jobReference?.jobId ?? `job${jobs.size}`;
      if (!dryRun) {
        if (Number(query.maximumBytesBilled) < self.bytes)
          return send(response, 400, fault(400, "Query exceeded limit for bytes billed"));
        self.statements.push(query.query);
        jobs.set(jobId, await tables.ask(fromBigQuery(query.query), valuesOf(query.queryParameters ?? [])));
      }
      return send(response, 200, {
        kind: "bigquery#job",
        id: `p:US.${jobId}`,
        jobReference: { projectId: "p", jobId, location: "US" },
        configuration: body.configuration,
        status: { state: "DONE" },
        statistics: {
          totalBytesProcessed: String(self.bytes),
          query: { totalBytesProcessed: String(self.bytes) },
        },
      });
    }
    const results = /\/projects\/[^/]+\/queries\/([^/]+)$/.exec(url.pathname);
    const answer = results === null ? undefined : jobs.get(results[1] as string);
    if (answer === undefined || results === null) return send(response, 404, fault(404, "Not found"));
    const from = Number(url.searchParams.get("pageToken") ?? 0);
    const rows = answer.rows.slice(from, from + pageRows);
    const next = from + pageRows;
    return send(response, 200, {
      kind: "bigquery#getQueryResultsResponse",
      jobComplete: true,
      jobReference: { projectId: "p", jobId: results[1], location: "US" },
      schema: {
        fields: answer.columns.map((name, i) => ({ name, type: typeOf(answer, i), mode: "NULLABLE" })),
      },
      totalRows: String(answer.rows.length),
      rows: rows.map((row) => ({ f: row.map((value) => ({ v: value === null ? null : String(value) })) })),
      ...(next < answer.rows.length ? { pageToken: String(next) } : {}),
    });
  }
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return Object.assign(self, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

/** DuckDB's JSON has whole numbers of 64 bits as text. */
function typeOf({ columns, rows }: SelectAnswer, i: number): string {
  const values = rows.map((row) => row[i] ?? null).filter((value) => value !== null);
  const text = new Set([
    "market",
    "account",
    "leader",
    "follower",
    "style",
    "side",
    "regime",
    "trend",
    "table_name",
  ]);
  if (values.some((value) => typeof value === "boolean")) return "BOOLEAN";
  if (values.some((value) => typeof value === "number")) return "FLOAT";
  return text.has(columns[i] as string) ? "STRING" : "INTEGER";
}

function valuesOf(parameters: readonly Parameter[]): NamedValues {
  return Object.fromEntries(
    parameters.map(({ name, parameterType: { type }, parameterValue: { value, arrayValues } }) => {
      if (type === "ARRAY") return [name, (arrayValues ?? []).map((each) => each.value)];
      if (value === undefined || value === null) return [name, null];
      if (type === "INT64") return [name, BigInt(value)];
      if (type === "BOOL") return [name, String(value) === "true"];
      return [name, type === "FLOAT64" ? Number(value) : value];
    }),
  );
}

function fault(code: number, message: string) {
  return {
    error: {
      code,
      message,
      errors: [{ message, domain: "global", reason: code === 403 ? "accessDenied" : "invalidQuery" }],
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
