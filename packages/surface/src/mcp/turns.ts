/**
 * The turn of each connection. Over stdio there is one; over HTTP one a session, of which the
 * last few are remembered: a client that comes back later begins with an empty turn.
 */
import { ConnectionTurn } from "@bridle/work";

const connectionsMax = 64;

export class Turns {
  /** In the order of their last use. */
  private readonly bySession = new Map<string, ConnectionTurn>();

  constructor(private readonly server: string) {}

  of(session: string | undefined, client: string | undefined): ConnectionTurn {
    const key = session ?? "";
    const turn =
      this.bySession.get(key) ??
      new ConnectionTurn(
        `mcp://${this.server}/${key === "" ? "stdio" : key}`,
        `mcp-client://${client?.trim() || "unnamed"}`,
      );
    this.bySession.delete(key);
    this.bySession.set(key, turn);
    for (const oldest of this.bySession.keys()) {
      if (this.bySession.size <= connectionsMax) break;
      this.bySession.delete(oldest);
    }
    return turn;
  }
}
