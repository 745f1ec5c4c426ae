/**
 * The contract of the `Files` port, as cases that any implementation can be run through.
 *
 * Each case gets an empty folder of its own and throws when the contract does
 * not hold. Real disk and simulated disk pass the same ones; a behaviour that is
 * not here is not promised, so code must not lean on it.
 *
 *     for (const each of filesSuite) it(each.name, async () => each.run(await subject()));
 */
import { fileContentCases } from "./files-suite-content.js";
import { fileNameCases } from "./files-suite-names.js";
import type { FilesSubject } from "./files-suite-subject.js";
import { fileWatchCases } from "./files-suite-watch.js";
import type { SuiteCase } from "./types.js";

export const filesSuite: readonly SuiteCase<FilesSubject>[] = [
  ...fileContentCases,
  ...fileNameCases,
  ...fileWatchCases,
];
