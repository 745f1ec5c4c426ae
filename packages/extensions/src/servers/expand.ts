/**
 * `${NAME}` and `${NAME:-otherwise}` in an entry, from the person's environment. An entry
 * gets what it names and nothing else; the names are part of what a person says yes to.
 */
import { Failure } from "@bridle/record";
import type { Env, Http, ServerEntry, Stdio } from "../types.js";

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** The names that an entry reads, in order. */
export function namesIn({ how }: ServerEntry): string[] {
  const names = textsOf(how).flatMap((text) => [...text.matchAll(variable)].map(([, name = ""]) => name));
  return [...new Set(names)].sort();
}

/** Throws a `Failure` where a name has no value. */
export function expanded({ name, how }: ServerEntry, env: Env): Stdio | Http {
  const fill = (text: string) =>
    text.replace(variable, (_, key: string, otherwise: string | undefined) => {
      const value = env[key] ?? otherwise;
      if (value !== undefined) return value;
      throw new Failure("mcp_server_invalid", {
        message: `the MCP server ${JSON.stringify(name)} needs the variable ${key}, which is not set`,
        hint: `Set ${key}, or write \${${key}:-} where nothing may stand there.`,
      });
    });
  const fillAll = (members: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(members).map(([key, text]) => [key, fill(text)]));
  return how.kind === "stdio"
    ? { ...how, command: fill(how.command), args: how.args.map(fill), env: fillAll(how.env) }
    : { ...how, url: fill(how.url), headers: fillAll(how.headers) };
}

/** Values of the person's environment that the server is given, by name: what it says of them is hidden. */
export function givenSecrets(
  entry: ServerEntry,
  env: Env,
): readonly (readonly [name: string, value: string])[] {
  return namesIn(entry).flatMap((name) => {
    const value = env[name] ?? "";
    return value.length >= 8 ? [[name, value] as const] : [];
  });
}

function textsOf(how: Stdio | Http): readonly string[] {
  return how.kind === "stdio"
    ? [how.command, ...how.args, ...Object.values(how.env)]
    : [how.url, ...Object.values(how.headers)];
}
