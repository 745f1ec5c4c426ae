/**
 * The turn of one connection: what was called over it and answered, kept by whoever answers.
 *
 * A turn begins with the last change that was made and holds what was called since. What has
 * been answered can be forgotten beyond a bound; what still runs never is, because it is what
 * keeps the turn open.
 */
import type { CallMade, TurnSoFar } from "@bridle/operation";
import { sha256Hex } from "@bridle/record";

const answeredMax = 256;

export interface Answered {
  /** As it went out. */
  readonly text: string;
  readonly failure?: { readonly class: string; readonly message: string };
  /** Whether it was a change, and was made. */
  readonly changed: boolean;
}

export interface CallUnderway {
  /** The turn as it was when the call came in: of two at the same time the second finds the first running. */
  readonly before: TurnSoFar;
  answered(answer: Answered): void;
}

export class ConnectionTurn {
  private calls: CallMade[] = [];
  private count = 0;
  private turns = 0;

  constructor(
    private readonly connection: string,
    readonly caller: string,
  ) {}

  begin(tool: string): CallUnderway {
    const callId = `call-${(this.count += 1)}`;
    const before = {
      turnId: `${this.connection}/turn-${this.turns}`,
      caller: this.caller,
      calls: [...this.calls],
    };
    this.calls.push({ callId, tool });
    return {
      before,
      answered: (answer) => this.note({ callId, tool }, answer),
    };
  }

  private note(call: CallMade, { text, failure, changed }: Answered): void {
    const answer = { digest: `sha256:${sha256Hex(text)}`, ...(failure === undefined ? {} : { failure }) };
    const others = this.calls.filter(({ callId }) => callId !== call.callId);
    const running = others.filter((each) => each.answer === undefined);
    const done = others.filter((each) => each.answer !== undefined);
    if (changed) this.turns += 1;
    this.calls = [...(changed ? [] : done.slice(-answeredMax + 1)), { ...call, answer }, ...running];
  }
}
