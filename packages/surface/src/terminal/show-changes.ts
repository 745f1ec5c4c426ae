/** What a session changed, as diffs in colour; of commands only the names of files are known. */
import { stateFolder } from "@bridle/agent";
import { Failure } from "@bridle/record";
import { BeforeStore, openWorkspace, type Workspace } from "@bridle/tools";
import { visibleLine } from "../agent/visible.js";
import type { Changes, FileChange } from "./changes.js";
import type { ChatScene } from "./commands.js";
import { diffLines } from "./diff-lines.js";

export async function showChanges({ files, commands }: Changes, scene: ChatScene): Promise<void> {
  const { opened, call, paint } = scene;
  const workspace = await openWorkspace(opened.workspace);
  const kept = new BeforeStore({ stateFolder: stateFolder(workspace.root), ports: call.ports });
  let shown = 0;
  for (const file of files) shown += (await showFile(file, { scene, workspace, kept })) ? 1 : 0;
  for (const { command, changed } of commands) {
    if (changed === undefined || changed.length === 0) continue;
    shown++;
    scene.say(`  ${paint.strong(visibleLine(command, 100))} changed`);
    for (const path of changed) scene.say(`    ${visibleLine(path)}`);
  }
  if (shown === 0) scene.say(paint.dim("  Nothing of this session is different from before it."));
}

interface Ground {
  readonly scene: ChatScene;
  readonly workspace: Workspace;
  readonly kept: BeforeStore;
}

/** Whether there was anything to show. */
async function showFile(file: FileChange, { scene, workspace, kept }: Ground): Promise<boolean> {
  const { paint } = scene;
  const title = paint.strong(visibleLine(file.path));
  if (file.before === undefined) {
    scene.say(`  ${title} ${paint.dim("(what stood there before was not kept)")}`);
    return true;
  }
  const before = file.before === null ? undefined : await kept.get(file.before);
  const after = await now(file.path, workspace);
  if (after === undefined) {
    if (file.before !== null) scene.say(`  ${title} ${paint.dim("is not there any more")}`);
    return file.before !== null;
  }
  const { lines, added, removed } = diffLines(
    { path: file.path, after, ...(before === undefined ? {} : { before: textOf(before) }) },
    paint,
  );
  if (added + removed === 0) return false;
  scene.say(`  ${title} ${paint.good(`+${added}`)} ${paint.bad(`−${removed}`)}`);
  for (const line of lines) scene.say(`    ${line}`);
  return true;
}

async function now(path: string, workspace: Workspace): Promise<string | undefined> {
  try {
    return textOf(await workspace.read(workspace.place(path)));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}
