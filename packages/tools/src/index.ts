export type * from "./types.js";
export { openWorkspace } from "./outside/workspace.js";
