/** Whether checks that the harness ran say that the change of an issue is good. */
import { type Ports, type Refusal, refuse } from "@bridle/record";

export interface VerifiedChange {
  readonly commit: string;
  readonly witnessRefs: readonly string[];
  readonly policyDigest: string;
}

export interface VerifiedChangeOptions {
  readonly ports: Ports;
  /** The main tree's folder. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export async function verifiedChange(
  issueId: string,
  _options: VerifiedChangeOptions,
): Promise<VerifiedChange | Refusal> {
  return refuse("mutation.verified_change_missing", {
    message: `no checks that the harness ran say that the change of ${issueId} is good`,
    hint: `\`premath issue finish ${issueId}\` runs them and closes it; a person may close it unverified with \`premath issue close ${issueId}\`.`,
  });
}
