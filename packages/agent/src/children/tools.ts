/** `spawn_agent`, `wait_for_agents`, `cancel_agent`, `list_agents`. That prompts are real and ids known is checked by their rules before. */
import { type JsonObject, present } from "@bridle/record";
import * as Type from "typebox";
import { parametersOf } from "../parameters.js";
import type { AgentTool, ToolReport } from "../types.js";
import type { Children, ChildTask } from "./children.js";

const family = "children";
/** How much of one child's answer wait_for_agents shows; the whole answer is an artifact. */
const shownCharsMax = 8_000;
const waitMsUsual = 300_000;

export function childTools(children: () => Children): AgentTool[] {
  return [spawn(children), wait(children), cancel(children), list(children)];
}

const spawnMembers = {
  goal: Type.String({ minLength: 1, maxLength: 500, description: "What is to be reached, in a line." }),
  system_prompt: Type.Optional(
    Type.String({ maxLength: 20_000, description: "Who the child is and by what it goes." }),
  ),
  user_prompt: Type.Optional(
    Type.String({ maxLength: 50_000, description: "The task, with everything that the child must know." }),
  ),
  tools: Type.Optional(Type.Array(Type.String(), { description: "The only tools that it gets." })),
  max_rounds: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  timeout_ms: Type.Optional(Type.Integer({ minimum: 1_000, maximum: 86_400_000 })),
};

function spawn(children: () => Children): AgentTool {
  return {
    name: "spawn_agent",
    description:
      "Starts a child agent on a part of the work. It knows only its two prompts. Returns a task_id for wait_for_agents.",
    family,
    parameters: parametersOf(spawnMembers),
    intent: (args) => ({
      key: `spawn ${JSON.stringify(args)}`,
      repeat: "run",
      risk: "safe",
      // Announced before it starts, so that a kill does not start it twice.
      changes: [],
      says: `start a child: ${String(args["goal"])}`,
    }),
    async run(args, { callId }) {
      const given = args as Type.Static<Type.TObject<typeof spawnMembers>>;
      const brief = {
        goal: given.goal,
        systemPrompt: given.system_prompt ?? "",
        userPrompt: given.user_prompt ?? "",
        ...present({ tools: given.tools, maxRounds: given.max_rounds, timeoutMs: given.timeout_ms }),
      };
      const task = await children().spawn(brief, callId);
      const issue = task.issue === undefined ? "" : ` Its work is issue ${task.issue}.`;
      return {
        ok: true,
        text: `Started. task_id="${task.id}".${issue} Wait for it with wait_for_agents({"task_ids": ["${task.id}"]}).`,
        facts: { taskId: task.id, ...present({ issue: task.issue }) },
      };
    },
  };
}

function wait(children: () => Children): AgentTool {
  return {
    name: "wait_for_agents",
    description: "Waits until the children have ended, or the time is over, and returns what they said.",
    family,
    capChars: 4 * shownCharsMax,
    parameters: parametersOf({
      task_ids: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 64 }),
      timeout_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
    }),
    intent: (args) => ({
      key: `wait ${(args["task_ids"] as readonly string[]).toSorted().join(" ")}`,
      repeat: "run",
      risk: "safe",
      waits: true,
      says: `wait for ${(args["task_ids"] as readonly string[]).join(", ")}`,
    }),
    async run(args, { signal }) {
      const known = (args["task_ids"] as readonly string[]).map((id) => children().find(id));
      const timeoutMs = (args["timeout_ms"] as number | undefined) ?? waitMsUsual;
      await children().wait(
        known.map(({ id }) => id),
        { timeoutMs, signal },
      );
      return told(known);
    },
  };
}

function told(tasks: readonly ChildTask[]): ToolReport {
  const ok = tasks.every(({ status }) => status === "ok" || status === "running");
  const facts: JsonObject = { tasks: tasks.map(({ id, status }) => ({ id, status })) };
  return { ok, text: tasks.map(describe).join("\n\n"), facts };
}

function describe({ id, status, text, artifact, rounds }: ChildTask): string {
  if (status === "running") return `[${id}] running. Wait again for its answer.`;
  const cut = text.length > shownCharsMax;
  const whole = cut
    ? `\n[… ${text.length - shownCharsMax} more characters: artifact ${artifact ?? "none"}]`
    : "";
  return `[${id}] ${status} after ${rounds} rounds\n${text.slice(0, shownCharsMax)}${whole}`;
}

function cancel(children: () => Children): AgentTool {
  return {
    name: "cancel_agent",
    description: "Stops a child.",
    family,
    parameters: parametersOf({ task_id: Type.String({ minLength: 1 }) }),
    intent: (args) => ({
      key: `cancel ${String(args["task_id"])}`,
      repeat: "run",
      risk: "safe",
      says: `stop ${String(args["task_id"])}`,
    }),
    async run(args) {
      return { ok: true, text: describe(await children().cancel(String(args["task_id"]))) };
    },
  };
}

function list(children: () => Children): AgentTool {
  return {
    name: "list_agents",
    description: "Lists the children and how they are.",
    family,
    parameters: parametersOf({}),
    intent: () => ({
      key: "list_agents",
      repeat: "run",
      risk: "safe",
      says: "list the children",
      waits: true,
    }),
    async run() {
      const tasks = children().list();
      const text = tasks.map(({ id, status, goal }) => `${id} ${status} ${goal}`).join("\n");
      return { ok: true, text: text === "" ? "There are no children." : text };
    },
  };
}
