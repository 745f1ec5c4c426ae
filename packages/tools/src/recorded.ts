/**
 * The tools of a session that is carried out again: what a call is after is read
 * from its arguments, as then, and nothing runs and nothing on the disk is looked at.
 *
 * What a newcomer gets wrong: the folder need not be there any more. It is the name
 * of the one that the session worked in, and paths are measured against it.
 */
import { type AgentTool, stateFolder } from "@bridle/agent";
import type { Ports } from "@bridle/record";
import { toolsOn } from "./standard.js";
import type { Workspace } from "./types.js";
import { placeIn } from "./workspace/place.js";
import { Staging } from "./write/staging.js";

export interface RecordedOptions {
  /** Absolute, as it was. */
  readonly root: string;
  readonly home?: string;
  readonly ports: Ports;
}

export function recordedTools({ root, home, ports }: RecordedOptions): readonly AgentTool[] {
  const nothing = () => Promise.reject(new Error("nothing runs in a replay"));
  const workspace: Workspace = {
    root,
    place: (text) => placeIn([root], text),
    facts: nothing,
    read: nothing,
    list: nothing,
    commit: nothing,
  };
  const staging = Staging.empty({
    ports,
    stateFolder: stateFolder(root),
    session: "",
    enabled: false,
    minChars: 0,
  });
  const env = home === undefined ? {} : { HOME: home };
  return toolsOn({ workspace, staging, ports, env, readable: [] }).map(({ stream: _stream, ...tool }) => ({
    ...tool,
    run: nothing,
  }));
}
