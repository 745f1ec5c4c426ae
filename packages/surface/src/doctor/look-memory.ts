/** Issue memory and the files beside it: damage, two sides, permissions, and what git does with them. */
import { join, relative } from "node:path";
import { Failure, isJsonObject, type JsonObject } from "@bridle/record";
import { callOperation } from "../call-operation.js";
import type { Finding, Place } from "./types.js";

const ownerMayAll = 0o600;

export async function* lookAtMemory(place: Place): AsyncGenerator<Finding> {
  const { root, call, hasMemory } = place;
  if (!hasMemory) {
    yield {
      fault: "memory_missing",
      level: "note",
      says: `nothing is set up in ${root}`,
      mend: "bridle init",
    };
    return;
  }
  yield* lookAtPermissions(place);
  yield* lookAtIssues(place);
  yield* lookAtLog(join(root, ".premath/harness_trajectory.jsonl"), "trajectory_damaged", place);
  for (const [id, path, fault] of [
    ["op/harness.session_read", ".premath/harness_session.json", "session_invalid"],
    ["op/harness.feature_read", ".premath/harness_feature_ledger.json", "ledger_invalid"],
  ] as const) {
    if ((await call.ports.files.stat(join(root, path))) === undefined) continue;
    const problem = await problemOf(() => callOperation(id, {}, quiet(place)));
    if (problem === undefined) continue;
    const shown = shownPath(join(root, path), place);
    const aside = shownPath(join(root, `${path}.broken`), place);
    yield { fault, level: "fault", says: problem, mend: `mv ${shown} ${aside}` };
  }
}

async function* lookAtPermissions({ root, call }: Place): AsyncGenerator<Finding> {
  for (const name of [".premath", ".premath/issues.jsonl", ".premath/harness_trajectory.jsonl"]) {
    const stat = await call.ports.files.stat(join(root, name));
    if (stat === undefined || (stat.mode & ownerMayAll) === ownerMayAll) continue;
    yield {
      fault: "memory_unwritable",
      level: "fault",
      says: `${name} may not be read and written by its owner (${(stat.mode & 0o777).toString(8)})`,
      mend: `chmod -R u+rwX ${shownPath(join(root, ".premath"), { call })}`,
    };
    return;
  }
}

async function* lookAtIssues(place: Place): AsyncGenerator<Finding> {
  const { root, call, git, gitRuns } = place;
  const path = join(root, ".premath/issues.jsonl");
  if ((await call.ports.files.stat(path)) === undefined) return;
  const shown = shownPath(path, place);
  if (!gitRuns) {
    yield* lookAtLog(path, "issues_damaged", place);
    return;
  }
  let status: JsonObject;
  try {
    status = await callOperation("op/mcp.issue_backend_status", {}, quiet(place));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    yield {
      fault: "issues_unreadable",
      level: "fault",
      says: error.message,
      mend: error.hint ?? `bridle log verify ${shown}`,
    };
    return;
  }
  const memory = isJsonObject(status["canonicalMemory"]) ? status["canonicalMemory"] : {};
  if (memory["twoSides"] !== null)
    yield {
      fault: "issues_two_sides",
      level: "fault",
      says: `${shown} holds two sides of a merge that nobody made one`,
      mend: "premath issue merge --resolve",
    };
  else yield* lookAtLog(path, "issues_damaged", place);
  if (git === undefined) return;
  const driver = memory["mergeDriver"];
  if (driver === "missing" || driver === "stale")
    yield {
      fault: `driver_${driver}`,
      level: "fault",
      says:
        driver === "missing"
          ? `in this clone git merges ${shown} line by line`
          : "the merge driver of this clone names a program that is not there any more",
      mend: "premath issue merge --install",
      fix: async () => void (await callOperation("op/issue.merge", { install: true }, quiet(place))),
    };
  yield* lookAtIgnored(path, shown, place);
}

/** Ignored and in no commit: then nobody else ever sees the issues. */
async function* lookAtIgnored(path: string, shown: string, { call, git }: Place): AsyncGenerator<Finding> {
  const top = git?.top ?? "/";
  const ignored = await call.ports.git?.run(top, ["check-ignore", "-q", path]);
  if (ignored?.code !== 0) return;
  const tracked = await call.ports.git?.run(top, ["ls-files", "--error-unmatch", path]);
  if (tracked?.code === 0) return;
  yield {
    fault: "issues_ignored",
    level: "fault",
    says: `git ignores ${shown}, so no commit holds the issues`,
    mend: `git add -f ${shown}`,
  };
}

async function* lookAtLog(path: string, fault: string, place: Place): AsyncGenerator<Finding> {
  if ((await place.call.ports.files.stat(path)) === undefined) return;
  const { Log } = await import("@bridle/record");
  const { ports, signal } = place.call;
  const isIssues = path.endsWith("issues.jsonl");
  const log = await Log.open({
    ...{ path, bearing: "state", quiet: true, ports, signal, notice: () => {} },
    ...(isIssues ? { comments: true, conflicts: "sides" as const } : {}),
  });
  const found = await log.verify();
  if (found === undefined || (found.damageCount === 0 && !found.marked)) return;
  const [first] = found.damage;
  const shown = shownPath(path, place);
  yield {
    fault,
    level: "fault",
    says: `${shown} is damaged${first === undefined ? "" : ` in line ${first.line}`}; ${found.rows} rows are fine`,
    mend: `bridle log repair ${shown}`,
  };
}

/** What an operation says no with. */
async function problemOf(ask: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await ask();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

/** The doctor says everything itself. */
export function quiet({ call }: Pick<Place, "call">): Place["call"] {
  return { ...call, warn: () => {}, progress: () => {} };
}

/** As it is typed from where one stands. */
export function shownPath(path: string, { call }: Pick<Place, "call">): string {
  const near = relative(call.cwd, path);
  const typed = near === "" ? "." : near.startsWith("..") ? path : near;
  return /^[\w./@+-]+$/.test(typed) ? typed : `'${typed.replaceAll("'", `'\\''`)}'`;
}
