/** Every way that the query room says no, one line each; how classes work is told in record's failures.ts. */
export const failures = {
  query_coin_unknown: "The source has no market of that name.",
  query_account_unknown: "The source has no account whose address begins so.",
  query_account_ambiguous: "More than one account's address begins so.",
  query_account_missing: "The question is about an account and names none.",
  query_as_of_invalid: "The time that the question is asked as of lies before the source's data.",
  query_contradiction: "The question asks for what cannot be true at once.",
  query_source_invalid: "The source of a question cannot be used.",
} as const satisfies Record<string, string>;

type Declared = typeof failures;

declare module "@bridle/record" {
  interface FailureClasses extends Declared {}
}
