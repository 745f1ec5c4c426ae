/** When an episode is, by the name of its window. */

/** The hour that a window such as `2025-07-01T05:00Z/24h` ends with; undefined when it is named otherwise. */
export function endHourOf(windowId: string): number | undefined {
  const [end = ""] = windowId.split("/");
  const match = /^(\d{4}-\d{2}-\d{2}T\d{2}):00Z$/.exec(end);
  if (match === null) return undefined;
  const ms = Date.parse(`${match[1]}:00:00Z`);
  return Number.isNaN(ms) ? undefined : ms / 3_600_000;
}
