/**
 * `bridle login codex`: the page is shown and opened, and the code comes back by
 * itself or is pasted.
 *
 * The address goes to stderr, because stdout has the answer. A code that is
 * pasted comes through stdin, so that it stands in no history and no list of
 * processes.
 */
import { type Call, defineOperation } from "@bridle/operation";
import { Credentials, credentialsPath, type CodexEndpoints, loginCodex, Secrets } from "@bridle/model";
import { formatSeconds } from "@bridle/record";
import * as Type from "typebox";

/** What the login needs of the person's machine. */
export interface LoginTerminal {
  readonly endpoints: CodexEndpoints;
  say(line: string): void;
  open(url: string): void;
  /** Whether somebody can type. */
  readonly interactive: boolean;
  line(signal: AbortSignal): Promise<string | undefined>;
}

const input = Type.Object(
  {
    paste: Type.Optional(
      Type.Boolean({
        description: "Wait for no browser: read the code, or the address with it, from stdin.",
      }),
    ),
  },
  { additionalProperties: false },
);

const output = Type.Object({
  action: Type.Literal("login.codex"),
  provider: Type.Literal("openai-codex"),
  path: Type.String({ description: "Where the credentials are kept." }),
  accountId: Type.String(),
  expiresAt: Type.String({ description: "When the first token ends; it is renewed by itself." }),
});

export function loginCodexOperation(terminal: () => Promise<LoginTerminal>) {
  return defineOperation({
    names: { id: "op/login.codex", action: "login.codex", command: ["login", "codex"], tool: "login_codex" },
    family: "bridle",
    effect: "mutate",
    needs: "person",
    surfaces: ["cli"],
    summary: "Log in with a ChatGPT account, to use the models of Codex.",
    description:
      "Shows a page to agree on and waits for the browser to come back. On a machine without a browser, open the page " +
      "elsewhere and paste the address that it ends at. The credentials are kept in ~/.config/bridle/credentials.json, " +
      "readable by you only, and are renewed when they end.",
    examples: [
      {
        command: "bridle login codex",
        says: "opens the page, and waits for the browser or for a pasted code",
      },
      {
        command: "bridle login codex --paste",
        says: "shows the page's address, and reads the code from stdin",
      },
    ],
    input,
    output,
    async run({ paste = false }, call: Call) {
      const { ports, signal, env } = call;
      const { endpoints, say, open, interactive, line } = await terminal();
      const path = credentialsPath(env);
      const credentials = new Credentials({ path, ports, signal, endpoints, secrets: new Secrets() });
      const done = await loginCodex({
        ...{ ports, credentials, endpoints, signal },
        browser: !paste,
        ...(paste || interactive ? { paste: line } : {}),
        show({ url, waiting }) {
          say(`Open this page and agree:\n\n  ${url}\n`);
          if (waiting && interactive) open(url);
          if (waiting) say("Waiting for the browser to come back.");
          if (paste || interactive) say("Or paste the address that it ended at, and press Enter:");
        },
      });
      return {
        action: "login.codex" as const,
        provider: "openai-codex" as const,
        path,
        accountId: done.accountId,
        expiresAt: formatSeconds(done.expiresAt),
      };
    },
    present: ({ path }, paint) => `${paint.good("Logged in.")} The credentials are in ${path}.`,
  });
}
