/**
 * What the clock and the bill say of a run: a file beside its folder, never in it.
 *
 * A run may be stopped and gone on with many times, and every time cost
 * something. So each session is kept, also one that failed; what stands at the
 * top is their sum. What a newcomer gets wrong: a session that is killed while a
 * model works is known up to the last episode that it ended.
 */
import { basename, dirname, join } from "node:path";
import { isJsonObject, type JsonValue, type Ports, putFile } from "@bridle/record";
import { readWhole } from "../read-whole.js";
import type { RunSession, RunSidecar } from "./types.js";

/** Beside the folder: two folders of the same run are the same to the byte. */
export function sidecarPath(folder: string): string {
  return join(dirname(folder), `${basename(folder)}.sidecar.json`);
}

/** Undefined where there is none, and where it is none: it may have been left behind, and no run rests on it. */
export async function readSidecar(folder: string, { files }: Ports): Promise<RunSidecar | undefined> {
  const path = sidecarPath(folder);
  if ((await files.stat(path)) === undefined) return undefined;
  try {
    const value = JSON.parse(await readWhole(path, files)) as JsonValue;
    if (!isJsonObject(value)) return undefined;
    if (!isSession(value)) return undefined;
    // Before sessions were kept it said what the last one did.
    const { cost_usd, jobs, wall_ms } = value;
    const sessions = Array.isArray(value["sessions"]) ? (value["sessions"] as readonly JsonValue[]) : [value];
    const known = sessions.filter(isSession);
    return { cost_usd, jobs, sessions: known.map(sessionOf), wall_ms };
  } catch {
    return undefined;
  }
}

export async function writeSidecar(folder: string, sidecar: RunSidecar, ports: Ports): Promise<void> {
  await putFile(sidecarPath(folder), Buffer.from(`${JSON.stringify(sidecar)}\n`), ports);
}

/** The sessions before and this one. */
export function sidecarOf(earlier: readonly RunSession[], session: RunSession): RunSidecar {
  const sessions = [...earlier, session];
  return {
    cost_usd: sessions.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
    jobs: session.jobs,
    sessions,
    wall_ms: sessions.reduce((sum, { wall_ms }) => sum + wall_ms, 0),
  };
}

function sessionOf({ cost_usd, jobs, wall_ms }: RunSession): RunSession {
  return { cost_usd, jobs, wall_ms };
}

function isSession(value: JsonValue): value is JsonValue & RunSession {
  if (!isJsonObject(value)) return false;
  return ["cost_usd", "jobs", "wall_ms"].every((name) => Number.isFinite(value[name]));
}
