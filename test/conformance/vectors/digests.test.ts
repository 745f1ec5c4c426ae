/**
 * Digests that public vectors fix, recomputed with ours.
 *
 * What is checked here is the digest of what stands in the vectors. Where a
 * vector's digest is of something normalised first (the result set of a typestate
 * case with an error in it), it is left to the tests of the code that normalises.
 */
import {
  canonicalJson,
  digest,
  type JsonObject,
  type JsonValue,
  vectorDigest,
  vectorJson,
} from "@bridle/record";
import { describe, expect, it } from "vitest";
import { fixturesUnder, hasFixtures, readFixture } from "./fixtures.js";

describe("digests that everybody can recompute", () => {
  const known: [JsonValue, string][] = [
    [{}, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"],
    [[], "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"],
  ];

  it.each(known)("SHA-256 of %j", (value, hex) => {
    expect(digest("he1_", value)).toBe(`he1_${hex}`);
    expect(vectorDigest("pol1_", value)).toBe(`pol1_${hex}`);
  });

  it("the order of keys does not matter, and the two writers agree on plain keys", () => {
    const one = { b: [1, { d: "é/", c: null }], a: true };
    const other = { a: true, b: [1, { c: null, d: "é/" }] };
    expect(vectorDigest("w1_", one)).toBe(vectorDigest("w1_", other));
    expect(vectorJson(one)).toBe('{"a":true,"b":[1,{"c":null,"d":"é/"}]}');
    expect(canonicalJson(one)).toBe(vectorJson(one));
  });
});

const suites: [name: string, place: string, register: () => void][] = [
  ["witness ids", "premath/witness-id", witnessIds],
  ["policies", "premath/policies", policies],
  ["instruction envelopes", "premath/instructions", instructions],
  ["issue events", "premath/capabilities", issueEvents],
  ["typestate evidence", "premath/_derived", typestate],
];
for (const [name, place, register] of suites) {
  if (!hasFixtures(place)) continue;
  describe(name, () => {
    register();
  });
}

// --- Witness ids -----------------------------------------------------------------------------------

interface WitnessCase {
  readonly vectorId: string;
  readonly artifacts: {
    readonly leftWitness: JsonObject;
    readonly rightWitness: JsonObject;
    readonly expectedRelation: "equal" | "not_equal";
    readonly expectedLeftWitnessId: string;
    readonly expectedRightWitnessId: string;
  };
}

/** The key of a witness; its message, sources and details are not part of it. */
function witnessId(witness: JsonObject): string {
  const { class: failureClass, lawRef, tokenPath, context } = witness;
  const key = { schema: 1, class: failureClass, lawRef, tokenPath, context };
  return vectorDigest("w1_", key as JsonObject);
}

function witnessIds(): void {
  it.each(fixturesUnder("premath/witness-id", "case.json"))("%s", (file) => {
    const { artifacts } = readFixture<WitnessCase>(file);
    const left = witnessId(artifacts.leftWitness);
    const right = witnessId(artifacts.rightWitness);
    expect([left, right]).toEqual([artifacts.expectedLeftWitnessId, artifacts.expectedRightWitnessId]);
    expect(left === right ? "equal" : "not_equal").toBe(artifacts.expectedRelation);
  });
}

// --- Policies, instructions, events ----------------------------------------------------------------

function policies(): void {
  it.each(fixturesUnder("premath/policies", ".json"))("%s", (file) => {
    const { policyDigest, ...policy } = readFixture(file);
    expect(policyDigest).toMatch(/^pol1_[0-9a-f]{64}$/);
    expect(vectorDigest("pol1_", asDigested(policy))).toBe(policyDigest);
  });
}

/** The lists of an instruction policy are sets, so they are sorted; those of a retry policy are not. */
function asDigested(policy: JsonObject): JsonObject {
  if (policy["policyKind"] !== "ci.instruction.policy.v1") return policy;
  const sorted = (value: JsonValue | undefined) => (value as string[]).toSorted();
  return {
    ...policy,
    allowedChecks: sorted(policy["allowedChecks"]),
    allowedNormalizers: sorted(policy["allowedNormalizers"]),
  };
}

function instructions(): void {
  /** Computed by another implementation from the same file; the data itself states no digest. */
  const elsewhere: Record<string, string> = {
    "20260221T000000Z-bootstrap-gate":
      "instr1_24486b9607e0b644e0713b3a886c83340481f617e993581b7f56efcfe27200b3",
  };
  it.each(Object.entries(elsewhere))("%s", (name, expected) => {
    expect(vectorDigest("instr1_", readFixture(`premath/instructions/${name}.json`))).toBe(expected);
  });
}

interface ReplayCase {
  readonly artifacts: { readonly events?: JsonValue; readonly eventStreamRef?: string };
}

function issueEvents(): void {
  const cases = fixturesUnder("premath/capabilities", "case.json").filter(
    (file) => readFixture<ReplayCase>(file).artifacts.eventStreamRef !== undefined,
  );
  it.each(cases)("%s", (file) => {
    const { events, eventStreamRef } = readFixture<ReplayCase>(file).artifacts;
    expect(vectorDigest("ev1_", events ?? null)).toBe(eventStreamRef);
  });
}

// --- Typestate evidence ----------------------------------------------------------------------------

interface TypestateCase {
  readonly vectorId: string;
  readonly input: { readonly evidence: JsonObject };
}

interface Derived {
  readonly vectors: Readonly<Record<string, { readonly digests: Readonly<Record<string, string>> }>>;
}

/** Which part of the evidence each digest is of. The join set is of other digests and is not here. */
const parts: Readonly<Record<string, string>> = {
  callSpecDigest: "callSpec",
  requestSetDigest: "toolRequests",
  resultSetDigest: "toolResults",
  useSetDigest: "toolUse",
  toolRenderSetDigest: "toolRender",
  reminderQueueSetDigest: "reminderQueue",
  stateViewSetDigest: "stateViews",
  protocolStateDigest: "protocolState",
  handoffDigest: "handoff",
};

function typestate(): void {
  const derived = readFixture<Derived>("premath/_derived/harness-typestate-digests.json").vectors;
  const files = fixturesUnder("premath/harness-typestate", "case.json");
  it.each(files)("%s", (file) => {
    const { vectorId, input } = readFixture<TypestateCase>(file);
    const digests = Object.entries(derived[vectorId]?.digests ?? {});
    const plain = digests.filter(([name]) => name in parts && isPlain(name, input.evidence));
    expect(plain.length).toBeGreaterThanOrEqual(7);
    for (const [name, expected] of plain) {
      expect([name, vectorDigest("sha256:", input.evidence[parts[name] ?? ""] ?? [])]).toEqual([
        name,
        expected,
      ]);
    }
  });
}

/** An error is rewritten before it is digested; everything else in these cases stands as it is digested. */
function isPlain(name: string, evidence: JsonObject): boolean {
  return name !== "resultSetDigest" || !JSON.stringify(evidence["toolResults"] ?? []).includes('"error"');
}
