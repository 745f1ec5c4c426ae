/**
 * Asking a trajectory: the newest rows of a mode, and how many there are of each.
 *
 * Counts come from the index. Of the blocks, those are read that can hold one of
 * the rows that are asked for: in the order of their newest row, until the next
 * block's newest is older than the last row that is still wanted. Rows may stand
 * in the file in any order. A line that is no step is named, never skipped over.
 */
import {
  compareInstants,
  type Damage,
  damageKinds,
  type Entry,
  type IndexBlock,
  type Instant,
  type JsonObject,
  limits,
  type Log,
  type LogIndex,
  type OpenFile,
  readBlock,
  type Row,
  type Summarizer,
} from "@bridle/record";
import type { Step, TrajectoryMode } from "../types.js";
import { isOfLineage } from "./of-lineage.js";
import { compareRanks, type Rank } from "./order.js";
import { meaningOf } from "./result-class.js";
import { StepReader } from "./step.js";
import { type BlockSummary, newestOf, summarize, trajectorySummarizer } from "./trajectory-index.js";

export interface TrajectoryQuery {
  readonly mode: TrajectoryMode;
  /** Only rows with this lineage ref, or one below it. */
  readonly lineage?: string;
  /** Rows at most. */
  readonly limit: number;
  /** Told how far the file was read where the index had to be brought up to date; may throw to stop. */
  readonly reading?: (byte: number) => void;
}

/** A place in the file that is no step, or that differs from what was recorded. */
export interface FoundDamage {
  readonly line: number;
  /** The first offending byte, as exactly as it is known. */
  readonly byte: number;
  readonly problem: string;
  readonly kind: Damage["damage"] | "step_invalid";
  /** Whether the row was answered all the same. */
  readonly readable: boolean;
}

export interface TrajectoryAnswer {
  readonly items: readonly Step[];
  readonly totalCount: number;
  readonly failedCount: number;
  readonly retryNeededCount: number;
  /** In the order of the file, at most `limits.damageListMax`. */
  readonly damage: readonly FoundDamage[];
  readonly damageCount: number;
  /** Whole steps before the first damaged place. */
  readonly stepsBeforeDamage: number;
}

type Block = IndexBlock<BlockSummary>;
type KnownOfBlock = Pick<Block, "summary" | "damage" | "damageCount">;

/** A trajectory that is not there has no rows. */
export async function queryTrajectory(log: Log, query: TrajectoryQuery): Promise<TrajectoryAnswer> {
  const summarizer = watched(query.reading);
  const answer = await log.indexed(summarizer, (index, file, found) =>
    new Asking({ log, index, file, found }).answer(query),
  );
  return answer ?? noRows;
}

/** A trajectory as it stood at one moment, for questions that are not about the newest rows of a mode. */
export interface TrajectoryRows {
  /** Can be asked again; reads what it needs, and holds one block of rows at a time. */
  visit(visit: RowVisit): Promise<void>;
  /** What was found in it so far, without any rows. */
  findings(): Promise<TrajectoryAnswer>;
}

/** Contract: must not throw. */
export interface RowVisit {
  /** Asked before a block is read, with the latest `finishedAt` in it; blocks come in that order, the latest first. */
  wants(newest: Instant): boolean;
  /** Every step of that block, in the order of the file. `finished` is good until it returns. */
  step(row: JsonObject, finished: Instant): void;
}

/** Undefined when there is no trajectory. */
export function readTrajectory<Answer>(
  log: Log,
  read: (rows: TrajectoryRows) => Promise<Answer>,
  reading?: TrajectoryQuery["reading"],
): Promise<Answer | undefined> {
  return log.indexed(watched(reading), (index, file, found) => {
    const asking = new Asking({ log, index, file, found });
    return read({
      visit: (visit) => asking.visit(visit),
      findings: () => asking.answer({ mode: "latest", limit: 0 }),
    });
  });
}

const noRows: TrajectoryAnswer = {
  items: [],
  totalCount: 0,
  failedCount: 0,
  retryNeededCount: 0,
  damage: [],
  damageCount: 0,
  stepsBeforeDamage: 0,
};

function watched(reading: TrajectoryQuery["reading"]): Summarizer<BlockSummary> {
  if (reading === undefined) return trajectorySummarizer;
  return {
    name: trajectorySummarizer.name,
    summarize(entries) {
      reading(entries.at(-1)?.byte ?? 0);
      return summarize(entries);
    },
  };
}

interface AskingOptions {
  readonly log: Log;
  readonly index: LogIndex<BlockSummary>;
  readonly file: OpenFile;
  readonly found: (damage: Damage) => void;
}

class Asking {
  private readonly log: Log;
  private readonly index: LogIndex<BlockSummary>;
  private readonly file: OpenFile;
  private readonly found: (damage: Damage) => void;
  private readonly reader = new StepReader();
  /** Blocks whose rows are no longer those that were indexed, by what they say now. */
  private readonly changed = new Map<Block, KnownOfBlock>();

  constructor({ log, index, file, found }: AskingOptions) {
    this.log = log;
    this.index = index;
    this.file = file;
    this.found = found;
  }

  async answer(query: TrajectoryQuery): Promise<TrajectoryAnswer> {
    const items = await this.newest(query);
    const { damage, damageCount } = this.damage();
    const [first] = damage;
    return {
      items,
      totalCount: this.sum(({ steps }) => steps),
      failedCount: this.sum(({ failed }) => failed),
      retryNeededCount: this.sum(({ retryNeeded }) => retryNeeded),
      damage,
      damageCount,
      stepsBeforeDamage: first === undefined ? 0 : await this.stepsBefore(first.byte),
    };
  }

  private async newest({ mode, limit, lineage }: TrajectoryQuery): Promise<Step[]> {
    const best = new Best(limit);
    const wanted = (row: JsonObject) =>
      belongs(row, mode) && (lineage === undefined || isOfLineage(row, lineage));
    for (const { block, newest } of candidates(this.index, mode)) {
      if (!best.couldTake(newest)) break;
      for (const { row, byte } of this.stepRows(await this.entriesOf(block))) {
        const { finished } = this.reader;
        if (wanted(row) && best.couldTake(finished)) best.take(rankOf(row, finished, byte), row);
      }
      best.settle();
    }
    return best.rows().flatMap((row) => this.reader.step(row) ?? []);
  }

  async visit({ wants, step }: RowVisit): Promise<void> {
    for (const { block, newest } of candidates(this.index, "latest")) {
      if (!wants(newest)) break;
      for (const { row } of this.stepRows(await this.entriesOf(block))) step(row, this.reader.finished);
    }
  }

  /** Rows that are steps, one at a time; when each was finished stands in the reader. */
  private *stepRows(entries: readonly Entry[]): Generator<Row> {
    for (const entry of entries) {
      if (entry.kind === "row" && this.reader.problem(entry.row) === undefined) yield entry;
    }
  }

  /** What the block says; if that is not what was indexed, as it stands now. */
  private async entriesOf(block: Block): Promise<readonly Entry[]> {
    const indexed = await readBlock(this.file, block, false);
    if (indexed !== undefined) return indexed;
    const entries: Entry[] = [];
    const { byte, line, bytes } = block;
    for await (const batch of this.log.batches({ from: { byte, line }, until: byte + bytes })) {
      entries.push(...batch.entries);
    }
    if (!this.changed.has(block)) {
      const damage: Damage = {
        kind: "damage",
        damage: "checksum_mismatch",
        byte,
        line,
        bytes,
        at: byte,
        readable: true,
      };
      const within = entries.filter((entry) => entry.kind === "damage");
      const places = [damage, ...within];
      this.changed.set(block, { summary: summarize(entries), damage: places, damageCount: places.length });
      this.found(damage);
    }
    return entries;
  }

  /** The block as it was indexed, or as it was found to be now. */
  private known(block: Block): KnownOfBlock {
    return this.changed.get(block) ?? block;
  }

  private sum(count: (summary: BlockSummary) => number): number {
    return this.index.blocks.reduce((total, block) => total + count(this.known(block).summary), 0);
  }

  private damage(): { damage: FoundDamage[]; damageCount: number } {
    const damage: FoundDamage[] = [];
    let damageCount = 0;
    const list = (places: readonly FoundDamage[], count: number) => {
      damage.push(...places.slice(0, limits.damageListMax));
      damageCount += count;
    };
    list(this.index.mismatches.map(damagedPlace), this.index.mismatches.length);
    for (const block of this.index.blocks) {
      const { summary, ...broken } = this.known(block);
      if (broken.damageCount > 0) list(broken.damage.map(damagedPlace), broken.damageCount);
      if (summary.invalidCount > 0) list(summary.invalid.map(invalidPlace), summary.invalidCount);
    }
    damage.sort((left, right) => left.byte - right.byte);
    return { damage: damage.slice(0, limits.damageListMax), damageCount };
  }

  private async stepsBefore(byte: number): Promise<number> {
    let steps = 0;
    for (const block of this.index.blocks) {
      if (block.byte + block.bytes <= byte) {
        steps += this.known(block).summary.steps;
      } else {
        if (block.byte < byte) {
          for (const row of this.stepRows(await this.entriesOf(block))) if (row.byte < byte) steps++;
        }
        break;
      }
    }
    return steps;
  }
}

function candidates(
  index: LogIndex<BlockSummary>,
  mode: TrajectoryMode,
): { block: Block; newest: Instant }[] {
  const candidates: { block: Block; newest: Instant }[] = [];
  for (const block of index.blocks) {
    const newest = newestOf(block.summary, mode);
    if (newest !== undefined) candidates.push({ block, newest });
  }
  return candidates.sort((left, right) => compareInstants(right.newest, left.newest));
}

function belongs(row: JsonObject, mode: TrajectoryMode): boolean {
  if (mode === "latest") return true;
  const { failed, retryNeeded } = meaningOf(row["resultClass"] as string);
  return mode === "failed" ? failed : retryNeeded;
}

function rankOf(row: JsonObject, { seconds, fraction }: Instant, byte: number): Rank {
  const { stepId, action } = row as { stepId: string; action: string };
  return { stepId: stepId.trim(), action: action.trim(), finished: { seconds, fraction }, byte };
}

/** The first rows in the order of a projection, of all that were offered. */
class Best {
  private ranked: { readonly rank: Rank; readonly row: JsonObject }[] = [];
  /** The last of the wanted rows, as far as it is known. */
  private last: Rank | undefined;

  constructor(private readonly limit: number) {}

  /** False when nothing finished at this instant can be among them any more. */
  couldTake(finished: Instant): boolean {
    return this.limit > 0 && (this.last === undefined || compareInstants(finished, this.last.finished) >= 0);
  }

  take(rank: Rank, row: JsonObject): void {
    this.ranked.push({ rank, row });
    // Sorting now and then, and not for every row, keeps both the time and the memory small.
    if (this.ranked.length >= 2 * this.limit + 100) this.settle();
  }

  rows(): JsonObject[] {
    this.settle();
    return this.ranked.map(({ row }) => row);
  }

  /** Puts them in order and lets go of those that are too many. */
  settle(): void {
    this.ranked.sort((left, right) => compareRanks(left.rank, right.rank));
    this.ranked.length = Math.min(this.ranked.length, this.limit);
    this.last = this.ranked[this.limit - 1]?.rank;
  }
}

function damagedPlace({ line, at, damage, readable }: Damage): FoundDamage {
  return { line, byte: at, problem: damageKinds[damage], kind: damage, readable };
}

function invalidPlace([line, byte, problem]: BlockSummary["invalid"][number]): FoundDamage {
  return { line, byte, problem, kind: "step_invalid", readable: false };
}
