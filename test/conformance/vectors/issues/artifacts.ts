/** Reading the parts of a vector. What a vector leaves out is what an issue has when nothing is said. */
import { isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";

export function objectAt(value: JsonObject, name: string): JsonObject {
  const found = value[name];
  return isJsonObject(found) ? found : {};
}

export function listAt(value: JsonObject, name: string): readonly JsonValue[] {
  const found = value[name];
  return Array.isArray(found) ? (found as readonly JsonValue[]) : [];
}

export function objectsAt(value: JsonObject, name: string): JsonObject[] {
  return listAt(value, name).filter(isJsonObject);
}

export function textsAt(value: JsonObject, name: string): string[] {
  return listAt(value, name).filter((item) => typeof item === "string");
}

export function textAt(value: JsonObject, name: string): string {
  const found = value[name];
  return typeof found === "string" ? found : "";
}

export function nowOf(artifacts: JsonObject): number {
  const { nowUnixMs } = artifacts;
  return typeof nowUnixMs === "number" ? nowUnixMs : 0;
}

export function sameSet(left: readonly string[], right: readonly string[]): boolean {
  const [one, other] = [new Set(left), new Set(right)];
  return one.size === other.size && [...one].every((item) => other.has(item));
}
