/** A source that questions are put to: one engine, asked in templates only. */
import type { MarketSource, NamedValues, SelectAnswer } from "@bridle/market";

export interface TableFacts {
  readonly rows: number;
  readonly firstHour: number;
  readonly lastHour: number;
  /** How many rows carry each optional column. */
  readonly columns: Readonly<Record<string, number>>;
}

export interface SourceFacts {
  readonly tables: {
    readonly [Table in "candle" | "funding" | "asset_context" | "fill" | "liquidation"]?: TableFacts;
  };
  readonly markets: readonly string[];
  /** Everything before this hour is over at the source. */
  readonly asOfHour: number;
}

/** Contract: `run` executes the committed text of that name and nothing else. */
export interface QuestionSource {
  readonly kind: "synthetic" | "files" | "info" | "bigquery";
  /** As it is said in an answer, without a folder of this machine. */
  readonly name: string;
  readonly synthetic: boolean;
  readonly sources: readonly MarketSource[];
  readonly engine: string;
  facts(): Promise<SourceFacts>;
  run(template: string, values: NamedValues): Promise<SelectAnswer>;
  /** Why this source cannot have a table, where that is more than that it is empty. */
  why?(table: string): string | undefined;
  close(): Promise<void>;
}
