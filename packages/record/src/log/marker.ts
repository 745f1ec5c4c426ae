/**
 * The damage marker: a note beside the file that says damage was found, so that
 * nobody builds on it before it was repaired.
 *
 * Whoever reads damage leaves it; only a repair removes it. Where the folder
 * cannot be written the reader still tells its caller, and nothing more.
 */
import { grouped } from "../grouped.js";
import { Failure } from "../failures.js";
import { appendFully, replaceFile } from "../atomic.js";
import { mayRemember, prepareLocal, type Local } from "../local.js";
import { limits } from "../limits.js";
import { formatSeconds } from "../timestamp.js";
import { codeOf } from "../ports/errors.js";
import type { OpenFile, Ports } from "../ports/types.js";
import { damageKinds, type Damage } from "./types.js";

export interface DamageMarker {
  readonly kind: "bridle.log.damage.v1";
  readonly path: string;
  readonly foundAt: string;
  readonly damageCount: number;
  readonly damage: readonly Damage[];
}

export async function isMarked(local: Local, ports: Ports): Promise<boolean> {
  return (await ports.files.stat(local.marker)) !== undefined;
}

export interface Finding {
  /** The first places. */
  readonly damage: readonly Damage[];
  readonly damageCount: number;
  /** Where they were seen. */
  readonly file: OpenFile;
}

export async function leaveMarker(local: Local, ports: Ports, finding: Finding): Promise<void> {
  if (await isMarked(local, ports)) return;
  // A reader has no lock: what it saw may have been repaired, or replaced, in the meantime.
  const { inode } = await finding.file.stat();
  if ((await ports.files.stat(local.path))?.inode !== inode) return;
  if (!(await mayRemember(local, ports.files))) return;
  const marker: DamageMarker = {
    kind: "bridle.log.damage.v1",
    path: local.name,
    foundAt: formatSeconds(await ports.clock.now()),
    damageCount: finding.damageCount,
    damage: finding.damage.slice(0, limits.damageListMax),
  };
  const bytes = new TextEncoder().encode(`${JSON.stringify(marker, null, 2)}\n`);
  try {
    await prepareLocal(local, ports.files);
    await replaceFile(local, ports, (file) => appendFully(file, bytes), { target: local.marker });
  } catch (error) {
    if (!isUnwritable(error)) throw error;
  }
}

export function isUnwritable(error: unknown): boolean {
  return ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "ENOTDIR", "EEXIST"].includes(codeOf(error) ?? "");
}

/** One sentence about one place, for people. */
export function describeDamage(name: string, damage: Damage): string {
  const where = `${name} line ${damage.line} (byte ${grouped(damage.at)})`;
  return `${where}: ${damageKinds[damage.damage]}`;
}

export function damagedFailure(local: Local): Failure {
  return new Failure("log_damaged", {
    message: `${local.name} is damaged, so it is not changed`,
    hint: `Look with \`bridle log verify ${local.path}\`; \`bridle log repair ${local.path}\` sets the damage aside.`,
    detail: { path: local.path },
  });
}
