/** Worlds: what a folder can do and how it compares results, and whether two of them can deal with each other. */
import { digest, isJsonObject, type JsonObject, type JsonValue, refuse, type Refusal } from "@bridle/record";
import type { Location } from "./location.js";

/** Beside the policies; a folder without one is the usual world. */
export const worldFile = "policies/control/world-v1.json";
export const worldKind = "bridle.world.v1";

export interface World {
  readonly worldId: string;
  readonly kernelProfile: string;
  readonly capabilityVector: readonly string[];
  readonly adapterSet: readonly string[];
  readonly witnessSchema: string;
  readonly comparisonModes: readonly string[];
}

export const usualWorld: World = {
  worldId: "world.local",
  kernelProfile: "bridle.v1",
  capabilityVector: ["issue.add"],
  adapterSet: ["files"],
  witnessSchema: "premath.host_effect.v0",
  comparisonModes: ["digest"],
};

const texts = ["worldId", "kernelProfile", "witnessSchema"] as const;
const lists = ["capabilityVector", "adapterSet", "comparisonModes"] as const;

export function parseWorld(value: JsonValue, shown: string): World | Refusal {
  const no = (message: string) => refuse("world_invalid", { message: `${shown}: ${message}` });
  if (!isJsonObject(value) || value["kind"] !== worldKind) return no(`it is no ${worldKind}`);
  const text = texts.find((name) => typeof value[name] !== "string" || value[name] === "");
  if (text !== undefined) return no(`${text} is missing`);
  const list = lists.find((name) => !isTexts(value[name]));
  if (list !== undefined) return no(`${list} is no list of names`);
  return value as JsonObject & World;
}

function isTexts(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string" && item !== "");
}

/** `folder` is its name and not its path: the same work on another machine has the same refs. */
export function locationOf(world: World, folder: string): Location {
  const { worldId, kernelProfile, capabilityVector } = world;
  return {
    worldId,
    runtimeProfile: kernelProfile,
    capabilityVector,
    substrateBindingRef: `folder:${folder}`,
  };
}

export interface Negotiated {
  readonly adapter: string;
  readonly comparisonMode: string;
  readonly negotiationDigest: string;
}

/** Before anything is carried: the first that both have, in the order of the one who sends. */
export function negotiate(from: World, to: World, needs: string): Negotiated | Refusal {
  const [adapter] = from.adapterSet.filter((name) => to.adapterSet.includes(name));
  const [comparisonMode] = from.comparisonModes.filter((name) => to.comparisonModes.includes(name));
  const between = `${from.worldId} and ${to.worldId}`;
  if (adapter === undefined)
    return refuse("world_morphism_missing", { message: `${between} have no adapter in common` });
  if (!to.capabilityVector.includes(needs))
    return refuse("world_capability_mismatch", { message: `${to.worldId} does not take ${needs}` });
  if (from.witnessSchema !== to.witnessSchema || comparisonMode === undefined)
    return refuse("world_policy_mismatch", { message: `${between} do not read or compare witnesses alike` });
  const agreed = { adapter, comparisonMode, witnessSchema: from.witnessSchema, needs };
  const worlds = [from, to].map(({ worldId, kernelProfile }) => ({ worldId, kernelProfile }));
  return { adapter, comparisonMode, negotiationDigest: digest("sha256:", { ...agreed, worlds }) };
}
