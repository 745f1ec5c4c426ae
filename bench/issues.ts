/** Issue memory in four shapes, a fixed function of their size. */
import { closeSync, openSync, writeSync } from "node:fs";

export const topologies = ["chain", "tree", "dense", "blocked-skewed"] as const;
export type Topology = (typeof topologies)[number];

const startMs = Date.UTC(2026, 0, 1);
const people = ["ada", "bob", "worker.1", "worker.2"];

/** Ids have one length, so that their order is that of their numbers. */
const idOf = (i: number) => `bd-${String(i).padStart(6, "0")}`;
const time = (i: number) => `${new Date(startMs + i * 60_000).toISOString().slice(0, 19)}Z`;
const scattered = (i: number, below: number) => ((i * 2_654_435_761) >>> 0) % below;

/**
 * - chain: each waits for the one before; a third is done.
 * - tree: each is a child of another, five to a parent; the first two thirds are done.
 * - dense: each waits for eight earlier ones; half is done.
 * - blocked-skewed: nine of ten wait for one of a few open ones; the rest is open and free.
 */
function shape(topology: Topology, i: number, count: number): { closed: boolean; blockers: number[] } {
  switch (topology) {
    case "chain":
      return { closed: i < count / 3, blockers: i === 0 ? [] : [i - 1] };
    case "tree":
      return { closed: i < (count * 2) / 3, blockers: i === 0 ? [] : [Math.floor((i - 1) / 5)] };
    case "dense":
      return {
        closed: i < count / 2,
        blockers: i < 8 ? [] : Array.from({ length: 8 }, (_, k) => scattered(i * 8 + k, i)),
      };
    case "blocked-skewed":
      return { closed: false, blockers: i < 10 || i % 10 === 0 ? [] : [i % 7] };
  }
}

export function issueRow(topology: Topology, i: number, count: number) {
  const { closed, blockers } = shape(topology, i, count);
  const id = idOf(i);
  const claimed = !closed && i % 1_000 === 7;
  const assignee = people[i % people.length] as string;
  return {
    id,
    title: `${topology} issue ${i}: make the ${scattered(i, 977)}th part do what it says`,
    description:
      `What is wrong: part ${i} stops half way when its input is long. It should go on.\n` +
      "Acceptance: it goes on, and the test that was added fails without the change.\n" +
      "Verification: `npm test -- part`",
    status: closed ? "closed" : claimed ? "in_progress" : "open",
    priority: scattered(i, 5),
    issue_type: "task",
    ...(closed || claimed ? { assignee } : {}),
    ...(claimed
      ? {
          lease: {
            lease_id: `lease1_${id}_${assignee}`,
            owner: assignee,
            acquired_at: time(i),
            expires_at: "2099-01-01T00:00:00Z",
          },
          fence: 1,
        }
      : {}),
    created_at: time(i),
    updated_at: time(i + count),
    ...(closed ? { closed_at: time(i + count) } : {}),
    ephemeral: false,
    labels: [`area-${i % 13}`],
    ...(blockers.length === 0
      ? {}
      : {
          dependencies: [...new Set(blockers)].map((blocker) => ({
            issue_id: id,
            depends_on_id: idOf(blocker),
            type: topology === "tree" ? "parent-child" : "blocks",
            created_by: "ada",
          })),
        }),
  };
}

export function writeIssues(path: string, topology: Topology, count: number): void {
  const fd = openSync(path, "w");
  let chunk = "";
  for (let i = 0; i < count; i++) {
    chunk += `${JSON.stringify(issueRow(topology, i, count))}\n`;
    if (chunk.length > 1 << 20 || i === count - 1) {
      writeSync(fd, chunk);
      chunk = "";
    }
  }
  closeSync(fd);
}
