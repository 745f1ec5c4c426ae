/**
 * The server on stdin and stdout, for a client that started this process.
 *
 * stdout carries protocol frames and nothing else: anything that another part of
 * the program prints there would break the client's parser, so from here until
 * the process ends such prints are sent to stderr instead. The server ends when
 * the client closes stdin.
 */
import { Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Calls } from "./calls.js";
import { mcpLimits } from "./limits.js";
import { protocolServers } from "./server.js";
import type { McpSettings } from "./types.js";

export interface StdioServer {
  /** Resolves when the client is gone. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export function startStdio(settings: McpSettings, calls: Calls): StdioServer {
  const transport = new StdioServerTransport(process.stdin, takeOverStdout(), {
    maxBufferSize: mcpLimits.messageBytesMax,
  });
  const handle = serveStdio(protocolServers(settings, calls), {
    transport,
    maxSubscriptions: mcpLimits.subscriptionsMax,
    onerror: (error) => settings.log(error.message),
  });
  // serveStdio has put its own listener on the transport by now; it must still hear the end.
  const heard = transport.onclose;
  const ended = new Promise<void>((resolve) => {
    transport.onclose = () => {
      heard?.();
      resolve();
    };
  });
  return {
    ended,
    async close() {
      await handle.close();
      // A paused stdin can start reading again for what is still in the pipe, and keep the process alive.
      process.stdin.destroy();
    },
  };
}

function takeOverStdout(): Writable {
  const { stdout, stderr } = process;
  const writeFrame = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  const frames = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => void writeFrame(chunk, done),
  });
  // A client that closed its end shows up here; without a listener it would end the process with a trace.
  stdout.on("error", (error) => frames.destroy(error));
  return frames;
}
