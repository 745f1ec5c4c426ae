/** Every way that the surfaces say no, one line each; how classes work is told in record's failures.ts. */
export const failures = {
  // The call itself.
  invocation_invalid: "The command line cannot be understood.",

  // The place.
  faults_found: "Something here wants mending; each line says what does it.",

  init_refused: "This folder cannot be made ready as it stands.",

  // Agents.
  turn_incomplete: "The turn of the agent ended before its work was done.",

  // Servers.
  address_unavailable: "The server cannot listen where it was told to.",

  // Lanes.
  lane_invalid: "A lane's name, time or list is not one.",
  lane_unknown: "The folder has no such lane.",
} as const satisfies Record<string, string>;

type Declared = typeof failures;

declare module "@bridle/record" {
  interface FailureClasses extends Declared {}
}
