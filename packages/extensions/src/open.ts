/**
 * Everything that is not ours, for a session in one folder: asked about one by one, started
 * at once, and each on its own. What does not start is a sentence.
 */
import { lastSettings, readRows, sessionPath } from "@bridle/agent";
import type { Ports } from "@bridle/record";
import { ownToolsEntry } from "./own/tools.js";
import { readEntries } from "./servers/entries.js";
import { changesSince, withoutTwins } from "./servers/tools.js";
import { sentenceOf, start, type Started, wantedFor } from "./start.js";
import { Trust, untrusted } from "./trust/trust.js";
import type { ExtensionOptions, Extensions, ServerEntry } from "./types.js";

const nothing: Extensions = { tools: [], close: async () => {} };

export async function openExtensions(options: ExtensionOptions): Promise<Extensions> {
  const entries = await configured(options);
  if (entries.length === 0) return nothing;
  const allowed = await allowedOf(entries, options);
  const started = await Promise.all(allowed.map((entry) => startOrSay(entry, options)));
  const running = started.flatMap((each) => each ?? []);
  return {
    tools: withoutTwins(
      running.flatMap(({ tools }) => tools),
      (sentence) => options.notice(sentence),
    ),
    close: async () => void (await Promise.all(running.map((each) => each.close()))),
  };
}

/** Everything that could be started here; why others cannot is told. */
export async function configured(
  options: Pick<ExtensionOptions, "root" | "env" | "ports" | "notice">,
): Promise<readonly ServerEntry[]> {
  const { root, ports, notice } = options;
  const { servers, faults } = await readEntries(options);
  for (const fault of faults) notice(fault);
  const own = await ownToolsEntry(root, ports.files);
  return own === undefined ? servers : [...servers, own];
}

async function allowedOf(entries: readonly ServerEntry[], options: ExtensionOptions): Promise<ServerEntry[]> {
  const { ask, notice } = options;
  const allowed: ServerEntry[] = [];
  try {
    const trust = await Trust.open(options);
    for (const entry of entries) {
      const wanted = await wantedFor(entry, options);
      const standing = await trust.standing(wanted);
      if (await trust.allows(wanted, ask)) allowed.push(entry);
      else notice(untrusted(wanted, standing, `\`bridle mcp try ${entry.name}\` asks.`));
    }
  } catch (error) {
    notice(`nothing that is not ours is started from here on: ${sentenceOf(error)}`);
  }
  return allowed;
}

async function startOrSay(entry: ServerEntry, options: ExtensionOptions): Promise<Started | undefined> {
  try {
    return await start(entry, options);
  } catch (error) {
    options.notice(sentenceOf(error));
    return undefined;
  }
}

/** Of a session that is gone on with: how what it was given then differs from what there is now. */
export async function changedSinceRecorded(
  { tools }: Extensions,
  { root, session, ports }: { readonly root: string; readonly session: string; readonly ports: Ports },
): Promise<string | undefined> {
  const path = sessionPath(root, session);
  if ((await ports.files.stat(path)) === undefined) return undefined;
  const recorded = lastSettings(await readRows(path, ports));
  return recorded === undefined ? undefined : changesSince(recorded.defined ?? [], tools);
}
