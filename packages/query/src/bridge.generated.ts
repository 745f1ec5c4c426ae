/** Written by scripts/query-texts.mjs; never by hand. */
/** Of the templates in both forms, the examples and the names of coins, as they were when this was written. */
export const bridgeDigest = "qb1_591de3d7a5659f637ae679cb32df245c1e3e5955190568254c47d29e308c18e0";
export const exampleCount = 5925;
