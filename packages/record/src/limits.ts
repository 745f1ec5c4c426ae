/**
 * A named limit on everything, units last in the name.
 *
 * Changing one is a decision: say why in docs/decisions/.
 */
export const limits = {
  /** A row of a log, without its newline. Longer input is refused; a longer line in a file is damage. */
  rowBytesMax: 4 * 1024 * 1024,
  /** A JSON document (session, ledger, marker). */
  documentBytesMax: 16 * 1024 * 1024,
  /** How deeply JSON may nest before it is refused rather than recursed into. */
  jsonDepthMax: 512,
  /** How long a waiter stays in line for a lock before it reports the holder. */
  lockWaitMsMax: 10_000,
  /** A waiter looks at its holder at least this often; being handed the lock wakes it sooner. */
  lockPollMs: 100,
  /** How long an idle log keeps its lock, and how often a busy one looks whether somebody waits for it. */
  lockIdleMs: 10,
  /** Up to here a sync is waited for with the lock held; a slower one runs while others write. */
  quickSyncMsMax: 4,
  /** Batches and transactions that a busy log does in one turn while others stand in line. */
  lockTurnMax: 7,
  /** After so many of them, who is next in line is called to get ready; soon enough to be so when the turn ends. */
  lockCallAfter: 5,
  /** A place in line of somebody who cannot be judged from here lapses after this. */
  lockTicketMsMax: 600_000,
  /** Chain of takeovers that a waiter follows when takers died too. */
  lockTakeoverDepthMax: 64,
  /** Bytes gathered into one write. */
  batchBytesMax: 1024 * 1024,
  /** Batches that are written before a sync that somebody waits for begins. */
  batchesBeforeSyncMax: 4,
  /** What a reader holds in memory at a time, beyond one row. */
  readChunkBytes: 256 * 1024,
  /** What is read at least where little is expected. */
  smallReadBytes: 4 * 1024,
  /** What one checksum of an index covers, to the next end of a row. */
  indexBlockBytes: 256 * 1024,
  /** Places of damage that are listed one by one; beyond that they are counted. */
  damageListMax: 100,
  /** A live view looks for new rows at least this often. */
  followPollMs: 500,
} as const;
