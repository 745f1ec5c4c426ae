/**
 * Failure classes that a program states, and nothing that could be read between its lines.
 *
 * It states them as JSON (the members that our own reports have), or on a line of its own
 * that begins with a class and a colon. A sentence with an underscore in it is prose.
 */
import { isJsonObject } from "@bridle/record";

const lineForm = /^([a-z0-9]+(?:[_.][a-z0-9]+)+): \S/;
const linesMax = 2_000;

/** In the order in which they stand, each once: errors first, as that is where programs complain. */
export function statedClasses({
  stderr,
  stdout,
}: {
  readonly stderr: string;
  readonly stdout: string;
}): readonly string[] {
  return [...new Set([...classesIn(stderr), ...classesIn(stdout)])];
}

function classesIn(text: string): readonly string[] {
  const whole = text.trim();
  if (whole.startsWith("{")) {
    try {
      return classesInReport(JSON.parse(whole));
    } catch {
      // Text that begins with a brace and is no report.
    }
  }
  return text.split("\n", linesMax).flatMap((line) => lineForm.exec(line.replace(/^error: /, ""))?.[1] ?? []);
}

/** Of a report or a witness. */
export function classesInReport(report: unknown): readonly string[] {
  if (!isJsonObject(report)) return [];
  const one = ["failureClass", "reasonClass"].map((name) => report[name]);
  const lists = ["failureClasses", "operationalFailureClasses", "semanticFailureClasses"].flatMap((name) => {
    const list = report[name];
    return Array.isArray(list) ? list : [];
  });
  return [...one, ...lists].filter((each): each is string => typeof each === "string" && each.trim() !== "");
}
