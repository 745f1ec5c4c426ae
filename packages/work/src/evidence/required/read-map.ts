/** Where the map of required checks is read from: a file of the work tree, or a commit. */
import { join } from "node:path";
import { type Files, type Git, refuse, type Refusal } from "@bridle/record";
import { readSmallText, Unreadable } from "../../small-file.js";
import { type CheckMap, checkMapPath, parseCheckMap } from "./check-map.js";

function mapMissing(where: string): Refusal {
  return refuse("required_checks_missing", {
    message: `there is no ${checkMapPath} ${where}`,
    hint: "A person drafts one with `premath required-checks init` and commits it; until then `premath issue close` is what closes an issue.",
  });
}

/** Of a work tree; `top` is absolute. */
export async function readMap(
  top: string,
  files: Files,
  path = join(top, checkMapPath),
): Promise<CheckMap | Refusal> {
  const source = await readMapText(top, files, path);
  return typeof source === "string" ? parseCheckMap(source, path) : source;
}

export async function readMapText(
  top: string,
  files: Files,
  path = join(top, checkMapPath),
): Promise<string | Refusal> {
  const source = await readSmallText(path, files);
  if (source === undefined) return mapMissing(`in ${top}`);
  return source instanceof Unreadable
    ? refuse("required_checks_invalid_json", { message: `${path} ${source.why}`, hint: "Mend it." })
    : source;
}

/** As a commit holds it. */
export async function mapAtCommit(top: string, commit: string, git: Git): Promise<CheckMap | Refusal> {
  const source = await fileAtCommit(top, commit, checkMapPath, git);
  const shown = `${checkMapPath} of ${commit.slice(0, 7)}`;
  return source === undefined ? mapMissing(`in commit ${commit.slice(0, 7)}`) : parseCheckMap(source, shown);
}

/** Undefined where the commit does not hold the file. */
export async function fileAtCommit(
  top: string,
  commit: string,
  path: string,
  git: Git,
): Promise<string | undefined> {
  const { code, stdout } = await git.run(top, ["cat-file", "blob", `${commit}:${path}`]);
  return code === 0 ? Buffer.from(stdout).toString("utf8") : undefined;
}
