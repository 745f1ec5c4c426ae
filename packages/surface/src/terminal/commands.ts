/** What can be typed with a slash in a conversation. Nothing of it reaches the model but what `tellNext` says. */
import { listSessions } from "@bridle/agent";
import { Failure, grouped } from "@bridle/record";
import { type Call, columns, nearest, type Paint } from "@bridle/operation";
import { type EventLines, planLines, usd } from "../agent/event-lines.js";
import type { OpenedAgent } from "../agent/open.js";
import { sessionLines } from "../agent/session-list.js";
import { visibleLine } from "../agent/visible.js";
import { allow } from "./allow.js";
import { changesOf, type CommandChange } from "./changes.js";
import { keep, never } from "./commitments.js";
import type { CompletableCommand } from "./completion.js";
import { costOf } from "./cost.js";
import { showChanges } from "./show-changes.js";
import { undo, type Undone } from "./undo.js";

export interface ChatScene {
  readonly call: Call;
  readonly opened: OpenedAgent;
  readonly lines: EventLines;
  readonly paint: Paint;
  readonly isWorking: boolean;
  /** The project's own commands. */
  readonly own: readonly CompletableCommand[];
  say(line: string): void;
  leave(): void;
  tellNext(sentence: string): void;
  compactNext(): void;
  changeModel(model: string): Promise<void>;
}

interface Command extends CompletableCommand {
  /** Whether it can be answered while the agent works. */
  readonly anytime?: true;
  /** `given` is what stands behind its name. */
  run(scene: ChatScene, given: string): void | Promise<void>;
}

const commands: readonly Command[] = [
  { name: "help", says: "what there is", anytime: true, run: help },
  { name: "plan", says: "the plan as it stands", anytime: true, run: plan },
  { name: "diff", says: "what this session changed", anytime: true, run: diff },
  { name: "undo", says: "take back what file tools wrote for the last ask", run: undoLast },
  { name: "keep", takes: "<path…>", says: "the agent may not change these", anytime: true, run: keep },
  {
    name: "never",
    takes: "write|network|host",
    says: "the agent may run no command that needs this",
    words: ["write", "network", "host"],
    anytime: true,
    run: never,
  },
  {
    name: "allow",
    takes: "[remove <number>]",
    says: "what always runs unasked in this folder",
    anytime: true,
    run: allow,
  },
  { name: "model", takes: "[name]", says: "which model answers, or another one from here on", run: model },
  { name: "compact", says: "make the conversation smaller before what you say next", run: compact },
  { name: "context", says: "how full the context is", anytime: true, run: context },
  { name: "cost", says: "what was spent in this session", anytime: true, run: cost },
  { name: "sessions", says: "the sessions of this folder", anytime: true, run: sessions },
  {
    name: "quit",
    says: "leave; the session can be gone on with",
    anytime: true,
    run: (scene) => scene.leave(),
  },
];

export const commandNames: readonly CompletableCommand[] = commands;

/** Whether it was a command; what begins like a path or like nothing that there is, is none. */
export async function chatCommand(text: string, scene: ChatScene): Promise<boolean> {
  const [, name, given = ""] = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  if (name === undefined) return false;
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return unknown(name, given, scene);
  const { paint } = scene;
  if (scene.isWorking && command.anytime !== true) {
    scene.say(paint.dim(`  /${name} has to wait until the turn is over; Ctrl-C stops it.`));
    return true;
  }
  try {
    await command.run(scene, given.trim());
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    scene.say(paint.bad(`  ${visibleLine(error.message, 400)}`));
    if (error.hint !== undefined) scene.say(paint.dim(`  ${visibleLine(error.hint, 400)}`));
  }
  return true;
}

function unknown(name: string, given: string, scene: ChatScene): boolean {
  const near = nearest(
    name,
    [...commands, ...scene.own].map((each) => each.name),
  );
  if (near === undefined && given !== "") return false;
  const meant = near === undefined ? "; /help lists the commands" : `; did you mean /${near}?`;
  scene.say(scene.paint.bad(`  there is no command /${visibleLine(name)}${meant}`));
  return true;
}

function help(scene: ChatScene): void {
  const rows = [...commands, ...scene.own].map(({ name, takes, says }) => [
    `/${name}${takes === undefined ? "" : ` ${takes}`}`,
    says,
  ]);
  for (const line of columns(rows)) scene.say(line);
  for (const line of [
    "Ctrl-C stops a turn, and leaves when pressed again; Ctrl-D leaves; Ctrl-Z goes to the shell.",
    "Tab completes commands and files, and a file named as @path goes along; Alt-Enter, Ctrl-J or a \\ before Enter begins a new line.",
    "What you type while it works is told to it before its next step.",
  ])
    scene.say(scene.paint.dim(`  ${line}`));
}

function plan(scene: ChatScene): void {
  const current = scene.lines.currentPlan;
  if (current === undefined) scene.say(scene.paint.dim("  There is no plan."));
  else for (const line of planLines(current, scene.paint)) scene.say(line);
}

function context(scene: ChatScene): void {
  const { agent } = scene.opened;
  const tokens = agent.contextTokens;
  const percent = Math.round((100 * tokens) / agent.contextMax);
  const messages = agent.conversation.messages.length;
  scene.say(
    `  ${grouped(tokens)} of ${grouped(agent.contextMax)} tokens (${percent} %) in ${messages} messages`,
  );
}

async function cost(scene: ChatScene): Promise<void> {
  const { usage, asks, children } = await costOf(scene.opened, scene.call.ports);
  const { inputTokens, outputTokens, cacheReadTokens, costUsd } = usage;
  const by = [
    `${asks} ask${asks === 1 ? "" : "s"}`,
    ...(children === 0 ? [] : [`${children} child${children === 1 ? "" : "ren"}`]),
  ];
  scene.say(
    `  ${usd(costUsd)} · ${grouped(inputTokens)} tokens in, ${grouped(cacheReadTokens)} more from a cache, ` +
      `${grouped(outputTokens)} out · ${by.join(", ")}`,
  );
}

async function sessions(scene: ChatScene): Promise<void> {
  const found = await listSessions(scene.opened.workspace, scene.call.ports);
  for (const line of sessionLines(found, scene.paint)) scene.say(line);
}

async function model(scene: ChatScene, given: string): Promise<void> {
  if (given === "") {
    const { agent, model: name } = scene.opened;
    scene.say(`  ${visibleLine(name)} · ${grouped(agent.contextMax)} tokens of context`);
    scene.say(scene.paint.dim("  /model <name> goes on with another; `bridle models` lists them."));
    return;
  }
  await scene.changeModel(given);
  scene.say(`  ${visibleLine(scene.opened.model)} answers from here on.`);
}

function compact(scene: ChatScene): void {
  scene.compactNext();
  scene.say(scene.paint.dim("  The conversation is made smaller before what you say next."));
}

async function diff(scene: ChatScene): Promise<void> {
  const { opened, call } = scene;
  await showChanges(await changesOf(opened, { ports: call.ports, of: "session" }), scene);
}

async function undoLast(scene: ChatScene): Promise<void> {
  const { opened, call, paint } = scene;
  const { files, commands: ran } = await changesOf(opened, { ports: call.ports, of: "last send" });
  const done = await undo(files, { folder: opened.workspace, ports: call.ports });
  if (done.length === 0) scene.say(paint.dim("  No file tool wrote anything for the last ask."));
  for (const each of done) scene.say(undoneLine(each, paint));
  sayOfCommands(ran, { paint, say: (line) => scene.say(line) });
  const taken = done.filter(({ did }) => did !== "left").map(({ path }) => path);
  if (taken.length > 0) scene.tellNext(`I took back what you wrote in ${taken.join(", ")}.`);
}

function sayOfCommands(
  ran: readonly CommandChange[],
  { say, paint }: Pick<ChatScene, "say" | "paint">,
): void {
  const listed = (texts: Iterable<string>) =>
    [...new Set(texts)].map((text) => visibleLine(text, 100)).join(", ");
  const changed = listed(ran.flatMap(({ changed: paths }) => paths ?? []));
  const unknown = listed(
    ran.flatMap(({ command, changed: paths }) => (paths === undefined ? [command] : [])),
  );
  if (changed !== "") say(paint.note(`  ! commands changed, and it stays so: ${changed}`));
  if (unknown !== "")
    say(paint.note(`  ! what these commands changed is not known, and stays so: ${unknown}`));
}

function undoneLine({ path, did, because }: Undone, paint: Paint): string {
  const shown = visibleLine(path);
  if (did === "left") return `  ${paint.note("·")} ${shown} is left as it is: ${visibleLine(because ?? "")}`;
  return `  ${paint.good("✓")} ${shown} ${did === "removed" ? "is gone again" : "is as it was"}`;
}
