/** The sessions of a workspace, from their logs. Those of children belong to their parents and are not listed. */
import { join } from "node:path";
import { Failure, type Ports } from "@bridle/record";
import { sessionPath, stateFolder } from "../state-paths.js";
import type { EndReason } from "../types.js";
import { FileJournal } from "./journal.js";
import type { SessionRow } from "./rows.js";

export interface SessionFacts {
  readonly id: string;
  readonly model: string;
  /** When it was last written. */
  readonly changedMs: number;
  readonly sends: number;
  /** The first thing that was asked. */
  readonly firstAsk: string;
  /** `interrupted` in the middle of a send, `empty` before the first, `damaged` where the log cannot be read. */
  readonly ended: EndReason | "interrupted" | "empty" | "damaged";
}

export async function listSessions(workspace: string, ports: Ports): Promise<SessionFacts[]> {
  const found: SessionFacts[] = [];
  for (const id of await sessionNames(workspace, ports)) {
    const path = sessionPath(workspace, id);
    const stat = id.includes(".") ? undefined : await ports.files.stat(path);
    if (stat?.kind !== "file") continue;
    const facts = await factsOf(id, path, ports);
    if (facts !== undefined) found.push({ id, changedMs: stat.mtimeMs, ...facts });
  }
  return found.toSorted((a, b) => b.changedMs - a.changedMs || (a.id < b.id ? 1 : -1));
}

async function factsOf(
  id: string,
  path: string,
  ports: Ports,
): Promise<Omit<SessionFacts, "id" | "changedMs"> | undefined> {
  let rows: readonly SessionRow[];
  try {
    rows = await readRows(path, ports);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { model: "", sends: 0, firstAsk: "", ended: "damaged" };
  }
  const [session] = rows;
  if (session?.type !== "session" || session.id !== id || session.depth > 0) return undefined;
  const sends = rows.filter((row) => row.type === "send");
  const last = rows.findLast((row) => row.type === "send" || row.type === "end");
  return {
    model: session.model,
    sends: sends.length,
    firstAsk: sends[0]?.text ?? "",
    ended: last === undefined ? "empty" : last.type === "end" ? last.reason : "interrupted",
  };
}

export async function readRows(path: string, ports: Ports): Promise<SessionRow[]> {
  const journal = await FileJournal.open({ path, ports });
  try {
    return await journal.read();
  } finally {
    await journal.close();
  }
}

export interface FindOptions {
  readonly workspace: string;
  readonly ports: Ports;
  /** Where there are sessions, but not this one. */
  readonly hint: string;
  /** Whether a name with a dot is one of a child. */
  readonly children?: boolean;
}

/** Which session is meant: `last`, or one by its name or a beginning of it that fits no other. */
export async function findSession(
  asked: string,
  { workspace, ports, hint, children = false }: FindOptions,
): Promise<string> {
  const ofChild = children && asked.includes(".");
  const ids = ofChild
    ? (await sessionNames(workspace, ports)).filter((id) => id.includes("."))
    : (await listSessions(workspace, ports)).map(({ id }) => id);
  const fitting =
    asked === "last"
      ? ids.slice(0, 1)
      : ids.includes(asked)
        ? [asked]
        : ids.filter((id) => asked.length >= 4 && id.startsWith(asked));
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only;
  const none = ids.length === 0 && !ofChild;
  throw new Failure("session_unknown", {
    message: none
      ? `there is no session in ${workspace}`
      : fitting.length > 1
        ? `${JSON.stringify(asked)} fits ${fitting.length} sessions: ${named(fitting)}`
        : `there is no session ${JSON.stringify(asked)} in ${workspace}`,
    hint: none
      ? "Begin one with `bridle chat`, or name its folder with --workspace."
      : `\`bridle chat --sessions\` lists them; ${hint}`,
  });
}

/** Also of children, which are named for their parents, with a dot between. */
async function sessionNames(workspace: string, ports: Ports): Promise<string[]> {
  const folder = join(stateFolder(workspace), "sessions");
  const files = (await ports.files.stat(folder)) === undefined ? [] : await ports.files.list(folder);
  return files.flatMap((name) => /^([^.].*)\.jsonl$/.exec(name)?.[1] ?? []);
}

const namedMax = 10;

function named(ids: readonly string[]): string {
  const names = ids.slice(0, namedMax);
  const more = ids.length - names.length;
  return more === 0 ? names.join(", ") : `${names.join(", ")} and ${more} more`;
}
