/**
 * Bugs that issue memory and its leases could have, and the scenario that must
 * bring each to light.
 */
import type { Change } from "../support/broken-copy.js";
import type { memoryScenarios } from "./memory-scenarios.js";

export interface PlantedMemoryBug {
  readonly name: string;
  readonly scenario: keyof typeof memoryScenarios;
  readonly changes: readonly Change[];
}

const lease = "work/src/memory/lease.ts";
const store = "work/src/store/issue-file.ts";
const loaded = "work/src/store/loaded-issues.ts";
const rewriting = "work/src/store/issue-rewriting.ts";
const graph = "work/src/memory/graph.ts";
const node = "work/src/memory/node.ts";
const row = "work/src/memory/issue-row.ts";

export const plantedMemoryBugs: readonly PlantedMemoryBug[] = [
  {
    name: "a fence is named but not checked",
    scenario: "contendedClaims",
    changes: [
      {
        file: lease,
        find: "if (fence === undefined || fence === issue.fence) return undefined;",
        replace: "if (fence === undefined || issue.id !== '') return undefined;",
      },
    ],
  },
  {
    name: "only a fence that is too small by more than one is refused",
    scenario: "contendedClaims",
    changes: [
      {
        file: lease,
        find: "if (fence === undefined || fence === issue.fence) return undefined;",
        replace: "if (fence === undefined || fence >= issue.fence - 1) return undefined;",
      },
    ],
  },
  {
    name: "a claim does not raise the fence",
    scenario: "contendedClaims",
    changes: [{ file: lease, find: "const fence = issue.fence + 1;", replace: "const fence = issue.fence;" }],
  },
  {
    name: "a claim that continues a lease does not raise the fence",
    scenario: "contendedClaims",
    changes: [
      {
        file: lease,
        find: "const fence = issue.fence + 1;",
        replace: "const fence = continued === undefined ? issue.fence + 1 : issue.fence;",
      },
    ],
  },
  {
    name: "a change is decided before the lock is held",
    scenario: "contendedClaims",
    changes: [
      {
        file: store,
        find: "answer = await this.log.transact<Answer | Refusal | typeof unread>(async (state) => {",
        replace: `const early = decide(await this.graph(), await this.options.ports.clock.now());
          answer = await this.log.transact<Answer | Refusal | typeof unread>(async (state) => {`,
      },
      {
        file: store,
        find: "const outcome = decide(graph, await this.options.ports.clock.now());",
        replace: "const outcome = early; void graph;",
      },
    ],
  },
  {
    name: "a lease that has ended still keeps others out",
    scenario: "contendedClaims",
    changes: [
      {
        file: lease,
        find: 'return endMs(lease) > nowMs ? "active" : "stale";',
        replace: 'return endMs(lease) > 0 ? "active" : "stale";',
      },
    ],
  },
  {
    name: "a lease is taken for ended before its end",
    scenario: "contendedClaims",
    changes: [
      {
        file: lease,
        find: 'return endMs(lease) > nowMs ? "active" : "stale";',
        replace: 'return endMs(lease) > nowMs + 5 ? "active" : "stale";',
      },
    ],
  },
  {
    name: "a lease is active at the very moment of its end",
    scenario: "punctualWorkers",
    changes: [
      {
        file: lease,
        find: 'return endMs(lease) > nowMs ? "active" : "stale";',
        replace: 'return endMs(lease) >= nowMs ? "active" : "stale";',
      },
    ],
  },
  {
    name: "an issue is offered only after the moment of its lease's end",
    scenario: "punctualWorkers",
    changes: [
      { file: graph, find: "this.lapse(indexes, nowMs);", replace: "this.lapse(indexes, nowMs - 1);" },
    ],
  },
  {
    name: "a decision is made without catching up with the file",
    scenario: "contendedClaims",
    changes: [
      {
        file: store,
        find: "await this.inTurn(() => this.catchUp(state));\n        await this.refuseUnfit();\n        const { graph } = this.loaded;",
        replace:
          "if (!this.exists) await this.inTurn(() => this.catchUp(state));\n      await this.refuseUnfit();\n      const { graph } = this.loaded;",
      },
    ],
  },
  {
    name: "catching up is done before the lock is held",
    scenario: "contendedClaims",
    changes: [
      {
        file: store,
        find: "answer = await this.log.transact<Answer | Refusal | typeof unread>(async (state) => {",
        replace:
          "await this.graph();\n    answer = await this.log.transact<Answer | Refusal | typeof unread>(async (state) => {",
      },
      {
        file: store,
        find: "await this.inTurn(() => this.catchUp(state));\n        await this.refuseUnfit();\n        const { graph } = this.loaded;",
        replace: "await this.refuseUnfit();\n      const { graph } = this.loaded;",
      },
    ],
  },
  {
    name: "our own row counts as read, but is not in the graph",
    scenario: "contendedClaims",
    changes: [
      {
        file: loaded,
        find: 'this.take({ kind: "row", row: JSON.parse(own.text) as Row["row"], ...own });',
        replace: "void own;",
      },
    ],
  },
  {
    name: "rows that were read before the disk failed are counted again",
    scenario: "badDiskAtWork",
    changes: [
      {
        file: store,
        find: "// What was read before the disk failed must not be counted again.\n      await this.startOver();",
        replace: "",
      },
    ],
  },
  {
    name: "our own row is in the graph before it is in the file",
    scenario: "badDiskAtWork",
    changes: [
      {
        file: store,
        find: "return { answer: outcome.answer, line: row.text, stood: (at) => this.stood(row, at) };",
        replace:
          "graph.put(new IssueNode(row.id, JSON.parse(row.text), row.text, 0)); return { answer: outcome.answer, line: row.text, stood: (at) => this.stood(row, at) };",
      },
      {
        file: store,
        find: 'import { GitIndex } from "../git/unmerged.js";',
        replace:
          'import { GitIndex } from "../git/unmerged.js";\nimport { IssueNode } from "../memory/node.js";',
      },
    ],
  },
  {
    name: "a file that was replaced is read on where the old one ended",
    scenario: "replacedUnderWork",
    changes: [
      {
        file: loaded,
        find: "if (this.held === undefined || state.file !== this.file || state.size <= this.end.byte) return false;",
        replace: "if (state.size <= this.end.byte) return false;",
      },
      {
        file: loaded,
        find: "return this.last === undefined ? this.end.byte === 0 : state.holds(this.last);",
        replace: "return true;",
      },
      {
        file: loaded,
        find: "if (this.held === undefined || file !== this.file || size !== this.end.byte) return false;",
        replace: "if (size !== this.end.byte) return false;",
      },
    ],
  },
  {
    name: "a compaction writes what was known before it had the lock",
    scenario: "replacedUnderWork",
    changes: [
      {
        file: store,
        find: "return { answer: { changed: true, rowsBefore, rowsAfter }, rewrite: rewriting([]) };",
        replace:
          "return { answer: { changed: true, rowsBefore, rowsAfter }, rewrite: rewriting(globalThis.knownBefore ?? []) };",
      },
      {
        file: store,
        find: "return this.log.transact<Compaction>(async (state) => {",
        replace:
          "globalThis.knownBefore = [...(await this.graph()).nodes()].map(({ id, text }) => ({ id, text }));\n    return this.log.transact<Compaction>(async (state) => {",
      },
    ],
  },
  {
    name: "a compaction keeps the first row of an issue",
    scenario: "replacedUnderWork",
    changes: [
      {
        file: rewriting,
        find: 'if (typeof id === "string" && id !== "") lines.set(id, entry.text);',
        replace:
          'if (typeof id === "string" && id !== "") { if (!lines.has(id)) lines.set(id, entry.text); }',
      },
    ],
  },
  {
    name: "a compaction forgets the fence of an issue without a lease",
    scenario: "replacedUnderWork",
    changes: [
      {
        file: rewriting,
        find: "yield lines.get(id) as string;",
        replace: `yield (lines.get(id) as string).includes('"lease":{') ? (lines.get(id) as string) : (lines.get(id) as string).replace(/,"fence":\\d+/, "");`,
      },
    ],
  },
  {
    name: "a compaction forgets the requests that were answered",
    scenario: "replacedUnderWork",
    changes: [
      {
        file: rewriting,
        find: "yield lines.get(id) as string;",
        replace: `yield JSON.stringify({ ...JSON.parse(lines.get(id) as string), claims: undefined });`,
      },
    ],
  },
  {
    name: "a compaction drops comments",
    scenario: "replacedUnderWork",
    changes: [
      {
        file: rewriting,
        find: "else yield entry.text;",
        replace: 'else if (entry.kind !== "comment") yield entry.text;',
      },
    ],
  },
  {
    name: "a change of several issues is written row by row",
    scenario: "contendedClaims",
    changes: [
      {
        file: store,
        find: "if (more.length > 0) return { answer: outcome.answer, rewrite: rewriting(outcome.rows) };",
        replace:
          "if (more.length > 0) { for (const each of more) void this.log.appendLine(each.text, { durability: 'synced' }).catch(() => {}); }",
      },
    ],
  },
  {
    name: "a release clears the fence",
    scenario: "contendedClaims",
    changes: [
      {
        file: lease,
        find: "lease: undefined,\n      assignee: undefined,",
        replace: "lease: undefined,\n      fence: undefined,\n      assignee: undefined,",
      },
    ],
  },
  {
    name: "a release by a name that does not hold the lease is accepted",
    scenario: "contendedClaims",
    changes: [
      {
        file: lease,
        find: "(assignee === undefined ? undefined : ownerMismatch(issue, issue.lease, assignee)) ??",
        replace: "",
      },
    ],
  },
  {
    name: "a renewal forgets the requests that were answered",
    scenario: "contendedClaims",
    changes: [
      {
        file: lease,
        find: "lease: leaseSource(text, lease, true),",
        replace: "lease: leaseSource(text, lease, true),\n      claims: undefined,",
      },
    ],
  },
  {
    name: "a renewal of a lease that has ended is accepted",
    scenario: "contendedClaims",
    changes: [
      {
        file: lease,
        find: 'if (leaseState(issue.lease, nowMs) === "stale") {',
        replace: 'if (leaseState(issue.lease, nowMs) === "unleased") {',
      },
    ],
  },
  {
    name: "a renewal drops what it does not know of the lease",
    scenario: "contendedClaims",
    changes: [
      {
        file: lease,
        find: 'const before = goesOn ? memberSource(text, "lease") : undefined;',
        replace: "const before = goesOn && text === '' ? memberSource(text, \"lease\") : undefined;",
      },
    ],
  },
  {
    name: "who holds the lease is not asked for",
    scenario: "contendedClaims",
    changes: [
      {
        file: lease,
        find: "return lease.owner === optionalText(asker.actor) ? undefined : heldByAnother(issue, lease);",
        replace: "return undefined;",
      },
    ],
  },
  {
    name: "only the last two answered requests are remembered",
    scenario: "contendedClaims",
    changes: [{ file: "work/src/limits.ts", find: "claimRequestsMax: 8", replace: "claimRequestsMax: 2" }],
  },
  {
    name: "a lease that lapses is never offered again",
    scenario: "contendedClaims",
    changes: [{ file: graph, find: "lapsed.add(first);", replace: "" }],
  },
  {
    name: "a lease that lapsed and was renewed is still offered",
    scenario: "contendedClaims",
    changes: [{ file: graph, find: "indexes.lapsed.delete(node);", replace: "" }],
  },
  {
    name: "a clock that is set back still finds leases lapsed",
    scenario: "contendedClaims",
    changes: [
      {
        file: graph,
        find: "firstOf(indexes.lapsed, (node) =>",
        replace: "firstOf(indexes.lapsed, (node) => node.id !== '' ||",
      },
    ],
  },
  {
    name: "who waited for an issue is not offered when it is closed",
    scenario: "contendedClaims",
    changes: [
      {
        file: graph,
        find: "if ((before?.settled ?? false) !== node.settled) {",
        replace: "if (Math.abs(0) > 0) {",
      },
    ],
  },
  {
    name: "of the requests of an issue only the oldest is indexed",
    scenario: "contendedClaims",
    changes: [
      {
        file: node,
        find: "return (claims as readonly JsonValue[]).flatMap((claim) => {",
        replace: "return (claims as readonly JsonValue[]).slice(0, 1).flatMap((claim) => {",
      },
    ],
  },
  {
    name: "a change is acknowledged before it is synced",
    scenario: "powerLossAtWork",
    changes: [
      {
        file: store,
        find: "return { answer: outcome.answer, line: row.text, stood: (at) => this.stood(row, at) };\n      }, getReady);",
        replace:
          "return { answer: outcome.answer, line: row.text, stood: (at) => this.stood(row, at) };\n      }, { ...getReady, durability: 'written' });",
      },
    ],
  },
  {
    name: "a repeated claim is answered from a row that may never have been synced",
    scenario: "badDiskAtWork",
    changes: [
      { file: "../test/simulation/memory-room.ts", find: "return [{ id, text }];", replace: "return [];" },
    ],
  },
  {
    name: "the first row of an issue wins when a file is read",
    scenario: "contendedClaims",
    changes: [
      {
        file: loaded,
        find: "this.graph.put(node);",
        replace: "if (this.graph.get(id) === undefined) this.graph.put(node);",
      },
    ],
  },
  {
    name: "a changed row is written from what was understood of it",
    scenario: "contendedClaims",
    changes: [
      {
        file: row,
        find: "return { id, text: patchObject(text, kept ? { ...patch, updated_at: new RawJson(before) } : patch) };",
        replace: "return { id, text: patchObject(JSON.stringify(JSON.parse(text)), patch) };",
      },
    ],
  },
];
