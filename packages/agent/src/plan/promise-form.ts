/**
 * How a form of words is written down.
 *
 * What a newcomer gets wrong: `\b` knows only the letters of English.
 */
import type { Form } from "./promise-forms.js";

/** Every way to change a file. */
export const changes: readonly string[] = ["write", "create", "delete", "rename"];

/** Whole words of any alphabet. */
export function form(
  words: string,
  actions: readonly string[],
  object: Form["object"],
  more: { readonly glued?: true } = {},
): Form {
  const source = more.glued === true ? words : `(?<![\\p{L}\\p{N}_])(?:${words})(?![\\p{L}\\p{N}_])`;
  return { form: new RegExp(source, "iu"), actions, object, abroad: true };
}
