/** A file of MCP servers changed as a person would change it: what else stands in it stays, and it is replaced whole. */
import { serversIn } from "@bridle/extensions";
import { type JsonObject, type Ports, putFile } from "@bridle/record";

export async function textOf(path: string, { files }: Pick<Ports, "files">): Promise<string | undefined> {
  const stat = await files.stat(path);
  if (stat === undefined) return undefined;
  const file = await files.open(path, "read");
  try {
    return Buffer.from(await file.read(0, stat.size)).toString("utf8");
  } finally {
    await file.close();
  }
}

/** Throws a `Failure` where the file is none of servers; then nothing is changed. */
export async function editServers(
  path: string,
  change: (servers: JsonObject) => JsonObject,
  { ports, permissions }: { readonly ports: Ports; readonly permissions?: number },
): Promise<void> {
  const text = await textOf(path, ports);
  const servers = change(serversIn(text, path));
  const whole = { ...(text === undefined ? {} : (JSON.parse(text) as JsonObject)), mcpServers: servers };
  await putFile(path, Buffer.from(`${JSON.stringify(whole, undefined, 2)}\n`), ports, {
    ...(permissions === undefined ? {} : { permissions }),
  });
}
