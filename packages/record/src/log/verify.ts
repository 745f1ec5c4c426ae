/** Looks at every byte of a log and says what it found; changes nothing but the marker. */
import { limits } from "../limits.js";
import type { Local } from "../local.js";
import type { OpenFile } from "../ports/types.js";
import { checksumsOnly, openIndex } from "./block-index.js";
import { isMarked, leaveMarker } from "./marker.js";
import type { Damage, LogOptions } from "./types.js";

export interface Verification {
  readonly rows: number;
  readonly lines: number;
  /** Bytes of whole lines. */
  readonly bytes: number;
  /** Bytes behind the last newline: a row in the making, or a torn tail that the next append sets aside. */
  readonly unfinishedBytes: number;
  /** At most `limits.damageListMax` places, in order. */
  readonly damage: readonly Damage[];
  readonly damageCount: number;
  /** Whether an index from earlier covered the file, so that changed rows that still parse would show. */
  readonly checkedAgainstIndex: boolean;
  /** Whether changes are refused until a repair. */
  readonly marked: boolean;
}

export async function verifyFile(local: Local, options: LogOptions, file: OpenFile): Promise<Verification> {
  const { ports } = options;
  const index = await openIndex({
    local,
    file,
    ports,
    summarizer: checksumsOnly,
    comments: options.comments === true,
    thorough: true,
  });
  const found: Damage[] = [...index.blocks.flatMap((block) => block.damage), ...index.mismatches];
  found.sort((left, right) => left.byte - right.byte);
  const last = index.blocks.at(-1);
  const damageCount = index.blocks.reduce((sum, block) => sum + block.damageCount, index.mismatches.length);
  if (damageCount > 0) await leaveMarker(local, ports, { damage: found, damageCount, file });
  return {
    rows: index.blocks.reduce((sum, block) => sum + block.rows, 0),
    lines: last === undefined ? 0 : last.line + last.lines - 1,
    bytes: last === undefined ? 0 : last.byte + last.bytes,
    unfinishedBytes: index.unfinishedBytes,
    damage: found.slice(0, limits.damageListMax),
    damageCount,
    checkedAgainstIndex: index.reused,
    marked: await isMarked(local, ports),
  };
}
