/**
 * What init puts into files that belong to somebody else: lines, a section, a server. Pure, from the
 * text that is there to the text that is wanted; the same text where nothing is missing.
 */
import { isJsonObject, type JsonValue, refuse, type Refusal } from "@bridle/record";

/** Lines of `.gitignore`: runtime files are each clone's own, issues are everybody's. */
export const ignoredLines = [
  "# Bridle: issues are committed, what a clone does with them is not.",
  ".premath/*",
  "!.premath/issues.jsonl",
  "artifacts/ciwitness/",
] as const;

export const laneName = "mcp";
const begin = "<!-- bridle: begin -->";
const end = "<!-- bridle: end -->";

const agentsSection = `${begin}
## Work in this repository

What is to be done is in issue memory, \`.premath/issues.jsonl\`, which is committed. Do not edit the file; use the commands,
or the tools of the \`bridle\` server in \`.mcp.json\`.

- Find work: \`premath issue ready\`. Read it whole: \`premath issue show <id>\`.
- Take it before you begin: \`premath issue claim <id> --assignee <you>\`. Another may hold it; then take another.
- What you find on the way is an issue of its own: \`premath issue discover <id> "<title>"\`.
- Commit your change, then finish: \`premath issue finish <id>\`. It runs the required checks on that commit and closes the
  issue when they pass. An issue is done when it says so, not before.
- What you cannot finish, give back: \`premath issue lease-release <id>\`, and say why with \`premath issue comment\`.
${end}
`;

export function withIgnored(text: string): string {
  const has = new Set(text.split(/\r?\n/).map((line) => line.trim()));
  const missing = ignoredLines.filter((line) => !has.has(line));
  // The comment alone says nothing.
  return missing.filter((line) => !line.startsWith("#")).length === 0
    ? text
    : appended(text, missing.join("\n"));
}

export function withLine(text: string, line: string): string {
  const has = text.split(/\r?\n/).some((each) => each.trim() === line);
  return has ? text : appended(text, line, "");
}

export function withSection(text: string): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  const section = agentsSection.trimEnd();
  if (from >= 0 && to > from) {
    const own = text.includes("\r\n") ? section.replaceAll("\n", "\r\n") : section;
    return text.slice(0, from) + own + text.slice(to + end.length);
  }
  return text.trim() === "" ? agentsSection : appended(text, section);
}

/** A blank line stands between what was there and what is added; line ends are those of the file. */
function appended(text: string, addition: string, gap = "\n"): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const added = `${addition}\n`.replaceAll("\n", eol);
  if (text === "") return added;
  return (text.endsWith("\n") ? text : text + eol) + gap.replaceAll("\n", eol) + added;
}

export interface Server {
  readonly command: string;
  readonly args: readonly string[];
}

/** `.mcp.json` with our server; as it stands where a server of ours is there already and its program is. */
export function withServer(
  text: string | undefined,
  server: Server,
  isThere: (command: string) => boolean,
): string | Refusal {
  let value: JsonValue | undefined;
  try {
    value = text === undefined || text.trim() === "" ? {} : (JSON.parse(text) as JsonValue);
  } catch {
    value = undefined;
  }
  const servers = isJsonObject(value) ? (value["mcpServers"] ?? {}) : undefined;
  if (!isJsonObject(value) || !isJsonObject(servers))
    return refuse("init_refused", {
      message: ".mcp.json is not JSON with a list of mcpServers",
      hint: "Mend it, or move it away, and try again; nothing was changed.",
    });
  const ours = Object.values(servers).find(isOurs);
  if (ours !== undefined && isThere(String((ours as { command?: unknown }).command))) return text ?? "";
  const all = { ...servers, bridle: { command: server.command, args: [...server.args] } };
  return `${JSON.stringify({ ...value, mcpServers: all }, null, indentOf(text ?? ""))}\n`;
}

function isOurs(server: JsonValue | undefined): boolean {
  return (
    server !== undefined &&
    isJsonObject(server) &&
    Array.isArray(server["args"]) &&
    server["args"].includes("mcp-serve")
  );
}

function indentOf(text: string): string | number {
  return /^[ \t]+/m.exec(text)?.[0] ?? 2;
}
