/** Every way that an agent's tools say no, one line each; how classes work is told in record's failures.ts. */
export const failures = {
  // Files.
  file_exists: "Something has that name already.",
  file_changed: "The file is not what it was when it was read.",
  file_too_large: "The file is larger than the limit.",
  file_not_text: "The file holds something that is not text.",
  file_readback_differs: "Read back, the file is not what was just written.",
  overwrite_unconfirmed: "A file with content is replaced only with confirmation.",
  document_closed: "The document has its end already, so nothing can be appended.",
  edit_invalid: "The edit says nothing, or nothing clear.",
  edit_unmatched: "What the edit looks for is not in the file, or not as often as it says.",
  write_continuation_lost:
    "The beginning of a write that was cut off is not kept, so its rest alone is not written.",
  write_continuation_unclear:
    "A write was cut off in text that repeats itself, so its rest cannot be joined to it exactly.",
  write_mode_lost: "A write was cut off before it said what to do with the file that is there.",

  // Paths of a workspace.
  path_invalid: "The text cannot be a path of the workspace.",
  path_link: "A part of the path is a symbolic link, which is never followed.",
  path_protected: "The path belongs to git or to the harness, and tools do not write there.",
  path_secret: "The path holds credentials, which tools neither read nor write.",
  path_moved: "A folder of the path was moved while it was in use.",
  pattern_invalid: "The pattern cannot be searched for.",
  workspace_unusable: "The folder cannot be a workspace.",

  // The shell.
  shell_folder_invalid: "A command would run in something that is no folder of the workspace.",
} as const satisfies Record<string, string>;

type Declared = typeof failures;

declare module "@bridle/record" {
  interface FailureClasses extends Declared {}
}
