/** A question about a required witness, and the gate witnesses that it refers to: in the question itself, or in files below a root. */
import { join, resolve } from "node:path";
import type { Call } from "@bridle/operation";
import { type FailureClass, isJsonObject, type JsonObject, type JsonValue, refuse } from "@bridle/record";
import { readSmallJson } from "../../small-file.js";

/** What the file of a question says besides the changed paths, whose name differs. */
export async function witnessQuestion(
  value: JsonObject,
  pathsMember: "changedPaths" | "expectedChangedPaths",
  refusedAs: FailureClass,
  call: Call,
) {
  const { witness, nativeRequiredChecks = [], everything } = value;
  const paths = value[pathsMember];
  if (!isTexts(paths) && (pathsMember === "changedPaths" || isPresent(paths)))
    return refuse(refusedAs, { message: `${pathsMember} must be a list of paths` });
  if (!isTexts(nativeRequiredChecks))
    return refuse(refusedAs, { message: "nativeRequiredChecks must be a list of texts" });
  const payloads = await payloadsOf(value, call);
  return {
    ...{ witness, nativeRequiredChecks, everything: everything === true },
    ...(payloads === undefined ? {} : { payloads }),
    ...(isTexts(paths) ? { paths } : {}),
  };
}

function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isPresent(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

/** Undefined where the question names neither. */
async function payloadsOf(
  value: JsonObject,
  call: Call,
): Promise<ReadonlyMap<string, JsonValue> | undefined> {
  const { gateWitnessPayloads: inline, witnessRoot, witness } = value;
  if (isJsonObject(inline)) return new Map(Object.entries(inline) as [string, JsonValue][]);
  if (typeof witnessRoot !== "string") return undefined;
  return payloadsBelow(resolve(call.cwd, witnessRoot), witness, call);
}

export async function payloadsBelow(
  root: string,
  witness: JsonValue | undefined,
  { ports }: Pick<Call, "ports">,
): Promise<ReadonlyMap<string, JsonValue>> {
  const refs =
    isJsonObject(witness) && Array.isArray(witness["gateWitnessRefs"]) ? witness["gateWitnessRefs"] : [];
  const found = new Map<string, JsonValue>();
  for (const ref of refs as readonly JsonValue[]) {
    const path = isJsonObject(ref) ? ref["artifactRelPath"] : undefined;
    // One that leads out of the root is told by the check itself, and not read.
    if (typeof path !== "string" || path.startsWith("/") || path.split(/[\\/]/).includes("..")) continue;
    // One that cannot be read is as good as not there.
    const payload = (await readSmallJson(join(root, path), ports.files)) ?? undefined;
    if (payload !== undefined) found.set(path, payload);
  }
  return found;
}
