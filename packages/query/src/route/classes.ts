/**
 * What a question can turn out to be: one of the families, a call for help, or one of
 * the reasons why there is no answer here. Reasons are classes like any other, with
 * labelled examples of their own; only `unclear` has none, because it is what remains
 * when no class is likely.
 */
import { type FamilyName, familyNames, type UnsupportedReason, unsupportedReasons } from "../families.js";

export type ClassName = FamilyName | "help" | Exclude<UnsupportedReason, "unclear">;

export const reasonNames = Object.keys(unsupportedReasons).filter(
  (name): name is Exclude<UnsupportedReason, "unclear"> => name !== "unclear",
);

/** In the order of the columns of the weights. */
export const classNames: readonly ClassName[] = [...familyNames, "help", ...reasonNames];
