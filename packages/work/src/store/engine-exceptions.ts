/** Where an operation says something else on a store that is no file, and why; for tests that run on both. */

/** Operations that are about the file itself. */
export const onlyOfFiles: Readonly<Record<string, string>> = {
  issue_compact: "one row an issue is how other engines keep them anyway",
  issue_backend_status: "it tells what the file is made of",
};

/** Members of answers that only a file can fill in. */
export const onlyInFiles: Readonly<Record<string, string>> = {
  line: "the line of the file in which a row stands",
};
