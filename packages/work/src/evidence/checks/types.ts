/**
 * The manual of the check runner: how a commit is judged by the checks of a map.
 *
 *     commit ─▶ a worktree of its own ─▶ set-up ─▶ check, and once more if it fails ─▶ report
 *
 * What a newcomer gets wrong: results belong to a tree and not to a commit, an issue or a
 * branch. A check that passed on a tree has passed for every commit that holds it, so that a
 * runner which merged a branch need not check the same files again. What is kept lies outside
 * of the repository, where no command behind the wall can reach it.
 */
import type { Call, Unchanged } from "@bridle/operation";
import type { Git, Ports } from "@bridle/record";
import * as Type from "typebox";
import { checkFailures } from "../required/witness.js";

/** Where commits come from. */
export interface CheckedRepository {
  /** The top of a work tree, absolute. */
  readonly top: string;
  /** What all its work trees share. */
  readonly commonDir: string;
  readonly git: Git;
}

/** What a run may use. */
export interface Checking {
  readonly ports: Ports;
  /** Says where results and worktrees are kept (`XDG_STATE_HOME`, `HOME`). */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  progress?(report: { readonly doing: string; readonly done?: number; readonly total?: number }): void;
}

/** For checks that a call asks for. */
export function checkingOf(call: Call): Checking {
  const { ports, env, signal } = call;
  return { ports, env, signal, progress: (report) => call.progress(report) };
}

/** Of a failure: whether what was changed is wrong, or how it was run. */
export const semanticFailures: ReadonlySet<string> = new Set(["check_failed"]);

export interface Attempt {
  readonly how: string;
  readonly exitCode: number;
  readonly durationMs: number;
}

/** What is told of a check to whoever asked for it. */
export const CheckTold = Type.Object({
  checkId: Type.String(),
  command: Type.String(),
  status: Type.Enum(["passed", "failed"]),
  exitCode: Type.Integer({
    description: "Of the last attempt; 124 when it took too long, 127 when it could not be started.",
  }),
  durationMs: Type.Integer(),
  failureClass: Type.Optional(Type.Enum(checkFailures)),
  lastLines: Type.Optional(Type.String({ description: "Of a failed one: what it said last." })),
  walled: Type.Boolean({ description: "Whether the wall held it." }),
  reused: Type.Boolean({ description: "Known from an earlier run on the same tree." }),
});

export interface CheckReport extends Unchanged<Type.Static<typeof CheckTold>> {
  readonly attempts: readonly Attempt[];
}

export interface TreeReport {
  readonly commit: string;
  readonly tree: string;
  readonly checks: readonly CheckReport[];
}
