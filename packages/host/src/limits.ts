/**
 * What all processes of one command may take together, and each of them alone.
 */
import { totalmem } from "node:os";

const gib = 1024 ** 3;

export interface CommandLimits {
  /** Of the whole, and, as a limit that the system keeps, of each process. */
  readonly memoryBytes: number;
  /** Processes and threads. Node alone has a dozen, a test runner a dozen for each core. */
  readonly processes: number;
}

export const commandLimits = {
  /** Files in /tmp, in the home folder, in /dev/shm and in the layer that vanishes; they live in memory. */
  tmpBytes: Math.min(2 * gib, Math.floor(totalmem() / 8)),
  homeBytes: 256 * 1024 ** 2,
  shmBytes: 256 * 1024 ** 2,
  memoryBytes: Math.min(8 * gib, Math.floor(totalmem() / 2)),
  processes: 2_048,
  /** In blocks of 1,024 bytes. */
  fileBlocks: 64 * 1024 * 1024,
  /** How long what is told to end may take. */
  graceMs: 1_000,
  /** Names of what vanished. */
  vanishedBytesMax: 64 * 1024,
} as const satisfies CommandLimits & Record<string, number>;
