/** Which log is meant, and how it is read; shared by the three commands. */
import { basename, resolve } from "node:path";
import type { Call } from "@bridle/operation";
import { Log, refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";

export const pathInput = Type.String({
  minLength: 1,
  description: "The log, a file of one JSON object a line.",
  "x-position": 0,
  "x-placeholder": "path",
  "x-path": true,
});

export const commentsInput = Type.Optional(
  Type.Boolean({ description: "Lines that start with # are comments, as they always are in issues.jsonl." }),
);

export interface LogInput {
  readonly path: string;
  readonly comments?: boolean;
}

/** Opens without touching anything, and a look leaves nothing where no writer of ours has been. The bearing only matters to appends, which these commands never make. */
export function openLog({ path, comments }: LogInput, { ports, signal, cwd, warn }: Call): Promise<Log> {
  return Log.open({
    path: resolve(cwd, path),
    bearing: "state",
    quiet: true,
    ports,
    signal,
    ...(isIssues({ path, ...(comments === undefined ? {} : { comments }) })
      ? { comments: true, conflicts: "sides" as const }
      : {}),
    notice: warn,
  });
}

/** Issue memory is the one log with comments, and the one that git is meant to merge. */
export function isIssues({ path, comments }: LogInput): boolean {
  return comments ?? basename(path) === "issues.jsonl";
}

export function logMissing(path: string): Refusal {
  return refuse("file_missing", {
    message: `there is no log at ${path}`,
    hint: "Name the file itself, for example .premath/harness_trajectory.jsonl.",
    detail: { path },
  });
}

/** One place of damage, as the commands answer it. */
export const DamageOutput = Type.Object({
  line: Type.Integer(),
  byte: Type.Integer(),
  bytes: Type.Integer(),
  damage: Type.String(),
  says: Type.String(),
});
