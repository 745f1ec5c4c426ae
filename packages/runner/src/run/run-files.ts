/** The files of a run, `.premath/runs/<run>/`: what it was started with, its journal, and what people tell it meanwhile. */
import { basename, join } from "node:path";
import {
  codeOf,
  ignoreItself,
  isJsonObject,
  type JsonObject,
  type Ports,
  type ProcessIdentity,
  putFile,
  refuse,
  type Refusal,
} from "@bridle/record";
import { readSmallText } from "@bridle/work";
import type { Budgets } from "./spent.js";

/** What a run was started with. */
export interface RunDescription {
  readonly run: string;
  readonly startedAt: string;
  readonly source: string;
  readonly target: string;
  readonly merge: "auto" | "review";
  readonly parallel: number;
  readonly preset: string;
  readonly budgets: Budgets;
  readonly coordinator: ProcessIdentity;
}

/** What people told it: `pause` finishes what runs, `stop` too and then ends, `stop_now` ends what runs. */
export type Wish = "go" | "pause" | "stop" | "stop_now";
const wishes: readonly Wish[] = ["go", "pause", "stop", "stop_now"];

export class RunFiles {
  constructor(
    readonly folder: string,
    private readonly ports: Ports,
  ) {}

  /** What the run is called. */
  get run(): string {
    return basename(this.folder);
  }

  get journal(): string {
    return join(this.folder, "events.jsonl");
  }

  async begin(description: RunDescription): Promise<void> {
    await this.ports.files.makeDirectory(this.folder);
    await this.put("run.json", description as unknown as JsonObject);
    await this.wish("go");
  }

  async describe(): Promise<RunDescription | undefined> {
    return (await this.read("run.json")) as unknown as RunDescription | undefined;
  }

  async wish(wish: Wish): Promise<void> {
    await this.put("wish.json", { wish });
  }

  async wished(): Promise<Wish> {
    const told = (await this.read("wish.json"))?.["wish"];
    return wishes.find((wish) => wish === told) ?? "go";
  }

  private put(name: string, value: JsonObject): Promise<void> {
    return putFile(join(this.folder, name), Buffer.from(`${JSON.stringify(value, null, 2)}\n`), this.ports);
  }

  private async read(name: string): Promise<JsonObject | undefined> {
    try {
      const text = await readSmallText(join(this.folder, name), this.ports.files);
      const value: unknown = JSON.parse(typeof text === "string" ? text : "null");
      return isJsonObject(value) ? value : undefined;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

/** Runs of a repository, the oldest first. */
export async function listRuns(runs: string, ports: Ports): Promise<string[]> {
  try {
    const names = (await ports.files.list(runs)).filter((name) => /^run-\d+$/.test(name));
    return names.sort((a, b) => Number(a.slice(4)) - Number(b.slice(4)));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Makes the folder that runs and their locks stand in, and has git ignore it. */
export async function readyRuns(runs: string, ports: Ports): Promise<void> {
  await ports.files.makeDirectory(runs);
  await ignoreItself(runs, ports.files);
}

/** What the next run is called. */
export async function nextRun(runs: string, ports: Ports): Promise<string> {
  const last = (await listRuns(runs, ports)).at(-1);
  return `run-${last === undefined ? 1 : Number(last.slice(4)) + 1}`;
}

export async function latestRun(
  runs: string,
  named: string | undefined,
  ports: Ports,
): Promise<string | Refusal> {
  const all = await listRuns(runs, ports);
  const found = named === undefined ? all.at(-1) : all.find((run) => run === named);
  if (found !== undefined) return found;
  return refuse("run_unknown", {
    message: named === undefined ? "nothing was run here yet" : `there is no ${named} here`,
    hint: "`bridle work start` begins one.",
  });
}
