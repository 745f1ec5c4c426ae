/** Where a person's settings are: `$XDG_CONFIG_HOME/bridle`, or `~/.config/bridle`. */
import { isAbsolute, join } from "node:path";

/** Undefined where the environment names no home. */
export function settingsFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const xdg = env["XDG_CONFIG_HOME"];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, "bridle");
  const home = env["HOME"];
  return home !== undefined && isAbsolute(home) ? join(home, ".config", "bridle") : undefined;
}
