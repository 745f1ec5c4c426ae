/**
 * The manual of `bridle init`: it changes files, and remembers them as they were.
 *
 *     look at the place ─▶ changes (before, after) ─▶ record ─▶ apply one after the other ─▶ open the lane
 *
 * All changes are known before the first is made, and the record that holds both sides of each is
 * written first. So whoever is interrupted leaves every file old or new, a second init goes on from
 * the record, and an undo knows the bytes.
 */

/** One file, from these bytes to those. */
export interface Change {
  /** Absolute. */
  readonly path: string;
  /** Undefined where there was no file. */
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array;
  /** For the plan that is shown. */
  readonly says: string;
}

/** What is worth saying before and after, besides the changes. */
export interface Plan {
  /** The folder that is made ready. */
  readonly top: string;
  readonly changes: readonly Change[];
  /** The lane that clients act under is opened. */
  readonly opensLane: boolean;
  /** Commands of the first map of checks; empty where nothing was found or one is there. */
  readonly checks: readonly string[];
  readonly notes: readonly string[];
}
