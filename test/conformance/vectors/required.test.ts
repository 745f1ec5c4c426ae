/**
 * The public vectors of required checks, their witnesses and instructions, judged as work-facts §11.2
 * says: every evaluator first asks whether the capability was claimed.
 */
import { isJsonObject, isRefusal, type JsonObject, type JsonValue } from "@bridle/record";
import {
  ciToposMap,
  decide,
  instructionDigest,
  projectChecks,
  verifyDecision,
  verifyWitness,
} from "@bridle/work";
import { describe, expect, it } from "vitest";
import { canonicalSha256 } from "../../../packages/work/src/evidence/required/decide.js";
import { fixturesUnder, hasFixtures, readFixture } from "./fixtures.js";

interface Case {
  readonly capabilityId: string;
  readonly profile?: string;
  readonly artifacts: JsonObject;
}
interface Expected {
  readonly result: string;
  readonly expectedFailureClasses?: readonly string[];
  readonly gateFailureClasses?: readonly string[];
}
interface Judged {
  readonly result: "accepted" | "rejected";
  readonly failureClasses: readonly string[];
}

const rejected = (...failureClasses: string[]): Judged => ({ result: "rejected", failureClasses });
const accepted: Judged = { result: "accepted", failureClasses: [] };
const byErrors = (errors: readonly string[], failureClass: string): Judged =>
  errors.length === 0 ? accepted : rejected(failureClass);
const textsOf = (value: JsonValue | undefined) => (Array.isArray(value) ? (value as string[]) : []);

function judge({ capabilityId, profile, artifacts }: Case): Judged | undefined {
  const { request, claimedCapabilities } = artifacts;
  const claims = isJsonObject(request) ? request["claimedCapabilities"] : claimedCapabilities;
  if (claims !== undefined && profile !== "local" && !textsOf(claims).includes(capabilityId))
    return rejected("capability_not_claimed");
  if (artifacts["expectedRequiredChecks"] !== undefined) return judgeProjection(artifacts);
  if (isJsonObject(artifacts["witnessA"])) return judgeTwins(artifacts);
  if (isJsonObject(artifacts["decision"])) return judgeDecision(artifacts);
  if (isJsonObject(artifacts["witness"])) return judgeWitness(artifacts);
  return undefined;
}

function judgeProjection(artifacts: JsonObject): Judged {
  const { requiredChecks } = projectChecks(ciToposMap, textsOf(artifacts["changedPaths"]));
  const same = JSON.stringify(requiredChecks) === JSON.stringify(artifacts["expectedRequiredChecks"]);
  return same ? accepted : rejected("change_projection_mismatch");
}

/** One instruction, two witnesses: what they say must be the same, whatever order checks are listed in. */
function judgeTwins({ instruction, witnessA, witnessB }: JsonObject): Judged {
  const said = (witness: JsonValue | undefined) => {
    const of = isJsonObject(witness) ? witness : {};
    const sorted = (name: string) => textsOf(of[name]).toSorted();
    return JSON.stringify([
      of["instructionDigest"],
      of["verdictClass"],
      ...["requiredChecks", "executedChecks", "failureClasses"].map(sorted),
    ]);
  };
  const digest = isJsonObject(instruction) ? instructionDigest(instruction) : "";
  const right =
    said(witnessA) === said(witnessB) && isJsonObject(witnessA) && witnessA["instructionDigest"] === digest;
  return right ? accepted : rejected("ci_witness_non_deterministic");
}

function judgeDecision(artifacts: JsonObject): Judged {
  const { decision, witness, deltaSnapshot } = artifacts;
  const sha = (value: JsonValue | undefined) => (isJsonObject(value) ? canonicalSha256(value) : undefined);
  const question = {
    decision,
    witness,
    deltaSnapshot,
    actualWitnessSha256: sha(witness),
    actualDeltaSha256: undefined,
  };
  const wrong = verifyDecision(question).errors.find((error) => error.startsWith("witness sha mismatch"));
  return wrong === undefined ? accepted : rejected("decision_witness_sha_mismatch");
}

function judgeWitness(artifacts: JsonObject): Judged {
  const {
    witness,
    gateWitnessPayloads: payloads,
    detectedChangedPaths,
    decisionFromSnapshot,
    decisionFromDetect,
  } = artifacts;
  const changedPaths = textsOf(detectedChangedPaths ?? artifacts["changedPaths"]);
  const given = isJsonObject(payloads)
    ? { payloads: new Map(Object.entries(payloads) as [string, JsonValue][]) }
    : {};
  const verified = byErrors(
    verifyWitness({ map: ciToposMap, witness, changedPaths, ...given }).errors,
    "witness_invalid",
  );
  if (verified.result === "rejected" || decisionFromSnapshot === undefined) return verified;
  const ours = decide({
    map: ciToposMap,
    witness,
    expectedChangedPaths: changedPaths,
    ...given,
  }) as unknown as JsonObject;
  for (const theirs of [decisionFromSnapshot, decisionFromDetect])
    for (const [name, value] of Object.entries(theirs as JsonObject)) expect(ours[name], name).toEqual(value);
  return verified;
}

const suites = ["ci_witnesses", "change_morphisms"].map(
  (name) => `premath/capabilities/capabilities.${name}`,
);
for (const suite of suites.filter((folder) => hasFixtures(folder))) {
  describe(`vectors of ${suite}`, () => {
    const files = fixturesUnder(suite, "case.json").filter(
      (file) => judge(readFixture<Case>(file)) !== undefined,
    );

    it("has some that concern required checks", () => {
      expect(files.length).toBeGreaterThan(1);
    });

    it.each(files)("%s", (file) => {
      const expected = readFixture<Expected>(file.replace(/case\.json$/, "expect.json"));
      const judged = judge(readFixture<Case>(file));
      expect(judged?.result).toBe(expected.result);
      const classes = expected.expectedFailureClasses ?? expected.gateFailureClasses;
      if (classes !== undefined) expect(judged?.failureClasses).toEqual(classes);
    });
  });
}

if (hasFixtures("premath/instructions")) {
  it("the public envelope has the digest that another implementation derived", () => {
    const envelope = readFixture<JsonObject>("premath/instructions/20260221T000000Z-bootstrap-gate.json");
    expect(instructionDigest(envelope)).toBe(
      "instr1_24486b9607e0b644e0713b3a886c83340481f617e993581b7f56efcfe27200b3",
    );
    expect(isRefusal(envelope)).toBe(false);
  });
} else {
  it("says that the public vectors are not here", () => {
    console.info(
      "No public vectors of required checks beside the checkout; our own are in required.test.ts.",
    );
    expect(decide({ map: ciToposMap, witness: {} })).toMatchObject({ decision: "reject" });
  });
}
