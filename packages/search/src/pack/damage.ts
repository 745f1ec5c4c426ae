/** What is said of a pack that is not what its manifest says. */
import { Failure } from "@bridle/record";

export function damaged(place: string, what: string, cause?: unknown): Failure {
  return new Failure("pack_damaged", {
    message: `${place}: ${what}`,
    hint: "Packs are never repaired: take another copy, or make the pack anew.",
    cause,
  });
}
