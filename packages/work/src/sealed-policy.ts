/**
 * A policy that people edit and seal, from the text of its file.
 *
 * What a newcomer gets wrong: a policy that cannot be read is no empty policy. Every defect is
 * refused, with a class of the policy's own, because without it too much would be allowed.
 */
import { sentencesAbout } from "@bridle/operation";
import { isJsonObject, isRefusal, type JsonObject, refuse, type Refusal } from "@bridle/record";
import type { TSchema } from "typebox";
import { sealedDigest } from "./seal.js";

export interface PolicyForm {
  /** What its failure classes begin with. */
  readonly classes: "required_checks" | "retry_policy";
  readonly schema: TSchema;
  /** What is wrong with one of the right shape; undefined when nothing is. */
  complaint(policy: JsonObject): string | undefined;
  /** The command that writes its digest. */
  readonly sealedBy: string;
}

/** `shown` is how the file is called. */
export function parseSealed(form: PolicyForm, source: string, shown: string): JsonObject | Refusal {
  const policy = parseUnsealed(form, source, shown);
  if (isRefusal(policy)) return policy;
  const expected = sealedDigest(policy);
  if (policy["policyDigest"] === expected) return policy;
  return refuse(`${form.classes}_invalid_digest`, {
    message: `${shown} says it is ${String(policy["policyDigest"])}, and is ${expected}`,
    hint: `It was edited after it was sealed. Look at the change, and seal it with \`${form.sealedBy}\`.`,
  });
}

/** Of the right shape, whatever digest it carries. */
export function parseUnsealed(form: PolicyForm, source: string, shown: string): JsonObject | Refusal {
  const hint = `Mend it, and seal it with \`${form.sealedBy}\`.`;
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    const message = `${shown} is not JSON: ${(error as Error).message}`;
    return refuse(`${form.classes}_invalid_json`, { message, hint });
  }
  const no = (complaint: string) =>
    refuse(`${form.classes}_invalid_shape`, { message: `${shown}: ${complaint}`, hint });
  if (!isJsonObject(value)) return no("it is no object");
  const complaint = sentencesAbout(form.schema, { policyDigest: "", ...value })[0] ?? form.complaint(value);
  return complaint === undefined ? value : no(complaint);
}
