/** Written by scripts/query-texts.mjs; never by hand. */
/** Of the templates in both forms, the examples, what was learned from them and the names of coins, as they were when this was written. */
export const bridgeDigest = "qb2_71f98397a666ccf2f3cf72e213b0d51fd24ed3fb26edab835b883cda76583438";
export const exampleCount = 6695;
