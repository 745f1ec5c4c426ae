/** A path in the arguments of a call: what it is. One that is never allowed is said to be so, not thrown. */
import type { Intent } from "@bridle/agent";
import { Failure } from "@bridle/record";
import type { Workspace, WorkspacePath } from "../types.js";

export interface PathJudged {
  readonly path?: WorkspacePath;
  readonly shown: string;
  readonly forbidden?: NonNullable<Intent["forbidden"]>;
}

export function judgePath(workspace: Pick<Workspace, "place">, text: string): PathJudged {
  try {
    const path = workspace.place(text);
    return { path, shown: path };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { failureClass: code, message: because, hint: remedy = "Name a path of the workspace." } = error;
    return { shown: text, forbidden: { code, because, remedy } };
  }
}
