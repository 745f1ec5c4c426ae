/**
 * Limits of this room, units last in the name; see also the record's.
 *
 * Changing one is a decision: say why in docs/decisions/.
 */
export const workLimits = {
  /** Rows that one trajectory query answers at most. */
  queryItemsMax: 10_000,
  /** Rows that it answers when not told otherwise. */
  queryItemsDefault: 20,
  /** Places of a block that are no step and are listed one by one in the index; the rest is counted. */
  invalidPerBlockMax: 20,
  /** Rows of its window that a KPI report shows. */
  kpiLatestRowsMax: 5,
  /** The longest window of a KPI report. */
  kpiWindowHoursMax: 1_000_000,
  /** Distinct result classes whose meaning is remembered while a trajectory is read. */
  resultClassesMax: 1_000,
  /** Cells of one column of a table; longer text is cut. */
  tableCellWidthMax: 48,
} as const;
