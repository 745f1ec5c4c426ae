/** The compiler of schemas, in a file of its own so that a command, which needs each schema once, never loads it. */
export { Compile } from "typebox/schema";
