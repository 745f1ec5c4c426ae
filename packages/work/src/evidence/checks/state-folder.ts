/** Where results and worktrees of checks are kept: in the person's state folder, one folder a repository. */
import { join } from "node:path";
import { refuse, type Refusal, sha256Hex } from "@bridle/record";
import type { CheckedRepository, Checking } from "./types.js";

export async function stateFolder(
  { commonDir }: CheckedRepository,
  { env, ports }: Checking,
): Promise<string | Refusal> {
  const named = [
    env["XDG_STATE_HOME"],
    env["HOME"] === undefined ? undefined : join(env["HOME"], ".local/state"),
  ];
  const state = named.find((folder) => folder?.startsWith("/") === true);
  if (state === undefined) {
    return refuse("executor_unavailable", {
      message: "neither XDG_STATE_HOME nor HOME says where checks may be run",
      hint: "Set HOME to a folder that you may write.",
    });
  }
  const real = await ports.files.realPath(commonDir);
  const folder = join(state, "bridle/checks", sha256Hex(real).slice(0, 16));
  await ports.files.makeDirectory(folder);
  // A command's folder is named without links.
  return ports.files.realPath(folder);
}
