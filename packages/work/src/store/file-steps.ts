/** A trajectory in its file, as a store. */
import { type JsonObject, Log, type Ports } from "@bridle/record";
import { StepReader } from "../projection/step.js";
import {
  queryTrajectory,
  readTrajectory,
  type TrajectoryAnswer,
  type TrajectoryQuery,
  type TrajectoryRows,
} from "../projection/trajectory.js";
import type { Step } from "../types.js";
import type { AppendedStep, AppendStep, StepStore } from "./types.js";

export interface FileStepsOptions {
  readonly path: string;
  readonly ports: Ports;
  readonly signal?: AbortSignal;
  readonly notice?: (sentence: string) => void;
}

export class FileSteps implements StepStore {
  private log: Promise<Log> | undefined;

  constructor(private readonly options: FileStepsOptions) {}

  async append(step: Pick<Step, "stepId" | "action">, options: AppendStep): Promise<AppendedStep> {
    const { path, ports, signal, notice } = this.options;
    const reader = new StepReader();
    const log = await Log.open({
      path,
      bearing: "trajectory",
      ports,
      ...(signal === undefined ? {} : { signal }),
      ...(notice === undefined ? {} : { notice }),
      // Found by the step id, which stands in the row as it is; the action decides whether it is the same step.
      rowId(row) {
        const other = reader.step(row);
        return other?.action === step.action ? other.stepId : undefined;
      },
    });
    try {
      signal?.throwIfAborted();
      const { added, byte } = await log.append(step as unknown as JsonObject, {
        durability: options.durability,
        ...(options.once === true ? { once: step.stepId } : {}),
      });
      const row = step as unknown as JsonObject;
      return { added, row: added ? row : ((await rowAt(log, byte)) ?? row) };
    } finally {
      await log.close();
    }
  }

  async query(query: TrajectoryQuery): Promise<TrajectoryAnswer> {
    return queryTrajectory(await this.toRead(), query);
  }

  async read<Answer>(
    visit: (rows: TrajectoryRows) => Promise<Answer>,
    reading?: TrajectoryQuery["reading"],
  ): Promise<Answer | undefined> {
    return readTrajectory(await this.toRead(), visit, reading);
  }

  async close(): Promise<void> {
    await (await this.log)?.close();
  }

  private toRead(): Promise<Log> {
    const { path, ports } = this.options;
    this.log ??= Log.open({ path, bearing: "trajectory", quiet: true, ports });
    return this.log;
  }
}

async function rowAt(log: Log, byte: number): Promise<JsonObject | undefined> {
  for await (const entry of log.entries({ from: { byte, line: 1 } })) {
    return entry.kind === "row" ? entry.row : undefined;
  }
  return undefined;
}
