/**
 * How each known tool is started to work alone: its words, what its output says, and how it tells whether somebody is
 * logged in. Data, so that `bridle work start --dry-run` can show it and a person can put their own in its place.
 */

/** How a tool's output is read: what it cost, whether its limit is reached, when it has said its last word. */
export type OutputKind = "claude" | "codex" | "pi" | "bridle" | "plain";

export interface Preset {
  readonly name: string;
  /** `{issue}` stands for the id. The prompt comes on the standard input, then its end. */
  readonly words: readonly string[];
  readonly output: OutputKind;
  /** Ends with 0 when somebody is logged in. */
  readonly login?: readonly string[];
  /** The words behind our wall, where a second sandbox cannot be had. */
  readonly walledWords?: readonly string[];
  /** Its shell has walls of its own, so none is put around it. */
  readonly ownWalls?: boolean;
}

const claudeTools = ["Bash", "Edit", "Write", "Read", "Glob", "Grep", "NotebookEdit", "TodoWrite"].join(",");
const noServers = '{"mcpServers":{}}';

const codex = (sandbox: string) => [
  ...["codex", "exec", "--json", "--sandbox", sandbox],
  ...["-c", "approval_policy=never", "-"],
];

export const presets: Readonly<Record<string, Preset>> = {
  claude: {
    name: "claude",
    words: [
      ...["claude", "-p", "--output-format", "stream-json", "--verbose"],
      ...["--permission-mode", "dontAsk", "--allowedTools", claudeTools],
      ...["--mcp-config", noServers, "--strict-mcp-config"],
    ],
    output: "claude",
    login: ["claude", "auth", "status"],
  },
  codex: {
    name: "codex",
    words: codex("workspace-write"),
    walledWords: codex("danger-full-access"),
    output: "codex",
    login: ["codex", "login", "status"],
  },
  pi: { name: "pi", words: ["pi", "--mode", "json", "--no-session"], output: "pi" },
  bridle: {
    name: "bridle",
    words: ["bridle", "agent", "run", "--issue", "{issue}", "--json"],
    output: "bridle",
    ownWalls: true,
  },
};

/** A command of the user's own, for bash. */
export function ownCommand(command: string): Preset {
  return { name: "command", words: ["bash", "-c", command], output: "plain" };
}
