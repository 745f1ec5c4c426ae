/**
 * What a work command is told, and what it may tell: the files of a step in `.premath/runs/<run>/steps/<step>/`, and
 * the variables that name them.
 */
import { join } from "node:path";
import { type JsonObject, type JsonValue, type Ports, putFile } from "@bridle/record";
import type { Reminder } from "../step/views.js";
import { readSmallText, Unreadable } from "@bridle/work";

export interface StepBrief {
  readonly run: string;
  readonly step: string;
  readonly worker: string;
  readonly issue: {
    readonly id: string;
    readonly title: string;
    readonly description: string;
    readonly design: string;
    readonly acceptanceCriteria: string;
    readonly notes: string;
  };
  readonly attempt: number;
  readonly base: string;
  readonly target: string;
  /** What the last attempt failed with, and the last lines of what it said. */
  readonly lastFailure?: { readonly class: string; readonly message: string };
  /** Failures of earlier attempts in this run, reduced. */
  readonly reminders: readonly Reminder[];
  readonly budgets: { readonly minutes: number; readonly attemptsMax: number; readonly partsMax: number };
}

export const stepFileNames = {
  step: "step.json",
  prompt: "prompt.md",
  output: "output.log",
  evidence: "turn-evidence.json",
  usage: "usage.json",
  proposals: "proposals.json",
} as const;

export class StepFiles {
  constructor(
    readonly folder: string,
    private readonly ports: Ports,
  ) {}

  path(name: keyof typeof stepFileNames): string {
    return join(this.folder, stepFileNames[name]);
  }

  async write(brief: StepBrief): Promise<void> {
    await this.ports.files.makeDirectory(join(this.folder, "tmp"));
    await this.put("step", `${JSON.stringify(brief, null, 2)}\n`);
    await this.put("prompt", promptOf(brief));
  }

  private put(name: keyof typeof stepFileNames, text: string): Promise<void> {
    return putFile(this.path(name), Buffer.from(text), this.ports);
  }

  /** What the command wrote there; undefined where it wrote nothing. Throws nothing: a file that is no JSON is a problem. */
  async told(
    name: "evidence" | "usage" | "proposals",
  ): Promise<JsonValue | { readonly problem: string } | undefined> {
    try {
      const text = await readSmallText(this.path(name), this.ports.files);
      if (text === undefined) return undefined;
      if (text instanceof Unreadable) return { problem: `${stepFileNames[name]} ${text.why}` };
      return JSON.parse(text) as JsonValue;
    } catch (error) {
      return { problem: `${stepFileNames[name]}: ${(error as Error).message}` };
    }
  }

  variables({ step, worker, issue }: StepBrief, portBase: number): Record<string, string> {
    return {
      PREMATH_WORKER_ID: worker,
      PREMATH_ISSUE_ID: issue.id,
      PREMATH_ACTIVE_ISSUE_ID: issue.id,
      BRIDLE_STEP: step,
      BRIDLE_STEP_FILE: this.path("step"),
      BRIDLE_PROMPT_FILE: this.path("prompt"),
      BRIDLE_TURN_EVIDENCE: this.path("evidence"),
      BRIDLE_USAGE_FILE: this.path("usage"),
      BRIDLE_PROPOSALS: this.path("proposals"),
      BRIDLE_PORT_BASE: String(portBase),
      TMPDIR: join(this.folder, "tmp"),
      // What a package manager's set-up would plant into the settings that all worktrees share.
      HUSKY: "0",
      LEFTHOOK: "0",
      // git and ssh never ask: nobody is there.
      GIT_TERMINAL_PROMPT: "0",
      GIT_ASKPASS: "true",
      SSH_ASKPASS: "true",
      GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
    };
  }
}

/** The words for a model; a script reads the step file instead. */
export function promptOf({ issue, attempt, lastFailure, budgets }: StepBrief): string {
  const parts = [
    `# ${issue.id}: ${issue.title}`,
    issue.description,
    section("Design", issue.design),
    section("Done when", issue.acceptanceCriteria),
    section("Notes", issue.notes),
    lastFailure === undefined
      ? undefined
      : section(
          `Attempt ${attempt}`,
          `The attempt before failed: ${lastFailure.class}.\n${lastFailure.message}`,
        ),
    section(
      "How you work here",
      [
        `You are alone in a git worktree of your own; nobody answers questions. You have ${budgets.minutes} minutes.`,
        "Change files; you need not commit. Tests, check scripts and policies stay as they are, unless the issue says otherwise.",
        "When you stop, the project's required checks run on your change. It counts only if they pass.",
        ...(budgets.partsMax === 0 ? [] : [divideWords(budgets.partsMax)]),
      ].join("\n"),
    ),
  ];
  return `${parts.filter((part) => part !== undefined && part !== "").join("\n\n")}\n`;
}

function divideWords(partsMax: number): string {
  return (
    `If it is too much for one piece of work, change nothing and write ${stepFileNames.proposals} (BRIDLE_PROPOSALS): a ` +
    `JSON list of up to ${partsMax} of {"kind": "part", "title": …, "description": …}. The issue waits for its parts.`
  );
}

function section(title: string, text: string): string | undefined {
  return text.trim() === "" ? undefined : `## ${title}\n\n${text.trim()}`;
}

export function isProblem(value: unknown): value is { readonly problem: string } {
  return typeof value === "object" && value !== null && "problem" in (value as JsonObject);
}
