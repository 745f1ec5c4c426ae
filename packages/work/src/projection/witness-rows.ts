/** Members of a witness, read without believing that they are there. */
import { isJsonObject, type JsonObject } from "@bridle/record";

export function textOf(row: JsonObject | undefined, member: string): string | undefined {
  const value = row?.[member];
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** The typed digest where there is one. */
export function projectionDigestOf(witness: JsonObject | undefined): string | undefined {
  return textOf(witness, "typedCoreProjectionDigest") ?? textOf(witness, "projectionDigest");
}

/** Whether an instruction is of no kind that is known. */
export function isUnknown({ instructionClassification: found }: JsonObject): boolean {
  return isJsonObject(found) && found["state"] === "unknown";
}

/** Why the proposal of an instruction was rejected; none where it was not. */
export function proposalClasses({ rejectStage, failureClasses }: JsonObject): string[] {
  if (rejectStage !== "proposal_discharge" || !Array.isArray(failureClasses)) return [];
  return failureClasses.filter((each) => typeof each === "string");
}
