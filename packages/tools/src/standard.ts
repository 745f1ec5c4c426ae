/**
 * The tools that an agent has for a folder: reading, writing and editing its
 * files, and the shell. What is staged of writes that were cut off belongs to a
 * session and stands in the harness's own folder.
 */
import { type AgentConfig, type AgentTool, stateFolder } from "@bridle/agent";
import type { Ports } from "@bridle/record";
import { openWorkspace } from "./outside/workspace.js";
import { grepFileTool } from "./read/grep-file.js";
import { listDirTool } from "./read/list-dir.js";
import { readFileChunkedTool } from "./read/read-file-chunked.js";
import { readFileTool } from "./read/read-file.js";
import { runShellTool } from "./shell/run-shell.js";
import { BeforeStore, keepingBefore } from "./write/before-store.js";
import { editFileTool } from "./write/edit-file.js";
import { Staging } from "./write/staging.js";
import { writeFileTool } from "./write/write-file.js";
import type { Workspace } from "./types.js";

export interface StandardOptions {
  /** Absolute. */
  readonly root: string;
  readonly session: string;
  readonly ports: Ports;
  /** What commands may see a part of; nothing that looks like a secret is handed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: Pick<AgentConfig, "writeStreamSink" | "writeStreamSinkMinChars">;
}

export interface StandardTools {
  readonly workspace: Workspace;
  readonly tools: readonly AgentTool[];
}

export async function standardTools({
  root,
  session,
  env,
  ports,
  config,
}: StandardOptions): Promise<StandardTools> {
  const opened = await openWorkspace(root);
  const workspace = keepingBefore(opened, new BeforeStore({ stateFolder: stateFolder(opened.root), ports }));
  const staging = await Staging.open({
    ports,
    stateFolder: stateFolder(workspace.root),
    session,
    enabled: config.writeStreamSink,
    minChars: config.writeStreamSinkMinChars,
  });
  return { workspace, tools: toolsOn({ workspace, staging, ports, env }) };
}

export interface ToolGround extends Pick<StandardOptions, "ports" | "env"> {
  readonly workspace: Workspace;
  readonly staging: Staging;
}

export function toolsOn({ workspace, staging, ports, env }: ToolGround): AgentTool[] {
  return [
    readFileTool(workspace),
    readFileChunkedTool(workspace),
    grepFileTool(workspace),
    listDirTool(workspace),
    writeFileTool({ workspace, staging }),
    editFileTool({ workspace, staging }),
    runShellTool({ ports, workspaceRoot: workspace.root, env }),
  ];
}
