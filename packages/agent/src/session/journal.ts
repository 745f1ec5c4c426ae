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
  present,
} from "@bridle/record";
import type { SessionRow } from "./rows.js";

export interface Journal {
  /** Characters that were added and are not handed to the disk yet. */
  readonly waiting: number;
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
  /** How many rows that is. */
  private count = 0;
  /** In the file, as far as it is certain. */
  private written = 0;
  /** Whether the disk failed us: some of what is gathered may be in the file. */
  private unsure = false;
  private turn: Promise<void> = Promise.resolve();

  private constructor(
    private readonly log: Log,
    private readonly options: FileJournalOptions,
    private readonly held: HeldLock | undefined,
  ) {}

  static async open(options: FileJournalOptions): Promise<FileJournal> {
    const { path, ports, notice } = options;
    const log = await Log.open({ path, ports, bearing: "trajectory", ...present({ notice }) });
    const held = options.exclusive === true ? await holdSession(path, ports) : undefined;
    return new FileJournal(log, options, held);
  }

  get waiting(): number {
    return this.gathered.length;
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
    this.written = rows.length;
    return rows;
  }

  add(row: SessionRow): void {
    this.gathered += `${JSON.stringify(row)}\n`;
    this.count++;
  }

  /** One after the other, so that rows stay in their order when one fails. */
  flush(durability: Durability = "written"): Promise<void> {
    this.turn = this.turn.catch(() => {}).then(() => this.write(durability));
    return this.turn;
  }

  private async write(durability: Durability): Promise<void> {
    if (this.unsure) await this.makeSure();
    if (this.gathered === "") return;
    const { gathered, count } = this;
    this.gathered = "";
    this.count = 0;
    const asked = this.options.durability === "written" ? "written" : durability;
    try {
      await this.log.appendBytes(Buffer.from(gathered), { durability: asked });
      this.written += count;
    } catch (error) {
      // Nothing is lost: who writes next begins with these.
      this.gathered = gathered + this.gathered;
      this.count += count;
      this.unsure = true;
      throw error;
    }
  }

  /** After a failure: what of it is in the file is not written again. */
  private async makeSure(): Promise<void> {
    await this.log.reopen();
    let there = 0;
    for await (const entry of this.log.entries()) if (entry.kind === "row") there++;
    const kept = there - this.written;
    this.gathered = this.gathered.split("\n").slice(kept).join("\n");
    this.count -= kept;
    this.written = there;
    this.unsure = false;
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
