/**
 * The seam: what operations ask of issue memory and of a trajectory, whatever
 * engine keeps them.
 *
 * Both are small on purpose: a method is here when an operation calls it. What
 * only files have (damage, comments, lines, compaction, what was set aside) is
 * the ability of the file store, asked for by name. The suite that every engine
 * passes is suite.ts.
 */
import type { JsonObject, Refusal } from "@bridle/record";
import type { IssueGraph } from "../memory/graph.js";
import type { Decide } from "../memory/types.js";
import type { TrajectoryAnswer, TrajectoryQuery, TrajectoryRows } from "../projection/trajectory.js";
import type { Step } from "../types.js";
import type { IssueMemory } from "./issue-file.js";

export interface IssueStore {
  /** The issues, not older than the call; undefined where there is no memory yet. The graph lives on. */
  graph(): Promise<IssueGraph | undefined>;
  /**
   * Decides on what is there now, alone, and makes it durable; or changes nothing and says why.
   * Without `create` a change of memory that does not exist is refused, and nothing is made.
   */
  change<Answer>(decide: Decide<Answer>, options?: { readonly create?: boolean }): Promise<Answer | Refusal>;
  /** What was found or done on the way since this was last asked, a sentence each. */
  takeNotices(): string[];
  close(): Promise<void>;
  /** What only a file has; absent in every other engine. */
  readonly file?: IssueMemory;
}

export interface AppendStep {
  readonly durability: "written" | "synced";
  /** Adds nothing when a step of this id and action is there already. */
  readonly once?: boolean;
}

export interface AppendedStep {
  /** False when `once` found the step there already. */
  readonly added: boolean;
  /** The step that is there now. */
  readonly row: JsonObject;
}

export interface StepStore {
  append(step: Pick<Step, "stepId" | "action">, options: AppendStep): Promise<AppendedStep>;
  /** A trajectory that is not there has no rows. */
  query(query: TrajectoryQuery): Promise<TrajectoryAnswer>;
  /** The trajectory as it stands at one moment; undefined where there is none. */
  read<Answer>(
    visit: (rows: TrajectoryRows) => Promise<Answer>,
    reading?: TrajectoryQuery["reading"],
  ): Promise<Answer | undefined>;
  close(): Promise<void>;
}
