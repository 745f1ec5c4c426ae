/**
 * Whether a send still gets anywhere, reduced from the results of its calls.
 *
 * A round is idle when none of its calls succeeded with something new or changed
 * anything. A line is new when no earlier result of the send has it and the call's own
 * arguments do not hold it: `echo 17` tells nothing that the model did not say itself.
 *
 * What a newcomer gets wrong: waiting is no loop. A round with a call that waits, or
 * with a command that took long, counts neither way.
 */
import type { JsonObject } from "@bridle/record";

/** What came of a call. */
export interface CallResult {
  readonly tool: string;
  readonly args?: JsonObject;
  readonly ok: boolean;
  /** False where the call was refused, or answered with an earlier result. */
  readonly ran: boolean;
  readonly text: string;
  /** Of the text. */
  readonly digest: string;
  readonly code?: string;
  /** `changed` lists the paths that it changed; `tookMs` is there where it took long. */
  readonly facts?: JsonObject;
}

/** What the call was after, where that is known. */
export interface CallIntent {
  readonly says: string;
  readonly waits?: true;
}

export const progressLimits = {
  /** Rounds in a row that told nothing new and changed nothing. */
  idleRoundsMax: 10,
  /** Calls of one send that were refused because they repeat earlier ones. */
  repeatsMax: 3,
  /** A longer text is compared as a whole. */
  linesComparedMax: 20,
  triedShown: 5,
} as const;

export class Progress {
  private readonly seen = new Set<string>();
  /** What calls were after, the latest last. */
  private readonly tried: string[] = [];
  private idleRounds = 0;
  private repeats = 0;
  /** What is known of the round that runs. */
  private round: "empty" | "idle" | "waited" | "moved" = "empty";

  /** The next round begins. */
  request(): void {
    if (this.round === "idle") this.idleRounds++;
    else if (this.round === "moved") this.idleRounds = 0;
    this.round = "empty";
  }

  result(row: CallResult, intent: CallIntent | undefined): void {
    if (row.code === "repeated_call") this.repeats++;
    this.remember(intent?.says ?? row.tool);
    if (this.moves(row)) this.round = "moved";
    else if (this.round !== "moved" && (intent?.waits === true || row.facts?.["tookMs"] !== undefined))
      this.round = "waited";
    else if (this.round === "empty") this.round = "idle";
  }

  /** Why the send is to end, in words; undefined as long as it gets somewhere. */
  get stuck(): string | undefined {
    const { idleRoundsMax, repeatsMax } = progressLimits;
    if (this.repeats >= repeatsMax)
      return `${this.repeats} calls were refused because they repeat earlier ones${this.lately}`;
    const idle = this.idleRounds + (this.round === "idle" ? 1 : 0);
    if (idle < idleRoundsMax) return undefined;
    return `${idle} rounds in a row told nothing new and changed nothing${this.lately}`;
  }

  private get lately(): string {
    return this.tried.length === 0 ? "" : `; tried last: ${this.tried.join("; ")}`;
  }

  private remember(says: string): void {
    const before = this.tried.indexOf(says);
    if (before >= 0) this.tried.splice(before, 1);
    else if (this.tried.length === progressLimits.triedShown) this.tried.shift();
    this.tried.push(says);
  }

  private moves(row: CallResult): boolean {
    const { ok, ran, text, digest, args, facts } = row;
    const changed = facts?.["changed"];
    const isNew = ok && ran && this.tellsNew(text, digest, args);
    return isNew || (Array.isArray(changed) && changed.length > 0);
  }

  private tellsNew(text: string, digest: string, args: CallResult["args"]): boolean {
    const lines = text.split("\n", progressLimits.linesComparedMax + 1);
    if (lines.length > progressLimits.linesComparedMax) return this.isFirst(digest);
    let said: string | undefined;
    let isNew = false;
    for (const line of lines) {
      const told = line.trim();
      if (told === "" || !this.isFirst(told)) continue;
      said ??= JSON.stringify(args ?? {});
      if (!said.includes(JSON.stringify(told).slice(1, -1))) isNew = true;
    }
    return isNew;
  }

  private isFirst(told: string): boolean {
    if (this.seen.has(told)) return false;
    this.seen.add(told);
    return true;
  }
}
