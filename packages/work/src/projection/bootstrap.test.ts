/** A fresh process starts from the session and the feature ledger alone. */
import { Compile } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { Bootstrap } from "../types.js";
import { bootstrapOf } from "./bootstrap.js";
import { mergeSession, type SessionUpdate } from "./session.js";

const sessionOf = (update: SessionUpdate) =>
  mergeSession(undefined, update, {
    now: "2026-01-31T09:30:00Z",
    issuesPath: ".premath/issues.jsonl",
    issuesSnapshotRef: "iss1_aa",
  });
const options = { sessionRef: "s.json", featureLedgerRef: undefined };

describe("bootstrap", () => {
  it("names its kind and fits its published schema [TUSK-11.20] [RUNTIME-4.9]", () => {
    const bootstrap = bootstrapOf(sessionOf({}), options);
    expect(bootstrap.bootstrapKind).toBe("premath.harness.bootstrap.v1");
    expect(Compile(Bootstrap).Check(bootstrap)).toBe(true);
  });

  it("resumes what was stopped [TUSK-11.21] [RUNTIME-4.10] [RUNTIME-4.9]", () => {
    expect(bootstrapOf(sessionOf({ state: "stopped" }), options).mode).toBe("resume");
  });

  it("attaches to what is active [TUSK-11.22] [RUNTIME-4.11] [RUNTIME-4.9]", () => {
    expect(bootstrapOf(sessionOf({ state: "active" }), options).mode).toBe("attach");
  });

  it("carries everything that the session holds [TUSK-11.1] [TUSK-4.1]", () => {
    const session = sessionOf({
      issueId: "bd-1",
      summary: "half way",
      nextStep: "go on",
      instructionRefs: ["i"],
      witnessRefs: ["w"],
      lineageRefs: ["l"],
    });
    expect(bootstrapOf(session, { sessionRef: "s.json", featureLedgerRef: "ledger.json" })).toEqual({
      action: "harness-session.bootstrap",
      bootstrapKind: "premath.harness.bootstrap.v1",
      sessionRef: "s.json",
      sessionId: "hs1_20260131T093000Z_bd-1",
      mode: "resume",
      resumeIssueId: "bd-1",
      nextStep: "go on",
      summary: "half way",
      instructionRefs: ["i"],
      witnessRefs: ["w"],
      lineageRefs: ["l"],
      issuesPath: ".premath/issues.jsonl",
      issuesSnapshotRef: "iss1_aa",
      featureLedgerRef: "ledger.json",
      nextFeatureId: null,
      featureClosureComplete: null,
      featureCount: null,
      startedAt: "2026-01-31T09:30:00Z",
      updatedAt: "2026-01-31T09:30:00Z",
      stoppedAt: "2026-01-31T09:30:00Z",
    });
  });

  it("projects the features where they are known [TUSK-11.24] [TUSK-7.4] [RUNTIME-5.9]", () => {
    const features = { nextFeatureId: "a", closureComplete: false, featureCount: 3 };
    expect(bootstrapOf(sessionOf({}), { ...options, featureLedgerRef: "l.json", features })).toMatchObject({
      featureLedgerRef: "l.json",
      nextFeatureId: "a",
      featureClosureComplete: false,
      featureCount: 3,
    });
  });

  it("says null for what there is not, the feature fields included [TUSK-11.23]", () => {
    expect(bootstrapOf(sessionOf({ state: "active" }), options)).toMatchObject({
      resumeIssueId: null,
      nextStep: null,
      summary: null,
      instructionRefs: [],
      witnessRefs: [],
      lineageRefs: [],
      featureLedgerRef: null,
      nextFeatureId: null,
      featureClosureComplete: null,
      featureCount: null,
      stoppedAt: null,
    });
  });
});
