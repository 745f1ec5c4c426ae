/**
 * Where a session's rows go: gathered, and written many at a time.
 *
 * What a newcomer gets wrong: `add` is not durable, `flush` is. The harness
 * writes on while a model is asked, and waits for it before a call changes
 * something and at the end, so after a kill no effect is without the row that
 * announced it.
 */
import {
  type Durability,
  Failure,
  failureAt,
  type HeldLock,
  type JsonObject,
  localOf,
  Lock,
  Log,
  type Ports,
  prepareLocal,
} from "@bridle/record";
import { rowText } from "./row-text.js";
import type { SessionRow } from "./rows.js";

export interface Journal {
  add(row: SessionRow): void;
  /** Everything that was added is written; survives the machine where `synced` is asked for. */
  flush(durability?: Durability): Promise<void>;
  close(): Promise<void>;
}

export interface FileJournalOptions {
  readonly path: string;
  readonly ports: Ports;
  /** `written` never waits for the disk: a machine that dies may take the last rounds with it. */
  readonly durability?: Durability;
  readonly notice?: (sentence: string) => void;
  /** Nobody else may go on with this session until it is closed. */
  readonly exclusive?: boolean;
}

export class FileJournal implements Journal {
  private gathered = "";

  private constructor(
    private readonly log: Log,
    private readonly options: FileJournalOptions,
    private readonly held: HeldLock | undefined,
  ) {}

  static async open(options: FileJournalOptions): Promise<FileJournal> {
    const { path, ports, notice } = options;
    const held = options.exclusive === true ? await holdSession(path, ports) : undefined;
    const log = await Log.open({
      path,
      ports,
      bearing: "trajectory",
      ...(notice === undefined ? {} : { notice }),
    });
    return new FileJournal(log, options, held);
  }

  /** The rows that are there, in order. Damage is refused: a session is not guessed at. */
  async read(): Promise<SessionRow[]> {
    const rows: SessionRow[] = [];
    for await (const entry of this.log.entries()) {
      if (entry.kind === "damage") {
        throw new Failure("session_damaged", {
          message: `${this.options.path}: line ${entry.line} is damaged, so the session cannot be gone on with or replayed`,
          hint: "Run `bridle log verify` on it, or start a new session.",
        });
      }
      if (entry.kind === "row") rows.push(entry.row as unknown as SessionRow);
    }
    return rows;
  }

  add(row: SessionRow): void {
    this.gathered += `${rowText(row)}\n`;
  }

  async flush(durability: Durability = "written"): Promise<void> {
    if (this.gathered === "") return;
    const bytes = Buffer.from(this.gathered);
    this.gathered = "";
    const asked = this.options.durability === "written" ? "written" : durability;
    await this.log.appendBytes(bytes, { durability: asked });
  }

  async close(): Promise<void> {
    try {
      await this.flush("synced");
      await this.log.close();
    } finally {
      await this.held?.release();
    }
  }
}

const holdMsMax = 300;

/** Two who go on with one session would write two conversations into it. */
async function holdSession(path: string, ports: Ports): Promise<HeldLock> {
  try {
    const local = await localOf(`${path}.holder`, ports.files);
    await prepareLocal(local, ports.files);
    return await new Lock({ path: local.lock, name: path, ports, waitMsMax: holdMsMax }).acquire();
  } catch (error) {
    const failure = failureAt(path, error);
    if (!(failure instanceof Failure) || !failure.failureClass.startsWith("lock_")) throw failure;
    throw new Failure("session_busy", {
      message: `the session is in use: ${failure.message}`,
      hint: "Close the other conversation, or start a new session.",
    });
  }
}

/** A row as it will be read again: what JSON drops is dropped now. */
export function asRecorded(row: SessionRow): JsonObject {
  return JSON.parse(JSON.stringify(row)) as JsonObject;
}
