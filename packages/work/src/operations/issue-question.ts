/**
 * What the questions about issues share: the graph as the file is now, and a
 * word about what in the file could not be answered from.
 *
 * A place that is no row, or a row that is no issue, costs only itself: it is
 * named on stderr, and everything else is answered.
 */
import type { Call } from "@bridle/operation";
import { damageKinds, type Refusal, grouped } from "@bridle/record";
import type { IssueGraph } from "../memory/graph.js";
import type { IssueMemory } from "../store/issue-file.js";
import { memoryMissing, resolveCommand, type TwoSides } from "../store/issue-refusals.js";
import { damageWarning } from "../projection/damage-warning.js";
import { type IssuesInput, withMemory } from "../calls/issues.js";

export interface Asked {
  readonly graph: IssueGraph;
  /** The file as the caller knows it. */
  readonly issuesPath: string;
  readonly nowMs: number;
}

/** Contract: `answer` reads the graph before its first await, because the graph lives on. */
export async function askIssues<Answer>(
  input: IssuesInput,
  call: Call,
  answer: (asked: Asked) => Answer | Refusal,
): Promise<Answer | Refusal> {
  return withMemory(input, call, async (memory, { shown }) => {
    const nowMs = await call.ports.clock.now();
    const graph = await memory.graph();
    if (graph === undefined) return memoryMissing(shown);
    if (memory.file !== undefined) await tellFile(memory.file, call);
    return answer({ graph, issuesPath: shown, nowMs });
  });
}

/** What a reader of a file should know besides its issues. */
async function tellFile(memory: IssueMemory, call: Call): Promise<void> {
  const sides = await tellSides(memory, call);
  tellFindings(memory, sides?.where === "markers" || sides?.where === "index", call);
}

/** That the file is two sides of a memory, where it is. */
export async function tellSides(
  memory: IssueMemory,
  { warn }: Pick<Call, "warn">,
): Promise<TwoSides | undefined> {
  const sides = await memory.twoSides();
  if (sides !== undefined) {
    warn(
      `${memory.shown} ${sides.says}.\nWhat is told is the file as it stands; \`${resolveCommand}\` makes the sides one.`,
    );
  }
  return sides;
}

/** Conflict markers were told about as what they are. */
function tellFindings({ findings, shown }: IssueMemory, sidesTold: boolean, call: Call): void {
  const { damage, damageCount, rowCount, rowsBeforeDamage } = findings;
  if (damageCount === 0) return;
  if (sidesTold && damage.every(({ damage: kind }) => kind === "merge_marker")) return;
  const found = damage.map(({ line, at, damage: kind, readable }) => ({
    line,
    byte: at,
    problem: damageKinds[kind],
    kind,
    readable,
  }));
  const warning = damageWarning(
    { damage: found, damageCount, totalCount: rowCount, stepsBeforeDamage: rowsBeforeDamage },
    shown,
  );
  if (warning !== undefined) call.warn(warning);
}

/** Of the lists that leave out a row which is no issue. */
export function tellUnsound({ graph, issuesPath }: Asked, call: Call): void {
  const [first, ...more] = graph.unsound();
  if (first === undefined) return;
  const problem = "problem" in first.issue ? first.issue.problem : "it cannot be judged";
  const told = `${issuesPath} line ${first.line} (${first.id}) is no issue: ${problem}`;
  call.warn(
    more.length === 0
      ? `${told}.\nIt is left out; correct the row in the file.`
      : `${told}; nor are ${grouped(more.length)} other rows.\n` +
          "They are left out; `premath issue check` names each.",
  );
}
