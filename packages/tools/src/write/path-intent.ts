/** Whether a person must be asked about a write to the path in its arguments. */
import type { JsonObject } from "@bridle/record";
import type { AskAbout } from "./git-ignored.js";
import type { Workspace } from "../types.js";
import { judgePath } from "../workspace/judge-path.js";

export async function asksAbout(
  { workspace, askAbout }: { readonly workspace: Workspace; readonly askAbout?: AskAbout },
  args: JsonObject,
): Promise<string | undefined> {
  const { path } = judgePath(workspace, String(args["path"]));
  return path === undefined ? undefined : askAbout?.(path);
}
