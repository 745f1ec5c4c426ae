/** write_file and edit_file on a real workspace and a real state folder, as an agent would call them. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { AgentTool, CutWrite, ToolReport } from "@bridle/agent";
import { type JsonObject, nodePorts, type Ports } from "@bridle/record";
import { editFileTool, openWorkspace, Staging, type Workspace, writeFileTool } from "@bridle/tools";
import { newFastFolder } from "./folder.js";

export interface WriteKit {
  readonly workspace: Workspace;
  readonly state: string;
  readonly staging: Staging;
  readonly writeFile: AgentTool;
  readonly editFile: AgentTool;
  /** Carries out a whole call. */
  write(args: JsonObject): Promise<ToolReport>;
  edit(args: JsonObject): Promise<ToolReport>;
  /** Sends the first part of a call's arguments, in pieces, and ends there. */
  cut(args: JsonObject | string, chars: number, piece?: number): Promise<CutWrite | undefined>;
  /** Everything that is staged on the disk. */
  staged(): string[];
}

export interface WriteKitOptions {
  readonly enabled?: boolean;
  readonly minChars?: number;
  readonly state?: string;
  readonly folder?: string;
  readonly session?: string;
  readonly ports?: Ports;
}

export async function writeKit(options: WriteKitOptions = {}): Promise<WriteKit> {
  const workspace = await openWorkspace(options.folder ?? newFastFolder());
  const state = options.state ?? newFastFolder();
  const staging = await Staging.open({
    ports: options.ports ?? nodePorts(),
    stateFolder: state,
    session: options.session ?? "s-1",
    enabled: options.enabled ?? true,
    minChars: options.minChars ?? 8_000,
  });
  const writeFile = writeFileTool({ workspace, staging });
  const editFile = editFileTool({ workspace, staging });
  let calls = 0;
  const run = (tool: AgentTool, args: JsonObject) =>
    tool.run(args, {
      callId: `call-${calls++}`,
      round: 1,
      signal: new AbortController().signal,
      update() {},
    });
  return {
    workspace,
    state,
    staging,
    writeFile,
    editFile,
    write: (args) => run(writeFile, args),
    edit: (args) => run(editFile, args),
    async cut(args, chars, piece = 64) {
      const text = typeof args === "string" ? args : JSON.stringify(args);
      const stream = writeFile.stream?.(`call-${calls++}`);
      for (let at = 0; at < chars; at += piece) stream?.delta(text.slice(at, Math.min(chars, at + piece)));
      return stream?.cut();
    },
    staged() {
      try {
        return readdirSync(join(state, "staging"), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => entry.name);
      } catch {
        return [];
      }
    },
  };
}
