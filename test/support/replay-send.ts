/** Replays a send to one detector, for the tests of rules; short ways to write one down. */
import type { Ask, Detector } from "@bridle/rules";
import type { JsonObject } from "@bridle/record";

export interface CallEvent {
  readonly round: number;
  readonly tool: string;
  readonly args: JsonObject;
  readonly ok: boolean;
  readonly output: string;
  readonly bytes?: number;
  readonly ran?: false;
}

export type SendEvent = CallEvent | { readonly say: string };

export interface Send {
  readonly ask: Ask;
  readonly events: readonly SendEvent[];
  readonly answer?: string;
}

export interface Case extends Send {
  readonly name: string;
  readonly label: "violation" | "pass";
}

/** Everything that a detector finds in one send. */
export function findings(detector: Detector, { ask, events, answer }: Send): string[] {
  const watch = detector.begin(ask);
  const found = events.flatMap((event) => {
    if ("say" in event) return [watch.said?.(event.say)];
    const call = { round: event.round, tool: event.tool, args: event.args };
    return [watch.proposed?.(call), watch.ran?.(call, event)];
  });
  if (answer !== undefined) found.push(watch.answered?.(answer));
  return found.flatMap((finding) => (finding === undefined ? [] : [`${finding.what} ${finding.remedy}`]));
}

export function call(tool: string, args: object, ok: boolean, output: string): CallEvent {
  return { round: 1, tool, args: args as JsonObject, ok, output };
}

export const ok = (tool: string, args: object, output: string) => call(tool, args, true, output);
export const say = (text: string): SendEvent => ({ say: text });
export const shell = (command: string, output: string, passed = true) =>
  call("run_shell", { command }, passed, output);

const labelled =
  (label: Case["label"]) =>
  (name: string, events: readonly SendEvent[], answer?: string, ask = "Go on.") => ({
    name,
    label,
    ask: { text: ask },
    events,
    ...(answer === undefined ? {} : { answer }),
  });

export const bad = labelled("violation");
export const fine = labelled("pass");

export const write = (path: string, content: string, mode?: string) =>
  ok(
    "write_file",
    { path, content, ...(mode === undefined ? {} : { mode }) },
    `Created ${path}.\nintegrity=ok lines=1 bytes=${content.length} sha256=00`,
  );
export const read = (path: string, output = "text", range: object = {}) =>
  ok("read_file", { path, ...range }, output);
export const edit = (path: string, search: string, replace: string) =>
  ok("edit_file", { path, replacements: [{ search, replace }] }, `Edited ${path}, 1 replacement.`);
export const diff = (path: string, text: string) =>
  ok("edit_file", { path, diff: text }, `Edited ${path}, 1 hunk.`);
