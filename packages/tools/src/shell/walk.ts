/**
 * The walk over a parsed command: every program, assignment, redirection and
 * substitution in it is judged, whether or not it would be reached.
 */
import {
  bodiesOf,
  parseShell,
  type ShellArithmetic as Arithmetic,
  type ShellCommand as Command,
  shellLimits,
  type ShellPart as Part,
  type ShellPipeline as Pipeline,
  type ShellRedirect as Redirect,
  type ShellScript as Script,
  type ShellWord as Word,
  type SimpleShellCommand as SimpleCommand,
  textOf,
} from "@bridle/agent";
import { forbidden } from "./forbidden.js";
import { Judgement } from "./judgement.js";
import { judgeName } from "./programs/builtins.js";
import { judgeProgram } from "./programs/table.js";
import type { Scene } from "./scene.js";
import type { Value } from "./values.js";

export function judgeScript(script: Script, scene: Scene, judgement: Judgement): void {
  for (const item of script.items) {
    for (const pipeline of item.pipelines) judgePipeline(pipeline, scene, judgement);
  }
}

function judgePipeline({ commands }: Pipeline, scene: Scene, judgement: Judgement): void {
  let fetched = false;
  let before: Judgement | undefined;
  for (const command of commands) {
    const own = new Judgement();
    const place = commands.length > 1 ? scene.inner() : scene;
    judgeCommandNode(command, place, own, before?.listsFiles === true && before.risk === "safe");
    if (fetched && own.runsInput) own.forbid(forbidden.remoteCode);
    fetched ||= own.reachesOut;
    judgement.add(own);
    judgement.runsInput ||= own.runsInput;
    before = own;
  }
}

function judgeCommandNode(command: Command, scene: Scene, judgement: Judgement, fedWithNames: boolean): void {
  for (const redirect of command.redirects) judgeRedirect(redirect, scene, judgement);
  switch (command.kind) {
    case "simple":
      return judgeSimple(command, scene, judgement, fedWithNames);
    case "subshell":
      return judgeScript(command.body, scene.inner(), judgement);
    case "group":
      return judgeScript(command.body, scene, judgement);
    case "if":
      for (const branch of command.branches) {
        judgeScript(branch.test, scene, judgement);
        judgeScript(branch.body, scene, judgement);
      }
      if (command.otherwise !== undefined) judgeScript(command.otherwise, scene, judgement);
      return;
    case "loop":
      if (command.until) judgement.waits = true;
      judgeScript(command.test, scene.inner({ repeats: true }), judgement);
      return judgeScript(command.body, scene.inner({ repeats: true }), judgement);
    case "for":
      judgeName({ judgement }, command.name, true);
      for (const word of command.words ?? []) judgeParts(word.parts, scene, judgement);
      return judgeScript(command.body, scene.inner({ repeats: true }), judgement);
    case "count":
      for (const expression of command.expressions) judgeArithmetic(expression, scene, judgement);
      return judgeScript(command.body, scene.inner({ repeats: true }), judgement);
    case "case":
      judgeParts(command.subject.parts, scene, judgement);
      for (const arm of command.arms) {
        for (const pattern of arm.patterns) judgeParts(pattern.parts, scene, judgement);
        judgeScript(arm.body, scene, judgement);
      }
      return;
    case "test":
      return judgeTest(command.words, scene, judgement);
    case "arithmetic":
      return judgeArithmetic(command.expression, scene, judgement);
    case "function":
      judgement.anything("destructive", "it gives commands new meanings");
      if (callsItself(command.name, command.body)) judgement.forbid(forbidden.bomb);
      return judgeCommandNode(command.body, scene.inner({ repeats: true }), judgement, false);
  }
}

// --- Simple commands -------------------------------------------------------------------------------

function judgeSimple(
  command: SimpleCommand,
  scene: Scene,
  judgement: Judgement,
  fedWithNames: boolean,
): void {
  const substituted = new Judgement();
  for (const word of [...command.words, ...command.assignments.flatMap(({ values }) => values)]) {
    judgeParts(word.parts, scene, substituted);
  }
  const fetches = substituted.reachesOut || judgement.reachesOut;
  judgement.add(substituted);
  for (const { name } of command.assignments) judgeName({ judgement }, name, command.words.length === 0);
  const values = command.words.map((word) => scene.value(word));
  if (values.length > 0) judgeWords(values, scene, judgement, fedWithNames);
  if (fetches && judgement.runsInput) judgement.forbid(forbidden.remoteCode);
}

function judgeWords(
  values: readonly Value[],
  scene: Scene,
  judgement: Judgement,
  fedWithNames: boolean,
): void {
  const [name, ...args] = values;
  if (name === undefined) return;
  if (scene.depth > shellLimits.depthMax) {
    judgement.anything("destructive", "it nests too deeply");
    return;
  }
  const deeper = () => {
    // The same folders, so that `command cd x` lasts.
    const inner = scene.inner();
    return { inner, leave: () => (scene.folders = inner.folders) };
  };
  judgeProgram(
    {
      name: name.text ?? "",
      args,
      judgement,
      scene,
      fedWithNames,
      start(words) {
        const { inner, leave } = deeper();
        judgeWords(words, inner, judgement, false);
        leave();
      },
      script: (text, shell) => judgeInner(text, shell, scene, judgement),
    },
    name,
  );
}

/** The text of `sh -c` and of `eval`. */
function judgeInner(text: string, shell: string, scene: Scene, judgement: Judgement): void {
  const parsed = parseShell(text);
  if (parsed.kind === "unknown")
    judgement.anything("destructive", `it runs a text that cannot be taken apart: ${parsed.because}`);
  else if (scene.depth >= shellLimits.depthMax) judgement.anything("destructive", "it nests too deeply");
  else {
    if (parsed.bashOnly && shell !== "bash")
      judgement.anything("destructive", `${shell} reads it differently than bash`);
    judgeScript(parsed.script, scene.inner(), judgement);
  }
}

// --- Words -----------------------------------------------------------------------------------------

function judgeParts(parts: readonly Part[], scene: Scene, judgement: Judgement): void {
  for (const part of parts) {
    if (part.kind === "command" || part.kind === "process")
      judgeScript(part.script, scene.inner(), judgement);
    if (part.kind === "number") judgeArithmetic(part.expression, scene, judgement);
    if (part.kind !== "variable") continue;
    judgeParts(part.parts ?? [], scene, judgement);
    if (/^:?=$/.test(part.operator ?? "")) judgeName({ judgement }, part.name, true);
  }
}

function judgeArithmetic({ named, parts }: Arithmetic, scene: Scene, judgement: Judgement): void {
  judgeParts(parts, scene, judgement);
  const counted = parts.every(
    (part) => part.kind === "variable" && /^[#?$!]$/.test(part.name) && part.operator === undefined,
  );
  if (named || !counted)
    judgement.anything("destructive", "it computes with values that are only known when it runs");
}

/** `-eq` and its kind evaluate their operands, `-v` looks a subscript up: both may run commands. */
function judgeTest(words: readonly Word[], scene: Scene, judgement: Judgement): void {
  for (const word of words) {
    judgeParts(word.parts, scene, judgement);
    const text = textOf(word);
    if (text !== undefined && /^-(?:eq|ne|lt|le|gt|ge|v|R)$/.test(text)) {
      judgement.anything("destructive", "it computes with values that are only known when it runs");
    }
    const value = scene.value(word);
    if (value.text !== undefined) scene.mention(value, judgement);
  }
}

// --- Redirections ----------------------------------------------------------------------------------

function judgeRedirect({ operator, target }: Redirect, scene: Scene, judgement: Judgement): void {
  judgeParts(target.parts, scene, judgement);
  if (operator === "<<" || operator === "<<<") return;
  const value = scene.value(target);
  const toHandle = (operator === ">&" || operator === "<&") && /^(?:\d{1,3}-?|-)$/.test(value.text ?? "");
  if (toHandle) return;
  if (value.guesses.some((guess) => /^\/dev\/(?:tcp|udp)\//.test(guess)))
    judgement.outbound("it opens a connection");
  if (operator === "<" || operator === "<&") scene.read(value, judgement);
  else if (value.text === undefined || !/^\/dev\/(?:null|stdout|stderr|fd\/\d+)$/.test(value.text))
    scene.change(value, judgement);
}

// --- Functions -------------------------------------------------------------------------------------

/** A function that starts itself in a pipe or in the background. */
function callsItself(name: string, body: Command): boolean {
  const found = JSON.stringify(body).includes(JSON.stringify({ parts: [{ kind: "text", text: name }] }));
  return found && spawns(body, name);
}

function spawns(command: Command, name: string): boolean {
  return bodiesOf(command).some(({ items }) =>
    items.some(({ pipelines, background }) =>
      pipelines.some(({ commands }) =>
        commands.some((each) => {
          const calls =
            each.kind === "simple" && each.words.length > 0 && textOf(each.words[0] as Word) === name;
          return (calls && (background || commands.length > 1)) || spawns(each, name);
        }),
      ),
    ),
  );
}
