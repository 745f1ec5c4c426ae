/** The own tools of an agent that is replayed: the model was offered them, and none of them runs. */
import { join } from "node:path";
import { ArtifactStore } from "../context/artifacts.js";
import { NoteIndex } from "../memory/recall.js";
import { notesFileName, NoteStore } from "../memory/store.js";
import { ownTools } from "../own-tools/own-tools.js";
import { stateFolder } from "../state-paths.js";
import type { Agent } from "../turn/agent.js";
import type { AgentOptions, AgentTool } from "../types.js";

export function recordedOwnTools(options: AgentOptions): (self: Agent) => AgentTool[] {
  const { workspace, ports } = options;
  const index = new NoteIndex(new NoteStore({ path: join(stateFolder(workspace), notesFileName), ports }));
  const artifacts = new ArtifactStore({ stateFolder: stateFolder(workspace), ports });
  const nothingRuns = () => {
    throw new Error("nothing runs in a replay");
  };
  const verify = async () => nothingRuns();
  return (self) => ownTools({ options, index, artifacts, children: nothingRuns, verify }, self);
}
