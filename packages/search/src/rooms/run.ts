/** Runs: made, replayed, compared, forked, shown. */
import type { Operation } from "@bridle/operation";
import { diffOperation } from "../operations/diff.js";
import { forkOperation } from "../operations/fork.js";
import { replayOperation } from "../operations/replay.js";
import { runOperation } from "../operations/run.js";
import { showOperation } from "../operations/show.js";

export const operations: readonly Operation[] = [
  runOperation,
  replayOperation,
  diffOperation,
  forkOperation,
  showOperation,
];
