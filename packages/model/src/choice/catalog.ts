/** Every model that can be named: those of the settings, and pi's table. */
import { loadPiAi } from "../pi/load.js";
import type { ModelSettings } from "./settings.js";

export interface CatalogEntry {
  /** `provider/id`. */
  readonly ref: string;
  readonly provider: string;
  readonly id: string;
  readonly contextTokens?: number;
  readonly thinks?: boolean;
  /** Described in the person's own file. */
  readonly own: boolean;
}

/** The person's own first, then pi's; each of them once. */
export async function readCatalog(settings: ModelSettings): Promise<readonly CatalogEntry[]> {
  const found = new Map<string, CatalogEntry>();
  for (const [provider, { models = [] }] of Object.entries(settings.providers)) {
    for (const { id, contextTokens, thinks } of models) {
      const ref = `${provider}/${id}`;
      found.set(ref, {
        ref,
        provider,
        id,
        own: true,
        ...(contextTokens === undefined ? {} : { contextTokens }),
        ...(thinks === undefined ? {} : { thinks }),
      });
    }
  }
  const pi = await loadPiAi();
  for (const provider of pi.getProviders()) {
    for (const { id, contextWindow, reasoning } of pi.getModels(provider)) {
      const ref = `${provider}/${id}`;
      if (!found.has(ref))
        found.set(ref, { ref, provider, id, own: false, contextTokens: contextWindow, thinks: reasoning });
    }
  }
  return [...found.values()];
}
