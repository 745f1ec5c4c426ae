/**
 * The network, as the login needs it: a form that is posted, and a door on
 * loopback through which a browser comes back. Both are interfaces, so that who
 * logs in does not know what stands behind them.
 */
import { createServer, type Server } from "node:http";

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

export interface Http {
  /** Rejects when there was no answer at all. */
  postForm(
    url: string,
    form: Readonly<Record<string, string>>,
    options: { readonly msMax: number; readonly signal?: AbortSignal | undefined },
  ): Promise<HttpAnswer>;
  /** Undefined when the port is taken. */
  listen(door: Door): Promise<OpenDoor | undefined>;
}

export interface Door {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** Contract: what the query means; `finished` ends the wait, anything else is told to the browser and waited on. */
  judge(query: URLSearchParams): { readonly finished: string } | { readonly refused: string };
}

export interface OpenDoor {
  /** What `judge` called finished. Never settles when nobody comes. */
  readonly came: Promise<string>;
  close(): Promise<void>;
}

export const nodeHttp: Http = {
  async postForm(url, form, { msMax, signal }) {
    const ends = AbortSignal.timeout(msMax);
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: new URLSearchParams(form).toString(),
      redirect: "error",
      signal: signal === undefined ? ends : AbortSignal.any([ends, signal]),
    });
    return { status: response.status, text: await response.text() };
  },

  async listen(door) {
    let arrive = (_: string) => {};
    const came = new Promise<string>((done) => (arrive = done));
    const server = createServer((request, response) => {
      const tell = (status: number, text: string) =>
        response
          .writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" })
          .end(`${text}\n`);
      const url = new URL(request.url ?? "/", "http://localhost");
      if (request.method !== "GET" || url.pathname !== door.path)
        return void tell(404, "There is nothing here.");
      const judged = door.judge(url.searchParams);
      if ("refused" in judged) return void tell(400, judged.refused);
      tell(200, "You are logged in. You can close this window.");
      arrive(judged.finished);
    });
    if (!(await opened(server, door))) return undefined;
    return {
      came,
      close: () =>
        new Promise((done) => {
          server.close(() => done());
          server.closeAllConnections();
        }),
    };
  },
};

function opened(server: Server, { host, port }: Door): Promise<boolean> {
  return new Promise((done) => {
    server.once("error", () => done(false));
    server.listen({ host, port }, () => done(true));
  });
}
