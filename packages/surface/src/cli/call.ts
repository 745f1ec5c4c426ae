/**
 * One command, carried out: from its input to an exit code.
 *
 * Kept apart from run.ts, which answers help and bad invocations without it, so
 * that the pipeline is loaded only for a call.
 */
import { type Authority, type Call, type Operation, outcomeOf } from "@bridle/operation";
import type { JsonObject, Ports } from "@bridle/record";
import { sentenceOf } from "../manifest/failure-classes.js";
import { performOperation } from "../perform.js";
import { standingIn } from "../standing.js";
import { paintFor, safeText, wantsColour } from "./paint.js";
import { progressLine } from "./progress.js";
import { checkerText, errorText, failureJson, type FailureReport, jsonText, warningText } from "./render.js";
import type { Terminal } from "./terminal.js";

export const exitCodes = { success: 0, failure: 1, invocation: 2 } as const;

/** Classes that say the command was typed wrongly rather than refused. */
const invocationClasses: ReadonlySet<string> = new Set([
  "input_invalid",
  "invocation_invalid",
  "setting_unknown",
  "setting_invalid",
]);

export interface CommandCall {
  readonly operation: Operation;
  readonly input: JsonObject;
  readonly json: boolean;
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly ports: Ports;
  readonly signal: AbortSignal;
  /** With BRIDLE_DEBUG=1, where a bug is told in full. */
  readonly onBug: (error: unknown) => void;
}

export async function carryOut(command: CommandCall): Promise<number> {
  const { operation, input, json, terminal, env, signal } = command;
  const colour = wantsColour(env, terminal.outIsTerminal);
  const errColour = wantsColour(env, terminal.errIsTerminal);
  const errPaint = paintFor(errColour);
  const progress = progressLine({
    terminal,
    clock: command.ports.clock,
    doing: operation.summary.replace(/\.$/, ""),
    enabled: terminal.errIsTerminal && env["TERM"] !== "dumb" && !operation.ownsStdout,
  });
  const complain = (text: string): void => {
    progress.clear();
    terminal.err(safeText(text, errColour));
  };

  let emitted = false;
  const remarks: string[] = [];
  const call: Call = {
    ports: command.ports,
    signal,
    cwd: command.cwd,
    env,
    warn: (sentence) => complain(warningText(sentence, errPaint)),
    stdin: readStdin,
    remark: (words) => remarks.push(words),
    progress: (report) => progress.report(report),
    wantsJson: json,
    async emit(item, line = JSON.stringify(item)) {
      emitted = true;
      progress.clear();
      // What is piped on is meant to the byte; only a terminal could be tricked by it.
      const exact = json || !terminal.outIsTerminal;
      await terminal.out(`${exact ? line : safeText(line, false)}\n`);
    },
  };
  const authority: Authority = { surface: "cli", standing: standingIn(env, { kind: "person" }) };
  const envelope = await performOperation(operation, input, {
    call,
    authority,
    onBug: command.onBug,
  });
  progress.end();

  const outcome = outcomeOf(envelope);
  const report = (message: string, more: Partial<FailureReport> = {}): FailureReport => ({
    action: operation.names.action,
    failureClasses: envelope.failureClasses,
    message,
    ...more,
  });
  if (outcome.kind === "refused") {
    const failure = report(outcome.message, outcome);
    if (json && !operation.ownsStdout) await terminal.out(jsonText(failureJson(failure)));
    complain(operation.checker ? checkerText(failure) : errorText(failure, errPaint));
    if (envelope.resultClass === "aborted") return exitCodeOfSignal(signal);
    const typedWrongly =
      operation.checker ||
      invocationClasses.has(envelope.resultClass) ||
      envelope.resultClass === operation.invalidInput;
    return typedWrongly ? exitCodes.invocation : exitCodes.failure;
  }

  if (operation.ownsStdout) {
    if (operation.present) complain(`${operation.present(outcome.payload, errPaint)}\n`);
  } else if (!emitted) {
    const text =
      json || !operation.present ? undefined : operation.present(outcome.payload, paintFor(colour));
    const remarked = remarks.map((words) => `  ${paintFor(colour).dim(words)}\n`).join("");
    await terminal.out(
      text === undefined ? jsonText(outcome.payload) : safeText(lineEnded(text) + remarked, colour),
    );
  }
  if (outcome.kind === "accepted" || operation.rejectionIsAnswer) return exitCodes.success;
  complain(
    errorText(report(meaningOf(envelope.resultClass) ?? `${operation.names.action} was rejected`), errPaint),
  );
  return exitCodes.failure;
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

/** What a failure class means, for an answer that is a no and says so only to programs. */
function meaningOf(failureClass: string): string | undefined {
  return sentenceOf(failureClass)?.replace(/^The /, "the ");
}

function lineEnded(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** As a shell counts a process that a signal ended. */
function exitCodeOfSignal(signal: AbortSignal): number {
  if (signal.reason === "SIGINT") return 130;
  return signal.reason === "SIGTERM" ? 143 : exitCodes.failure;
}
