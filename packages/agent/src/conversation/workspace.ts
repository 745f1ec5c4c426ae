/** Which folder an agent works in: the flag, the setting, or where one stands. */
import { resolve } from "node:path";
import type { Call } from "@bridle/operation";
import { Failure } from "@bridle/record";

/** Absolute, with every link resolved. */
export async function workspaceOf(
  { ports, env, cwd }: Call,
  { workspace }: { readonly workspace?: string },
): Promise<string> {
  const path = resolve(cwd, workspace ?? (env["AGENT_WORKSPACE_ROOT"] || "."));
  const stat = await ports.files.stat(path);
  if (stat?.kind === "directory") return ports.files.realPath(path);
  throw new Failure("file_missing", {
    message: `${path} is ${stat === undefined ? "not there" : "no folder"}, so an agent cannot work in it`,
    hint: "Name a folder with --workspace.",
  });
}
