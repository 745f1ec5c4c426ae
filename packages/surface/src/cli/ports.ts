/** The real ports, in a file of their own so that only a call loads them. */
export { nodePorts } from "@bridle/record";
