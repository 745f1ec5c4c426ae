/**
 * The rows of a tape: `bridle.tape.v1`, one JSON object a line.
 *
 * A row says which call of which session it is, what was asked and what came
 * back. Of the request it holds what is new since the call before: `shared`
 * messages were there already, and settings that did not change are left out. So
 * a tape grows with what was said, and not with its square.
 *
 * Every row carries its own digest and that of the row before it in its session,
 * so a row that was changed or taken out is noticed. Rows lost from the end leave
 * a chain that is sound; that is what the `end` row is for.
 */
import { digest, Failure, type JsonObject, type Refusal } from "@bridle/record";
import { Compile, type Validator } from "typebox/compile";
import type { ModelResponse } from "../types.js";
import { TapeRowSchema } from "./schema.js";

export const tapeKind = "bridle.tape.v1";

interface RowHead {
  readonly session: string;
  /** Digest of the row before it in the session. */
  readonly previous: string | null;
  readonly digest: string;
}

export interface CallRow extends RowHead {
  readonly kind: "call";
  /** From 1. */
  readonly call: number;
  /** Of the request in its session, where it had one; calls before with this place or a later one are void. */
  readonly place?: number;
  /** Chained over the session's requests; see `requestDigest`. */
  readonly requestDigest: string;
  readonly shared: number;
  /** Those behind the shared ones. */
  readonly messages: readonly JsonObject[];
  /** Left out when they are those of the call before. */
  readonly settings?: JsonObject;
  readonly outcome: Outcome;
}

export type Outcome =
  | { readonly response: ModelResponse }
  /** The call failed; a replay fails in the same way. */
  | { readonly refusal: Refusal };

export interface EndRow extends RowHead {
  readonly kind: "end";
  /** How many calls there were. */
  readonly calls: number;
  /** Of the last request that counts; calls with a later one are void. */
  readonly place?: number;
}

export type TapeRow = CallRow | EndRow;

/** Distributive, so that each kind of row keeps its own members. */
type Unsealed<Row> = Row extends TapeRow ? Omit<Row, "digest"> : never;

export function sealRow(row: Unsealed<TapeRow>): { readonly row: JsonObject; readonly digest: string } {
  const { kind, ...members } = row;
  const body = JSON.parse(JSON.stringify({ tape: tapeKind, row: kind, ...members })) as JsonObject;
  const sealed = digest("tape1_", body);
  return { row: { ...body, digest: sealed }, digest: sealed };
}

/** Checks the row by itself; whether it follows the one before is for the reader of the session. */
export function readRow(value: JsonObject, where: string): TapeRow {
  const { digest: given, ...body } = value;
  if (body["tape"] !== tapeKind)
    throw notARow(where, `its tape member is ${JSON.stringify(body["tape"])}, expected "${tapeKind}"`);
  if (given !== digest("tape1_", body)) throw notARow(where, "it was changed after it was written");
  if (!(check ??= Compile(TapeRowSchema)).Check(value))
    throw notARow(where, "it is no row that this version knows");
  const { tape: _, row: kind, ...members } = body;
  return { kind, ...members, digest: given } as unknown as TapeRow;
}

let check: Validator | undefined;

function notARow(where: string, why: string): Failure {
  return new Failure("tape_invalid", {
    message: `${where}: ${why}`,
    hint: "Record it again; a tape is not edited.",
  });
}
