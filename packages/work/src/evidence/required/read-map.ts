/** Where the map of required checks is read from: a file of the work tree, or a commit. */
import { join } from "node:path";
import { failureAt, type Files, type Git, refuse, type Refusal } from "@bridle/record";
import { type CheckMap, checkMapPath, parseCheckMap } from "./check-map.js";

const mapBytesMax = 1024 * 1024;

export function mapMissing(where: string): Refusal {
  return refuse("required_checks_missing", {
    message: `there is no ${checkMapPath} ${where}`,
    hint: "A person drafts one with `premath required-checks init` and commits it; until then `premath issue close` is what closes an issue.",
  });
}

/** The text of a file; undefined where there is none. */
export async function textOf(
  path: string,
  files: Files,
  bytesMax = mapBytesMax,
): Promise<string | undefined> {
  try {
    const stat = await files.stat(path);
    if (stat?.kind !== "file") return undefined;
    const file = await files.open(path, "read");
    try {
      return Buffer.from(await file.read(0, Math.min(stat.size, bytesMax))).toString("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    throw failureAt(path, error);
  }
}

/** Of a work tree; `top` is absolute. */
export async function readMap(
  top: string,
  files: Files,
  path = join(top, checkMapPath),
): Promise<CheckMap | Refusal> {
  const source = await textOf(path, files);
  return source === undefined ? mapMissing(`in ${top}`) : parseCheckMap(source, path);
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
