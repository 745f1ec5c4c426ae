/**
 * Children as issues: where there is issue memory, what a child is to do is an
 * issue there, held under a lease while the child runs.
 *
 * One that ended well is closed. Any other is given back with a comment that says
 * how it ended: what is left of the work is then seen, and somebody can take it.
 * Where there is issue memory and the child cannot be written there, there is no child:
 * work that nobody else can see is not begun.
 */
import type { Call } from "@bridle/operation";
import { Failure, isJsonObject, type JsonObject, locatePath } from "@bridle/record";
import type { ChildIssues } from "./children.js";

/**
 * Calls an operation of another room by its id, validated and gated as every surface does.
 * Contract: returns its payload; throws a `Failure` with the class of the refusal.
 */
export type CallOperation = (id: `op/${string}`, input: JsonObject, call: Call) => Promise<JsonObject>;

const titleCharsMax = 120;

export interface ChildIssuesOptions {
  readonly call: Call;
  readonly callOperation: CallOperation;
  notice(sentence: string): void;
  readonly parent?: { readonly id: string; readonly fence?: number };
}

/** Undefined where there is no issue memory upwards from here. */
export async function childIssues(options: ChildIssuesOptions): Promise<ChildIssues | undefined> {
  const { call, callOperation, notice, parent } = options;
  const { ports, cwd, env } = call;
  const path = await locatePath({
    ...{ files: ports.files, cwd, env },
    ...{ flag: undefined, setting: "PREMATH_ISSUES_PATH", fallback: ".premath/issues.jsonl" },
  });
  if ((await ports.files.stat(path))?.kind !== "file") return undefined;
  const worker = workerName(env);
  const fences = new Map<string, number>();
  // Not the signal of the turn: after a stop the issue is still to be told how the child ended.
  const own: Call = { ports, cwd, env, signal: new AbortController().signal, warn: notice, progress() {} };
  const change = (id: `op/${string}`, input: JsonObject) =>
    callOperation(id, { ...input, actor: worker }, own);

  return {
    async open({ goal, userPrompt }) {
      try {
        const fields = { title: titleOf(goal), description: userPrompt, labels: ["child"], ephemeral: true };
        const made =
          parent === undefined
            ? await change("op/mcp.issue_add", fields)
            : await change("op/mcp.issue_discover", {
                ...fields,
                parentIssueId: parent.id,
                ...(parent.fence === undefined ? {} : { fence: parent.fence }),
              });
        const id = String(memberOf(made, "issue", "id"));
        const claimed = await change("op/mcp.issue_claim", { id, assignee: worker });
        fences.set(id, Number(memberOf(claimed, "issue", "fence")));
        return id;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        throw new Failure(error.failureClass, {
          message: `no child was started, because its work cannot be written to issue memory: ${error.message}`,
          hint: error.hint ?? "Do the work yourself, or mend issue memory first.",
          cause: error,
        });
      }
    },
    async close(id, { status, summary }) {
      const fence = fences.has(id) ? { fence: fences.get(id) as number } : {};
      try {
        if (status === "ok") {
          await change("op/issue.close", { id, reason: summary === "" ? "done" : summary, ...fence });
          return;
        }
        await change("op/issue.comment", {
          id,
          text: `The child ended: ${status}. ${summary}`.trim(),
          ...fence,
        });
        await change("op/mcp.issue_lease_release", { id, assignee: worker, ...fence });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        notice(`${id} could not be brought up to date: ${error.message}`);
      }
    },
  };
}

export function workerName(env: Call["env"]): string {
  const named = env["PREMATH_WORKER_ID"]?.trim();
  return named === undefined || named === "" ? "agent" : named;
}

function titleOf(goal: string): string {
  const line = goal.trim().split("\n", 1)[0] ?? "";
  const title = line === "" ? "Work of a child agent" : line;
  return title.length <= titleCharsMax ? title : `${title.slice(0, titleCharsMax - 1)}…`;
}

function memberOf(payload: JsonObject, ...names: readonly string[]): unknown {
  let value: unknown = payload;
  for (const name of names) value = isJsonObject(value) ? value[name] : undefined;
  return value;
}
