/**
 * How often each rule was broken, recalled and enforced: `.agent_rule_stats.json`
 * of a workspace, shared by every session and child that works there.
 *
 * The shape is version 1 of the file that other programs know. `hitCount` and
 * `preventedErrorCount` stay for their sake and always say what `violations` and
 * `preventions` say; injections are counted apart, so that recalling a rule does
 * not make it look broken. Members that we do not know are carried along.
 *
 * What a newcomer gets wrong: counts are a help, never a reason to fail. A file
 * that cannot be read or written is reported once and left as it is, and what was
 * to be counted stays in memory until a write succeeds.
 */
import {
  Document,
  type Durability,
  Failure,
  failureAt,
  isJsonObject,
  type JsonObject,
  type Ports,
  present,
} from "@bridle/record";
import { namedRulesIn } from "./ids.js";

export const ruleStatsName = ".agent_rule_stats.json";

export interface RuleCounts {
  readonly violations: number;
  readonly injections: number;
  readonly preventions: number;
}

type Counted = keyof RuleCounts;
/** Ids, each as often as it is to be counted. */
export type RuleAdditions = { readonly [What in Counted]?: Iterable<string> };

export interface RuleStatsOptions {
  /** Of the file, absolute. */
  readonly path: string;
  /** The folder whose `.bridle` has its lock; its own when left out. */
  readonly localIn?: string;
  readonly ports: Ports;
  /** Contract: told in one sentence, once, that the file cannot be used; must not throw. */
  readonly notice?: (sentence: string) => void;
  readonly lockWaitMsMax?: number;
  readonly durability?: Durability;
}

interface StatsFile {
  readonly version: 1;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  readonly rules: Readonly<Record<string, JsonObject>>;
}

const none: RuleCounts = { violations: 0, injections: 0, preventions: 0 };

export class RuleStats {
  /** What could not be written yet. */
  private pending = new Map<string, RuleCounts>();
  private reported = false;

  constructor(private readonly options: RuleStatsOptions) {}

  /** Everything that was counted so far, here and elsewhere. */
  async counts(): Promise<ReadonlyMap<string, RuleCounts>> {
    const file = await this.attempt(async () => (await this.open()).read());
    const counts = new Map(Object.entries(file?.rules ?? {}).map(([id, row]) => [id, countsIn(row)]));
    for (const [id, more] of this.pending) counts.set(id, sum(counts.get(id), more));
    return counts;
  }

  /** For the order of the recall. */
  async violations(): Promise<ReadonlyMap<string, number>> {
    const counts = await this.counts();
    return new Map(Array.from(counts, ([id, { violations }]) => [id, violations]));
  }

  /** One write for everything that is handed over; none when that is nothing. */
  async add(additions: RuleAdditions): Promise<void> {
    for (const what of ["violations", "injections", "preventions"] as const) {
      for (const id of additions[what] ?? []) {
        this.pending.set(id, sum(this.pending.get(id), { ...none, [what]: 1 }));
      }
    }
    if (this.pending.size === 0) return;
    const writing = this.pending;
    this.pending = new Map();
    const written = await this.attempt(async () => {
      const now = await this.options.ports.clock.now();
      const document = await this.open();
      return document.change((file) => withCounts(file, writing, now));
    });
    if (written !== undefined) return;
    for (const [id, counts] of writing) this.pending.set(id, sum(this.pending.get(id), counts));
  }

  /** A link could lead the write out of the workspace, so it is not followed. */
  private async open(): Promise<Document<StatsFile>> {
    const { path, ports, localIn, lockWaitMsMax, durability } = this.options;
    const target = await ports.files.readLink(path).catch((error: unknown) => {
      throw failureAt(path, error);
    });
    if (target !== undefined) {
      throw new Failure("file_not_regular", {
        message: `${path} is a link; rules are counted in a file`,
        hint: "Remove the link.",
      });
    }
    return Document.open<StatsFile>({
      path,
      ports,
      check: (value) => checked(value, path),
      members: ["version", "updatedAt", "rules"],
      ...present({ localIn, lockWaitMsMax, durability }),
    });
  }

  private async attempt<Answer>(act: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (!this.reported) {
        this.options.notice?.(
          `rules are counted in memory only: ${error.message}${error.hint === undefined ? "" : ` (${error.hint})`}`,
        );
      }
      this.reported = true;
      return undefined;
    }
  }
}

export interface BumpOptions {
  readonly stats: RuleStats;
  /** The violation was stopped before it did anything. */
  readonly prevented?: boolean;
}

/** Adds to the counter of every rule whose id stands in the text, once each; answers which. */
export async function bumpRuleHits(
  text: string,
  { stats, prevented = false }: BumpOptions,
): Promise<readonly string[]> {
  const ids = namedRulesIn(text);
  if (ids.length > 0) await stats.add({ violations: ids, preventions: prevented ? ids : [] });
  return ids;
}

// --- The file --------------------------------------------------------------------------------------

function withCounts(
  file: StatsFile | undefined,
  more: ReadonlyMap<string, RuleCounts>,
  now: number,
): StatsFile {
  const rules = { ...file?.rules };
  for (const [id, counts] of more) {
    const before = Object.hasOwn(rules, id) ? rules[id] : undefined;
    const after = sum(before === undefined ? none : countsIn(before), counts);
    rules[id] = {
      ruleId: id,
      // Never: readers of the old shape expect a number.
      lastHitAt: 0,
      ...before,
      hitCount: after.violations,
      preventedErrorCount: after.preventions,
      ...(counts.violations > 0 ? { lastHitAt: now } : {}),
      ...after,
    };
  }
  return { version: 1, updatedAt: Math.max(now, file?.updatedAt ?? 0), rules };
}

/** A program that knows only the old members may have counted on; then theirs is the higher number. */
function countsIn(row: JsonObject): RuleCounts {
  return {
    violations: Math.max(countAt(row, "violations"), countAt(row, "hitCount")),
    injections: countAt(row, "injections"),
    preventions: Math.max(countAt(row, "preventions"), countAt(row, "preventedErrorCount")),
  };
}

function countAt(row: JsonObject, member: string): number {
  const value = row[member];
  return typeof value === "number" ? value : 0;
}

function sum(left: RuleCounts | undefined, right: RuleCounts): RuleCounts {
  if (left === undefined) return right;
  return {
    violations: left.violations + right.violations,
    injections: left.injections + right.injections,
    preventions: left.preventions + right.preventions,
  };
}

const counters = ["hitCount", "preventedErrorCount", "violations", "injections", "preventions"];

function checked(value: JsonObject, path: string): StatsFile {
  const wrong = (what: string) =>
    new Failure("document_invalid", {
      message: `${path}: ${what}`,
      hint: "Repair it, or move it away and counting starts anew. Nothing was changed.",
    });
  const { version, updatedAt, rules } = value;
  if (version !== 1) throw wrong(`version is ${JSON.stringify(version)}, expected 1`);
  if (updatedAt !== undefined && typeof updatedAt !== "number") throw wrong("updatedAt is no number");
  if (!isJsonObject(rules)) throw wrong("rules is no object");
  for (const [id, row] of Object.entries(rules)) {
    if (!isJsonObject(row)) throw wrong(`rules.${id} is no object`);
    const bad = counters.find((member) => row[member] !== undefined && !isCount(row[member]));
    if (bad !== undefined) throw wrong(`rules.${id}.${bad} is no count`);
  }
  return { version, updatedAt: updatedAt ?? 0, rules: rules as Record<string, JsonObject> };
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
