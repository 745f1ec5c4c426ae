/**
 * One tool call, from arguments to result.
 *
 * Nothing thrown here may reach the protocol: a room that cannot be loaded is an
 * answer that a model can read, and what exactly broke is for the person at stderr.
 */
import type { Call, ManifestEntry } from "@bridle/operation";
import type { JsonObject } from "@bridle/record";
import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { performOperation } from "../perform.js";
import { withProperNames } from "./aliases.js";
import type { ConnectionTurn } from "@bridle/work";
import { authorityOf } from "./authority.js";
import type { CallName, Calls } from "./calls.js";
import { type ProgressReporter, progressReporter, silentReporter } from "./progress.js";
import { brokenResult, toolResult } from "./results.js";
import type { McpSettings } from "./types.js";

export async function callTool(options: {
  readonly settings: McpSettings;
  readonly calls: Calls;
  readonly entry: ManifestEntry;
  readonly input: JsonObject;
  /** Set where a cancellation must be able to find the call from outside this connection. */
  readonly name: CallName | undefined;
  readonly turn: ConnectionTurn;
  readonly request: ServerContext["mcpReq"];
}): Promise<CallToolResult> {
  const { settings, entry, request } = options;
  const { tool } = entry.names;
  const running = options.calls.begin({ signal: request.signal, name: options.name });
  const underway = options.turn.begin(entry.names.tool);
  const progress = reporterFor(request);
  const answering = (result: CallToolResult, failureClass: string | undefined): CallToolResult => {
    underway.answered({
      text: textOf(result),
      ...(failureClass === undefined
        ? {}
        : { failure: { class: failureClass, message: textOf(result).slice(0, 400) } }),
      changed: entry.effect === "mutate" && failureClass === undefined,
    });
    return result;
  };
  const call: Call = {
    ports: settings.ports,
    signal: running.signal,
    cwd: settings.cwd,
    within: settings.cwd,
    ...(settings.issuesPath === undefined ? {} : { issuesPath: settings.issuesPath }),
    ...(settings.surfacePath === undefined ? {} : { surfacePath: settings.surfacePath }),
    env: settings.env,
    kept: settings.kept,
    // The envelope carries them.
    warn() {},
    progress: (report) => progress.report(report),
  };
  try {
    const operation = await settings.table.load(entry);
    const envelope = await performOperation(operation, withProperNames(options.input, entry.input), {
      call,
      authority: authorityOf(settings, underway.before),
      gates: settings.table.gates,
      onBug: (error) => settings.log(`${tool}: ${messageOf(error)}`),
    });
    await progress.settled();
    return answering(toolResult(envelope, entry), envelope.failureClasses[0]);
  } catch (error) {
    settings.log(`${tool} could not be loaded: ${messageOf(error)}`);
    const broken = brokenResult({
      message: `${tool} could not be carried out; the fault is the server's, not the call's.`,
      hint: "The server's stderr says what broke.",
    });
    return answering(broken, "internal_error");
  } finally {
    running.end();
  }
}

function reporterFor(request: ServerContext["mcpReq"]): ProgressReporter {
  const progressToken = request._meta?.progressToken;
  if (progressToken === undefined) return silentReporter;
  return progressReporter((notice) =>
    request.notify({ method: "notifications/progress", params: { progressToken, ...notice } }),
  );
}

function textOf({ content }: CallToolResult): string {
  const [first] = content;
  return first?.type === "text" ? first.text : "";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
