/**
 * What was found out about a command so far. Parts of it are judged on their own
 * and then added; the whole is as bad as its worst part.
 */
import type { Intent, Risk } from "@bridle/agent";

export type Forbidden = NonNullable<Intent["forbidden"]>;

const order: readonly Risk[] = ["safe", "cautious", "destructive"];

export class Judgement {
  risk: Risk = "safe";
  readonly why: string[] = [];
  readonly reads = new Set<string>();
  /** What is opened by its name, with how many levels below it: a link there leads wherever it likes. */
  readonly opens = new Map<string, number>();
  /** Folders that it goes to; from them `..` leads elsewhere when they are links. */
  readonly enters = new Set<string>();
  readonly changes = new Set<string>();
  changesAnything = false;
  readonly removes = new Set<string>();
  waits = false;
  reachesOut = false;
  /** What comes in through a pipe is run as a program. */
  runsInput = false;
  /** It prints names of files within the workspace, and nothing else. */
  listsFiles = false;
  forbidden: Forbidden | undefined;

  raise(risk: Risk, why?: string): void {
    if (order.indexOf(risk) > order.indexOf(this.risk)) this.risk = risk;
    if (why !== undefined && !this.why.includes(why)) this.why.push(why);
  }

  /** Whatever it does, it cannot be told from the command. */
  anything(risk: "cautious" | "destructive", why: string): void {
    this.raise(risk, why);
    this.changesAnything = true;
  }

  outbound(why: string): void {
    this.anything("destructive", why);
    this.reachesOut = true;
  }

  open(path: string, levels: number): void {
    this.opens.set(path, Math.max(levels, this.opens.get(path) ?? 0));
  }

  forbid(forbidden: Forbidden): void {
    this.raise("destructive", forbidden.because);
    this.forbidden ??= forbidden;
  }

  add(other: Judgement): void {
    this.raise(other.risk);
    for (const why of other.why) this.raise(other.risk, why);
    for (const path of other.reads) this.reads.add(path);
    for (const [path, levels] of other.opens) this.open(path, levels);
    for (const path of other.enters) this.enters.add(path);
    for (const path of other.changes) this.changes.add(path);
    for (const path of other.removes) this.removes.add(path);
    this.changesAnything ||= other.changesAnything;
    this.waits ||= other.waits;
    this.reachesOut ||= other.reachesOut;
    this.forbidden ??= other.forbidden;
  }
}
