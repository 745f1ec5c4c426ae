export type * from "./types.js";
export type { ShellPlace } from "./shell/policy.js";
export { judgeCommand } from "./shell/policy.js";
export type { Parsed } from "./shell/parse.js";
export { parse as parseShell } from "./shell/parse.js";
export { quoteWord } from "./shell/syntax.js";
export type { RunShellOptions } from "./shell/run-shell.js";
export { runShellTool, shellToolLimits } from "./shell/run-shell.js";
