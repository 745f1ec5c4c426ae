/** Every way that the market room says no, one line each; how classes work is told in record's failures.ts. */
export const failures = {
  // Replay packs.
  interval_unexpected: "Rows of market data stand further apart than an hour.",
  funding_out_of_range: "A funding rate is beyond what the exchange pays in an hour.",
  premium_out_of_range: "A premium is more than half of the price.",
  price_out_of_range: "A price is ten times that of the hour before, or a tenth.",
  market_spelling: "A market is not spelled as the exchange spells it.",
  market_elsewhere: "A market is spelled with the currency it is quoted in, as other venues spell theirs.",

  // Market facts.
  market_row_invalid: "A row of a source cannot be read as a market fact; nothing was loaded.",
  market_rows_conflict: "Two rows of the sources disagree about one fact; nothing was loaded.",
  market_sources_mixed: "Real and synthetic market facts would stand in the same tables.",
  market_source_invalid: "The file is not a source that market facts can be read from.",
  market_engine_missing: "The SQL engine that answers questions is not installed.",
  warehouse_refused:
    "BigQuery did not take the question: no rights, no such project or dataset, or a bad statement.",
  warehouse_over_cap: "The question would read more bytes of BigQuery than it may.",
  warehouse_unreachable: "BigQuery could not be reached.",
  market_source_changed: "The file changed while it was being read.",
  info_unreachable: "The exchange's info endpoint cannot be reached.",
  info_refused: "The exchange's info endpoint refused the request.",
  info_rate_limited: "The exchange's info endpoint asks for fewer requests than we can wait for.",
  info_answer_invalid: "The exchange's info endpoint gave an answer that is not what was asked for.",
} as const satisfies Record<string, string>;

type Declared = typeof failures;

declare module "@bridle/record" {
  interface FailureClasses extends Declared {}
}
