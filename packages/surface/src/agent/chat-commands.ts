/** What can be typed with a slash in a conversation. Nothing of it reaches the model. */
import { listSessions } from "@bridle/agent";
import { grouped } from "@bridle/record";
import { type Call, columns, nearest, type Paint } from "@bridle/operation";
import { type EventLines, planLines, usd } from "./event-lines.js";
import type { OpenedAgent } from "./open.js";
import { sessionLines } from "./session-list.js";
import { visibleLine } from "./visible.js";

export interface ChatScene {
  readonly call: Call;
  readonly opened: OpenedAgent;
  readonly lines: EventLines;
  readonly paint: Paint;
  readonly costUsd: number;
  say(line: string): void;
  leave(): void;
}

type Command = readonly [says: string, run: (scene: ChatScene) => void | Promise<void>];

const commands: Readonly<Record<string, Command>> = {
  help: ["what there is", help],
  plan: ["the plan as it stands", plan],
  context: ["how full the context is, and what was spent", context],
  sessions: ["the sessions of this folder", sessions],
  quit: ["leave; the session can be gone on with", ({ leave }) => leave()],
};

export async function chatCommand(name: string, scene: ChatScene): Promise<void> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) {
    const [, run] = command;
    // Methods of a class lose it when they are taken out.
    await run({ ...parts(scene), say: (line) => scene.say(line), leave: () => scene.leave() });
    return;
  }
  const near = nearest(name, Object.keys(commands));
  const meant = near === undefined ? "; /help lists the commands" : `; did you mean /${near}?`;
  scene.say(scene.paint.bad(`  there is no command /${visibleLine(name)}${meant}`));
}

function parts({ call, opened, lines, paint, costUsd }: ChatScene) {
  return { call, opened, lines, paint, costUsd };
}

function help({ say, paint }: ChatScene): void {
  const rows = Object.entries(commands).map(([name, [says]]) => [`/${name}`, says]);
  for (const line of columns(rows)) say(line);
  say(paint.dim("  Ctrl-C stops a turn, and leaves when pressed again; Ctrl-D leaves."));
  say(paint.dim("  What you type while it works is told to it before its next step."));
}

function plan({ say, lines, paint }: ChatScene): void {
  const current = lines.currentPlan;
  if (current === undefined) say(paint.dim("  There is no plan."));
  else for (const line of planLines(current, paint)) say(line);
}

function context({ say, opened: { agent }, costUsd }: ChatScene): void {
  const tokens = agent.contextTokens;
  const percent = Math.round((100 * tokens) / agent.contextMax);
  const messages = agent.conversation.messages.length;
  say(
    `  ${grouped(tokens)} of ${grouped(agent.contextMax)} tokens (${percent} %) in ${messages} messages · ${usd(costUsd)}`,
  );
}

async function sessions({ say, call, opened, paint }: ChatScene): Promise<void> {
  const found = await listSessions(opened.workspace, call.ports);
  for (const line of sessionLines(found, paint)) say(line);
}
