/** The rules of a feature ledger, class by class, and which feature comes next. */
import { compareCodePoints } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { featureStatuses, type FoundFeature, type FoundLedger } from "../types.js";
import { checkFeatures, nextFeature } from "./feature-check.js";

const at = "2026-01-31T09:30:00Z";
const row = (featureId: string, change: Partial<FoundFeature> = {}): FoundFeature => ({
  featureId,
  status: "pending",
  updatedAt: at,
  ...change,
});
const ledger = (...features: FoundFeature[]): FoundLedger => ({
  schema: 1,
  ledgerKind: "premath.harness.feature_ledger.v1",
  updatedAt: at,
  features,
});
const done = (featureId: string) => row(featureId, { status: "completed", verificationRefs: ["ci://1"] });
const classes = (found: FoundLedger, requireClosure = false) =>
  checkFeatures(found, { requireClosure }).errors.map(({ class: name, featureId }) =>
    [name.replace("harness_feature_ledger.", ""), featureId].filter(Boolean).join(" "),
  );

describe("the check", () => {
  it("accepts a ledger that keeps the rules, and counts it", () => {
    const found = ledger(
      row("a"),
      row("b", { status: "in_progress" }),
      row("c", { status: "blocked" }),
      done("d"),
    );
    expect(checkFeatures(found)).toEqual({
      errors: [],
      failureClasses: [],
      summary: {
        featureCount: 4,
        pendingCount: 1,
        inProgressCount: 1,
        blockedCount: 1,
        completedCount: 1,
        closureComplete: false,
      },
      nextFeatureId: "b",
    });
  });

  it("knows one row per feature [RUNTIME-5.2]", () => {
    expect(classes(ledger(row("a"), row("b"), row("a")))).toEqual(["feature_id.duplicate a"]);
  });

  it("knows four statuses and no other [RUNTIME-5.3]", () => {
    for (const status of ["pending", "in_progress", "blocked"]) {
      expect(classes(ledger(row("a", { status })))).toEqual([]);
    }
    expect(classes(ledger(done("a")))).toEqual([]);
    for (const status of ["done", "", "Pending"]) {
      expect(classes(ledger(row("a", { status })))).toEqual(["status.invalid a"]);
    }
  });

  it("allows one feature in progress and no second [RUNTIME-5.4]", () => {
    const started = (id: string) => row(id, { status: "in_progress" });
    expect(classes(ledger(started("a"), row("b")))).toEqual([]);
    expect(classes(ledger(started("a"), started("b")))).toEqual(["in_progress.non_contractible"]);
  });

  it("wants a verification ref for what is completed, and not a blank one [RUNTIME-5.5]", () => {
    expect(classes(ledger(done("a")))).toEqual([]);
    expect(classes(ledger(row("a", { status: "completed" })))).toEqual([
      "completed_missing_verification_ref a",
    ]);
    expect(classes(ledger(row("a", { status: "completed", verificationRefs: [" "] })))).toEqual([
      "completed_missing_verification_ref a",
      "verification_ref.empty a",
    ]);
  });

  it("names everything in the order of the ledger, and the classes sorted", () => {
    const broken: FoundLedger = {
      schema: 1,
      ledgerKind: "premath.harness.feature_ledger.v1",
      features: [
        row("z", { status: "in_progress", instructionRefs: ["", " "], verificationRefs: [""] }),
        { featureId: "", status: "x" },
        { featureId: "a", status: "in_progress" },
        row("z", { status: "completed" }),
      ],
    };
    expect(classes(broken, true)).toEqual([
      "updated_at.empty",
      "instruction_ref.empty z",
      "verification_ref.empty z",
      "feature_id.empty",
      "feature.updated_at.empty a",
      "feature_id.duplicate z",
      "completed_missing_verification_ref z",
      "in_progress.non_contractible",
      "closure_incomplete",
    ]);
    const { failureClasses } = checkFeatures(broken);
    expect(failureClasses).toEqual([...new Set(failureClasses)].sort(compareCodePoints));
    expect(classes(ledger())).toEqual(["empty"]);
  });

  it("calls a ledger closed when every feature is completed and nothing is wrong", () => {
    expect(checkFeatures(ledger(done("a"), done("b")), { requireClosure: true })).toMatchObject({
      errors: [],
      summary: { closureComplete: true },
      nextFeatureId: null,
    });
    expect(classes(ledger(done("a"), row("b")), true)).toEqual(["closure_incomplete"]);
    expect(checkFeatures(ledger()).summary.closureComplete).toBe(false);
    expect(checkFeatures(ledger(done("a"), done("a"))).summary.closureComplete).toBe(false);
  });
});

describe("the next feature", () => {
  it("is the smallest id in progress [RUNTIME-5.6]", () => {
    const started = (id: string) => row(id, { status: "in_progress" });
    expect(nextFeature([row("a"), started("c"), started("b")])).toBe("b");
  });

  it("is the smallest pending id where none is in progress, by code point [RUNTIME-5.7]", () => {
    expect(nextFeature([done("0"), row("b"), row("a10"), row("a9"), row("a", { status: "blocked" })])).toBe(
      "a10",
    );
    expect(nextFeature([row("\u{1d4b3}"), row("\uffff")])).toBe("\uffff");
  });

  it("is null where nothing is pending or in progress; blocked is never next [RUNTIME-5.8]", () => {
    expect(nextFeature([done("a"), row("b", { status: "blocked" })])).toBeNull();
    expect(nextFeature([])).toBeNull();
  });

  it("is what a naive look at the rows says, whatever their order [RUNTIME-5.1]", () => {
    const rows = fc.uniqueArray(
      fc.record({
        featureId: fc.string({ minLength: 1, maxLength: 3 }).filter((id) => id.trim() !== ""),
        status: fc.constantFrom(...featureStatuses),
      }),
      { selector: ({ featureId }) => featureId, maxLength: 8 },
    );
    holds(
      fc.property(rows, fc.nat(), (features, turn) => {
        const least = (status: string) =>
          features
            .filter((feature) => feature.status === status)
            .map(({ featureId }) => featureId)
            .reduce<string | null>(
              (least, id) => (least === null || compareCodePoints(id, least) < 0 ? id : least),
              null,
            );
        const turned = [...features.slice(turn % 8), ...features.slice(0, turn % 8)];
        expect(nextFeature(turned)).toBe(least("in_progress") ?? least("pending"));
      }),
      500,
    );
  });
});
