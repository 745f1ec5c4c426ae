/**
 * What the operations on issues share: where the file is, and how it is opened.
 *
 * A process that lives on (a server) keeps one memory a file and catches up with
 * it at every call; a command opens its own and gives it back.
 */
import type { Call } from "@bridle/operation";
import { Failure, isRefusal, refuse, type Refusal } from "@bridle/record";
import { noting } from "../memory/write-note.js";
import { engineFor } from "../store/open.js";
import type { IssueStore } from "../store/types.js";
import { issuesDefault, type LocatedFile, locateFile, pathInput, rootInput } from "./place.js";

export const issuesInput = {
  issuesPath: pathInput("Issue memory", issuesDefault, "issues"),
  root: rootInput,
} as const;

export interface IssuesInput {
  readonly issuesPath?: string;
  readonly root?: string;
}

export async function issuesPlace(input: IssuesInput, call: Call): Promise<LocatedFile> {
  if (input.issuesPath === undefined && input.root === undefined && call.issuesPath !== undefined) {
    return { path: call.issuesPath, shown: call.issuesPath, ofMainTree: false };
  }
  return locateFile({ flag: input.issuesPath, root: input.root, fallback: issuesDefault }, call);
}

function isDoubt(error: unknown): boolean {
  return error instanceof Failure && ["row_in_doubt", "log_poisoned"].includes(error.failureClass);
}

/** What is asked of a memory that is kept in no file. */
export function onlyFiles(done: string): Refusal {
  return refuse("operation_engine_denied", {
    message: `only issue memory in a file can be ${done}`,
    hint: "This memory is kept by another engine, which looks after itself.",
  });
}

/** As `withMemory`, for what changes it: in a worktree the text says whose memory that was. */
export async function changingMemory<Answer extends object>(
  input: IssuesInput,
  call: Call,
  use: (memory: IssueStore, place: LocatedFile) => Promise<Answer | Refusal>,
): Promise<Answer | Refusal> {
  return withMemory<Answer | Refusal>(input, call, async (memory, place) => {
    const answer = await use(memory, place);
    if (place.ofMainTree && !isRefusal(answer)) call.remark?.("in the main tree's .premath");
    return answer;
  });
}

/** Rows that are written keep what they were admitted under; nothing of it where a person answers. */
function noted(memory: IssueStore, { admission }: Call): IssueStore {
  if (admission?.note === undefined) return memory;
  return {
    graph: () => memory.graph(),
    change: (decide, options) => memory.change(noting(decide, admission), options),
    takeNotices: () => memory.takeNotices(),
    close: () => memory.close(),
    ...(memory.file === undefined ? {} : { file: memory.file }),
  };
}

/** `place.shown` is the `issuesPath` of an answer. */
export async function withMemory<Answer>(
  input: IssuesInput,
  call: Call,
  use: (memory: IssueStore, place: LocatedFile) => Promise<Answer>,
): Promise<Answer> {
  const place = await issuesPlace(input, call);
  const { ports, signal } = call;
  signal.throwIfAborted();
  const told = async (memory: IssueStore) => {
    try {
      return await use(noted(memory, call), place);
    } catch (error) {
      // A memory that is kept must not stay closed to changes because of one failed sync.
      if (call.kept !== undefined && isDoubt(error)) await memory.file?.reopen().catch(() => {});
      throw error;
    } finally {
      for (const sentence of memory.takeNotices()) call.warn(sentence);
    }
  };
  if (call.kept !== undefined) {
    return call.kept.use(`issues ${place.path}`, () => engineFor(ports).issues({ ...place, ports }), told);
  }
  const memory = await engineFor(ports).issues({ ...place, ports, signal });
  try {
    return await told(memory);
  } finally {
    await memory.close();
  }
}
