/** A trajectory without a file, for tests; gone with the process. */
import { type JsonObject, parseInstant } from "@bridle/record";
import { isOfLineage } from "../projection/of-lineage.js";
import { compareRanks, type Rank } from "../projection/order.js";
import { meaningOf } from "../projection/result-class.js";
import { StepReader } from "../projection/step.js";
import type { TrajectoryAnswer, TrajectoryQuery, TrajectoryRows } from "../projection/trajectory.js";
import type { Step } from "../types.js";
import type { AppendedStep, AppendStep, StepStore } from "./types.js";

export class MemorySteps implements StepStore {
  /** Several stores may share one list. */
  constructor(private readonly rows: JsonObject[] = []) {}

  async append(step: Pick<Step, "stepId" | "action">, { once }: AppendStep): Promise<AppendedStep> {
    const same = ({ stepId, action }: Step) => stepId === step.stepId && action === step.action;
    const found = once === true ? this.steps().find(({ step: other }) => same(other)) : undefined;
    if (found !== undefined) return { added: false, row: found.row };
    const row = structuredClone(step) as unknown as JsonObject;
    this.rows.push(row);
    return { added: true, row };
  }

  async query({ mode, limit, lineage }: TrajectoryQuery): Promise<TrajectoryAnswer> {
    const steps = this.steps();
    const of = (wanted: TrajectoryQuery["mode"]) =>
      steps.filter(({ step }) => {
        const { failed, retryNeeded } = meaningOf(step.resultClass);
        return wanted === "latest" || (wanted === "failed" ? failed : retryNeeded);
      });
    const ranked = of(mode)
      .filter(({ row }) => lineage === undefined || isOfLineage(row, lineage))
      .sort((left, right) => compareRanks(left, right));
    return {
      items: ranked.slice(0, limit).map(({ step }) => step),
      totalCount: steps.length,
      failedCount: of("failed").length,
      retryNeededCount: of("retry-needed").length,
      damage: [],
      damageCount: 0,
      stepsBeforeDamage: steps.length,
    };
  }

  async read<Answer>(visit: (rows: TrajectoryRows) => Promise<Answer>): Promise<Answer | undefined> {
    if (this.rows.length === 0) return undefined;
    return visit({
      visit: async (wanted) => {
        const steps = this.steps();
        const [newest] = [...steps].sort((left, right) => compareRanks(left, right));
        if (newest === undefined || !wanted.wants(newest.finished)) return;
        for (const { row, finished } of steps) wanted.step(row, finished);
      },
      findings: () => this.query({ mode: "latest", limit: 0 }),
    });
  }

  async close(): Promise<void> {}

  private steps(): (Rank & { readonly row: JsonObject; readonly step: Step })[] {
    const reader = new StepReader();
    return this.rows.flatMap((row, byte) => {
      const step = reader.step(row);
      const finished = step && parseInstant(step.finishedAt);
      if (step === undefined || finished === undefined) return [];
      return [{ row, step, finished, stepId: step.stepId, action: step.action, byte }];
    });
  }
}
