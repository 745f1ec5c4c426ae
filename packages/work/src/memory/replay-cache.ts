/**
 * The replay cache: what the last replay made of which stream, so that the next
 * one can see that there is nothing to do.
 *
 * It is a hint. One that cannot be read is forgotten, and one that cannot be
 * written is no failure of the replay.
 */
import { Document, Failure, type Ports } from "@bridle/record";
import * as Type from "typebox";
import { Check } from "typebox/schema";

export const replayCacheSchema = "issue.replay.cache.v1";

/** `replay-cache.json` beside the issues. */
export const ReplayCache = Type.Object(
  {
    schema: Type.Literal(replayCacheSchema),
    eventsPath: Type.String({ minLength: 1, description: "The stream." }),
    issuesPath: Type.String({ minLength: 1, description: "The issues." }),
    eventStreamRef: Type.String({ pattern: "^ev1_", description: "Digest of the stream." }),
    snapshotRef: Type.String({ pattern: "^iss1_", description: "Digest of the issues that came of it." }),
    eventCount: Type.Integer({ minimum: 0, description: "How many events there were." }),
    issueCount: Type.Integer({ minimum: 0, description: "How many issues came of them." }),
  },
  { title: "Issue replay cache", description: "What the last replay of an event stream came to." },
);
export type ReplayCache = Type.Static<typeof ReplayCache>;

const members = [
  "schema",
  "eventsPath",
  "issuesPath",
  "eventStreamRef",
  "snapshotRef",
  "eventCount",
  "issueCount",
] as const;

interface CachePlace {
  readonly path: string;
  readonly ports: Ports;
  readonly signal?: AbortSignal;
}

/** Nothing is replayed when the same stream made the issues that are there now. */
export function isHit(
  cache: ReplayCache | undefined,
  now: Pick<ReplayCache, "eventsPath" | "issuesPath" | "eventStreamRef"> & { readonly snapshotRef?: string },
): cache is ReplayCache {
  return (
    cache !== undefined &&
    cache.eventsPath === now.eventsPath &&
    cache.issuesPath === now.issuesPath &&
    cache.eventStreamRef === now.eventStreamRef &&
    cache.snapshotRef === now.snapshotRef
  );
}

/** Undefined when there is none, or none that can be read. */
export async function readCache(place: CachePlace): Promise<ReplayCache | undefined> {
  try {
    return await (await open(place)).read();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** Why it could not be written, in a sentence. A file that is no cache may be somebody's: it is left alone. */
export async function writeCache(place: CachePlace, cache: ReplayCache): Promise<string | undefined> {
  try {
    const document = await open(place);
    await document.change(() => cache);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

function open(place: CachePlace): Promise<Document<ReplayCache>> {
  return Document.open<ReplayCache>({
    ...place,
    members,
    check(value) {
      if (Check(ReplayCache, value)) return value;
      throw new Failure("document_invalid", { message: `${place.path} is no replay cache` });
    },
  });
}
