/** What a read says about the state that it found issue memory in. */
import type { Call } from "@bridle/operation";
import { describeDamage, type Refusal } from "@bridle/record";
import type { IssueGraph } from "../memory/graph.js";
import type { IssueMemory } from "../memory/store.js";

/** The issues as they are now, with a warning where some of the file could not be read; refused without a file. */
export async function readGraph(memory: IssueMemory, call: Call): Promise<IssueGraph | Refusal> {
  const graph = await memory.graph();
  if (!memory.exists) return memory.missing();
  const [first] = memory.damage;
  if (first !== undefined) {
    const more = memory.damage.length > 1 ? ` and ${memory.damage.length - 1} more` : "";
    call.warn(
      `${describeDamage(memory.shown, first)}${more}; the answer is made from the other rows.\n` +
        `\`bridle log repair ${memory.shown}\` sets the damage aside.`,
    );
  }
  return graph;
}
