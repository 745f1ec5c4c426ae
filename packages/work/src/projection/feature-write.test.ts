/** What a write makes of the ledger, what it refuses, and who may take a feature over. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareCodePoints, isRefusal, type JsonObject, nodePorts } from "@bridle/record";
import fc from "fast-check";
import { Compile } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { classOf, rejectsWith } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import { holds } from "../../../../test/support/property.js";
import { FeatureLedger, featureStatuses, type FoundLedger } from "../types.js";
import { checkFeatures } from "./feature-check.js";
import { featureMembers, ledgerMembers, openLedger, readLedger } from "./feature-ledger.js";
import { type FeatureUpdate, writeFeature, type WrittenFeature } from "./feature-write.js";

const fits = Compile(FeatureLedger);
const at = "2026-01-31T09:30:00Z";
const later = "2026-01-31T10:00:00Z";

function written(current: FoundLedger | undefined, update: FeatureUpdate, now = later): WrittenFeature {
  const answer = writeFeature(current, update, now);
  if (isRefusal(answer)) throw new Error(answer.message);
  return answer;
}

const started = written(
  undefined,
  {
    featureId: " b ",
    status: "in_progress",
    issueId: "bd-1",
    summary: "half way",
    sessionRef: "s1.json",
    instructionRefs: ["i2", " i1 ", "i2"],
  },
  at,
).ledger;
const refused = (current: FoundLedger | undefined, update: FeatureUpdate) => {
  const answer = writeFeature(current, update, later);
  return isRefusal(answer) ? answer.refused.replace("harness_feature_ledger.", "") : undefined;
};

describe("a write", () => {
  it("makes a ledger of its kind out of nothing [RUNTIME-2.2]", () => {
    expect(started).toEqual({
      schema: 1,
      ledgerKind: "premath.harness.feature_ledger.v1",
      sessionRef: "s1.json",
      updatedAt: at,
      features: [
        {
          featureId: "b",
          status: "in_progress",
          issueId: "bd-1",
          summary: "half way",
          instructionRefs: ["i1", "i2"],
          updatedAt: at,
        },
      ],
    });
    expect(fits.Check(started)).toBe(true);
  });

  it("replaces the status always, a text that is named, and refs of which one is not blank", () => {
    const { ledger } = written(started, { featureId: "b", status: "blocked" });
    expect(ledger.features).toEqual([{ ...started.features[0], status: "blocked", updatedAt: later }]);
    expect(ledger).toMatchObject({ sessionRef: "s1.json", updatedAt: later });
    const changed = written(started, {
      featureId: "b",
      status: "completed",
      issueId: " ",
      summary: " whole ",
      instructionRefs: ["", " "],
      verificationRefs: [" v ", "", "v"],
    });
    expect(changed.ledger.features).toEqual([
      {
        featureId: "b",
        status: "completed",
        summary: "whole",
        instructionRefs: ["i1", "i2"],
        verificationRefs: ["v"],
        updatedAt: later,
      },
    ]);
  });

  it("keeps one row per feature, sorted by id [RUNTIME-5.2] [RUNTIME-5.1]", () => {
    let ledger = started;
    for (const featureId of ["c", "a", "c", " a", "B"])
      ledger = written(ledger, { featureId, status: "pending" }).ledger;
    expect(ledger.features.map(({ featureId }) => featureId)).toEqual(["B", "a", "b", "c"]);
  });

  it("is refused with the class of what it would break [RUNTIME-5.4] [RUNTIME-5.5]", () => {
    expect(refused(undefined, { featureId: " ", status: "pending" })).toBe("feature_id.empty");
    expect(refused(started, { featureId: "a", status: "in_progress" })).toBe("in_progress.non_contractible");
    expect(refused(started, { featureId: "b", status: "completed" })).toBe(
      "completed_missing_verification_ref",
    );
    expect(refused(started, { featureId: "b", status: "completed", verificationRefs: [" "] })).toBe(
      "completed_missing_verification_ref",
    );
    expect(refused(started, { featureId: "b", status: "in_progress" })).toBeUndefined();
  });

  it("is not refused for what others broke, so that a broken ledger can be mended row by row", () => {
    const twice: FoundLedger = {
      ...started,
      features: [
        { featureId: "a", status: "in_progress", updatedAt: at },
        { featureId: "b", status: "in_progress", updatedAt: at },
        { featureId: "c", status: "odd", updatedAt: at },
      ],
    };
    expect(refused(twice, { featureId: "a", status: "in_progress" })).toBe("in_progress.non_contractible");
    const mended = ["a", "c"].reduce(
      (ledger, featureId) => written(ledger, { featureId, status: "pending" }).ledger,
      twice,
    );
    expect(checkFeatures(mended).errors).toEqual([]);
    const double = { ...started, features: [...started.features, ...started.features] };
    expect(refused(double, { featureId: "b", status: "blocked" })).toBe("feature_id.duplicate");
  });

  it("leaves a ledger that keeps the rules after any sequence of accepted writes [RUNTIME-5.1] [RUNTIME-5.2] [RUNTIME-5.4] [RUNTIME-5.5]", () => {
    const text = fc.constantFrom("a", "b", " b", "c", "", " ", "\u{1d4b3}", "\uffff");
    const refs = fc.array(text, { maxLength: 3 });
    const update = fc.record(
      {
        featureId: text,
        status: fc.constantFrom(...featureStatuses),
        issueId: text,
        summary: text,
        sessionRef: text,
        instructionRefs: refs,
        verificationRefs: refs,
        takeOver: text,
      },
      { requiredKeys: ["featureId", "status"] },
    );
    let accepted = 0;
    let said = 0;
    holds(
      fc.property(fc.array(update, { maxLength: 25, size: "max" }), (updates) => {
        let ledger: FoundLedger | undefined;
        for (const next of updates) {
          const answer = writeFeature(ledger, next, later);
          if (isRefusal(answer)) {
            said++;
            continue;
          }
          accepted++;
          ({ ledger } = answer);
          expect(checkFeatures(ledger).errors).toEqual([]);
          expect(fits.Check(ledger)).toBe(true);
          const ids = ledger.features.map(({ featureId }) => featureId);
          expect(ids).toEqual([...new Set(ids)].sort(compareCodePoints));
          expect(ledger.features.filter(({ status }) => status === "in_progress").length).toBeLessThan(2);
          expect(ledger.features.find(({ featureId }) => featureId === next.featureId.trim())?.status).toBe(
            next.status,
          );
        }
      }),
      300,
    );
    console.log(`${accepted} writes accepted, ${said} refused; the rules held after each`);
  });
});

describe("a feature that a crashed worker left in progress", () => {
  it("is what its successor goes on with, without a word", () => {
    expect(checkFeatures(started).nextFeatureId).toBe("b");
    expect(
      written(started, { featureId: "b", status: "in_progress", sessionRef: "s1.json" }).takenOver,
    ).toEqual([]);
  });

  it("is set back by a start that says why, and the reason stays in its row", () => {
    const { ledger, takenOver } = written(started, {
      featureId: "a",
      status: "in_progress",
      sessionRef: "s2.json",
      takeOver: " worker.1 crashed ",
    });
    expect(takenOver).toEqual(["b"]);
    expect(ledger.sessionRef).toBe("s2.json");
    expect(ledger.features).toMatchObject([
      { featureId: "a", status: "in_progress" },
      {
        featureId: "b",
        status: "pending",
        summary: "half way",
        takenOver: { at: later, reason: "worker.1 crashed", sessionRef: "s1.json" },
      },
    ]);
    expect(fits.Check(ledger)).toBe(true);
    expect(checkFeatures(ledger).errors).toEqual([]);
  });

  it("is not another session's to go on with, unless that one says why", () => {
    const other: FeatureUpdate = { featureId: "b", status: "in_progress", sessionRef: "s2.json" };
    const refusal = writeFeature(started, other, later);
    expect(refusal).toMatchObject({
      refused: "harness_feature_ledger.in_progress.non_contractible",
      message: expect.stringContaining("under the session s1.json") as string,
      detail: { inProgress: ["b"], sessionRef: "s1.json" },
    });
    const { ledger, takenOver } = written(started, { ...other, takeOver: "s1 is gone" });
    expect(takenOver).toEqual(["b"]);
    expect(ledger).toMatchObject({
      sessionRef: "s2.json",
      features: [{ status: "in_progress", takenOver: { reason: "s1 is gone", sessionRef: "s1.json" } }],
    });
  });

  it("leaves a ledger that passes to whoever starts next, once nothing is in progress", () => {
    const ended = written(started, { featureId: "b", status: "blocked" }).ledger;
    expect(ended.sessionRef).toBe("s1.json");
    const next = written(ended, { featureId: "a", status: "in_progress", sessionRef: "s2.json" });
    expect([next.ledger.sessionRef, next.staysWith, next.takenOver]).toEqual(["s2.json", undefined, []]);
    expect(refused(next.ledger, { featureId: "a", status: "in_progress", sessionRef: "s1.json" })).toBe(
      "in_progress.non_contractible",
    );
  });

  it("that no session is named for is told without one", () => {
    const { ledger } = written(undefined, { featureId: "b", status: "in_progress" });
    const refusal = writeFeature(ledger, { featureId: "a", status: "in_progress" }, later);
    if (!isRefusal(refusal)) throw new Error("it was not refused");
    expect(refusal.message).toMatch(/in progress$/);
    expect(refusal.detail).toEqual({ inProgress: ["b"] });
  });

  it("is not kept under its session's name by one who takes over without a name", () => {
    const { ledger } = written(started, { featureId: "a", status: "in_progress", takeOver: "it crashed" });
    expect(ledger).not.toHaveProperty("sessionRef");
    expect(ledger.features[1]).toMatchObject({ takenOver: { sessionRef: "s1.json" } });
  });

  it("keeps the ledger with its session while others only add to it", () => {
    const { ledger, staysWith } = written(started, {
      featureId: "a",
      status: "pending",
      sessionRef: "s2.json",
    });
    expect([ledger.sessionRef, staysWith]).toEqual(["s1.json", "s1.json"]);
    const ended = written(started, { featureId: "b", status: "blocked", sessionRef: "s2.json" });
    expect([ended.ledger.sessionRef, ended.staysWith]).toEqual(["s2.json", undefined]);
  });
});

describe("a ledger file", () => {
  const value = started as unknown as JsonObject;

  it("names every member of the type", () => {
    expect(new Set(ledgerMembers)).toEqual(new Set(Object.keys(FeatureLedger.properties)));
    expect(new Set(featureMembers)).toEqual(
      new Set(Object.keys(FeatureLedger.properties.features.items.properties)),
    );
  });

  it("of another kind, schema or form is refused by member [RUNTIME-2.2]", () => {
    const cases: [JsonObject, RegExp][] = [
      [
        { ...value, ledgerKind: "x" },
        /l\.json: ledgerKind is "x", expected "premath.harness.feature_ledger.v1"/,
      ],
      [{ ...value, schema: 2 }, /schema is 2, expected 1; was this file written by another version/],
      [{ ...value, features: {} }, /features is \{\}, expected a list/],
      [{ ...value, features: [3] }, /features\[0\] is 3, expected an object/],
      [
        { ...value, features: [{ featureId: 1, status: "pending" }] },
        /features\[0\]\.featureId is 1, expected text/,
      ],
      [{ ...value, features: [{ featureId: "a" }] }, /features\[0\]\.status is missing/],
      [
        { ...value, features: [{ featureId: "a", status: "pending", verificationRefs: "v" }] },
        /features\[0\]\.verificationRefs is "v", expected a list of refs/,
      ],
    ];
    for (const [content, says] of cases) {
      expect(() => readLedger(content, "l.json")).toThrow(says);
      expect(classOf(() => readLedger(content, "l.json"))).toBe("feature_ledger_invalid");
    }
  });

  it("keeps what a newer version wrote, in the ledger and in each row, to the byte", async () => {
    const path = join(newFolder(), "ledger.json");
    const future = '"future": { "n": 18446744073709551615,  "x": 1.0 }';
    const odd = '"0": "\\u00e9",\n   "deep" : [ 1.0 ,\n{ } ]';
    writeFileSync(
      path,
      `{"schema":1,"ledgerKind":"premath.harness.feature_ledger.v1",${future},"updatedAt":"${at}","features":[` +
        `{"featureId":"z",${odd},"status":"pending","updatedAt":"${at}"},` +
        `{${future},"featureId":"a","status":"pending","updatedAt":"${at}"}]}`,
    );
    const ledger = await openLedger({ path, ports: nodePorts() });
    for (const [featureId, status] of [
      ["m", "pending"],
      ["a", "blocked"],
      ["z", "in_progress"],
    ] as const) {
      await ledger.change((current) => written(current, { featureId, status }).ledger);
    }
    const text = readFileSync(path, "utf8");
    expect(text.split(future)).toHaveLength(3);
    expect(text).toContain('"0": "\\u00e9"');
    expect(text).toContain('"deep": [ 1.0 ,\n{ } ]');
    const ids = (JSON.parse(text) as FoundLedger).features.map(
      ({ featureId, status }) => `${featureId} ${status}`,
    );
    expect(ids).toEqual(["a blocked", "m pending", "z in_progress"]);
    expect(JSON.parse(text)).toMatchObject({ features: [{ future: { x: 1 } }, {}, { deep: [1, {}] }] });
  });

  it("that would become one that cannot be read is not written", async () => {
    const path = join(newFolder(), "ledger.json");
    const ledger = await openLedger({ path, ports: nodePorts() });
    await ledger.change(() => started);
    const before = readFileSync(path);
    await rejectsWith(
      "feature_ledger_invalid",
      ledger.change(() => ({ ...started, schema: 2 as 1 })),
    );
    expect(readFileSync(path)).toEqual(before);
  });
});
