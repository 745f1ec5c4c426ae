export type * from "./types.js";
export { needs } from "./types.js";
export { openCommands } from "./commands.js";
export { mayGitWorkIn } from "./process/git-at-work.js";
export { freePorts } from "./process/free-ports.js";
export { nodeGit } from "./git/node-git.js";
export { heldCommands } from "./held-commands.js";
export { ownProgram, type StartedProgram, startProgram } from "./process/start-program.js";
