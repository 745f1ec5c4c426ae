/** Why something failed, by the witness that it left: a witness that is missing or broken is itself a reason. */
import { type Files, isJsonObject } from "@bridle/record";
import { workLimits } from "../limits.js";
import { missingClass } from "./retry-decision.js";
import { classesInReport } from "./stated-classes.js";

/** Sorted, each once; empty where the witness says that all is well. */
export async function witnessClasses(path: string, files: Files): Promise<readonly string[]> {
  let text: string;
  try {
    const stat = await files.stat(path);
    if (stat === undefined) return ["pipeline_missing_witness"];
    if (stat.kind !== "file" || stat.size > workLimits.evidenceBytesMax) return ["pipeline_witness_io_error"];
    const file = await files.open(path, "read");
    try {
      text = new TextDecoder().decode(await file.read(0, stat.size));
    } finally {
      await file.close();
    }
  } catch {
    return ["pipeline_witness_io_error"];
  }
  let witness: unknown;
  try {
    witness = JSON.parse(text);
  } catch {
    return ["pipeline_invalid_witness_json"];
  }
  if (!isJsonObject(witness)) return ["pipeline_invalid_witness_shape"];
  const classes = [...new Set(classesInReport(witness))].sort();
  return classes.length === 0 && witness["verdictClass"] !== "accepted" ? [missingClass] : classes;
}

/** What the process stated, then what its witness says; never nothing. */
export function failureClassesOf(stated: readonly string[], witnessed: readonly string[]): readonly string[] {
  const all = [...new Set([...stated, ...witnessed])];
  return all.length === 0 ? [missingClass] : all;
}
