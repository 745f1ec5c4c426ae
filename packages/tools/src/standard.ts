/**
 * The tools that an agent has for a folder: reading, writing and editing its
 * files, and the shell. What is staged of writes that were cut off belongs to a
 * session and stands in the harness's own folder.
 */
import { type AgentConfig, type AgentTool, stateFolder } from "@bridle/agent";
import { type Commands, openCommands } from "@bridle/host";
import type { Ports } from "@bridle/record";
import { openWorkspace } from "./outside/workspace.js";
import { grepFileTool } from "./read/grep-file.js";
import { listDirTool } from "./read/list-dir.js";
import { readFileChunkedTool } from "./read/read-file-chunked.js";
import { readFileTool } from "./read/read-file.js";
import { runShellTool } from "./shell/run-shell.js";
import { BeforeStore, keepingBefore } from "./write/before-store.js";
import { editFileTool } from "./write/edit-file.js";
import { askAboutIgnored } from "./write/git-ignored.js";
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
  readonly config: Pick<AgentConfig, "writeStreamSink" | "writeStreamSinkMinChars"> &
    Partial<Pick<AgentConfig, "shellRead">>;
}

export interface StandardTools {
  readonly workspace: Workspace;
  readonly tools: readonly AgentTool[];
}

export async function standardTools(options: StandardOptions): Promise<StandardTools> {
  const { root, session, env, ports, config } = options;
  const opened = await openWorkspace(root);
  const workspace = keepingBefore(opened, new BeforeStore({ stateFolder: stateFolder(opened.root), ports }));
  const staging = await Staging.open({
    ports,
    stateFolder: stateFolder(workspace.root),
    session,
    enabled: config.writeStreamSink,
    minChars: config.writeStreamSinkMinChars,
  });
  return { workspace, tools: toolsOn({ workspace, staging, ports, env, readable: config.shellRead ?? [] }) };
}

export interface ToolGround extends Pick<StandardOptions, "ports" | "env"> {
  readonly workspace: Workspace;
  readonly staging: Staging;
  /** What commands may read beyond the workspace. */
  readonly readable: readonly string[];
}

export function toolsOn({ workspace: whole, staging, ports, env, readable }: ToolGround): AgentTool[] {
  const seen = new Set<string>();
  const workspace = noticing(whole, seen);
  const opened = new Map<string, Commands>();
  const commandsIn = (folder: string) => {
    const made = opened.get(folder) ?? openCommands({ workspace: folder, env, readable });
    opened.set(folder, made);
    return made;
  };
  const askAbout = askAboutIgnored(whole.root, ports.files, commandsIn);
  return [
    readFileTool(workspace),
    readFileChunkedTool(workspace),
    grepFileTool(workspace),
    listDirTool(workspace),
    writeFileTool({ workspace, staging, askAbout }),
    editFileTool({ workspace, staging, askAbout }),
    runShellTool({ ports, workspaceRoot: workspace.root, commands: () => commandsIn(whole.root), seen }),
  ];
}

/** What the session read is compared after a command, even where git ignores it. */
function noticing(workspace: Workspace, seen: Set<string>): Workspace {
  return {
    ...workspace,
    read(path, range) {
      seen.add(path);
      return workspace.read(path, range);
    },
  };
}
