/**
 * R-SCOPE-CREEP: a file changed that lies outside the paths that the issue declares.
 *
 * What a newcomer gets wrong: without declared paths nothing is out of scope. Tests,
 * fixtures, lockfiles and changelogs go with any work, and so does a file that the ask
 * itself names.
 */
import { fileName, pathTest } from "../paths.js";
import { changesOf } from "../reading/changes.js";
import type { Detector, Finding } from "../types.js";

const goesAlong =
  /(?:^|\/)(?:__)?(?:tests?|specs?|fixtures|snapshots|goldens?|testdata|mocks|e2e)(?:__)?\/|[._-](?:test|spec|snap|cy|e2e)\.|(?:^|\/)(?:test_|conftest)|(?:Tests?|Spec)\.\w+$|[-.]lock(?:file|b)?(?:\.\w+)?$|\/?(?:go\.sum|npm-shrinkwrap\.json)$|(?:^|\/)\.?(?:changelog|changes|changeset|history|news|release|unreleased)/i;

export const scopeCreep: Detector = {
  begin({ text, declaredPaths = [] }) {
    const declared = declaredPaths.map(withoutLines).filter((path) => path !== "");
    if (declared.every((path) => path.startsWith("!"))) return {};
    const isDeclared = pathTest(declared);
    const told = new Set<string>();
    return {
      ran(call, outcome): Finding | undefined {
        const changes = changesOf(call, outcome);
        if (changes === "anything") return undefined;
        const isOutside = (each: string) =>
          !isDeclared(each) && !isElsewhere(each) && !goesAlong.test(each) && !text.includes(fileName(each));
        const path = changes.find((each) => isOutside(each) && !told.has(each));
        if (path === undefined) return undefined;
        told.add(path);
        return {
          what: `${path} was changed, which is outside the declared paths (${declared.join(", ")}).`,
          remedy: `Leave ${path} as it was, and report what you noticed there instead.`,
        };
      },
    };
  },
};

/** `src/a.ts:10-20` and `src/a.ts#L3` are `src/a.ts`. */
function withoutLines(path: string): string {
  return path.trim().replace(/:\d+(?:[-:]\d+)?$|#L\d+.*$/, "");
}

/** From the root of the machine, or above the workspace: whether that is a declared path cannot be told. */
function isElsewhere(path: string): boolean {
  return /^(?:\/|~|\.\.|[A-Za-z]:)/.test(path);
}
