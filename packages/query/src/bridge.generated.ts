/** Written by scripts/query-texts.mjs; never by hand. */
/** Of the templates in both forms, the examples and the names of coins, as they were when this was written. */
export const bridgeDigest = "qb1_8c103f3456f1de448381997ebca3695080a0cbbb4f1128ddd6182f4397eaa480";
export const exampleCount = 1175;
