/** Servers and modules that are not ours, in the world of a chat, and a person's yes to them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { configured, Trust, wantedFor } from "@bridle/extensions";
import { nodePorts } from "@bridle/record";
import { repository } from "./built.js";
import type { ChatWorld } from "./chat.js";

const packages = join(repository, "node_modules/@modelcontextprotocol");
export const servers = {
  everything: { command: "node", args: [join(packages, "server-everything/dist/index.js"), "stdio"] },
  files: { command: "node", args: [join(packages, "server-filesystem/dist/index.js"), "."] },
  premath: { command: "node", args: [join(repository, "bin/premath"), "mcp-serve"] },
  hostile: { command: "node", args: [join(repository, "test/support/hostile-mcp.mjs")] },
} as const;

export function writeIn(folder: string, path: string, content: string | object): void {
  const at = join(folder, path);
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, typeof content === "string" ? content : JSON.stringify(content));
}

/** As a person does at the terminal, to everything that is configured. */
export async function sayYes({ folder, home }: ChatWorld): Promise<void> {
  const ports = nodePorts();
  const place = { root: folder, env: { HOME: home }, ports, notice: () => {} };
  const trust = await Trust.open(place);
  for (const entry of await configured(place))
    await trust.allows(await wantedFor(entry, place), async () => true);
}

export function logOf({ folder }: ChatWorld): Record<string, never>[] {
  const sessions = join(folder, ".bridle/agent/sessions");
  const [name = ""] = readdirSync(sessions).filter((each) => each.endsWith(".jsonl"));
  const lines = readFileSync(join(sessions, name), "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Record<string, never>);
}
