export type * from "./types.js";
export { openWorkspace } from "./outside/workspace.js";
export { withNearest } from "./workspace/nearest.js";
export { grepFileTool } from "./read/grep-file.js";
export { listDirTool } from "./read/list-dir.js";
export { readFileChunkedTool } from "./read/read-file-chunked.js";
export { readFileTool } from "./read/read-file.js";
