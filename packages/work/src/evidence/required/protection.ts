/**
 * What a change may not touch without a person: files that decide how its checks judge, and
 * tests that were there before.
 *
 * New tests are welcome. A test that the issue declared before it was claimed may be changed:
 * then somebody said so while nobody was at work on it. The map itself is always protected.
 */
import { isJsonObject, type JsonValue } from "@bridle/record";
import { type CheckMap, checkMapPath, splitMember } from "./check-map.js";
import { matchesAny, matchesPattern } from "./path-pattern.js";

/** A path that differs between two commits. A rename is a deletion and an addition. */
export interface ChangedPath {
  readonly path: string;
  readonly how: "added" | "changed" | "deleted";
}

export interface Tampered {
  readonly path: string;
  /** The entry of the map, or `tests`. */
  readonly by: string;
}

/** Text of a file on either side; undefined where it is not there. */
export type SidesOf = (
  path: string,
) => Promise<readonly [before: string | undefined, after: string | undefined]>;

/** Which entry protects a path, leaving aside which of its members changed; and whether it is a test. */
export function protectionOf(map: CheckMap, path: string) {
  return { protectedBy: entriesFor(map, path)[0] ?? null, isTest: matchesAny(map.tests ?? [], path) };
}

/** In the order of the paths. */
export async function tamperedPaths(
  map: CheckMap,
  changes: readonly ChangedPath[],
  { declared, sidesOf }: { readonly declared: readonly string[]; readonly sidesOf: SidesOf },
): Promise<Tampered[]> {
  const found: Tampered[] = [];
  for (const change of changes) {
    const by = (await protectingEntry(map, change, sidesOf)) ?? changedTest(map, change, declared);
    if (by !== undefined) found.push({ path: change.path, by });
  }
  return found;
}

function changedTest(
  map: CheckMap,
  { path, how }: ChangedPath,
  declared: readonly string[],
): string | undefined {
  if (how === "added" || declared.includes(path)) return undefined;
  return matchesAny(map.tests ?? [], path) ? "tests" : undefined;
}

async function protectingEntry(
  map: CheckMap,
  { path }: ChangedPath,
  sidesOf: SidesOf,
): Promise<string | undefined> {
  for (const entry of entriesFor(map, path)) {
    const { member } = splitMember(entry);
    if (member === undefined) return entry;
    const [before, after] = await sidesOf(path);
    if (memberText(before, member) !== memberText(after, member)) return entry;
  }
  return undefined;
}

function entriesFor(map: CheckMap, path: string): string[] {
  return [checkMapPath, ...map.protected].filter((entry) => matchesPattern(splitMember(entry).pattern, path));
}

/** As JSON; a file that is no JSON counts as a whole, so that breaking it is no way around. */
function memberText(source: string | undefined, member: string): string {
  if (source === undefined) return "absent";
  try {
    let value: JsonValue | undefined = JSON.parse(source) as JsonValue;
    for (const name of member.split(".")) value = isJsonObject(value) ? value[name] : undefined;
    return value === undefined ? "absent" : `json ${JSON.stringify(value)}`;
  } catch {
    return `text ${source}`;
  }
}
