import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../../../../test/support/built.js";
import { sealedDigest } from "../seal.js";
import { retryPolicyDefault } from "./retry-policy-file.js";
import { usualPolicySource } from "./usual-retry-policy.js";

describe("the usual retry policy", () => {
  it("is what this repository has sealed as its own", () => {
    const own: unknown = JSON.parse(readFileSync(join(repository, retryPolicyDefault), "utf8"));
    const source = usualPolicySource();
    expect(own).toEqual({ ...source, policyDigest: sealedDigest(source) });
  });
});
