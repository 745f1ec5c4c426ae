/**
 * Binding the HTTP server: to loopback, unless it was told otherwise.
 *
 * The address is judged twice, as it was asked for and as the machine understood
 * it: a hosts file can say that localhost is elsewhere.
 */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Refusal, refuse } from "@bridle/record";
import { isLoopback } from "./loopback.js";

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly allowRemote: boolean;
}

export async function listen(server: Server, options: ListenOptions): Promise<AddressInfo | Refusal> {
  const { host, allowRemote } = options;
  if (!allowRemote && !isLoopback(host)) return notLoopback(host);
  const address = await bind(server, options);
  if ("refused" in address || allowRemote || isLoopback(address.address)) return address;
  server.close();
  return notLoopback(`${host} (${address.address})`);
}

function bind(server: Server, options: ListenOptions): Promise<AddressInfo | Refusal> {
  return new Promise((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(cannotListen(error, options)));
    server.listen({ host: options.host, port: options.port }, () => {
      const address = server.address();
      if (address === null || typeof address === "string")
        throw new Error("a listening socket has an address");
      resolve(address);
    });
  });
}

function notLoopback(host: string): Refusal {
  return refuse("input_invalid", {
    message: `${host} is not a loopback address; other machines could reach the server`,
    hint: "Leave --host out, or add --allow-remote if that is what you want.",
  });
}

function cannotListen(error: NodeJS.ErrnoException, { host, port }: ListenOptions): Refusal {
  const where = `port ${port} on ${host}`;
  switch (error.code) {
    case "EADDRINUSE":
      return refuse("address_unavailable", {
        message: `${where} is in use by another program`,
        hint: "Leave --port out for any free one.",
      });
    case "EACCES":
      return refuse("address_unavailable", {
        message: `${where} needs more rights than this user has`,
        hint: "Use a port above 1023, or leave --port out for any free one.",
      });
    default:
      return refuse("address_unavailable", {
        message: `cannot listen on ${where}: ${error.code ?? error.message}`,
      });
  }
}
