/**
 * What issue memory promised, written down while it happens, and held against
 * the disk after every event.
 *
 * A row carries the number of the decision that made it, and the books know
 * which row that decision saw before it. So a row that was decided on anything
 * but the issue's last row is noticed at the moment when it reaches the file.
 */
import { strict as assert } from "node:assert";
import type { SimDiskView } from "@bridle/testing";
import { type Call, checkLinearizable } from "./linearizable.js";
import {
  type Claimed,
  claimableAmong,
  type IssueAnswer,
  type IssueOp,
  issueModel,
  type IssueRow,
  requestsKept,
  stateOfRow,
} from "./memory-model.js";
import type { IssueGraph } from "./memory-room.js";

/** Members that no version of ours knows; every row of these issues must keep them to the byte. */
export const unknownMembers = '"x_keep":1.0,"x_big":18446744073709551615,"x_text":"\\u0041"';
const unknownInLease = '"x_seat":7.50';

export const issueIds = ["bd-1", "bd-2", "bd-3"] as const;

const startMs = Date.UTC(2026, 0, 1);
/** Who works at the start, and until when. */
export const firstClaim = { id: "bd-1", fence: 1, leaseId: "lease1_bd-1_w0a", endMs: startMs + 40 };

/** The file at the start: comments, a row that is no issue, and issues of which the last waits for another. */
export function firstLines(): string[] {
  const { leaseId, endMs } = firstClaim;
  const lease = `{"lease_id":"${leaseId}","owner":"w0a","acquired_at":"${time(startMs)}",${unknownInLease},"expires_at":"${time(endMs)}"}`;
  const waits = `"dependencies":[{"issue_id":"bd-3","depends_on_id":"bd-2","type":"blocks","x_why":1e2}]`;
  return [
    "# kept: why these issues exist",
    `{"note":"no id","n":1.50}`,
    `{"id":"bd-1","title":"one","status":"in_progress","priority":1,"assignee":"w0a","lease":${lease},"fence":1,${unknownMembers}}`,
    `{"id":"bd-2","title":"two","status":"open","priority":2,${unknownMembers}}`,
    "# kept: a remark in the middle",
    `{"id":"bd-3","title":"three","status":"open","priority":0,${unknownMembers},${waits}}`,
  ];
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}

/** One call of a worker: what it came to be decided on each issue, the last time that it was decided. */
export interface Ongoing {
  readonly who: string;
  readonly invokedAt: number;
  readonly parts: Map<string, Part>;
  returned?: { readonly at: number; readonly answer: IssueAnswer };
}

export interface Part {
  readonly op: IssueOp;
  /** The row that must be durable when the call is answered; none when nothing was changed. */
  readonly text?: string;
}

interface DecidedRow {
  readonly base: string;
  readonly text: string;
  readonly op: IssueOp;
}

interface Standing {
  readonly text: string;
  readonly row: IssueRow;
  /** Grows with every new row of the issue. */
  readonly turn: number;
}

export class MemoryBooks {
  powerLosses = 0;
  acknowledged = 0;
  refused = 0;
  inDoubt = 0;
  private clock = 0;
  private decisions = 0;
  private violation: Error | undefined;
  private readonly calls: Ongoing[] = [];
  private readonly decided = new Map<number, Map<string, DecidedRow>>();
  private readonly first: ReadonlyMap<string, IssueRow>;
  private standing = new Map<string, Standing>();
  private readonly turns = new Map<string, number>();
  private readonly acked = new Map<string, number>();
  private readonly answers = new Map<string, { readonly id: string; readonly claimed: Claimed }>();
  private readonly versions: { readonly texts: ReadonlyMap<string, string>; readonly rows: number }[] = [];
  private bytes: Uint8Array = new Uint8Array();
  private whole = "";

  constructor(
    private readonly disk: SimDiskView,
    private readonly path: string,
  ) {
    const lines = firstLines();
    disk.put(path, `${lines.join("\n")}\n`);
    this.look();
    for (const line of lines) if (line.startsWith('{"id"')) this.stand(line, 0);
    this.noteVersion();
    this.first = new Map([...this.standing].map(([id, { row }]) => [id, row]));
    this.kept = lines.filter((line) => !line.startsWith('{"id"'));
  }

  private readonly kept: readonly string[];

  // --- Told by the workers -----------------------------------------------------------------------

  begin(who: string): Ongoing {
    const call: Ongoing = { who, invokedAt: ++this.clock, parts: new Map() };
    this.calls.push(call);
    return call;
  }

  nextDecision(): number {
    return ++this.decisions;
  }

  expect(decision: number, id: string, row: DecidedRow): void {
    const rows = this.decided.get(decision) ?? new Map<string, DecidedRow>();
    this.decided.set(decision, rows.set(id, row));
  }

  /** Under the lock, the graph is the file. */
  compareGraph(graph: IssueGraph): void {
    this.guard(() => {
      for (const [id, { text }] of this.standing) {
        assert.equal(graph.get(id)?.text, text, `a decision is made on an old row of ${id}`);
      }
    });
  }

  compareClaimable(found: string | undefined, by: string, nowMs: number): void {
    this.guard(() => {
      const rows = new Map([...this.standing].map(([id, { row }]) => [id, row]));
      assert.equal(found, claimableAmong(rows, by, nowMs), `what ${by} may claim next at ${time(nowMs)}`);
    });
  }

  /** A question is answered from the file as it was at one moment while it was asked. */
  get version(): number {
    return this.versions.length - 1;
  }

  compareRead({ graph, rowCount }: { graph: IssueGraph; rowCount: number }, since: number): void {
    this.guard(() => {
      const seen = [...graph.nodes()].map(({ id, text }) => [id, text] as const);
      const possible = this.versions.slice(since);
      assert.ok(
        possible.some(({ texts }) => seen.every(([id, text]) => texts.get(id) === text)),
        "a reader was shown issues as the file never had them while it asked",
      );
      // What a power loss left is counted in more than one way.
      assert.ok(
        this.powerLosses > 0 || possible.some(({ rows }) => rows === rowCount),
        `a reader counted ${rowCount} rows; there were ${possible.map(({ rows }) => rows).join(", ")}`,
      );
    });
  }

  returned(call: Ongoing, answer: IssueAnswer): void {
    call.returned = { at: ++this.clock, answer };
    if ("refused" in answer) {
      this.refused++;
      return;
    }
    this.acknowledged++;
    this.guard(() => {
      for (const [id, { op, text }] of call.parts) {
        if (text !== undefined) this.mustLast(id, text);
        if ("claimed" in answer && op.kind === "claim" && op.requestId !== undefined) {
          this.sameAsBefore(op.requestId, id, answer.claimed);
        }
      }
    });
  }

  failed(): void {
    this.inDoubt++;
  }

  powerLost(): void {
    this.powerLosses++;
    this.guard(() => this.lookAfterPowerLoss());
  }

  // --- Seen on the disk --------------------------------------------------------------------------

  /** After every event. */
  check(): void {
    if (this.violation !== undefined) throw this.violation;
    const before = this.whole;
    if (!this.look()) return;
    const { whole } = this;
    if (whole === before) return;
    if (whole.startsWith(before)) {
      for (const line of linesOf(whole.slice(before.length))) {
        if (!line.startsWith("#")) this.take(line);
      }
    } else this.takeAll(linesOf(whole));
    this.noteVersion();
  }

  /** At the end, when nobody writes any more. */
  checkHistories(): number {
    let calls = 0;
    for (const id of this.standing.keys()) {
      const history = this.historyOf(id);
      calls += history.length;
      const initial = stateOfRow(this.first.get(id) as IssueRow);
      const verdict = checkLinearizable(issueModel(id, initial), history);
      if (verdict.linearizable) continue;
      const lines = [...verdict.longest.map(describe), "fitted nowhere:", ...verdict.stuck.map(describe)];
      throw new Error(`the calls on ${id} cannot have happened one after the other\n${lines.join("\n")}`);
    }
    return calls;
  }

  private historyOf(id: string): Call<IssueOp, IssueAnswer>[] {
    const history: Call<IssueOp, IssueAnswer>[] = [];
    for (const { invokedAt, parts, returned } of this.calls) {
      const part = parts.get(id);
      if (part === undefined) continue;
      const changes = part.text !== undefined;
      if (returned === undefined) {
        if (changes) history.push({ op: part.op, invokedAt });
        continue;
      }
      // One who was refused may have seen a change that nobody was promised and that a power loss took.
      if (!changes && this.powerLosses > 0) continue;
      history.push({ op: part.op, invokedAt, returned });
    }
    return history;
  }

  /** Whether the content is another one than at the last look. */
  private look(): boolean {
    const bytes = this.disk.peek(this.path);
    assert.ok(bytes !== undefined, "the file of issue memory is gone");
    if (Buffer.compare(bytes, this.bytes) === 0) return false;
    this.bytes = bytes;
    this.whole = wholeOf(bytes);
    return true;
  }

  private takeAll(lines: readonly string[]): void {
    assert.deepEqual(
      lines.filter((line) => this.kept.includes(line)),
      this.kept,
      "a comment, or a row that is no issue, was not kept when the file was replaced",
    );
    const last = new Map<string, string>();
    for (const line of lines) {
      if (line.startsWith('{"id"')) last.set(idOf(line), line);
    }
    for (const [id, { text }] of this.standing) {
      assert.ok(last.has(id), `${id} is gone since the file was replaced; it was ${text}`);
    }
    for (const line of last.values()) this.take(line);
  }

  /** A row that is an issue's last one from now on. */
  private take(line: string): void {
    const id = idOf(line);
    const before = this.standing.get(id);
    assert.ok(before !== undefined, `nobody made the issue ${id}`);
    if (before.text === line) return;
    const row = JSON.parse(line) as IssueRow;
    const decision = this.decided.get(row.x_decision ?? -1)?.get(id);
    assert.ok(decision?.text === line, `a row that nobody decided, or that was there before: ${line}`);
    assert.equal(decision.base, before.text, `${id} was decided on a row that is no longer its last`);
    this.judgeFence(before.row, row, decision.op);
    assert.ok(line.includes(unknownMembers), `unknown members of ${id} were touched: ${line}`);
    if (decision.op.kind === "renew" && before.text.includes(unknownInLease)) {
      assert.ok(line.includes(unknownInLease), `unknown members of the lease of ${id} were touched`);
    }
    this.stand(line, before.turn + 1);
  }

  private judgeFence(before: IssueRow, row: IssueRow, op: IssueOp): void {
    const [old, fresh] = [before.fence ?? 0, row.fence ?? 0];
    const grows = op.kind === "claim" ? 1 : op.kind === "merge" ? op.fencesUp : 0;
    assert.equal(fresh, old + grows, `the fence of ${row.id} after ${op.kind}`);
    if ("fence" in op && op.fence !== undefined) {
      assert.equal(op.fence, old, `${op.kind} of ${row.id} under a fence that is not the last`);
    }
    if (op.kind !== "claim") return;
    const { lease } = before;
    if (lease !== undefined && lease.owner !== op.by) {
      const end = Date.parse(lease.expires_at);
      assert.ok(end <= op.nowMs, `${op.by} claimed ${row.id} under the active lease of ${lease.owner}`);
    }
    if (op.requestId === undefined) return;
    for (const { row: other } of this.standing.values()) {
      const twice = other.claims?.some(({ request_id }) => request_id === op.requestId) === true;
      assert.ok(!twice, `the claim ${op.requestId} of ${other.id} was made again, of ${row.id}`);
    }
  }

  private stand(text: string, turn: number): void {
    const row = JSON.parse(text) as IssueRow;
    this.standing.set(row.id, { text, row, turn });
    this.turns.set(text, turn);
  }

  private noteVersion(): void {
    const texts = new Map([...this.standing].map(([id, { text }]) => [id, text]));
    this.versions.push({ texts, rows: linesOf(this.whole).filter((line) => line.startsWith("{")).length });
  }

  /** At an acknowledgement: the row, or a later one of the issue, is on the disk itself. */
  private mustLast(id: string, text: string): void {
    const turn = this.turns.get(text);
    assert.ok(turn !== undefined, `acknowledged, but never in the file: ${text}`);
    this.acked.set(id, Math.max(turn, this.acked.get(id) ?? 0));
    const durable = wholeOf(this.disk.peekDurable(this.path) ?? new Uint8Array());
    let found = -1;
    for (const line of linesOf(durable)) {
      if (line.startsWith(`{"id":"${id}"`)) found = this.turns.get(line) ?? found;
    }
    assert.ok(found >= turn, `acknowledged, but a power loss would take it: ${text}`);
  }

  private sameAsBefore(requestId: string, id: string, claimed: Claimed): void {
    const before = this.answers.get(requestId);
    if (before === undefined) {
      this.answers.set(requestId, { id, claimed });
      return;
    }
    // An issue remembers only so many; the one who asks later than that claims anew.
    const since = (this.standing.get(before.id)?.row.fence ?? 0) - before.claimed.fence;
    if (since >= requestsKept) return;
    assert.deepEqual({ id, claimed }, before, `the claim ${requestId} was answered in two ways`);
  }

  /** Nothing that was acknowledged may be gone; of the rest, anything. */
  private lookAfterPowerLoss(): void {
    this.look();
    const before = this.standing;
    this.standing = new Map();
    const lines = linesOf(this.whole);
    for (const line of this.kept) assert.ok(lines.includes(line), `gone after a power loss: ${line}`);
    for (const line of lines) {
      const row = parsed(line);
      if (row === undefined || typeof row.id !== "string") continue;
      const last = before.get(row.id);
      // A row may have reached the file in the very moment of the power loss.
      const turn = this.turns.get(line) ?? (last?.turn ?? 0) + 1;
      if (!this.turns.has(line)) {
        const decision = this.decided.get(row.x_decision ?? -1)?.get(row.id);
        assert.ok(decision?.text === line, `a row that nobody decided: ${line}`);
        assert.equal(decision.base, last?.text, `${row.id} was decided on a row that is no longer its last`);
      }
      this.stand(line, turn);
    }
    for (const id of before.keys()) {
      const turn = this.standing.get(id)?.turn ?? -1;
      assert.ok(
        turn >= (this.acked.get(id) ?? 0),
        `an acknowledged change of ${id} is gone after a power loss`,
      );
    }
    this.allOrNone();
    this.noteVersion();
  }

  /** Of a change of several issues, all rows or none. */
  private allOrNone(): void {
    for (const rows of this.decided.values()) {
      if (rows.size < 2) continue;
      const stood = [...rows].filter(([id, { text }]) => {
        const turn = this.turns.get(text);
        return turn !== undefined && (this.standing.get(id)?.turn ?? -1) >= turn;
      });
      assert.ok(
        stood.length === 0 || stood.length === rows.size,
        "half of a change of several issues is there",
      );
    }
  }

  /** Runs a part of a decision; what it throws is no answer of the memory. */
  blamed<Result>(act: () => Result): Result {
    try {
      return act();
    } catch (error) {
      this.violation ??= error as Error;
      throw error;
    }
  }

  /** What breaks inside a call must not pass for its answer; it is thrown after the event. */
  private guard(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.violation ??= error as Error;
    }
  }
}

const decoder = new TextDecoder();

/** Without what stands behind the last newline. */
function wholeOf(bytes: Uint8Array): string {
  return decoder.decode(bytes.subarray(0, bytes.lastIndexOf(10) + 1));
}

/** A failed sync or a power loss may leave NUL bytes in the place of a row, its newline too; what follows counts. */
function linesOf(whole: string): string[] {
  const lines = whole.split("\n").map((line) => line.slice(line.lastIndexOf("\0") + 1));
  lines.pop();
  return lines;
}

function idOf(line: string): string {
  const row = parsed(line);
  assert.ok(row !== undefined, `a line that is no JSON: ${line}`);
  return row.id;
}

function parsed(line: string): IssueRow | undefined {
  try {
    return JSON.parse(line) as IssueRow;
  } catch {
    return undefined;
  }
}

function describe({ op, invokedAt, returned }: Call<IssueOp, IssueAnswer>): string {
  const answer = returned === undefined ? "in doubt" : `${returned.at} ${JSON.stringify(returned.answer)}`;
  return `  ${invokedAt}..${answer} ${JSON.stringify(op)}`;
}
