/** Everything at once: settings read, models chosen, keys and secrets at hand, and a call that is ready to be made. */
import type { Ports, Refusal } from "@bridle/record";
import { Credentials } from "../auth/credentials.js";
import { piModelCall } from "../pi/call.js";
import type { Secrets } from "../secrets.js";
import type { ModelCall } from "../types.js";
import { type Chosen, chooseModels } from "./choose.js";
import { KeyRing, secretsIn } from "./keys.js";
import { callLimits } from "./limits-from-env.js";
import { credentialsPath, type Env } from "./place.js";
import { type ModelSettings, readModelSettings } from "./settings.js";

export interface ModelPlace {
  readonly env: Env;
  /** Absolute. */
  readonly cwd: string;
  readonly ports: Ports;
  readonly signal?: AbortSignal;
}

export interface ModelTools {
  readonly settings: ModelSettings;
  readonly credentials: Credentials;
  readonly keys: KeyRing;
  readonly secrets: Secrets;
}

export async function modelTools(place: ModelPlace): Promise<ModelTools> {
  const { env, ports, signal } = place;
  const settings = await readModelSettings(place);
  const secrets = secretsIn(env, settings);
  const credentials = new Credentials({ path: credentialsPath(env), ports, secrets, signal });
  await credentials.hideTokens();
  return { settings, credentials, secrets, keys: new KeyRing({ env, settings, credentials }) };
}

export interface OpenedModels extends Chosen, ModelTools {
  /** For both models. */
  readonly call: ModelCall;
}

export async function openModels(
  place: ModelPlace & { readonly flags?: { readonly model?: string; readonly fastModel?: string } },
): Promise<OpenedModels | Refusal> {
  const { env, ports, flags = {} } = place;
  const tools = await modelTools(place);
  const chosen = await chooseModels({ flags, env, settings: tools.settings, keys: tools.keys });
  if ("refused" in chosen) return chosen;
  const { main, fast } = chosen;
  const { keys, secrets } = tools;
  const call = piModelCall({
    models: main === fast ? [main] : [main, fast],
    keys,
    ports,
    secrets,
    limits: callLimits(env),
  });
  return { ...chosen, ...tools, call };
}
