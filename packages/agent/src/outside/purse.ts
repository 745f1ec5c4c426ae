/**
 * What a send has cost so far, of everybody who works on it: the agent, its
 * children and theirs. They share one purse, so that a bound on the cost of a send
 * is one bound, however the work is divided.
 *
 * What a newcomer gets wrong: a send reads it once a round and writes down what it
 * saw, like the time; so a replay needs no purse.
 */
export class Purse {
  private readonly spent = new Map<string, number>();

  /** A send of the root begins, or is resumed after its children had cost so much in an earlier process. */
  begin(session: string, childrenUsd: number): void {
    this.spent.clear();
    if (childrenUsd > 0) this.spent.set(`${session}.before`, childrenUsd);
  }

  set(session: string, costUsd: number): void {
    this.spent.set(session, costUsd);
  }

  /** Of its children and theirs, whose names begin with its own. */
  below(session: string): number {
    let sum = 0;
    for (const [id, costUsd] of this.spent) if (id.startsWith(`${session}.`)) sum += costUsd;
    return sum;
  }

  /** Of everybody else. */
  others(session: string): number {
    let sum = 0;
    for (const [id, costUsd] of this.spent) if (id !== session) sum += costUsd;
    return sum;
  }
}
