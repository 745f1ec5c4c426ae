/** Every way that the agent room says no, one line each; how classes work is told in record's failures.ts. */
export const failures = {
  // The call itself.
  setting_invalid: "A setting has a value that it cannot have.",

  // Agents.
  session_unknown: "There is no such session.",
  session_busy: "Somebody else is at work on the session.",
  session_damaged: "The log of the session is damaged, so it cannot be gone on with.",
  session_unreplayable: "The log of the session does not say enough for a replay.",
  send_running: "The agent is still at work on what it was asked before.",
  child_unknown: "There is no such child.",
  child_too_deep: "Children may not have children any deeper.",
  children_too_many: "As many children run as may.",
  family_unknown: "There is no such family of tools.",

  // Notes and artifacts of the agent.
  notes_damaged: "The file of notes cannot be read as notes; it is left as it is.",
  notes_full: "There are as many notes as there may be.",
  note_invalid: "The note's key, value or scope is blank or too long.",
  note_missing: "No note has that key.",
  artifact_missing: "No artifact has that id.",
  artifact_damaged: "The artifact is not what was put there.",
} as const satisfies Record<string, string>;

type Declared = typeof failures;

declare module "@bridle/record" {
  interface FailureClasses extends Declared {}
}
