/**
 * The manifest: the table of operations as plain JSON, without the handlers.
 *
 * It is written by the build. Parsing, help, completion and tool listings work
 * from it alone, so that a command loads its own room and no other.
 */
import type { JsonObject } from "@bridle/record";
import type {
  Effect,
  Example,
  Family,
  Needs,
  NeedsWhen,
  Operation,
  OperationNames,
  Surface,
} from "./types.js";

export interface ManifestEntry {
  readonly names: OperationNames;
  readonly family: Family;
  readonly effect: Effect;
  readonly needs: Needs;
  readonly needsWhen?: readonly NeedsWhen[];
  readonly surfaces: readonly Surface[];
  readonly summary: string;
  readonly description?: string;
  readonly examples: readonly Example[];
  /** The input as JSON Schema, with the `x-` annotations of types.ts. */
  readonly input: JsonObject;
  readonly rejectionIsAnswer?: true;
  /** Whose module holds the handler. */
  readonly room: string;
}

export type FailuresByRoom = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface Manifest {
  readonly manifestKind: "bridle.manifest.v1";
  /** Of Bridle. */
  readonly version: string;
  /** Every failure class with its sentence, by the room that declares it. */
  readonly failures: FailuresByRoom;
  /** By room, and within a room as it declares them. */
  readonly operations: readonly ManifestEntry[];
}

export function manifestEntry(operation: Operation, room: string): ManifestEntry {
  const { names, family, effect, surfaces, summary, description, examples, input, rejectionIsAnswer } =
    operation;
  const { needs = "nothing", needsWhen } = operation;
  const entry = {
    names,
    family,
    effect,
    needs,
    ...(needsWhen === undefined ? {} : { needsWhen }),
    surfaces,
    summary,
    ...(description === undefined ? {} : { description }),
    examples,
    input,
    ...(rejectionIsAnswer ? { rejectionIsAnswer: true as const } : {}),
    room,
  };
  // Through text and back: only what JSON carries may be relied on.
  return JSON.parse(JSON.stringify(entry)) as ManifestEntry;
}
