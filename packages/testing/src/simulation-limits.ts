/** A named limit on everything the simulator could do without end. */
export const simulationLimits = {
  /** More events than this in one simulation are reported as a livelock. */
  eventsMax: 500_000,
  /** Trace lines that are kept for reading; the digest covers every line. */
  traceLinesMax: 2_000,
  /** Trace lines that a failure quotes. */
  failureTraceLines: 25,
  /** Virtual time that one event may take. */
  eventUsMax: 50,
  /** Links that a path may pass through before ELOOP, as on Linux. */
  linksFollowedMax: 40,
  /** Bytes of one name in a path, as on Linux. */
  nameBytesMax: 255,
  /** The simulated kernel's clock tick: two changes within one have the same mtime. */
  mtimeTickMs: 4,
} as const;
