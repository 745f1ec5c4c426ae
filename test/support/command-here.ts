/**
 * The command line in this process. What a process of its own adds to it (its start,
 * its streams, its exit code) is the same for every command and is seen by the tests
 * that start one; this is for what only has to be there before, and for the many of
 * one kind.
 */
import { dirname } from "node:path";
import type { ManifestEntry, Operation } from "@bridle/operation";
import type { JsonObject, Ports } from "@bridle/record";
import type { Launcher } from "../../packages/surface/src/cli/commands.js";
import { run } from "../../packages/surface/src/cli/run.js";
import type { Terminal } from "../../packages/surface/src/cli/terminal.js";
import { loadManifest } from "../../packages/surface/src/manifest/load.js";
import { loadOperation } from "../../packages/surface/src/manifest/rooms.js";
import { surfacePorts } from "../../packages/surface/src/ports.js";

export interface HereOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** `premath` without it. */
  readonly launcher?: Launcher;
  /** The operation behind a command, where it is not to be the program's own. */
  readonly load?: (entry: ManifestEntry) => Promise<Operation>;
  /** Where the ports are not to be the machine's own. */
  readonly ports?: Ports;
  /** Aborted, it ends the command as a signal does. */
  readonly signal?: AbortSignal;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What was printed, as JSON. */
  json(): JsonObject;
}

export async function commandHere(
  words: readonly string[],
  { cwd, env, launcher = "premath", load = loadOperation, ports, signal }: HereOptions,
): Promise<Ended & { readonly code: number }> {
  const terminal = new Recorder();
  const code = await run({
    launcher,
    argv: words,
    env: { HOME: dirname(cwd), ...env },
    terminal,
    manifest: loadManifest(),
    load,
    ports: () => ports ?? surfacePorts({ ...process.env, ...env }),
    cwd: () => cwd,
    signal: signal ?? new AbortController().signal,
  });
  const { stdout, stderr } = terminal;
  return { code, signal: null, stdout, stderr, json: () => JSON.parse(stdout) as JsonObject };
}

class Recorder implements Terminal {
  stdout = "";
  stderr = "";
  readonly outIsTerminal = false;
  readonly errIsTerminal = false;
  readonly outState = "open";
  onClosed: (() => void) | undefined = undefined;

  async out(text: string): Promise<void> {
    this.stdout += text;
  }

  err(text: string): void {
    this.stderr += text;
  }
}
