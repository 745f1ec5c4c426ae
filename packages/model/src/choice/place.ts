/** Where a person's settings of models and credentials are: `$XDG_CONFIG_HOME/bridle`, or `~/.config/bridle`. */
import { join } from "node:path";
import { Failure, settingsFolder } from "@bridle/record";

export type Env = Readonly<Record<string, string | undefined>>;

export function configFolder(env: Env): string {
  const folder = settingsFolder(env);
  if (folder !== undefined) return folder;
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
