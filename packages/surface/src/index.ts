import "./failures.js";
export { artifactKinds } from "./artifact-kinds.js";
export { type Program, runProgram } from "./program.js";
