/** What a question gets back, whatever became of it. */
import type { FamilyName, UnsupportedReason } from "../families.js";
import type { Provenance, Window } from "../types.js";

export type Cell = string | number | boolean | null;

export type Status = "answered" | "empty" | "dry_run" | "help" | "unsupported";

export interface CoveredHours {
  readonly from_hour: number;
  readonly to_hour: number;
  readonly from_utc: string;
  /** Not included. */
  readonly to_utc: string;
}

export interface RenderedSql {
  readonly template: string;
  readonly text: string;
  readonly parameters: Readonly<Record<string, Cell | readonly string[]>>;
  readonly coin?: string;
}

export interface Answer {
  readonly status: Status;
  readonly question: string;
  /** One sentence: what was computed, over which hours, from which source. */
  readonly summary: string;
  readonly family: FamilyName | null;
  readonly confidence: number | null;
  /** Of `unsupported`. */
  readonly reason: UnsupportedReason | null;
  /** The nearest that can be asked, or something that can be. */
  readonly suggestion: string | null;
  readonly synthetic: boolean | null;
  readonly source: { readonly kind: string; readonly name: string; readonly engine: string } | null;
  readonly window: Window | null;
  readonly hours: CoveredHours | null;
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, Cell>>[];
  /** Of a dry run: what would be executed. */
  readonly sql: readonly RenderedSql[];
  readonly provenance: Provenance;
}
