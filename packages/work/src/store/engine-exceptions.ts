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

/** Tests that run on files alone, by file and name. */
export const onlyOnFiles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "operations/lease.test.ts": {
    "because its caller gave up while the lock was awaited changes nothing": "only a file has a lock",
    "because somebody holds the lock names the process, after a bounded wait": "only a file has a lock",
    "because the file is a folder, damaged or on a bad disk keeps what was said about it":
      "only a file can be a folder, damaged or on a disk",
    "because a sync failed: %j says how to find out, and a kept memory goes on": "only a file is synced",
    "a process that lives on reads the file once, and from then on only what is new":
      "it counts the bytes read of the file",
  },
  "operations/issue-change.test.ts": {
    "whose sync fails says that it may be there or not, and how to find out": "only a file is synced",
  },
  "operations/issue-authority.test.ts": {
    "answers over MCP without evidence, and not a byte changes in the folder [TUSK-14.2.1]":
      "it looks at the files, and asks backend-status, which is about the file",
    "gains nothing from the evidence of its caller, and names no file to write [TUSK-14.2.1]":
      "it looks at the files, and asks backend-status, which is about the file",
  },
  "operations/dep-events.test.ts": {
    "leave the session writable when the issues cannot be read": "only a file cannot be read",
  },
  "operations/operations.test.ts": {
    "is written in spite of issues that cannot be read, with a warning": "only a file can be damaged",
    "leaves every earlier byte as it is, also of the same step and of lines that are no step [TUSK-12.1] [RUNTIME-6.1]":
      "it is about the bytes of the file",
    "with once is not fooled by the id elsewhere in a row, or by a row that is no step":
      "it writes a row into the file that is no step",
    "tells of damage in the answer and as a warning, and of progress": "only a file can be damaged",
    "refuses thresholds, times and rows that it cannot decide by":
      "it names a folder, and writes a row into the file that is no step",
  },
};
