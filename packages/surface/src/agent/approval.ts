/**
 * A yes or a no, asked at the terminal: the call is shown whole, with nothing in
 * it that the terminal would act on, and how long there is to answer.
 *
 * `always` holds for calls of that tool that are merely cautious. One that can
 * destroy something is asked for each time.
 */
import type { ApprovalDecision, ApprovalRequest, Approver } from "@bridle/agent";
import type { Paint } from "@bridle/operation";
import { isJsonObject, type JsonObject } from "@bridle/record";
import type { Keyboard } from "./keyboard.js";
import { visible, visibleJson, visibleLine } from "./visible.js";

export interface ApprovalDesk {
  readonly keyboard: Keyboard;
  readonly paint: Paint;
  say(line: string): void;
  asking(asking: boolean): void;
  nowMs(): number;
  /** A text changed in the person's editor; undefined where there is none. */
  edit?(text: string, signal: AbortSignal): Promise<string>;
}

export function terminalApprover(desk: ApprovalDesk): Approver {
  const always = new Set<string>();
  let turn: Promise<unknown> = Promise.resolve();
  return (request, signal) => {
    // Children ask as well, and two questions at once would be one too many.
    const mine = turn.then(() => {
      if (signal.aborted) return gone;
      if (always.has(request.tool) && request.intent.risk !== "destructive")
        return { decision: "approve" as const };
      return ask(request, { desk, always, signal });
    });
    turn = mine.catch(() => {});
    return mine;
  };
}

const gone = { decision: "reject", reason: "nobody answered" } as const;

interface Asking {
  readonly desk: ApprovalDesk;
  readonly always: Set<string>;
  readonly signal: AbortSignal;
}

async function ask(request: ApprovalRequest, asking: Asking): Promise<ApprovalDecision> {
  const { desk, always, signal } = asking;
  const { paint, keyboard } = desk;
  const { tool, intent, args, timeoutMs } = request;
  const destructive = intent.risk === "destructive";
  const endMs = desk.nowMs() + timeoutMs;
  const left = () => `${Math.max(0, Math.ceil((endMs - desk.nowMs()) / 1000))} s`;
  const risk = destructive ? paint.bad("destructive") : paint.note(intent.risk);
  desk.say(`  ${paint.strong("?")} ${visibleLine(tool)}: ${visible(intent.says)}  ${risk}`);
  for (const line of argumentLines(args)) desk.say(`    ${line}`);
  const choices = destructive ? "[y]es [n]o [e]dit" : "[y]es [n]o [e]dit [a]lways";
  desk.asking(true);
  try {
    for (;;) {
      const answer = await keyboard.ask({ prompt: () => `    ${choices} (${left()}) `, signal });
      if (answer === undefined) return gone;
      const [letter = "", reason = ""] = split(answer);
      switch (letter) {
        case "y":
        case "yes":
          return { decision: "approve" };
        case "a":
        case "always":
          if (destructive) break;
          always.add(tool);
          return { decision: "approve" };
        case "n":
        case "no": {
          const why = reason === "" ? await keyboard.ask({ prompt: () => "    why? ", signal }) : reason;
          return { decision: "reject", reason: why?.trim() || "the user said no" };
        }
        case "e":
        case "edit": {
          const edited = await editArguments(args, asking);
          if (edited !== undefined) return { decision: "edit", args: edited };
          break;
        }
        default:
          desk.say(paint.dim(`    Answer with one of ${choices}.`));
      }
    }
  } finally {
    desk.asking(false);
  }
}

/** `n too risky` says no and why at once. */
function split(answer: string): readonly string[] {
  const [, letter = "", reason = ""] = /^\s*(\S*)\s*([\s\S]*)$/.exec(answer) ?? [];
  return [letter.toLowerCase(), reason];
}

/** Each argument whole, long ones on lines of their own. */
function argumentLines(args: JsonObject): string[] {
  return Object.entries(args).flatMap(([name, value]) => {
    const label = `${visibleLine(name, 60)}: `;
    if (typeof value !== "string") return [`${label}${visibleJson(value)}`];
    const lines = visible(value).split("\n");
    return lines.length === 1
      ? [`${label}${lines[0]}`]
      : [label.trimEnd(), ...lines.map((line) => `  ${line}`)];
  });
}

/** Undefined when what came back is no object; the person was told. */
async function editArguments(args: JsonObject, { desk, signal }: Asking): Promise<JsonObject | undefined> {
  const { edit, keyboard, paint } = desk;
  const text =
    edit === undefined
      ? await keyboard.ask({ prompt: () => "    arguments: ", prefill: visibleJson(args), signal })
      : await keyboard
          .lend(() => edit(visibleJson(args, 2), signal))
          .catch((error: unknown) => {
            desk.say(paint.bad(`    ${visibleLine(error instanceof Error ? error.message : String(error))}`));
            return undefined;
          });
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Told below.
  }
  desk.say(paint.bad("    That is no JSON object; nothing was changed."));
  return undefined;
}
