export type * from "./types.js";
export { needs } from "./types.js";
