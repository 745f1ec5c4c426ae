/** Where an agent keeps its state in a workspace. */
import { join } from "node:path";

export function stateFolder(workspace: string): string {
  return join(workspace, ".bridle", "agent");
}

export function sessionPath(workspace: string, id: string): string {
  return join(stateFolder(workspace), "sessions", `${id}.jsonl`);
}
