import "./failures.js";
export type * from "./types.js";
export { effectNames, inDoubt } from "./types.js";
export { Journal } from "./journal/journal.js";
export { costsNothing } from "./step/costless.js";
export { driveStep, type Driving } from "./step/drive.js";
export { type EarlierMerge, earlierMerges } from "./step/earlier.js";
export { next } from "./step/next.js";
export { newStep, stepFrom, withRow } from "./step/state.js";
