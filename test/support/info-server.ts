/**
 * The exchange's info endpoint on this machine: a real server that answers from
 * facts it was given, in pages like the real one, and that can be busy first.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Recording } from "./market-data.js";

type Wire = Record<string, unknown>;

export interface Trouble {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface InfoServer {
  readonly url: string;
  /** Every request body, as it came. */
  readonly asked: readonly Wire[];
  /** What the next requests get instead of an answer, in order; `silence` is no answer at all. */
  readonly troubles: (Trouble | "silence" | "hang-up")[];
}

/** The exchange's own page length. */
const fundingPage = 500;

export async function startInfoServer(facts: readonly Recording[]): Promise<InfoServer> {
  const asked: Wire[] = [];
  const troubles: InfoServer["troubles"] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      const wire = JSON.parse(text) as Wire;
      asked.push(wire);
      const trouble = troubles.shift();
      if (trouble === "silence") return;
      if (trouble === "hang-up") return void request.socket.destroy();
      if (trouble !== undefined)
        return send(response, trouble.status, trouble.body ?? "busy", trouble.headers);
      if (request.method !== "POST" || request.url !== "/info") return send(response, 404, "not here");
      const answer = answerTo(wire, facts);
      if (answer === undefined)
        send(response, 422, "Failed to deserialize the JSON body into the target type");
      else send(response, 200, JSON.stringify(answer), { "content-type": "application/json" });
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/info`, asked, troubles };
}

function answerTo(wire: Wire, facts: readonly Recording[]): unknown {
  const ofType = facts.filter(({ request }) => request.type === wire["type"]);
  if (wire["type"] === "fundingHistory") {
    const { startTime, endTime = Number.POSITIVE_INFINITY } = wire as { startTime: number; endTime?: number };
    const rows = rowsOf(ofType, ({ request }) => request["coin"] === wire["coin"], "time");
    return rows
      ?.filter(({ time }) => (time as number) >= startTime && (time as number) <= endTime)
      .slice(0, fundingPage);
  }
  if (wire["type"] === "candleSnapshot") {
    const { coin, startTime, endTime } = wire["req"] as { coin: string; startTime: number; endTime: number };
    const rows = rowsOf(ofType, ({ request }) => (request["req"] as Wire)["coin"] === coin, "t");
    return rows?.filter(({ t, T }) => (T as number) >= startTime && (t as number) <= endTime);
  }
  return ofType.find(({ request }) => JSON.stringify(request) === JSON.stringify(wire))?.response;
}

/** Of every recording that is about it, each moment once, in order. */
function rowsOf(
  facts: readonly Recording[],
  about: (each: Recording) => boolean,
  time: string,
): Wire[] | undefined {
  const fitting = facts.filter(about);
  if (fitting.length === 0) return undefined;
  const byTime = new Map(
    fitting.flatMap(({ response }) => (response as Wire[]).map((row) => [row[time] as number, row])),
  );
  return [...byTime.values()].toSorted((a, b) => (a[time] as number) - (b[time] as number));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, headers);
  response.end(body);
}
