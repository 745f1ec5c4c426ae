/** Runs the command that a person named for what needs them, with the event as JSON on its standard input. */
import { openCommands } from "@bridle/host";
import type { JsonObject } from "@bridle/record";

const timeoutMs = 60_000;

export async function tellPerson(
  command: string,
  event: JsonObject,
  { folder, env }: { readonly folder: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<void> {
  await openCommands({ workspace: folder, env }).run({
    ...{
      needs: "host",
      compares: false,
      command,
      cwd: folder,
      stdin: `${JSON.stringify(event)}\n`,
      timeoutMs,
    },
    ...{ outputBytesMax: 1024 * 1024, signal: new AbortController().signal, onOutput() {} },
  });
}
