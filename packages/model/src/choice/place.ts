/** Where a person's settings of models and credentials are: `$XDG_CONFIG_HOME/bridle`, or `~/.config/bridle`. */
import { isAbsolute, join } from "node:path";
import { Failure } from "@bridle/record";

export type Env = Readonly<Record<string, string | undefined>>;

export function configFolder(env: Env): string {
  const xdg = env["XDG_CONFIG_HOME"];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, "bridle");
  const home = env["HOME"];
  if (home !== undefined && isAbsolute(home)) return join(home, ".config", "bridle");
  throw new Failure("model_settings_invalid", {
    message:
      "neither HOME nor XDG_CONFIG_HOME names a folder, so there is no place for settings and credentials",
    hint: "Set HOME.",
  });
}

export function modelsPath(env: Env): string {
  return join(configFolder(env), "models.json");
}

export function credentialsPath(env: Env): string {
  return join(configFolder(env), "credentials.json");
}
