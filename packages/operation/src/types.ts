/**
 * The manual of this room: what an operation is, and what a call goes through.
 *
 * Everything that Bridle can do from outside is an operation. The command line,
 * the MCP server, the Scheme host calls and the HTTP API are made from one table
 * of them, so that they cannot drift apart, and a mutation is gated in one place.
 *
 *     validate → gate → run → envelope
 */
import type { FailureClass, JsonObject, JsonValue, Ports, Refusal } from "@bridle/record";
import type { Static, TObject, TSchema } from "typebox";
import type { needs } from "./needs.js";

export type Effect = "read" | "mutate";
export type Surface = "cli" | "mcp" | "scheme" | "http";
/**
 * Which launcher's contract froze the command; `bridle` runs all of ours. Operations of
 * somebody's own belong to the program that is made of them, see `runProgram`.
 */
export type Family = "premath" | "hlq" | "bridle" | (string & {});

/**
 * What a call must bring where no person answers for it; what each means is told in docs/guides/how-a-change-becomes-done.md.
 *
 * - `nothing`: reads, checkers, search, chat and agent.
 * - `instruction`: a lane, a run or a witness that allows the action.
 * - `evidence`: that, and a turn of tool use that is closed.
 * - `verified-change`: that, and checks that the harness ran on the commit; ephemeral issues aside.
 * - `own-envelope`: an instruction envelope that the base commit holds.
 * - `person`: nobody else, whatever they bring.
 */
export type Needs = (typeof needs)[number];

/** An input that asks for more than the operation does: any value of it, or this one. */
export interface NeedsWhen {
  readonly input: string;
  readonly is?: string;
  readonly needs: Needs;
}

/** All the names of one operation. No two operations share any of them. */
export interface OperationNames {
  /** RUNTIME §8, e.g. `op/harness.session_write`. */
  readonly id: `op/${string}`;
  /** TUSK §14, e.g. `harness.session.write`. */
  readonly action: string;
  /** The words after the launcher, e.g. `["harness-session", "write"]`. */
  readonly command: readonly string[];
  /** The MCP tool, e.g. `harness_session_write`. */
  readonly tool: string;
  /**
   * Where several operations share a command: the value of `--mode` that means this one, as in
   * `premath observe --mode latest`. Without the flag the first that was declared is meant.
   */
  readonly mode?: string;
  /** Other spellings of the action that a contract froze; they find this operation and name no other. */
  readonly otherActions?: readonly string[];
}

export interface Example {
  /** As typed, with the launcher, e.g. `premath harness-session read --json`. */
  readonly command: string;
  readonly says: string;
}

/**
 * How a property of the input appears on the command line is written on the
 * property's schema as plain JSON Schema annotations, so that it survives into
 * the manifest:
 *
 * - `description`: the help line (required for every property).
 * - `x-flag`: the flag without dashes; default is the kebab-cased name. A
 *   repeatable list is usually named in the singular: `instructionRefs` is
 *   `--instruction-ref`, given once per ref.
 * - `x-position`: 0, 1, … when the command line takes it by position.
 * - `x-yields`: true for a position of a command that has others below it: their words
 *   mean them, and every other word is the value.
 * - `x-placeholder`: what stands for the value in help, e.g. `path`.
 * - `x-bare`: what the flag means on the command line when no value follows it.
 * - `x-short`: one letter that stands for the flag, as `-p` does for `--priority`.
 * - `x-means`: values that people type on a command line, in capitals or not, each
 *   with the members of the input that it stands for: `P0` is priority 0.
 * - `x-brief`: the description in a listing of tools, where one that many of
 *   them share would be read many times; blank where the name says it.
 * - `x-path`: true for a file or a folder, "root" for a folder whose `.premath` is
 *   meant. A caller that is confined to a folder (`Call.within`) is refused every
 *   such value that leads out of it.
 * - `x-cli-only`: true for what a caller from elsewhere must not name, such as a
 *   file of this machine whose content would come back in an answer.
 */
export interface Operation<Input extends TObject = TObject, Output extends TSchema = TSchema> {
  readonly names: OperationNames;
  readonly family: Family;
  readonly effect: Effect;
  /** Every operation that changes something declares it; a read needs nothing and leaves it out. */
  readonly needs?: Needs;
  readonly needsWhen?: readonly NeedsWhen[];
  /** Some belong on the command line only (a log repair, a login). */
  readonly surfaces: readonly Surface[];
  /** One sentence for listings. */
  readonly summary: string;
  readonly description?: string;
  readonly examples: readonly [Example, ...Example[]];
  readonly input: Input;
  readonly output: Output;
  /**
   * An answer whose `result` is "rejected" is a domain failure (exit 1), unless
   * the operation declares that rejecting is one of its two good answers (exit 0).
   */
  readonly rejectionIsAnswer?: boolean;
  /** The class of a call whose input does not fit, where a contract names one; `input_invalid` without it. */
  readonly invalidInput?: FailureClass;
  /**
   * One of the contracts' checkers: on the command line a refusal is the line `class: message`, which
   * programs read, and the exit code is 2; 1 is left for an answer that is a no.
   */
  readonly checker?: true;
  /**
   * The call speaks on stdout itself (a protocol server), so the command line
   * says on stderr how it ended, and not as JSON.
   */
  readonly ownsStdout?: boolean;
  /**
   * Contract: called once, after validation and every gate. Returns the payload,
   * or a refusal when the domain says no and nothing was changed. May throw
   * `Failure` when the outside world broke; anything else thrown is a bug.
   * Must stop soon after `call.signal` is aborted, leaving old or new state.
   */
  run(input: Static<Input>, call: Call): Promise<Unchanged<Static<Output>> | Refusal>;
  /**
   * Contract: pure. The payload as text for a person; lines without colour codes
   * other than through `paint`. Without it the payload is printed as JSON.
   */
  present?(payload: Static<Output>, paint: Paint): string;
}

/** An answer may hand on what it does not own: nobody after it changes it. */
export type Unchanged<Value> = Value extends readonly (infer Item)[]
  ? readonly Unchanged<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Unchanged<Value[Name]> }
    : Value;

/** What the handler may use. Everything that is not the input comes through here. */
export interface Call {
  readonly ports: Ports;
  readonly signal: AbortSignal;
  /** The folder that the caller stands in, absolute; relative paths in the input start here. */
  readonly cwd: string;
  /**
   * The folder that paths in the input must not lead out of, real and absolute; absent for a person at
   * their own machine. What the environment names, and where a worktree's memory is, are the person's
   * choice and not judged by it.
   */
  readonly within?: string;
  /** Issue memory of calls that name none, absolute; absent where it is looked for. */
  readonly issuesPath?: string;
  /** The observation that is told of in calls that name none, absolute; absent where it is made afresh. */
  readonly surfacePath?: string;
  /** The caller's environment; only settings named in the seeds or by us are looked at. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Something that the person should know although the call succeeded; one sentence. */
  warn(sentence: string): void;
  /** Something that belongs to the answer as a person reads it, such as which file changed; a few words. */
  remark?(words: string): void;
  /** All of the standard input; there only on a command line. */
  stdin?(): Promise<Uint8Array>;
  /** For anything that may take over a second. */
  progress(report: Progress): void;
  /**
   * One item of a live view, such as a row that was just appended. There only on
   * surfaces that can show one; await it, so that a slow reader slows the source.
   * `text` is the item as it stands in its file, where its very bytes matter.
   * Where items were emitted they are the answer, and the payload is not printed.
   */
  emit?(item: JsonValue, text?: string): Promise<void>;
  /** There only on surfaces that live on between calls. */
  readonly kept?: Kept;
  /** What the gates admitted a mutation under; put there by the pipeline, never by a surface. */
  readonly admission?: Admission;
  /** On the command line, whether a program reads the answer: for calls that speak on stdout themselves. */
  readonly wantsJson?: boolean;
}

export interface Closable {
  close(): Promise<void>;
}

/** Things that are dear to open and are shared by the calls of a long-lived surface, by name. */
export interface Kept {
  /** Contract: `open` is called when the thing is not there; it is not closed while `use` runs. */
  use<Thing extends Closable, Answer>(
    name: string,
    open: () => Promise<Thing>,
    use: (thing: Thing) => Promise<Answer>,
  ): Promise<Answer>;
}

export interface Progress {
  readonly doing: string;
  readonly done?: number;
  readonly total?: number;
}

/** Colour where the terminal has it; the identity elsewhere. */
export interface Paint {
  strong(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  note(text: string): string;
}

/** Who asks. Gates judge it; handlers see only what they were admitted under. */
export interface Authority {
  readonly surface: Surface;
  /** Who answers for the call; nobody when left out, and then nothing is changed. */
  readonly standing?: Standing;
}

/**
 * - `person`: somebody at their own machine; the policy is open.
 * - `lane`: what a person allowed in advance for this folder; the only open lane when none is named.
 * - `run`: a process that a runner or an agent started; only what that run's own lane allows.
 * - `override`: a person vouches for a client, with a reason and not for long.
 */
export type Standing =
  | { readonly kind: "person" }
  | { readonly kind: "lane"; readonly name?: string; readonly turn?: TurnSoFar }
  | { readonly kind: "run"; readonly id: string; readonly turn?: TurnSoFar }
  | { readonly kind: "override"; readonly reason: string; readonly expiresAtMs: number };

/** What was called over one connection before the call that is judged, and how it was answered. */
export interface TurnSoFar {
  readonly turnId: string;
  /** Who called, as the connection tells it. */
  readonly caller: string;
  readonly calls: readonly CallMade[];
}

export interface CallMade {
  readonly callId: string;
  readonly tool: string;
  /** Absent while it runs. */
  readonly answer?: {
    /** `sha256:` of what was answered. */
    readonly digest: string;
    readonly failure?: { readonly class: string; readonly message: string };
  };
}

export type MutationPolicyName = "open" | "instruction-linked" | "human-override";

/** What a gate checked before it let a mutation through; the envelope carries it. */
export interface Admission {
  readonly mutationPolicy: MutationPolicyName;
  /** `pol1_…` of the policy in force. */
  readonly policyDigest: string;
  /** What told the caller to do this. */
  readonly instructionRef: string;
  readonly witnessRefs?: readonly string[];
  /** What a row that the call writes keeps of this; absent where a person answers. */
  readonly note?: JsonObject;
  /** An instruction that counts once: judged again, and spent, in the row that it lets be written. */
  readonly once?: OnceOnly;
}

export interface OnceOnly {
  readonly instructionId: string;
  readonly issueId: string;
  readonly fence: number;
  readonly action: string;
  /** Of the call: the same one repeated is answered the same. */
  readonly argsDigest: string;
  readonly expiresAtMs: number;
}

export interface GateCall {
  readonly operation: Operation;
  readonly input: JsonObject;
  readonly authority: Authority;
  /** Ports, folder and environment of the call. */
  readonly call: Call;
  /** As the envelope will carry it. */
  argsDigest(): string;
}

/**
 * Contract: `judge` is called in the order of the list, before anything runs; the
 * first refusal ends the call, the last admission holds. It changes nothing and must not throw.
 */
export interface Gate {
  readonly name: string;
  judge(call: GateCall): Promise<Refusal | Admission | undefined>;
}

/** `premath.host_effect.v0`: what every surface but the command line returns whole. */
export interface Envelope {
  readonly schema: "premath.host_effect.v0";
  readonly action: string;
  /** `he1_` and the SHA-256 of the canonical input. */
  readonly argsDigest: string;
  /** `accepted`, or the first failure class. */
  readonly resultClass: string;
  readonly failureClasses: readonly string[];
  /** The operation's payload; on failure `{message, hint?, detail?}`. */
  readonly payload: JsonValue;
  readonly witnessRefs: readonly string[];
  /** Present for every mutation. */
  readonly policyDigest?: string;
  readonly instructionRef?: string;
  /** Sentences from `call.warn`, additive. */
  readonly warnings?: readonly string[];
}
