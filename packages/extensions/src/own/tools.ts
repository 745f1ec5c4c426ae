/**
 * A project's own tools, `.bridle/tools/*.mjs`: each module's default export is one tool.
 * A person says yes to all files of that folder at once, as they are.
 */
import { join } from "node:path";
import { Failure, type Files, isJsonObject, type JsonObject } from "@bridle/record";
import { visibleLine } from "@bridle/operation";
import { extensionLimits } from "../limits.js";
import type { Naming } from "../servers/tools.js";
import { type Covered, digestOf, fileDigest } from "../trust/covered.js";
import type { ServerEntry } from "../types.js";
import { hostSource } from "./host.js";

export const ownToolsFolder = ".bridle/tools";

export const ownNaming: Naming = {
  family: "own",
  prefix: "own_",
  says: "A tool of this project, which says of it: ",
};

/** Undefined where the project has none. */
export async function ownToolsEntry(root: string, files: Files): Promise<ServerEntry | undefined> {
  const folder = join(root, ownToolsFolder);
  if ((await files.stat(folder))?.kind !== "directory") return undefined;
  if (!(await files.list(folder)).some((name) => name.endsWith(".mjs"))) return undefined;
  return {
    name: ownToolsFolder,
    origin: "project",
    file: folder,
    folder: root,
    how: {
      kind: "stdio",
      command: process.execPath,
      args: ["--input-type=module", "-e", hostSource, "--", folder, root],
      env: {},
    },
  };
}

/** Every file of the folder: a module may import the others. */
export async function coveredByTools(root: string, files: Files): Promise<Covered> {
  const found: Record<string, string> = {};
  await collect(ownToolsFolder, { root, files, found, depth: 0 });
  const paths = Object.keys(found);
  return {
    digest: digestOf({ tools: found }),
    lines: [
      "node, with these files as they are now, and whatever they load:",
      ...paths.map((path) => `  ${path}`),
    ],
  };
}

interface Collecting {
  readonly root: string;
  readonly files: Files;
  readonly found: Record<string, string>;
  readonly depth: number;
}

async function collect(folder: string, into: Collecting): Promise<void> {
  const { root, files, found, depth } = into;
  for (const name of await files.list(join(root, folder))) {
    const path = `${folder}/${name}`;
    const stat = await files.stat(join(root, path));
    if (stat?.kind === "directory" && depth < 8) await collect(path, { ...into, depth: depth + 1 });
    if (stat?.kind !== "file") continue;
    found[path] = await fileDigest(join(root, path), files, stat.size);
    if (Object.keys(found).length > extensionLimits.coveredFilesMax)
      throw new Failure("own_tool_invalid", {
        message: `${ownToolsFolder} holds more than ${extensionLimits.coveredFilesMax} files`,
        hint: "Keep what tools load elsewhere, or make it smaller.",
      });
  }
}

/** What the host says of modules that cannot be used, a sentence each. */
export function faultsIn({ _meta: meta }: JsonObject): string[] {
  const faults = isJsonObject(meta) && Array.isArray(meta["faults"]) ? meta["faults"] : [];
  return faults.map(
    (fault) => `a tool of this project is left out: ${ownToolsFolder}/${visibleLine(String(fault), 300)}`,
  );
}
