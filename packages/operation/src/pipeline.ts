/**
 * The way of every call, on every surface:
 *
 *     offered here? → validate → paths inside? → gates, in order → run → check the answer → envelope
 *
 * `perform` never throws. Whatever goes wrong comes back as an envelope whose
 * class says how; a stack trace never does (see `onBug`).
 */
import { canonicalJson, Failure, isRefusal, type JsonObject, type JsonValue } from "@bridle/record";
import { refuse, type Refusal } from "@bridle/record";
import { lastWord } from "./gates.js";
import { argsDigestOf, sealPayload, sealRefusal, type Sealing } from "./envelope.js";
import type { Admission, Authority, Call, Envelope, Gate, Operation } from "./types.js";
import { checkInput, checkOutput } from "./validate.js";
import { pathsOutside } from "./within.js";

export interface PerformOptions {
  readonly call: Call;
  readonly authority: Authority;
  /** Judged in this order; the first refusal wins. */
  readonly gates: readonly Gate[];
  /** Whether a room declared a failure class; where it is left out, the types have to be trusted. */
  readonly isFailureClass?: (name: string) => boolean;
  /** Told of anything thrown that is not a `Failure`; the envelope carries only its message. */
  readonly onBug?: (error: unknown) => void;
}

export async function perform(
  operation: Operation,
  input: unknown,
  options: PerformOptions,
): Promise<Envelope> {
  // Absent arguments are no arguments: the digest is that of {}.
  const given = input ?? {};
  const warnings: string[] = [];
  const written = writeCanonically(given);
  const unwritable = isRefusal(written);
  const sealing: Sealing = {
    operation,
    // What has no JSON form has no digest; that of null, which no call can have, stands for it.
    canonicalArgs: unwritable ? "null" : written,
    input: given,
    warnings,
  };
  if (unwritable) return sealRefusal(written, sealing);
  const admitted = await admit(operation, given, { ...options, canonicalArgs: written });
  if (isRefusal(admitted)) return sealRefusal(admitted, sealing);
  const sealed = admitted === undefined ? sealing : { ...sealing, admission: admitted };
  const answer = await run(operation, given as JsonObject, { ...options, admission: admitted }, warnings);
  return isRefusal(answer) ? sealRefusal(answer, sealed) : sealPayload(answer, sealed);
}

function writeCanonically(input: unknown): string | Refusal {
  try {
    return canonicalJson(input as JsonValue);
  } catch (error) {
    if (error instanceof Failure) return error.toRefusal();
    throw error;
  }
}

/** Everything that is decided before anything runs: under what a mutation is let through, nothing for a read. */
async function admit(
  operation: Operation,
  input: unknown,
  options: PerformOptions & { readonly canonicalArgs: string },
): Promise<Admission | Refusal | undefined> {
  const { authority, call, gates, canonicalArgs, onBug } = options;
  if (!operation.surfaces.includes(authority.surface)) {
    return refuse("operation_surface_denied", {
      message: `${operation.names.action} is not offered on the ${authority.surface} surface`,
      hint: `It belongs on: ${operation.surfaces.join(", ")}.`,
    });
  }
  const invalid = await checkInput(operation, input, authority.surface);
  if (invalid) return invalid;
  const outside = await pathsOutside(operation, input as JsonObject, call);
  if (outside) return outside;
  let checked: Admission | undefined;
  const argsDigest = () => argsDigestOf(canonicalArgs);
  for (const gate of gates) {
    try {
      const said = await gate.judge({ operation, input: input as JsonObject, authority, call, argsDigest });
      if (isRefusal(said)) return said;
      checked = said ?? checked;
    } catch (error) {
      // A gate that breaks must not let the call through.
      if (error instanceof Failure) return error.toRefusal();
      return bug(error, `gate ${gate.name}`, onBug);
    }
  }
  // Always, whatever list the surface brings.
  const admission = lastWord({ operation, authority }, checked);
  if (isRefusal(admission)) return admission;
  return call.signal.aborted ? aborted(operation) : admission;
}

async function run(
  operation: Operation,
  input: JsonObject,
  { call, admission, isFailureClass, onBug }: PerformOptions & { readonly admission: Admission | undefined },
  warnings: string[],
): Promise<JsonValue | Refusal> {
  const watched: Call = {
    ports: call.ports,
    signal: call.signal,
    cwd: call.cwd,
    env: call.env,
    ...(call.within === undefined ? {} : { within: call.within }),
    ...(call.issuesPath === undefined ? {} : { issuesPath: call.issuesPath }),
    ...(call.surfacePath === undefined ? {} : { surfacePath: call.surfacePath }),
    warn(sentence) {
      warnings.push(sentence);
      call.warn(sentence);
    },
    progress: (report) => call.progress(report),
    ...(call.stdin ? { stdin: () => call.stdin!() } : {}),
    ...(call.remark ? { remark: (words: string) => call.remark!(words) } : {}),
    ...(call.emit ? { emit: (item: JsonValue, text?: string) => call.emit!(item, text) } : {}),
    ...(call.kept ? { kept: call.kept } : {}),
    ...(admission === undefined ? {} : { admission }),
    ...(call.wantsJson === undefined ? {} : { wantsJson: call.wantsJson }),
  };
  try {
    const answer: unknown = await operation.run(input as Parameters<Operation["run"]>[0], watched);
    if (isRefusal(answer) && (isFailureClass?.(answer.refused) ?? true)) return answer;
    return (await checkOutput(operation, answer)) ?? (answer as JsonValue);
  } catch (error) {
    if (error instanceof Failure) return error.toRefusal();
    if (call.signal.aborted && isAbort(error, call.signal)) return aborted(operation);
    return bug(error, operation.names.action, onBug);
  }
}

function aborted(operation: Operation): Refusal {
  return refuse("aborted", { message: `${operation.names.action} was stopped before it was done` });
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === "AbortError");
}

function bug(error: unknown, where: string, onBug: PerformOptions["onBug"]): Refusal {
  onBug?.(error);
  const said = error instanceof Error ? error.message : String(error);
  return refuse("internal_error", {
    message: `${where} went wrong: ${said.split("\n", 1)[0] || "no message"}`,
    hint: "This is a bug in Bridle; run again with BRIDLE_DEBUG=1 to see where.",
  });
}
