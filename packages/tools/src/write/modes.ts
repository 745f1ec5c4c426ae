/** How write_file treats what is there; without a word it only makes new files. */
export const writeModes = ["create", "overwrite", "append"] as const;
export type WriteMode = (typeof writeModes)[number];

export function isWriteMode(value: unknown): value is WriteMode {
  return writeModes.some((mode) => mode === value);
}
