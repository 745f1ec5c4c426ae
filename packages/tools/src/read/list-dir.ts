/** `list_dir`: what lies in a folder, and below it as deep as asked; a bounded list that says when it is not all. */
import { type AgentTool, parametersOf } from "@bridle/agent";
import { isCredential } from "@bridle/record";
import * as Type from "typebox";
import type { Workspace } from "../types.js";
import { withNearest } from "../workspace/nearest.js";
import { readingIntent } from "./intent.js";
import { requireGoingOn } from "./text.js";
import { type Found, leftOut, printable, unlessFailure, walk } from "./walk.js";

const entriesMax = 500;

const members = {
  path: Type.String({ description: "Folder of the workspace; `.` is the workspace itself." }),
  depth: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 8, description: "How deep; 1, the folder alone, when left out." }),
  ),
};
type Args = Type.Static<Type.TObject<typeof members>>;

export function listDirTool(workspace: Workspace): AgentTool {
  return {
    name: "list_dir",
    description:
      `Lists a folder of the workspace: folders end with /, links with @ and are not followed, files have their ` +
      `size in bytes. At most ${entriesMax} entries; ${[...leftOut].join(" and ")} are entered only when named.`,
    parameters: parametersOf(members),
    family: "files",
    capChars: 120_000,
    intent(args) {
      const { path, depth = 1 } = args as Args;
      return readingIntent(workspace, {
        tool: "list_dir",
        path,
        part: [depth],
        says: (place) => `list ${place}`,
      });
    },
    async run(args, { signal }) {
      const { path: asked, depth = 1 } = args as Args;
      const path = workspace.place(asked);
      const lines: string[] = [];
      let more = false;
      try {
        for await (const found of walk(workspace, path, depth)) {
          requireGoingOn(signal);
          more = lines.length === entriesMax;
          if (more) break;
          lines.push(await lineOf(workspace, found, path === "" ? 0 : path.length + 1));
        }
      } catch (error) {
        throw await withNearest(workspace, path, error);
      }
      const entries = lines.length;
      if (more) lines.push(`[more than ${entriesMax} entries; list a folder below this one]`);
      if (entries === 0) lines.push("[the folder is empty]");
      return { ok: true, text: lines.join("\n"), facts: { path: path || ".", entries, more } };
    },
  };
}

async function lineOf(workspace: Workspace, { path, kind, closed }: Found, skip: number): Promise<string> {
  const name = printable(path.slice(skip));
  if (kind === "folder")
    return `${name}/${closed && leftOut.has(path.split("/").at(-1) ?? "") ? " (not entered)" : ""}`;
  if (kind === "link") return `${name}@`;
  if (kind === "other") return `${name} (no regular file)`;
  if (isCredential(path)) return `${name} (holds credentials)`;
  // Unknown where it went away meanwhile, or has a name that no path may have.
  const bytes = (await unlessFailure(workspace.facts(path)))?.bytes;
  return bytes === undefined ? name : `${name} ${bytes}`;
}
