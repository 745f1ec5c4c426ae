/** Why something failed, by the witness that it left: a witness that is missing or broken is itself a reason. */
import { type Files, isJsonObject } from "@bridle/record";
import { jsonIn, readSmallText, Unreadable } from "../small-file.js";
import { missingClass } from "./retry-decision.js";
import { classesInReport } from "./stated-classes.js";

/** Sorted, each once; empty where the witness says that all is well. */
export async function witnessClasses(path: string, files: Files): Promise<readonly string[]> {
  const text = await readSmallText(path, files);
  if (text === undefined) return ["pipeline_missing_witness"];
  if (text instanceof Unreadable) return ["pipeline_witness_io_error"];
  const witness = jsonIn(text);
  if (witness === undefined) return ["pipeline_invalid_witness_json"];
  if (!isJsonObject(witness)) return ["pipeline_invalid_witness_shape"];
  const classes = [...new Set(classesInReport(witness))].sort();
  return classes.length === 0 && witness["verdictClass"] !== "accepted" ? [missingClass] : classes;
}

/** What the process stated, then what its witness says; never nothing. */
export function failureClassesOf(stated: readonly string[], witnessed: readonly string[]): readonly string[] {
  const all = [...new Set([...stated, ...witnessed])];
  return all.length === 0 ? [missingClass] : all;
}
