/**
 * The issue in context (TUSK §9): whose failure an escalation is about, found in one fixed order. The
 * environment names it, or the session, or it is the only issue that is ready.
 *
 * Doubt is refused. An escalation on the wrong issue blocks work that is sound.
 */
import { isAbsolute, join } from "node:path";
import { Failure, type Ports, refuse, type Refusal } from "@bridle/record";
import { openSession } from "../projection/session.js";
import type { IssueStore } from "../store/types.js";
import { optionalText } from "../text.js";

const named = ["PREMATH_ACTIVE_ISSUE_ID", "PREMATH_ISSUE_ID"] as const;
const sessionSetting = "PREMATH_HARNESS_SESSION_PATH";
const sessionDefault = ".premath/harness_session.json";

export interface IssueContext {
  readonly issueId: string;
  /** `env:KEY`, `session:path` or `ready`. */
  readonly source: string;
}

export interface ContextOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths and the default session begin; absolute. */
  readonly root: string;
  readonly ports: Ports;
  readonly store: IssueStore;
}

export async function issueInContext(options: ContextOptions): Promise<IssueContext | Refusal> {
  return fromEnvironment(options.env) ?? (await fromSession(options)) ?? (await fromReady(options.store));
}

function fromEnvironment(env: ContextOptions["env"]): IssueContext | Refusal | undefined {
  const [active, plain] = named.map((key) => optionalText(env[key]));
  if (active !== undefined && plain !== undefined && active !== plain) {
    return refuse("escalation_issue_context_ambiguous", {
      message: `${named[0]} is ${active}, and ${named[1]} is ${plain}`,
      hint: "Unset one of them.",
    });
  }
  if (active !== undefined) return { issueId: active, source: `env:${named[0]}` };
  return plain === undefined ? undefined : { issueId: plain, source: `env:${named[1]}` };
}

async function fromSession({
  env,
  root,
  ports,
}: ContextOptions): Promise<IssueContext | Refusal | undefined> {
  const shown = optionalText(env[sessionSetting]) ?? sessionDefault;
  const path = isAbsolute(shown) ? shown : join(root, shown);
  try {
    const session = await (await openSession({ path, shown, ports })).read();
    const issueId = optionalText(session?.issueId);
    return issueId === undefined ? undefined : { issueId, source: `session:${shown}` };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const io = ["file_unreadable", "disk_error", "file_not_regular"].includes(error.failureClass);
    return refuse(io ? "escalation_session_read_failed" : "escalation_session_invalid", {
      message: error.message,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
}

async function fromReady(store: IssueStore): Promise<IssueContext | Refusal> {
  const [only, another] = [...((await store.graph())?.ready() ?? [])];
  if (only === undefined) {
    return refuse("escalation_issue_context_unbound", {
      message: "neither the environment nor the session names an issue, and none is ready",
      hint: `Name it with ${named[0]}.`,
    });
  }
  if (another !== undefined) {
    return refuse("escalation_issue_context_ambiguous", {
      message: `neither the environment nor the session names an issue, and ${only.id} and others are ready`,
      hint: `Name it with ${named[0]}.`,
    });
  }
  return { issueId: only.id, source: "ready" };
}
