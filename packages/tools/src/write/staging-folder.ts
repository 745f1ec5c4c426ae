/**
 * Where a session keeps parts of writes: a folder that is there while there is
 * something in it.
 *
 * What a newcomer gets wrong: whoever finds the folder empty may take it away,
 * another process too, and just when a file is to be made in it. So it is made
 * again and the file with it.
 */
import { dirname, join } from "node:path";
import { type Files, type Ports, sha256Hex } from "@bridle/record";
import { removeEmptyFolder } from "../outside/empty-folder.js";

const partAgeMsMax = 24 * 60 * 60 * 1000;
/** Far more than there are others who could take it away between two calls of the system. */
const triesMax = 1_000;

export class StagingFolder {
  private readonly path: string;

  constructor(
    { stateFolder, session }: { readonly stateFolder: string; readonly session: string },
    private readonly files: Files,
  ) {
    this.path = join(rootIn(stateFolder), nameOf(session));
  }

  /** Ids come from providers, so they are no file names. */
  fileOf(callId: string, kind: "part" | "json"): string {
    return join(this.path, `${fileKey(callId)}.${kind}`);
  }

  /** Says that nothing is kept of the last write to the path. */
  markOf(path: string): string {
    return join(this.path, `${fileKey(path)}.lost`);
  }

  /** Does something that needs the folder. Contract of `act`: fails with ENOENT when the folder is not there. */
  async within<Result>(act: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        await this.files.makeDirectory(this.path);
        return await act();
      } catch (error) {
        if (!isMissing(error) || tries === triesMax) throw error;
      }
    }
  }

  /** Everything of the call; the manifest first, for a part without one is never joined. */
  async remove(callId: string): Promise<void> {
    await this.files.remove(this.fileOf(callId, "json")).catch(() => {});
    await this.files.remove(this.fileOf(callId, "part")).catch(() => {});
    await this.leave();
  }

  /** Something was taken out: the folder goes when that was the last. */
  async leave(): Promise<void> {
    if (await removeEmptyFolder(this.path)) await removeEmptyFolder(dirname(this.path));
  }

  /** The manifests (`.json`), or the marks (`.lost`). */
  async named(ending: string): Promise<string[]> {
    const names = await this.files.list(this.path).catch(() => []);
    return names.filter((name) => name.endsWith(ending)).map((name) => join(this.path, name));
  }
}

/**
 * Takes away what is older than a day, and folders in which nothing is left; not of the session that is
 * opened, which may go on with it however old it is.
 */
export async function sweepStaging(
  { stateFolder, session: opened }: { readonly stateFolder: string; readonly session: string },
  { files, clock }: Ports,
): Promise<void> {
  const root = rootIn(stateFolder);
  const now = await clock.now();
  for (const session of await files.list(root).catch(() => [])) {
    if (session === nameOf(opened)) continue;
    const folder = join(root, session);
    for (const name of await files.list(folder).catch(() => [])) {
      const path = join(folder, name);
      const stat = await files.stat(path).catch(() => undefined);
      if (stat?.kind === "file" && now - stat.mtimeMs > partAgeMsMax)
        await files.remove(path).catch(() => {});
    }
    await removeEmptyFolder(folder);
  }
  await removeEmptyFolder(root);
}

function rootIn(stateFolder: string): string {
  return join(stateFolder, "staging");
}

function nameOf(session: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/.test(session) ? session : fileKey(session);
}

function fileKey(id: string): string {
  return sha256Hex(id).slice(0, 32);
}

function isMissing(error: unknown): boolean {
  // What `putFile` throws names its cause.
  for (let at = error; at instanceof Error; at = at.cause)
    if ((at as NodeJS.ErrnoException).code === "ENOENT") return true;
  return false;
}
