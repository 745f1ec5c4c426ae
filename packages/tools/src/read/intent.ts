/**
 * What the reading tools are after: a path in one spelling, and which part of it.
 *
 * What a newcomer gets wrong: an intent is worked out before anything is allowed,
 * so a path that cannot be one does not throw here; it makes the call forbidden,
 * with the reason.
 */
import type { Intent } from "@bridle/agent";
import { Failure, type JsonValue, mayHoldCredential } from "@bridle/record";
import type { Workspace } from "../types.js";

export interface Asked {
  readonly tool: string;
  readonly path: string;
  /** What else two calls must share to be the same; leave nothing out and spell out what is usual. */
  readonly part: readonly JsonValue[];
  readonly says: (path: string) => string;
}

export function readingIntent(workspace: Workspace, { tool, path: text, part, says }: Asked): Intent {
  // A file of settings may hold a key, which a person has to know before a model sees it.
  const risk = mayHoldCredential(text) ? "cautious" : "safe";
  const common = { repeat: "answer", risk } as const;
  const keyOf = (path: string) => JSON.stringify([tool, path, ...part]);
  try {
    const path = workspace.place(text) || ".";
    return { ...common, key: keyOf(path), says: says(path), reads: [path] };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const forbidden = {
      code: error.failureClass,
      because: error.message,
      remedy: error.hint ?? "Name another path.",
    };
    return { ...common, key: keyOf(text), says: says(text), forbidden };
  }
}
