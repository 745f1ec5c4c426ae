/** A link in a project that leads out of it may have come with a clone: nothing is written through one. */
import { sep } from "node:path";
import { Failure, type FailureClass, type Files, realTarget } from "@bridle/record";

/** Throws when the file, or a folder on the way to it, leads elsewhere. */
export async function requireInside(
  path: string,
  { top, files, failureClass = "path_outside" }: { top: string; files: Files; failureClass?: FailureClass },
): Promise<void> {
  const within = await files.realPath(top);
  const real = await realTarget(path, files);
  if (real === within || real.startsWith(within + sep)) return;
  throw new Failure(failureClass, {
    message: `${path} leads to ${real}, which is not in ${top}`,
    hint: "Remove the link, or the folder of that name; nothing was changed.",
  });
}
