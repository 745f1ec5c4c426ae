/**
 * A client reaches no further than its folder: every path in a call, marked
 * `x-path` in the schema, is inside the folder or the call is refused.
 *
 * A path is judged as the operating system would follow it: relative to the
 * caller's folder, every link on the way resolved, a link to nowhere by where it
 * points. What stands beside a file and is opened with it (its locks) and what a
 * memory's folder holds are judged as well, because a repository that somebody
 * else made may hold such a link.
 */
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { codeOf, type Files, type JsonObject, realTarget, refuse, type Refusal } from "@bridle/record";
import { propertiesOf } from "./properties.js";
import type { Call, Operation } from "./types.js";

export async function pathsOutside(
  operation: Operation,
  input: JsonObject,
  call: Call,
): Promise<Refusal | undefined> {
  if (call.within === undefined) return undefined;
  for (const { name, path } of propertiesOf(operation.input)) {
    const value = input[name];
    if (path === undefined || value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each !== "string") continue;
      const refusal = await judge(name, each, path === "root", { ...call, within: call.within });
      if (refusal !== undefined) return refusal;
    }
  }
  return undefined;
}

/** For a path that an operation derives from one in the call, such as a file beside it. */
export async function refuseOutside(name: string, path: string, call: Call): Promise<Refusal | undefined> {
  if (call.within === undefined) return undefined;
  return judge(name, path, false, { ...call, within: call.within });
}

async function judge(
  name: string,
  value: string,
  isRoot: boolean,
  { within, cwd, ports: { files } }: Call & { readonly within: string },
): Promise<Refusal | undefined> {
  const path = resolve(cwd, value);
  const real = value.includes("\0") ? undefined : await followed(path, files);
  if (real === undefined || !isInside(real, within)) return outside(name, value, within);
  for (const beside of isRoot ? [join(real, ".premath")] : companionsOf(real)) {
    for (const each of await withContent(beside, files)) {
      const target = await followed(each, files);
      if (target === undefined || !isInside(target, within)) return outside(name, value, within);
    }
  }
  return undefined;
}

/** Undefined when it cannot be followed at all (a circle of links, a name too long). */
async function followed(path: string, files: Files): Promise<string | undefined> {
  try {
    return await realTarget(path, files);
  } catch (error) {
    // A file where a folder should be: nothing below it can be reached.
    if (codeOf(error) === "ENOTDIR") return path;
    return undefined;
  }
}

/** The folders of locks and indexes that a file may have, see `localOf`. */
function companionsOf(path: string): string[] {
  const found = [join(dirname(path), ".bridle")];
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder) === ".premath") found.push(join(folder, ".local"));
  }
  return found;
}

/** A folder and what stands in it, two levels deep: as deep as files of ours lie. */
async function withContent(folder: string, files: Files, levels = 2): Promise<string[]> {
  const names = levels === 0 ? [] : await files.list(folder).catch(() => []);
  const below = names.map((name) => withContent(join(folder, name), files, levels - 1));
  return [folder, ...(await Promise.all(below)).flat()];
}

export function isInside(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return below === "" || (below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below));
}

function outside(name: string, value: string, within: string): Refusal {
  const shown = value.length > 100 ? `${value.slice(0, 100)}…` : value;
  return refuse("path_outside", {
    message: `${name} is ${JSON.stringify(shown)}, which leads out of the folder that this server works in`,
    hint: `Name a path inside ${within}; whoever started the server chose it with --root.`,
    detail: { property: name },
  });
}
