/** What workers and gates need: leases, cycles, worktrees, the map of checks, the client's door. */
import { basename, join } from "node:path";
import { Failure, isJsonObject, isRefusal, type JsonValue } from "@bridle/record";
import { checkMapPath as mapPath, Lanes, mapAtCommit } from "@bridle/work";
import { callOperation } from "../call-operation.js";
import { quiet } from "./look-memory.js";
import type { Finding, Place } from "./types.js";

export async function* lookAtWork(place: Place): AsyncGenerator<Finding> {
  if (place.hasMemory) yield* lookAtIssuesAtWork(place);
  if (place.git === undefined) {
    yield {
      fault: "repository_missing",
      level: "note",
      says: "this is no git repository; merging, checks and workers need one",
      mend: "git init",
    };
    return;
  }
  if (!place.gitRuns) return;
  yield* lookAtWorktrees(place);
  yield* lookAtAgentFiles(place);
  if (place.hasMemory) yield* lookAtChecks(place);
}

async function* lookAtIssuesAtWork(place: Place): AsyncGenerator<Finding> {
  let items: JsonValue | undefined;
  try {
    items = (await callOperation("op/mcp.observe_needs_attention", {}, quiet(place)))["items"];
  } catch (error) {
    // What is wrong with the memory itself is said elsewhere.
    if (error instanceof Failure) return;
    throw error;
  }
  for (const item of Array.isArray(items) ? items : []) {
    if (!isJsonObject(item)) continue;
    const says = String(item["says"]);
    const [id = ""] = says.split(" ");
    const command = String(item["command"]);
    if (item["reason"] === "stale_claims")
      yield {
        fault: "lease_left",
        level: "fault",
        says,
        mend: `premath issue update ${id} --status open`,
      };
    if (item["reason"] === "contended_claims")
      yield { fault: "lease_contended", level: "fault", says, mend: command };
    if (item["reason"] === "dependency_cycle_active")
      yield { fault: "dependency_cycle", level: "fault", says, mend: command };
  }
}

async function* lookAtWorktrees({ call, git }: Place): AsyncGenerator<Finding> {
  const top = git?.top ?? "/";
  const listed = await call.ports.git?.run(top, ["worktree", "list", "--porcelain", "-z"]);
  const trees = Buffer.from(listed?.stdout ?? [])
    .toString("utf8")
    .split("\0\0");
  const gone = trees.filter((tree) => /(?:^|\0)prunable /.test(tree));
  const [first] = gone;
  if (first === undefined) return;
  const folder = basename(/^worktree ([^\0]*)/.exec(first)?.[1] ?? "");
  yield {
    fault: "worktree_gone",
    level: "fault",
    says: `git knows ${gone.length === 1 ? "a worktree" : `${gone.length} worktrees`} whose folder is gone (${folder})`,
    mend: "git worktree prune",
    fix: async () => void (await call.ports.git?.run(top, ["worktree", "prune"])),
  };
}

/** Notes and counts of an agent are its own business, and change with every conversation. */
async function* lookAtAgentFiles({ call, git }: Place): AsyncGenerator<Finding> {
  const top = git?.top ?? "/";
  const names = [".agent_notes.json", ".agent_rule_stats.json"];
  const listed = await call.ports.git?.run(top, ["ls-files", "-z", "--", ...names]);
  const tracked = Buffer.from(listed?.stdout ?? [])
    .toString("utf8")
    .split("\0")
    .filter((name) => name !== "");
  if (tracked.length === 0) return;
  yield {
    fault: "agent_files_tracked",
    level: "fault",
    says: `${tracked.join(" and ")} of an agent ${tracked.length === 1 ? "is" : "are"} in your commits`,
    mend: `git rm --cached -q ${tracked.join(" ")}`,
  };
}

async function* lookAtChecks({ call, git }: Place): AsyncGenerator<Finding> {
  const top = git?.top ?? "/";
  const { files, git: run } = call.ports;
  if ((await files.stat(join(top, mapPath))) === undefined) {
    yield {
      fault: "checks_missing",
      level: "note",
      says: "nothing says what is checked before an issue is done",
      mend: "premath required-checks init",
    };
    return;
  }
  const explained = await problemOfMap({ call, top });
  if (explained !== undefined) {
    yield { fault: "checks_unsealed", level: "fault", says: explained, mend: "premath required-checks seal" };
    return;
  }
  const committed = run === undefined ? undefined : await mapAtCommit(top, "HEAD", run);
  if (committed !== undefined && isRefusal(committed))
    yield {
      fault: "checks_uncommitted",
      level: "fault",
      says: `${mapPath} is in no commit, and gates read what a commit holds`,
      mend: `git add ${mapPath} && git commit -m 'Required checks' -- ${mapPath}`,
    };
}

async function problemOfMap({
  call,
  top,
}: Pick<Place, "call"> & { top: string }): Promise<string | undefined> {
  try {
    await callOperation(
      "op/ci.required_checks_explain",
      { repoRoot: top, paths: ["README.md"] },
      quiet({ call }),
    );
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

/** The program that an MCP client starts, and the lane that it acts under. */
export async function* lookAtClients({ call, root, git }: Place): AsyncGenerator<Finding> {
  const path = join(git?.top ?? root, ".mcp.json");
  const text = await textOf(path, call);
  if (text === undefined) return;
  const servers = serversIn(text);
  if (servers === undefined) {
    yield {
      fault: "mcp_invalid",
      level: "fault",
      says: ".mcp.json is not JSON with mcpServers, so no client starts what it names",
      mend: "mv .mcp.json .mcp.json.broken && bridle init --yes",
    };
    return;
  }
  for (const [name, server] of Object.entries(servers)) {
    const words = isJsonObject(server) && Array.isArray(server["args"]) ? server["args"].map(String) : [];
    if (!words.includes("mcp-serve") || !isJsonObject(server)) continue;
    const program = String(server["command"]);
    if (program.startsWith("/") && (await call.ports.files.stat(program)) === undefined)
      yield {
        fault: "mcp_program_gone",
        level: "fault",
        says: `.mcp.json starts ${program} for ${name}, which is not there`,
        mend: "bridle init --yes",
      };
    const lane = words[words.indexOf("--lane") + 1];
    if (!words.includes("--lane") || lane === undefined) continue;
    if (await isOpen(lane, call)) continue;
    yield {
      fault: "lane_closed",
      level: "fault",
      says: `the lane ${lane} that ${name} of .mcp.json changes issues under is not open here`,
      mend: `premath lane open ${lane}`,
    };
  }
}

async function isOpen(name: string, call: Place["call"]): Promise<boolean> {
  try {
    const lanes = await Lanes.open(call);
    const living = await lanes.living(await call.ports.clock.now());
    return living.some((lane) => lane.name === name);
  } catch (error) {
    if (error instanceof Failure) return true; // Said elsewhere.
    throw error;
  }
}

function serversIn(text: string): Readonly<Record<string, JsonValue>> | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    const servers = isJsonObject(value) ? (value["mcpServers"] ?? {}) : undefined;
    return isJsonObject(servers) ? (servers as Readonly<Record<string, JsonValue>>) : undefined;
  } catch {
    return undefined;
  }
}

async function textOf(path: string, { ports: { files } }: Place["call"]): Promise<string | undefined> {
  const stat = await files.stat(path);
  if (stat?.kind !== "file") return undefined;
  const file = await files.open(path, "read");
  try {
    return new TextDecoder().decode(await file.read(0, Math.min(stat.size, 1024 * 1024)));
  } finally {
    await file.close();
  }
}
