/**
 * Whether something that is not ours may start, asked at a terminal that nobody draws on yet.
 *
 *     Start this project's MCP server "files"?
 *         npx -y some-server .
 *     It runs with your rights, outside the wall: it can change, delete and send whatever you can.
 *     [y]es, from now on while it stays as it is  [n]o
 *
 * Whatever is no clear yes is a no.
 */
import { createInterface } from "node:readline/promises";
import type { AskTrust, TrustQuestion } from "@bridle/extensions";
import type { Paint } from "@bridle/operation";
import { visibleLine } from "../agent/visible.js";

export interface TrustOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WritableStream;
  readonly paint: Paint;
  readonly signal: AbortSignal;
  /** False once somebody else draws on the terminal: then only what was answered before counts. */
  mayAsk?(): boolean;
}

/** Asks about each thing once: what was answered holds for this process. */
export function trustAtTerminal(options: TrustOptions): AskTrust {
  const answers = new Map<string, boolean>();
  return async (question) => {
    const key = JSON.stringify(question);
    const known = answers.get(key);
    if (known !== undefined || options.mayAsk?.() === false) return known ?? false;
    const answer = await askedOnce(question, options);
    answers.set(key, answer);
    return answer;
  };
}

async function askedOnce(
  question: TrustQuestion,
  { input, output, paint, signal }: TrustOptions,
): Promise<boolean> {
  for (const line of questionLines(question, paint)) output.write(`${line}\n`);
  const lines = createInterface({ input, output, terminal: false });
  try {
    return /^y(es)?$/i.test((await lines.question("  › ", { signal })).trim());
  } catch {
    return false;
  } finally {
    lines.close();
  }
}

export function questionLines({ what, lines, changed }: TrustQuestion, paint: Paint): string[] {
  return [
    `  ${paint.strong(`Start ${visibleLine(what)}?`)}${changed ? paint.note("  It is not what you said yes to before.") : ""}`,
    ...lines.map((line) => `      ${visibleLine(line, 1_000)}`),
    `  It runs with ${paint.bad("your rights, outside the wall")}: it can change, delete and send whatever you can.`,
    "  [y]es, from now on while it stays as it is  [n]o",
  ];
}
