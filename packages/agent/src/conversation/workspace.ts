/** Which folder an agent works in: the flag, the setting, or where one stands. */
import { isAbsolute, join } from "node:path";
import type { Call } from "@bridle/operation";
import { Failure } from "@bridle/record";

/** Absolute, with every link resolved. */
export async function workspaceOf(
  { ports, env, cwd }: Call,
  { workspace }: { readonly workspace?: string },
): Promise<string> {
  const named = workspace ?? (env["AGENT_WORKSPACE_ROOT"] || ".");
  const path = isAbsolute(named) ? named : join(cwd, named);
  const stat = await ports.files.stat(path);
  if (stat?.kind === "directory") return ports.files.realPath(path);
  throw new Failure("file_missing", {
    message: `${path} is ${stat === undefined ? "not there" : "no folder"}, so an agent cannot work in it`,
    hint: "Name a folder with --workspace.",
  });
}
