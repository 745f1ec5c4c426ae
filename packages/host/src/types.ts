/**
 * The manual of this room: how commands run on this machine.
 *
 * What a newcomer gets wrong: nothing here reads a command to find out what it
 * does. Whoever wants a command run says what it needs (`Needs`), and the
 * operating system holds it to that.
 */

/**
 * What a command may do, each more than the one before:
 * - `read`: see the workspace and the system; what it writes vanishes; no network;
 * - `write`: change the workspace, but for its protected paths;
 * - `network`: that, on the machine's network;
 * - `host`: whatever its user may do. There is no wall.
 */
export const needs = ["read", "write", "network", "host"] as const;
export type Needs = (typeof needs)[number];
