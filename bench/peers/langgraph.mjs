/**
 * LangGraph's loop of one node, so many steps a thread, with a checkpoint in
 * memory after each: the step counts and keeps an id, as a step of ours does.
 *
 *     node langgraph.mjs <threads> <steps>     prints milliseconds a step
 */
import { Annotation, END, MemorySaver, START, StateGraph } from "@langchain/langgraph";

const [threads = 50, steps = 12] = process.argv.slice(2).map(Number);
const State = Annotation.Root({
  count: Annotation(),
  kept: Annotation({ reducer: (before, added) => [...before, ...added], default: () => [] }),
});
const graph = new StateGraph(State)
  .addNode("step", ({ count }) => ({ count: count + 1, kept: count % 4 === 1 ? [`art_${count}`] : [] }))
  .addEdge(START, "step")
  .addConditionalEdges("step", ({ count }) => (count < steps ? "step" : END), ["step", END])
  .compile({ checkpointer: new MemorySaver() });

async function play(name) {
  const settings = { configurable: { thread_id: name }, recursionLimit: steps + 5 };
  const { count } = await graph.invoke({ count: 0, kept: [] }, settings);
  if (count !== steps) throw new Error(`the loop made ${count} steps`);
}

for (let i = 0; i < threads; i++) await play(`practice-${i}`);
const from = performance.now();
for (let i = 0; i < threads; i++) await play(`thread-${i}`);
console.log((performance.now() - from) / (threads * steps));
