/**
 * A page whose examples are run: a `console` block has lines `$ command`, each followed by its
 * output; lines that begin with `> ` go on with the command. `…` stands for anything on its line, and
 * a line that is only `…` for any number of lines; everything else must be there to the letter.
 */
import { spawn } from "node:child_process";

export interface Example {
  readonly command: string;
  readonly line: number;
  readonly expected: string[];
}

export function examplesOf(markdown: string): Example[] {
  const examples: { command: string; line: number; expected: string[] }[] = [];
  let inside = false;
  for (const [i, line] of markdown.split("\n").entries()) {
    const last = examples.at(-1);
    if (line.startsWith("```")) inside = line === "```console";
    else if (inside && line.startsWith("$ "))
      examples.push({ command: line.slice(2), line: i + 1, expected: [] });
    else if (inside && last && line.startsWith("> ") && last.expected.length === 0)
      last.command += `\n${line.slice(2)}`;
    else if (inside) last?.expected.push(line);
  }
  return examples;
}

/** Whether the lines are as the page says. */
export function matches(expected: readonly string[], actual: readonly string[]): boolean {
  const [first, ...rest] = expected;
  if (first === undefined) return actual.length === 0;
  if (first.trim() === "…") return actual.some((_, i) => matches(rest, actual.slice(i))) || matches(rest, []);
  const [line, ...others] = actual;
  return line !== undefined && asPattern(first).test(line) && matches(rest, others);
}

function asPattern(text: string): RegExp {
  const parts = text.split("…").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}

/** Both outputs as a terminal shows them. */
export function typed(
  command: string,
  { cwd, env }: { readonly cwd: string; readonly env: Record<string, string | undefined> },
): Promise<{ readonly code: number | null; readonly lines: string[] }> {
  const child = spawn("bash", ["-c", `{ ${command}\n} 2>&1`], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return new Promise((ended, failed) => {
    child.once("error", failed);
    child.once("close", (code) => ended({ code, lines: text === "" ? [] : text.trimEnd().split("\n") }));
  });
}
