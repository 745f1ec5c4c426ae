/**
 * Policies that people edit and seal: the digest over all the rest stands in the file itself, so that
 * an edit that nobody looked at is noticed wherever the policy is read.
 */
import { digest, type JsonObject, type Ports, putFile } from "@bridle/record";

/** `pol1_` and the SHA-256 of a policy without the digest that it names itself. */
export function sealedDigest({ policyDigest: _named, ...rest }: JsonObject): string {
  return digest("pol1_", rest);
}

/** The text of the file with its digest. */
export function sealedText({ policyDigest: _named, ...rest }: JsonObject): string {
  return `${JSON.stringify({ ...rest, policyDigest: sealedDigest(rest) }, null, 2)}\n`;
}

/** Writes the digest into the file; `changed` is false where it stood there already. */
export async function writeSealed(path: string, policy: JsonObject, ports: Ports) {
  const policyDigest = sealedDigest(policy);
  const changed = policy["policyDigest"] !== policyDigest;
  if (changed) await putFile(path, Buffer.from(sealedText(policy)), ports);
  return { policyDigest, changed };
}
