/** Optional text as the contracts want it: trimmed, and absent when nothing is left. */
export function optionalText(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === "" ? undefined : trimmed;
}

/** A value in a sentence, short enough to be read. */
export function quoted(value: unknown): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
