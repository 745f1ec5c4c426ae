/**
 * What the reading tools are after: a path in one spelling, and which part of it.
 *
 * What a newcomer gets wrong: an intent is worked out before anything is allowed,
 * so a path that cannot be one does not throw here; it makes the call forbidden,
 * with the reason.
 */
import type { Intent } from "@bridle/agent";
import { type JsonValue, mayHoldCredential } from "@bridle/record";
import type { Workspace } from "../types.js";
import { judgePath } from "../workspace/judge-path.js";

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
  const judged = judgePath(workspace, text);
  const path = judged.forbidden === undefined ? judged.shown || "." : text;
  const key = JSON.stringify([tool, path, ...part]);
  if (judged.forbidden !== undefined)
    return { ...common, key, says: says(path), forbidden: judged.forbidden };
  return { ...common, key, says: says(path), reads: [path] };
}
