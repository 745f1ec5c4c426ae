/** The person's own terminal and browser, for a login. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { codexEndpoints } from "@bridle/model";
import type { LoginTerminal } from "./login.js";

export function loginTerminal(): LoginTerminal {
  return {
    endpoints: codexEndpoints,
    interactive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    say: (line) => void process.stderr.write(`${line}\n`),
    open: openPage,
    line: firstLine,
  };
}

/** Best effort: the address was shown as well. */
function openPage(url: string): void {
  const [program, args] = process.platform === "darwin" ? ["open", [url]] : ["xdg-open", [url]];
  const opener = spawn(program as string, args as string[], { stdio: "ignore", detached: true });
  opener.on("error", () => {});
  opener.unref();
}

/** Undefined when stdin ends without one, or the wait is over. */
async function firstLine(signal: AbortSignal): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin });
  try {
    return await new Promise<string | undefined>((done) => {
      lines.once("line", done);
      lines.once("close", () => done(undefined));
      signal.addEventListener("abort", () => done(undefined), { once: true });
    });
  } finally {
    lines.close();
    process.stdin.pause();
    process.stdin.unref?.();
  }
}
