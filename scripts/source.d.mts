/** The types of source.mjs, for the tests that import it. */
export function blankText(source: string): string;
