/** Reads a whole tape and checks its chains. What is wrong is said with its line. */
import { Failure, Log, describeDamage, type Ports } from "@bridle/record";
import { readRow, type CallRow, type TapeRow } from "./row.js";

export interface TapeSession {
  readonly calls: readonly CallRow[];
  /** Digest of the last row; what somebody else may have written down to compare with. */
  readonly head: string;
  readonly ended: boolean;
  /** Of the last request that counts, where its end says so. */
  readonly place?: number;
}

/** Undefined when there is no file. */
export async function readTape(log: Log): Promise<ReadonlyMap<string, TapeSession> | undefined> {
  if (!(await log.exists())) return undefined;
  const sessions = new Map<string, { calls: CallRow[]; head: string; ended: boolean; place?: number }>();
  for await (const entry of log.entries()) {
    const where = `${log.local.path}, line ${entry.line}`;
    if (entry.kind === "damage") {
      throw new Failure("tape_invalid", {
        message: describeDamage(log.local.path, entry),
        hint: "Record it again; a tape is not edited.",
      });
    }
    if (entry.kind === "comment") continue;
    const row = readRow(entry.row, where);
    const session = sessions.get(row.session);
    requireNext(row, session, where);
    if (session === undefined) {
      sessions.set(row.session, {
        calls: row.kind === "call" ? [row] : [],
        head: row.digest,
        ended: row.kind === "end",
      });
      continue;
    }
    if (row.kind === "call") session.calls.push(row);
    else Object.assign(session, { ended: true, ...(row.place === undefined ? {} : { place: row.place }) });
    session.head = row.digest;
  }
  return sessions;
}

function requireNext(row: TapeRow, session: TapeSession | undefined, where: string): void {
  const calls = session?.calls.length ?? 0;
  const place = row.kind === "call" ? row.call === calls + 1 : row.calls === calls;
  if (session?.ended !== true && row.previous === (session?.head ?? null) && place) return;
  const after = session === undefined ? "the start" : `call ${calls}${session.ended ? " and the end" : ""}`;
  throw new Failure("tape_invalid", {
    message: `${where}: ${row.kind === "call" ? `call ${row.call}` : `the end after ${row.calls} calls`} of session ${JSON.stringify(row.session)} does not follow ${after}; rows are missing, or two recorded one session at once`,
    hint: "Record it again; a tape is not edited.",
  });
}

export interface TapePlace {
  readonly path: string;
  readonly ports: Ports;
  /** Contract: told in one sentence what was found on the way; must not throw. */
  readonly notice?: (sentence: string) => void;
}

export function openTapeLog({ path, ports, notice }: TapePlace): Promise<Log> {
  return Log.open({ path, ports, bearing: "trajectory", ...(notice === undefined ? {} : { notice }) });
}
