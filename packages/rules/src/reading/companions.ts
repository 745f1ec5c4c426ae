/**
 * Files that go with others: tests and snapshots of a part, the lockfile of a
 * manifest, the changelog of a package.
 *
 * What a newcomer gets wrong: that a file is a test excuses nothing. It has to be
 * the test of what is worked on, by its name, its folder, or the folder beside.
 */
import { baseName, cleanPath, folderOf, isGlob } from "./scope-paths.js";
import { stemOf, wordsOf } from "./stems.js";

/** A file, a folder or a glob that is worked on. */
export interface Part {
  /** Folders that tell something, the workspace's member aside. */
  readonly folders: readonly string[];
  /** Words of a file's name; none for a folder or a glob. */
  readonly name: readonly string[];
  /** `packages/web` of what lies below it. */
  readonly member: string | undefined;
  /** All of it, cleaned; the part before a star. */
  readonly place: string;
  readonly isFile: boolean;
  /** What tests feed on; its name tells little. */
  readonly isData: boolean;
}

const lockfile =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|go\.work\.sum|bun\.lockb?|Package\.resolved|packages\.lock\.json|gradle\.lockfile|\.terraform\.lock\.hcl|[\w.-]+\.lock)$/i;
const changelog =
  /(?:^|\/)(?:(?:changelog|changes|history|news|release[-_]?notes|unreleased)(?:[-_.]?v?\d[\w.-]*|[-_][\w-]+)?(?:(?:\.[a-z]{2})?\.(?:md|mdx|markdown|txt|rst|adoc|org|ya?ml))?|(?:\.changeset|\.changes|changelog\.d|changelogs?|newsfragments|changes\.d|changes|unreleased)\/[^/]+\.(?:md|txt|rst|ya?ml|json|\w*(?:feature|bugfix|misc|doc|removal)))$/i;
const tested =
  /(?:^|\/)(?:tests?|specs?|__tests__|__snapshots__|__image_snapshots__|__mocks__|__fixtures__|fixtures|snapshots|goldens?|e2e|testdata|cypress)\/|(?:[._-](?:test|spec|tests|snap|cy|e2e)\.[\w.]+|_(?:test|spec)\.\w+|\.snap)$|(?:^|\/)(?:test_[^/]+|conftest\.py)$/i;
const testedByCase = /(?<=[a-z0-9])(?:Tests?|Spec|IT)\.\w+$|(?:^|\/)\w*Tests\//;

/** Whether it is a test, a snapshot, a lockfile or a changelog of one of the parts. */
export function goesWith(path: string, parts: readonly Part[], about: ReadonlySet<string>): boolean {
  const clean = cleanPath(path);
  if (lockfile.test(clean)) return parts.some((part) => isBeside(folderOf(clean), part));
  if (changelog.test(clean)) return parts.some((part) => isBeside(homeOf(clean), part));
  if (!(tested.test(clean) || testedByCase.test(clean))) return false;
  const test = partOf(clean);
  return parts.some((part) => isTestOf(test, part, about));
}

/** A part lies in the folder or below, or the folder in the part. */
function isBeside(folder: string, { place }: Part): boolean {
  if (folder === "" || folder.startsWith("/") !== place.startsWith("/")) return true;
  return place === folder || place.startsWith(`${folder}/`) || folder.startsWith(`${place}/`) || place === "";
}

/** Where the project begins whose changelog it is. */
function homeOf(path: string): string {
  return folderOf(path).replace(
    /(?:^|\/)(?:docs?|documentation|\.changeset|\.changes|changelog\.d|changelogs?|newsfragments|changes\.d|changes|unreleased)(?:\/.*)?$/i,
    "",
  );
}

// --- Tests -----------------------------------------------------------------------------------------

function isTestOf(test: Part, part: Part, about: ReadonlySet<string>): boolean {
  if (test.member !== undefined && part.member !== undefined && test.member !== part.member) return false;
  const telling = new Set([...part.folders, ...part.name, ...nameOfMember(part)]);
  // `src/` and `src/index.ts` are of everything around them, and so are their tests.
  const isAll = part.folders.length === 0 && part.name.length === 0;
  if (isAll && (part.member === undefined || part.member === test.member)) return true;
  const own = part.name.filter((word) => !vague.has(word));
  const isElsewhere = test.folders.length > 0 && !test.folders.some((word) => telling.has(word));
  if (isElsewhere) return own.length > 0 && own.every((word) => test.name.includes(word));
  const last = test.folders.at(-1);
  const home = part.folders.at(-1) ?? nameOfMember(part).at(-1);
  if (last !== undefined && (last === home || part.name.includes(last))) return true;
  if (test.name.length === 0 || test.isData || test.name.join(" ") === part.name.join(" ")) return true;
  const fitting = [...own, ...part.folders, ...(part.isFile ? [] : nameOfMember(part))];
  return test.name.some((word) => !vague.has(word) && (fitting.includes(word) || about.has(word)));
}

function nameOfMember({ member = "" }: Part): string[] {
  return telling(baseName(member));
}

const stemsOf = (words: string) => new Set(words.split(" ").map(stemOf));
const anyFolder = stemsOf(
  "src lib libs app apps packages pkg test tests spec specs internal cmd crates source sources main java kotlin python ruby js ts unit integration e2e functional acceptance snapshots fixtures testdata mocks golden goldens image cypress support data cases regression system modules services plugins components com org net io github",
);
const anyTest = stemsOf(
  "test tests spec specs regression regressions integration unit e2e helper helpers setup fixture fixtures smoke basic edge case cases golden conftest index main all common util utils snap snapshot snapshots mod lib init it",
);
/** Two files may share one and have nothing to do with each other. */
const vague = stemsOf(
  "service services controller component handler handlers manager model models view views client server store page pages type types config api cli util utils helper helpers index main base core data new old add fix make update change remove file files use value code the run get set",
);

/** A path as what it is part of; of a test, what it tests. */
export function partOf(path: string): Part {
  const clean = cleanPath(path);
  const all = clean.split("/");
  const star = all.findIndex(isGlob);
  const steps = star < 0 ? all : all.slice(0, star);
  const isFile =
    !path.endsWith("/") && star < 0 && /[^/]\.\w+$|^[A-Z]\w*file$|^[A-Z]+$/.test(baseName(clean));
  const folders = isFile ? steps.slice(0, -1) : steps;
  const at = folders.findIndex((each) => members.test(each));
  const member = at < 0 || folders[at + 1] === undefined ? undefined : folders.slice(at, at + 2).join("/");
  const inner = member === undefined ? folders : [...folders.slice(0, at), ...folders.slice(at + 2)];
  return {
    folders: inner.flatMap(telling).filter((word) => !anyFolder.has(word)),
    name: isFile ? telling(subjectOf(baseName(clean))).filter((word) => !anyTest.has(word)) : [],
    ...{
      member,
      place: steps.join("/"),
      isFile,
      isData: /(?:^|\/)(?:__)?(?:fixtures|testdata|mocks)(?:__)?\//.test(clean),
    },
  };
}

const members = /^(?:packages|apps|crates|services|libs|modules|plugins)$/;

/** `Picker` of `Picker.test.tsx.snap`. */
function subjectOf(name: string): string {
  return name
    .replace(/\.snap$/i, "")
    .replace(/\.[A-Za-z]\w*$/, "")
    .replace(/\.(?:test|spec|cy|e2e)$/i, "");
}

function telling(step: string): string[] {
  const spaced = step
    .replace(/[/_.@*()[\]-]+/g, " ")
    .replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, " ")
    .replace(/(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ");
  return wordsOf(spaced).map(stemOf);
}
