/** What tells one mistake from another, in every run on the same sources: where it is and what it puts there. */
export function keyOf({ fileName, location, mutatorName, replacement }) {
  return JSON.stringify([fileName, location, mutatorName, replacement]);
}
