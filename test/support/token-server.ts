/** A token server on loopback that rotates as the real one does: a refresh makes the old refresh token void. */
import { accessToken, ModelServer, type Reply } from "./model-server.js";

export class TokenServer {
  /** Every form that was posted. */
  readonly forms: URLSearchParams[] = [];
  /** Refresh tokens that came after they were void. */
  reused = 0;
  /** Awaited before an answer. */
  before: () => Promise<void> = async () => {};
  private drawn = 0;

  private constructor(
    private readonly server: ModelServer,
    private current: string,
  ) {}

  static async start(current = "refresh-token-0"): Promise<TokenServer> {
    const server = await ModelServer.start();
    const made = new TokenServer(server, current);
    server.reply(made.answer);
    return made;
  }

  get url(): string {
    return `${this.server.url}/oauth/token`;
  }

  get refreshes(): number {
    return this.forms.filter((form) => form.get("grant_type") === "refresh_token").length;
  }

  private readonly answer: Reply = async (response, { text }) => {
    const form = new URLSearchParams(text);
    this.forms.push(form);
    await this.before();
    const json = { "content-type": "application/json" };
    const refused = (why: string) =>
      response.writeHead(400, json).end(JSON.stringify({ error: "invalid_grant", error_description: why }));
    if (form.get("grant_type") === "refresh_token" && form.get("refresh_token") !== this.current) {
      this.reused++;
      return void refused(`refresh token ${form.get("refresh_token")} was used before`);
    }
    if (form.get("code") === "bad") return void refused("the code bad is not known");
    const number = ++this.drawn;
    this.current = `refresh-token-${number}`;
    response.writeHead(200, json).end(
      JSON.stringify({
        access_token: accessToken(`access-${number}`),
        refresh_token: this.current,
        expires_in: 3600,
      }),
    );
  };
}
