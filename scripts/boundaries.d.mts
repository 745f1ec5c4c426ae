/** The types of boundaries.mjs, for the tests that import it. */
export interface Breach {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export const directions: Readonly<Record<string, readonly string[]>>;
export function findBreaches(root: string): Breach[];
