/**
 * A run of a command line as this process: everything that touches the process is
 * here, its streams, signals and exit code. Nothing heavy is imported, because
 * every command starts with this file.
 */
import { surfacePorts } from "../ports.js";
import { plainPaint, safeText } from "./paint.js";
import { errorText } from "./render.js";
import { run, type Run, tellBug } from "./run.js";
import { processTerminal, type Terminal } from "./terminal.js";

/** `table`: asked for inside, so that what goes wrong there is told like everything else. */
export async function runProcess(table: () => Pick<Run, "launcher" | "manifest" | "load">): Promise<void> {
  const terminal = processTerminal();
  const interrupted = new AbortController();
  listenToSignals(interrupted);
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (error: unknown) => {
      tellCrash(error, terminal);
      process.exit(1);
    });
  }
  try {
    process.exitCode = await run({
      ...table(),
      argv: process.argv.slice(2),
      env: process.env,
      terminal,
      ports: () => surfacePorts(process.env),
      cwd: () => process.cwd(),
      signal: interrupted.signal,
    });
  } catch (error) {
    tellCrash(error, terminal);
    process.exitCode = 1;
  }
}

/** The first signal asks the call to stop; the second does not ask. */
function listenToSignals(interrupted: AbortController): void {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.on(signal, () => {
      if (interrupted.signal.aborted) process.exit(code);
      interrupted.abort(signal);
    });
  }
}

/** Something went wrong outside the pipeline, which has an envelope for everything else. */
function tellCrash(error: unknown, terminal: Terminal): void {
  const message = error instanceof Error ? error.message : String(error);
  const report = {
    action: "",
    failureClasses: ["internal_error"],
    message: message.split("\n", 1)[0] || "no message",
    hint: "This is a bug in Bridle; run again with BRIDLE_DEBUG=1 to see where.",
  };
  terminal.err(safeText(errorText(report, plainPaint), false));
  tellBug(error, { terminal, env: process.env });
}
