/**
 * Recording: wraps any model call, and writes down what was asked and answered.
 *
 * A row is in the file before the caller sees `done`, so an answer that somebody
 * acted on is on the tape. Calls of one session are made one after the other,
 * because a replay answers them in the order of the tape. A recording that was
 * interrupted is taken up where its rows end.
 */
import { type Durability, Failure, type JsonObject, type Log, refuse } from "@bridle/record";
import { RequestWriter, requestDigest, type WrittenMessage, type WrittenRequest } from "../request.js";
import { Secrets } from "../secrets.js";
import type { ModelCall, ModelEvent, ModelRequest } from "../types.js";
import { openTapeLog, readTape, type TapePlace, type TapeSession } from "./read.js";
import { sealRow, type Outcome } from "./row.js";

export interface RecordOptions extends TapePlace {
  /** Hidden in every row; share the object that the model call has. */
  readonly secrets?: Secrets;
  /** `written` when left out: a tape survives its process. */
  readonly durability?: Durability;
}

/** The session of a request that names none. */
export const usualSession = "default";

interface Chain {
  calls: number;
  head: string | null;
  requestDigest: string | null;
  ended: boolean;
  settings: JsonObject | undefined;
  digests: readonly string[];
  /** Settles when the call before is over. */
  turn: Promise<void>;
}

interface Taken {
  readonly session: string;
  readonly place: number | undefined;
  readonly asked: WrittenRequest;
  readonly outcome: Outcome;
}

export class TapeRecorder {
  private readonly chains = new Map<string, Chain>();
  private readonly secrets: Secrets;
  private readonly writer: RequestWriter;

  private constructor(
    private readonly log: Log,
    private readonly options: RecordOptions,
    recorded: ReadonlyMap<string, TapeSession>,
  ) {
    this.secrets = options.secrets ?? new Secrets();
    this.writer = new RequestWriter(this.secrets);
    for (const [session, tape] of recorded) this.chains.set(session, resumed(tape));
  }

  static async open(options: RecordOptions): Promise<TapeRecorder> {
    const log = await openTapeLog(options);
    return new TapeRecorder(log, options, (await readTape(log)) ?? new Map());
  }

  /** The same call, recorded. */
  record(call: ModelCall): ModelCall {
    return (request, options) => this.recorded(call, request, options?.signal);
  }

  /** Whether there is a session of that name. */
  has(session: string): boolean {
    return this.chains.has(session);
  }

  /**
   * Closes the session: what is missing from its tail is noticed from now on. Returns its head.
   * `place` is that of the last request that counts, where a crash may have left later ones.
   */
  async finish(session: string = usualSession, { place }: { readonly place?: number } = {}): Promise<string> {
    const chain = this.chain(session);
    await chain.turn;
    if (!chain.ended) {
      const { row, digest } = sealRow({
        ...{ kind: "end", session, previous: chain.head, calls: chain.calls },
        ...(place === undefined ? {} : { place }),
      });
      await this.append(row);
      chain.head = digest;
      chain.ended = true;
    }
    return chain.head ?? "";
  }

  async close(): Promise<void> {
    await this.log.close();
  }

  private async *recorded(
    call: ModelCall,
    request: ModelRequest,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ModelEvent> {
    const session = request.session ?? usualSession;
    const chain = this.chain(session);
    const before = chain.turn;
    let over = () => {};
    chain.turn = new Promise((done) => (over = done));
    await before;
    let open = false;
    try {
      if (chain.ended) throw sessionOver(session, this.options.path);
      const asked = this.writer.write(request);
      open = true;
      for await (const event of call(request, signal === undefined ? {} : { signal })) {
        if (event.type === "done" || event.type === "failed") {
          open = false;
          const outcome = event.type === "done" ? { response: event.response } : { refusal: event.refusal };
          await this.write(chain, { session, place: request.place, asked, outcome });
        }
        yield event;
      }
    } catch (error) {
      open = false;
      throw error;
    } finally {
      // The reader went away in the middle of the answer; the next call comes after this one all the same.
      if (open)
        await this.write(chain, {
          session,
          place: request.place,
          asked: this.writer.write(request),
          outcome: { refusal: abandoned },
        });
      over();
    }
  }

  private async write(chain: Chain, { session, place, asked, outcome }: Taken): Promise<void> {
    const digests = asked.messages.map(({ digest }) => digest);
    const shared = sharedStart(chain.digests, digests);
    const chained = requestDigest(chain.requestDigest, asked);
    const settings =
      JSON.stringify(asked.settings) === JSON.stringify(chain.settings) ? {} : { settings: asked.settings };
    const { row, digest } = sealRow({
      kind: "call",
      session,
      call: chain.calls + 1,
      ...(place === undefined ? {} : { place }),
      previous: chain.head,
      requestDigest: chained,
      shared,
      messages: asked.messages.slice(shared).map(({ message }: WrittenMessage) => message),
      ...settings,
      outcome: this.secrets.hideIn(outcome as unknown as JsonObject) as unknown as Outcome,
    });
    await this.append(row);
    Object.assign(chain, {
      calls: chain.calls + 1,
      head: digest,
      requestDigest: chained,
      digests,
      settings: asked.settings,
    });
  }

  private async append(row: JsonObject): Promise<void> {
    await this.log.append(row, { durability: this.options.durability ?? "written" });
  }

  private chain(session: string): Chain {
    const known = this.chains.get(session);
    if (known !== undefined) return known;
    const fresh: Chain = {
      ...{ calls: 0, head: null, requestDigest: null, ended: false, settings: undefined, digests: [] },
      turn: Promise.resolve(),
    };
    this.chains.set(session, fresh);
    return fresh;
  }
}

const abandoned = refuse("aborted", { message: "the reader of the answer went away before it was whole" });

/** The next row repeats its messages and settings, because what the rows before hold was not kept. */
function resumed({ calls, head, ended }: TapeSession): Chain {
  const last = calls.at(-1)?.requestDigest ?? null;
  return {
    ...{ calls: calls.length, head, ended, requestDigest: last, settings: undefined, digests: [] },
    turn: Promise.resolve(),
  };
}

function sharedStart(left: readonly string[], right: readonly string[]): number {
  let shared = 0;
  while (shared < left.length && left[shared] === right[shared]) shared++;
  return shared;
}

function sessionOver(session: string, path: string): Failure {
  return new Failure("tape_ended", {
    message: `session ${JSON.stringify(session)} on ${path} was finished; nothing is added to it`,
    hint: "Record under another session, or on another tape.",
  });
}
