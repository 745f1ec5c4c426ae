/**
 * Which model: what the flag says, then the environment, then the project's file,
 * then the person's own, then the usual model of a provider that there is a key for (defaults.ts).
 * The fast model falls back to the main one.
 *
 * A name is `provider/id`; an id alone will do where it is clear whose it is. With
 * AGENT_API_BASE_URL every name is one of that server, unless its provider stands
 * in the person's file or is Codex: there ids have slashes of their own.
 */
import { nearest, refuse, type Refusal } from "@bridle/record";
import { type CatalogEntry, readCatalog } from "./catalog.js";
import { usualModels } from "./defaults.js";
import { baseUrlProvider, codexProvider, type KeyRing } from "./keys.js";
import type { Env } from "./place.js";
import type { ModelSettings } from "./settings.js";
import type { ModelChoice } from "../pi/choice.js";

export interface ChooseOptions {
  readonly flags: { readonly model?: string | undefined; readonly fastModel?: string | undefined };
  readonly env: Env;
  readonly settings: ModelSettings;
  readonly keys: Pick<KeyRing, "has">;
}

export interface Chosen {
  readonly main: ModelChoice;
  readonly fast: ModelChoice;
  /** Where the main one was named. */
  readonly source: string;
  readonly fastSource: string;
  /** Nobody named it. */
  readonly byDefault?: true;
}

export async function chooseModels(options: ChooseOptions): Promise<Chosen | Refusal> {
  const asked = namedModel("model", options);
  const named = asked ?? (await usualModel(options));
  if (named === undefined) {
    return refuse("model_unset", {
      message: "no model was chosen, and there is no key",
      hint: "`bridle models` says where to get a key and which servers run here; name a model with --model, AGENT_MODEL or `bridle models use`.",
    });
  }
  const main = await resolveModel(named, options);
  if ("refused" in main) return main;
  const fastNamed = namedModel("fastModel", options);
  const fast = fastNamed === undefined ? main : await resolveModel(fastNamed, options);
  if ("refused" in fast) return fast;
  const sources = { source: named.source, fastSource: fastNamed?.source ?? named.source };
  return { main, fast, ...sources, ...(asked === undefined ? { byDefault: true as const } : {}) };
}

/** Undefined where no key is there, or a server of one's own is named: what that has, nobody knows. */
async function usualModel({ env, settings, keys }: ChooseOptions): Promise<Named | undefined> {
  if ((env["AGENT_API_BASE_URL"] ?? "").trim() !== "") return undefined;
  for (const { provider, ids } of usualModels) {
    if (!(await keys.has(provider))) continue;
    const known = new Set((await readCatalog(settings)).map(({ ref }) => ref));
    const id = ids.find((each) => known.has(`${provider}/${each}`));
    if (id !== undefined) return { name: `${provider}/${id}`, source: `the default for ${provider}` };
  }
  return undefined;
}

interface Named {
  readonly name: string;
  readonly source: string;
}

const flagNames = { model: "--model", fastModel: "--fast-model" } as const;
const variables = { model: "AGENT_MODEL", fastModel: "AGENT_FAST_MODEL" } as const;

function namedModel(
  which: "model" | "fastModel",
  { flags, env, settings }: ChooseOptions,
): Named | undefined {
  const { project, own } = settings;
  const places: (readonly [string | undefined, string])[] = [
    [flags[which], flagNames[which]],
    [env[variables[which]], variables[which]],
    [project?.content[which], project?.path ?? ""],
    [own?.content[which], own?.path ?? ""],
  ];
  for (const [given, source] of places) {
    const name = given?.trim();
    if (name !== undefined && name !== "") return { name, source };
  }
  return undefined;
}

async function resolveModel(named: Named, options: ChooseOptions): Promise<ModelChoice | Refusal> {
  const { env, settings } = options;
  const { name } = named;
  const slash = name.indexOf("/");
  const [provider, id] = [name.slice(0, Math.max(0, slash)), name.slice(slash + 1)];
  const own = Object.hasOwn(settings.providers, provider) ? settings.providers[provider] : undefined;
  if (own?.baseUrl !== undefined && (own.models ?? []).length === 0 && id !== "")
    return choiceOf({ provider, id }, settings);
  const baseUrl = env["AGENT_API_BASE_URL"]?.trim();
  if (own === undefined && baseUrl !== undefined && baseUrl !== "" && provider !== codexProvider) {
    const theirs = provider === baseUrlProvider ? id : name;
    return { ref: `${baseUrlProvider}/${theirs}`, provider: baseUrlProvider, id: theirs, baseUrl };
  }
  const catalog = await readCatalog(settings);
  const exact = catalog.find(({ ref }) => ref === name);
  if (exact !== undefined) return choiceOf(exact, settings);
  // Who names a provider means that one, although another may have a model with a slash in its id.
  if (catalog.some((entry) => entry.provider === provider)) return unknown(named, catalog);
  const same = catalog.filter((entry) => entry.id === name);
  return onlyOne(named, { same, catalog }, options);
}

/** An id without its provider. */
async function onlyOne(
  named: Named,
  { same, catalog }: { readonly same: readonly CatalogEntry[]; readonly catalog: readonly CatalogEntry[] },
  { settings, keys }: ChooseOptions,
): Promise<ModelChoice | Refusal> {
  if (same.length === 0) return unknown(named, catalog);
  const reachable: CatalogEntry[] = [];
  for (const entry of same) if (same.length === 1 || (await keys.has(entry.provider))) reachable.push(entry);
  const [only, another] = reachable;
  if (only !== undefined && another === undefined) return choiceOf(only, settings);
  const refs = (reachable.length > 0 ? reachable : same).map(({ ref }) => ref);
  return refuse("model_unknown", {
    message: `${named.name} (${named.source}) is offered by several providers`,
    hint: `Name one of ${refs.slice(0, 6).join(", ")}${refs.length > 6 ? ", …" : ""}.`,
    detail: { name: named.name, candidates: refs },
  });
}

function unknown({ name, source }: Named, catalog: readonly CatalogEntry[]): Refusal {
  const refs = catalog.map(({ ref }) => ref);
  const ids = name.includes("/") ? [] : catalog.map(({ id }) => id);
  const near = nearest(name, refs) ?? nearest(name, ids);
  return refuse("model_unknown", {
    message: `no model is called ${name} (${source})${near === undefined ? "" : `; did you mean ${near}?`}`,
    hint: "`bridle models` lists them; a model that is too new to be listed is described in models.json.",
    detail: { name, ...(near === undefined ? {} : { nearest: near }) },
  });
}

function choiceOf({ provider, id }: { provider: string; id: string }, settings: ModelSettings): ModelChoice {
  const { baseUrl, api, headers, models = [] } = settings.providers[provider] ?? {};
  const { id: _, ...facts } = models.find((model) => model.id === id) ?? { id };
  const given = { baseUrl, api, headers, ...facts };
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ref: `${provider}/${id}`, provider, id, ...present };
}
