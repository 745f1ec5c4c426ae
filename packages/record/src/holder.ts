/** Who holds a lock or waits for it, as the one short line that a link has for its target. */
import type { ProcessIdentity } from "./ports/types.js";

export interface Holder extends ProcessIdentity {
  /** Tells apart two holdings of one process. */
  readonly nonce: string;
}

/** One short line, so that `ls -l` shows who holds a lock and no part of it is longer than a name may be. */
export function encodeHolder(holder: Holder): string {
  const { pid, startTime, bootId, pidNamespace, host, nonce } = holder;
  return [pid, startTime, bootId, pidNamespace, host.slice(0, 64), nonce].map(encodeURIComponent).join(" ");
}

export function decodeHolder(target: string): Holder | undefined {
  const [pid = "", startTime, bootId, pidNamespace, host, nonce, ...more] = target.split(" ").map(decoded);
  if (startTime === undefined || bootId === undefined || pidNamespace === undefined) return undefined;
  if (host === undefined || nonce === undefined || more.length > 0 || !/^[1-9]\d*$/.test(pid))
    return undefined;
  return { pid: Number(pid), startTime, bootId, pidNamespace, host, nonce };
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
