/**
 * The one place where an operation gets its stores, and where an engine is chosen.
 *
 * Files are the engine of every program. A test, of ours or of one who builds on
 * Bridle, may put another in their place for the ports that it hands to a call.
 */
import type { Ports } from "@bridle/record";
import { FileIssues } from "./file-issues.js";
import type { FileStepsOptions } from "./file-steps.js";
import type { IssueMemoryOptions } from "./issue-file.js";
import type { IssueStore, StepStore } from "./types.js";

export interface Engine {
  issues(options: IssueMemoryOptions): Promise<IssueStore>;
  steps(options: FileStepsOptions): Promise<StepStore>;
}

export const fileEngine: Engine = {
  issues: (options) => FileIssues.open(options),
  // Loaded when somebody asks for steps: a command about issues needs no trajectory.
  steps: async (options) => new (await import("./file-steps.js")).FileSteps(options),
};

const chosen = new WeakMap<Ports, Engine>();

/** For calls that come with these ports. */
export function useEngine(ports: Ports, engine: Engine): void {
  chosen.set(ports, engine);
}

export function engineFor(ports: Ports): Engine {
  return chosen.get(ports) ?? fileEngine;
}
