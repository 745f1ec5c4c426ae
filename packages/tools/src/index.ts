export type * from "./types.js";
<<<<<<< HEAD
export { openWorkspace } from "./outside/workspace.js";
export type { MarkupKind, MarkupState, OpenElement } from "./write/closed-artifact.js";
export { leftOpen, markupKindOf, markupState } from "./write/closed-artifact.js";
export { editFileTool } from "./write/edit-file.js";
export type { ArgumentListener, ArgumentMember } from "./write/json-stream.js";
export { ArgumentReader } from "./write/json-stream.js";
export { looksCut } from "./write/looks-cut.js";
export type { CutPart, StagingOptions } from "./write/staging.js";
export { Staging } from "./write/staging.js";
export type { WriteToolsOptions } from "./write/write-file.js";
export { writeFileTool } from "./write/write-file.js";
export { withNearest } from "./workspace/nearest.js";
export { grepFileTool } from "./read/grep-file.js";
export { listDirTool } from "./read/list-dir.js";
export { readFileChunkedTool } from "./read/read-file-chunked.js";
export { readFileTool } from "./read/read-file.js";
export { type StandardOptions, type StandardTools, standardTools } from "./standard.js";
=======
export type { ShellPlace } from "./shell/policy.js";
export { judgeCommand } from "./shell/policy.js";
export type { Parsed } from "./shell/parse.js";
export { parse as parseShell } from "./shell/parse.js";
export { quoteWord } from "./shell/syntax.js";
export type { RunShellOptions } from "./shell/run-shell.js";
export { runShellTool, shellToolLimits } from "./shell/run-shell.js";
>>>>>>> shell
