/** issue_event_replay_cache: refs are recomputed, and a cache entry counts only when it has both. */
import { isJsonObject, vectorDigest } from "@bridle/record";
import { accepted, type Evaluator, rejected } from "./types.js";

export const evaluateReplayCache: Evaluator = async (artifacts) => {
  const { events = [], snapshot = {}, eventStreamRef, snapshotRef, cacheEntry, expectedCacheHit } = artifacts;
  const eventRef = vectorDigest("ev1_", events);
  const issuesRef = vectorDigest("iss1_", snapshot);
  if ((eventStreamRef ?? eventRef) !== eventRef || (snapshotRef ?? issuesRef) !== issuesRef) {
    return rejected("issue_event_replay_ref_mismatch");
  }
  const hit =
    isJsonObject(cacheEntry) &&
    cacheEntry["eventStreamRef"] === eventRef &&
    cacheEntry["snapshotRef"] === issuesRef &&
    ["eventsPath", "issuesPath"].every((name) => (artifacts[name] ?? cacheEntry[name]) === cacheEntry[name]);
  if (typeof expectedCacheHit === "boolean" && expectedCacheHit !== hit) {
    return rejected("issue_event_replay_cache_hit_mismatch");
  }
  return accepted;
};
