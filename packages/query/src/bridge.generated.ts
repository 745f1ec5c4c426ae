/** Written by scripts/query-texts.mjs; never by hand. */
/** Of the templates in both forms, the examples, what was learned from them and the names of coins, as they were when this was written. */
export const bridgeDigest = "qb2_d91594f1fe657380032fb72e9a1af91b33406f37ad36ec9fe2036f76df8570d4";
export const exampleCount = 6695;
