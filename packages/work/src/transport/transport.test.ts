import { isRefusal, type JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { glueFailure, locationRef, overlapFailure, type Section } from "./location.js";
import { deliveredId, packetOf, payloadRefOf, verifyPacket } from "./packet.js";
import { locationOf, negotiate, parseWorld, usualWorld, worldKind } from "./world.js";

const world = (more: object) => ({ ...usualWorld, ...more });

describe("a location", () => {
  const place = locationOf(usualWorld, "api");

  it("has the name that follows from what it is, whatever the order", () => {
    const swapped = { ...place, capabilityVector: ["b", "a", "b"] };
    expect(locationRef(swapped)).toBe(locationRef({ ...place, capabilityVector: ["a", "b"] }));
    expect(locationRef(place)).toMatch(/^loc1_[0-9a-f]{64}$/);
    expect(locationRef(locationOf(usualWorld, "web"))).not.toBe(locationRef(place));
  });

  it("agrees with another one only in everything that both say", () => {
    const section: Section = {
      ...{ kernelVerdict: "accepted", gateFailureClasses: [], requiredChecks: ["a", "b"] },
      ...{ policyDigest: "p", projectionDigest: "q" },
    };
    expect(overlapFailure(section, { ...section, requiredChecks: ["b", "a", "a"] })).toBeUndefined();
    for (const other of [{ kernelVerdict: "rejected" }, { gateFailureClasses: ["x"] }, { policyDigest: "r" }])
      expect(overlapFailure(section, { ...section, ...other })).toBe("site_overlap_mismatch");
  });

  it("makes a whole of parts in one way", () => {
    expect(glueFailure([])).toBe("site_glue_missing");
    expect(glueFailure([{ parts: ["a", "b"] }, { parts: ["b", "a", "a"] }])).toBeUndefined();
    expect(glueFailure([{ parts: ["a"] }, { parts: ["b"] }])).toBe("site_glue_non_contractible");
  });
});

describe("[RUNTIME-1.2.1] two worlds", () => {
  it.each<[string, object, string]>([
    ["no adapter", { adapterSet: ["post"] }, "world_morphism_missing"],
    ["another ability", { capabilityVector: ["issue.list"] }, "world_capability_mismatch"],
    ["other witnesses", { witnessSchema: "other" }, "world_policy_mismatch"],
    ["another comparison", { comparisonModes: ["by eye"] }, "world_policy_mismatch"],
  ])("with %s in common carry nothing", (_what, other, failureClass) => {
    expect(negotiate(usualWorld, world(other), "issue.add")).toMatchObject({ refused: failureClass });
  });

  it("agree on the first that both have, and on a digest of it", () => {
    const both = world({ adapterSet: ["post", "files"] });
    const agreed = negotiate(both, usualWorld, "issue.add");
    expect(agreed).toMatchObject({ adapter: "files", comparisonMode: "digest" });
    expect(agreed).toEqual(negotiate(both, usualWorld, "issue.add"));
  });

  it("are described by a file, or refused", () => {
    const whole = { ...usualWorld, kind: worldKind, adapterSet: [...usualWorld.adapterSet] };
    const given = JSON.parse(JSON.stringify(whole)) as JsonObject;
    expect(isRefusal(parseWorld(given, "w"))).toBe(false);
    for (const bad of [{ kind: "x" }, { worldId: "" }, { adapterSet: "files" }, { adapterSet: [1] }])
      expect(parseWorld({ ...given, ...bad } as JsonObject, "w")).toMatchObject({ refused: "world_invalid" });
  });
});

describe("a packet", () => {
  const payload = { title: "Retry uploads" };
  const content = {
    ...{ srcWorldId: "a", dstWorldId: "b", srcLocationRef: "l", dstLocationRef: "m", srcContextId: "bd-1" },
    ...{ srcCtxRef: "ctx://issue/bd-1/x", payloadKind: "obligation" as const, negotiationDigest: "n" },
    payloadRef: payloadRefOf(payload),
  };

  it("[RUNTIME-1.2.3] has the id that follows from its content", () => {
    expect(packetOf(content)).toEqual(packetOf({ ...content }));
    expect(packetOf({ ...content, dstWorldId: "c" }).transportId).not.toBe(packetOf(content).transportId);
    expect(deliveredId(packetOf(content))).toMatch(/^sq-[0-9a-f]{16}$/);
  });

  it("[RUNTIME-8.12] is believed in nothing that can be worked out again", () => {
    const packet = packetOf(content);
    expect(verifyPacket(packet, payload)).toBeUndefined();
    expect(verifyPacket(packet, undefined)).toMatchObject({ refused: "transport_context_unresolved" });
    for (const [forged, carried] of [
      [packet, { title: "Something else" }],
      [{ ...packet, dstWorldId: "c" }, payload],
      [{ ...packet, transportId: "ts1_0" }, payload],
    ] as const)
      expect(verifyPacket(forged, carried)).toMatchObject({ refused: "transport_witness_unverifiable" });
  });
});
