/**
 * `.bridle/runner.json`: what a project says about work on it. Committed, so it grants nothing: it names commands that
 * run in a worktree, and a person starts them with `bridle work start`.
 */
import { join } from "node:path";
import { isJsonObject, type JsonObject, type Ports, refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { Check, Errors } from "typebox/value";
import { readSmallText, Unreadable } from "@bridle/work";
import { ownCommand, type Preset, presets } from "../work/presets.js";

const Command = Type.String({ minLength: 1 });

export const RunnerFile = Type.Object(
  {
    schema: Type.Literal(1),
    preset: Type.Optional(Type.Enum(Object.keys(presets) as [string, ...string[]])),
    work: Type.Optional(Command),
    setup: Type.Optional(
      Type.Object(
        {
          command: Command,
          lockfiles: Type.Optional(Type.Array(Type.String())),
          minutes: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
        },
        { additionalProperties: false },
      ),
    ),
    copy: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    ports: Type.Optional(
      Type.Object(
        {
          from: Type.Integer({ minimum: 1024, maximum: 65000 }),
          each: Type.Integer({ minimum: 1, maximum: 1000 }),
        },
        { additionalProperties: false },
      ),
    ),
    env: Type.Optional(Type.Array(Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]*$" }))),
    wall: Type.Optional(
      Type.Object(
        { work: Type.Optional(Type.Boolean()), setup: Type.Optional(Type.Boolean()) },
        { additionalProperties: false },
      ),
    ),
    wrapper: Type.Optional(Type.Array(Command)),
    decomposition: Type.Optional(
      Type.Object({ partsMax: Type.Integer({ minimum: 1, maximum: 20 }) }, { additionalProperties: false }),
    ),
    elsewhere: Type.Optional(Type.Record(Type.String({ minLength: 1 }), Type.String({ minLength: 1 }))),
    minutes: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  },
  { additionalProperties: false },
);

export interface RunnerSettings {
  readonly preset: Preset;
  readonly setup?: {
    readonly command: string;
    readonly lockfiles: readonly string[];
    readonly timeoutMs: number;
  };
  /** Files that git ignores and that are copied from the main tree. */
  readonly copy: readonly string[];
  readonly ports: { readonly from: number; readonly each: number };
  /** Names of variables that set-up gets besides the usual few; the work command gets the person's whole environment. */
  readonly env: readonly string[];
  readonly wall: { readonly work: boolean; readonly setup: boolean };
  /** Words put before the work command, such as a container's. */
  readonly wrapper: readonly string[];
  readonly workTimeoutMs: number;
  /** Into how many parts a worker may divide an issue; 0 where it may not. */
  readonly partsMax: number;
  /** Folders that take issues labelled `elsewhere:<name>`, by name; relative to the main tree. */
  readonly elsewhere: Readonly<Record<string, string>>;
  /** A check besides those of the project's map. */
  readonly verify?: string;
}

export const runnerFile = ".bridle/runner.json";
const minute = 60_000;

export interface Given {
  readonly preset?: string;
  readonly work?: string;
  readonly verify?: string;
  readonly minutes?: number;
}

/** `given`: what the command line says, which comes first. */
export async function readRunnerSettings(
  folder: string,
  given: Given,
  ports: Ports,
): Promise<RunnerSettings | Refusal> {
  const file = await readFile(join(folder, runnerFile), ports);
  if ("refused" in file) return file as Refusal;
  const said = file as Type.Static<typeof RunnerFile>;
  const preset = presetOf(given, said);
  if ("refused" in preset) return preset;
  const {
    setup,
    copy = [],
    ports: range = { from: 42_000, each: 20 },
    env = [],
    wall = {},
    wrapper = [],
  } = said;
  return {
    preset,
    ...(setup === undefined ? {} : { setup: setupIn(setup) }),
    ...{ copy, ports: range, env },
    wall: { work: wall.work ?? false, setup: wall.setup ?? true },
    wrapper,
    partsMax: said.decomposition?.partsMax ?? 0,
    elsewhere: said.elsewhere ?? {},
    workTimeoutMs: (given.minutes ?? said.minutes ?? 60) * minute,
    ...(given.verify === undefined ? {} : { verify: given.verify }),
  };
}

function setupIn({
  command,
  lockfiles = [],
  minutes = 15,
}: NonNullable<Type.Static<typeof RunnerFile>["setup"]>): NonNullable<RunnerSettings["setup"]> {
  return { command, lockfiles, timeoutMs: minutes * minute };
}

function presetOf(
  given: { readonly preset?: string; readonly work?: string },
  said: Type.Static<typeof RunnerFile>,
): Preset | Refusal {
  if (given.work !== undefined) return ownCommand(given.work);
  const name = given.preset ?? (said.work === undefined ? said.preset : undefined);
  const preset = name === undefined ? undefined : presets[name];
  if (preset !== undefined) return preset;
  if (name === undefined && said.work !== undefined) return ownCommand(said.work);
  return refuse("work_command_missing", {
    message: name === undefined ? "nothing says what command does the work" : `there is no preset ${name}`,
    hint: `Name one with --preset ${Object.keys(presets).join("|")} or --work-cmd <command>, or put "preset" or "work" into ${runnerFile}.`,
  });
}

async function readFile(path: string, ports: Ports): Promise<JsonObject | Refusal> {
  const text = await readSmallText(path, ports.files);
  if (text === undefined) return { schema: 1 };
  if (text instanceof Unreadable) return unfit(path, text.why);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return unfit(path, (error as Error).message);
  }
  return readRunnerFile(value, path);
}

/** The value of the file, or what is wrong with it. */
export function readRunnerFile(value: unknown, path: string): JsonObject | Refusal {
  if (Check(RunnerFile, value) && isJsonObject(value)) return value;
  const [first] = Errors(RunnerFile, value);
  return unfit(path, `${first?.instancePath ?? ""} ${first?.message ?? "does not fit"}`.trim());
}

function unfit(path: string, problem: string): Refusal {
  return refuse("document_invalid", {
    message: `${path}: ${problem}`,
    hint: "docs/guides/overnight.md lists what may stand there.",
  });
}
