/**
 * An `index.ts` names what somebody in another room, a test, a bench, a script or a guide uses.
 *
 * A name counts as used where it stands in a file that has to do with the room. That is generous: a
 * word of a comment will do. What nobody even mentions is not needed outside.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** For our users' tests as well as ours: the whole of it is offered. */
const offeredWhole = ["testing"];
/** Looked up by their name by scripts/schemas.mjs. */
const lookedUp = ["artifactKinds", "envelopeSchemaName"];
/** What the rooms are for that are being built now. */
const soonUsed = [
  ...["addIssue", "newStep", "engineFor", "fileEngine"],
  // Retry and escalation, by the runner.
  ...["attempts", "escalate", "issueInContext", "loadRetryPolicy", "retryPolicyDefault"],
  ...["statedClasses", "failureClassesOf", "witnessClasses"],
];

const rooms = readdirSync(path.join(root, "packages")).filter((room) => !offeredWhole.includes(room));
const texts = new Map(
  [
    ...readdirSync(path.join(root, "packages")).map((room) => `packages/${room}/src`),
    ...["test", "bench", "scripts", "docs/guides", "examples"],
  ]
    .flatMap(filesUnder)
    .concat("README.md")
    .map((file) => [file, readFileSync(path.join(root, file), "utf8")] as const),
);

function filesUnder(folder: string): string[] {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:m?ts|mjs|md)$/.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .filter((file) => file !== path.relative(root, fileURLToPath(import.meta.url)));
}

function namesOf(room: string): string[] {
  const index = texts.get(`packages/${room}/src/index.ts`) ?? "";
  return [...index.matchAll(/^export (?:type )?\{([^}]*)\} from /gm)]
    .flatMap(([, list = ""]) => list.split(","))
    .map(
      (name) =>
        name
          .trim()
          .replace(/^type /, "")
          .split(" as ")
          .at(-1) ?? "",
    )
    .filter((name) => name !== "");
}

/** Every word of the files outside of a room that have to do with it. */
function wordsAbout(room: string): Set<string> {
  const about = [...texts].filter(
    ([file, text]) =>
      !file.startsWith(`packages/${room}/`) &&
      (file.endsWith(".md") || text.includes(`bridle/${room}"`) || text.includes(`packages/${room}/`)),
  );
  return new Set(about.flatMap(([, text]) => text.match(/[A-Za-z_$][\w$]*/g) ?? []));
}

describe("what rooms offer", () => {
  it.each(rooms)("every name in the index of %s is used outside of it", (room) => {
    const words = wordsAbout(room);
    const needless = namesOf(room).filter(
      (name) => !words.has(name) && !lookedUp.includes(name) && !soonUsed.includes(name),
    );
    expect(needless).toEqual([]);
  });

  it("was looked at: the indexes have names", () => {
    expect(rooms.flatMap(namesOf).length).toBeGreaterThan(200);
  });
});
