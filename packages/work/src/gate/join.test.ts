import { isRefusal, type JsonObject, type JsonValue } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { type JoinCheck, joinCheck } from "./join-check.js";
import { joinClasses } from "./join.js";
import { mutationClasses } from "./mutation-ready.js";

/** What has something wrong in it has no type. */
type Loose = ReturnType<typeof JSON.parse>;

/** A turn of two calls, closed and linked. */
const closed = {
  evidence: {
    callSpec: {
      callId: "s-1#1",
      modelRef: "script/one",
      actionMode: "JSON",
      executionPattern: "sequential",
      normalizerId: "nf.v1",
      mutationPolicyDigest: "mutation",
      governancePolicyDigest: "governance",
      toolRenderProtocolDigest: "render",
      reminderQueuePolicyDigest: "queue",
      stateViewPolicyDigest: "view",
      decompositionPolicyDigest: "decomposition",
    },
    toolRequests: [
      { toolCallId: "c2", toolName: "write_file" },
      { toolCallId: "c1", toolName: "read_file" },
    ],
    toolResults: [
      { toolCallId: "c1", status: "ok", resultDigest: "sha256:1" },
      {
        ...{ toolCallId: "c2", status: "error", resultDigest: "sha256:2" },
        ...{ errorCode: "file_exists", retryable: false, errorMessage: "it is there" },
      },
    ],
    toolUse: [
      { toolCallId: "c1", disposition: "consumed", resultDigest: "sha256:1" },
      { toolCallId: "c2", disposition: "Observed", resultDigest: "sha256:2" },
    ],
    protocolState: { stopReason: "end_turn", continuationAllowed: false },
    handoff: { target: "worker.2", requiredArtifactRefs: ["a://1"], returnPathRef: "back" },
    toolRender: ["c1", "c2"].map((toolCallId) => ({
      ...{ toolCallId, operatorPayloadDigest: "p", reminderRenderDigest: "r" },
      ...{ injectionPoint: "tool_result", policyDigest: "render" },
    })),
    reminderQueue: [{ queueId: "q-1", reducedDigest: "d", policyDigest: "queue" }],
    stateViews: [{ viewId: "v-1", viewDigest: "d", policyDigest: "view", sourceRefs: ["b", "a"] }],
    sessionRefs: ["s-1"],
    trajectoryRefs: ["s-1#1"],
  },
};
type Closed = typeof closed & JsonObject;

function judged(change: (input: Loose) => void = () => {}): JoinCheck {
  const input = structuredClone(closed) as Closed;
  change(input);
  const answer = joinCheck(input as unknown as JsonValue);
  if (isRefusal(answer)) throw new Error(answer.message);
  return answer;
}

const governed = (profile: object) => (input: Loose) => (input.governanceProfile = profile);
const provenance = { pinned: true, packageRef: "pkg", expectedDigest: "d", boundDigest: "d" };

/** What is taken away or altered, and every class that must be named then. */
const defects: readonly [what: string, change: (input: Loose) => void, classes: readonly string[]][] = [
  [
    "a request without a result",
    (i) => i.evidence.toolRequests.push({ toolCallId: "c3", toolName: "x" }),
    ["tool.join_incomplete", "tool.result_missing"],
  ],
  [
    "a result that nobody asked for",
    (i) => i.evidence.toolRequests.pop(),
    ["tool.join_incomplete", "tool.result_orphan"],
  ],
  [
    "a result that was not used",
    (i) => i.evidence.toolUse.pop(),
    ["tool.join_incomplete", "tool.use_missing"],
  ],
  [
    "a use of no result",
    (i) => i.evidence.toolUse.push({ toolCallId: "c9", disposition: "consumed" }),
    ["tool.join_incomplete", "tool.use_without_result"],
  ],
  [
    "a use of another result",
    (i) => (i.evidence.toolUse[0].resultDigest = "sha256:9"),
    ["tool.use_digest_mismatch"],
  ],
  ["an error without its code", (i) => delete i.evidence.toolResults[1].errorCode, ["tool.schema_invalid"]],
  [
    "an error without a word on retrying",
    (i) => delete i.evidence.toolResults[1].retryable,
    ["tool.schema_invalid"],
  ],
  [
    "an error that the tool left raw",
    (i) => (i.evidence.toolResults[0] = { toolCallId: "c1", resultDigest: "sha256:1", rawError: "it broke" }),
    ["tool.schema_invalid"],
  ],
  [
    "another stop reason",
    (i) => (i.evidence.protocolState.stopReason = "refusal"),
    ["protocol.stop_reason_unhandled"],
  ],
  [
    "answers out of order",
    (i) => (i.protocolConstraints = { parallelTransportOrderValid: false }),
    ["protocol.parallel_transport_order_invalid"],
  ],
  [
    "a decomposition that is not admitted",
    (i) => (i.decompositionConstraints = { admissible: false }),
    ["coordination.decomposition_policy_violation"],
  ],
  [
    "another pattern than expected",
    (i) => (i.decompositionConstraints = { expectedExecutionPattern: "PARALLEL" }),
    ["coordination.decomposition_policy_violation"],
  ],
  ["a result that was not rendered", (i) => i.evidence.toolRender.pop(), ["context.injection_point_missing"]],
  ["no view", (i) => (i.evidence.stateViews = []), ["context.injection_point_missing"]],
  ["no queue", (i) => (i.evidence.reminderQueue = []), ["context.queue_policy_violation"]],
  [
    "a rendering by another policy",
    (i) => (i.evidence.toolRender[0].policyDigest = "other"),
    ["context.queue_policy_violation"],
  ],
  [
    "a handoff without an artifact",
    (i) => (i.handoffConstraints = { requiredArtifactRefs: ["a://2"] }),
    ["handoff.required_artifact_missing"],
  ],
  [
    "a handoff to somebody else",
    (i) => (i.handoffConstraints = { allowedTargets: ["worker.1"] }),
    ["handoff.target_not_allowed"],
  ],
  [
    "a handoff with no way back",
    (i) => {
      delete i.evidence.handoff.returnPathRef;
      i.handoffConstraints = { requireReturnPath: true };
    },
    ["handoff.return_path_missing"],
  ],
  [
    "no handoff where one is demanded",
    (i) => {
      delete i.evidence.handoff;
      i.handoffConstraints = {
        requiredArtifactRefs: ["a://1"],
        allowedTargets: ["worker.2"],
        requireReturnPath: true,
      };
    },
    ["handoff.required_artifact_missing", "handoff.return_path_missing", "handoff.target_not_allowed"],
  ],
  [
    "an answer cut short where that is ruled out",
    (i) => (i.truncationConstraints = { required: true }),
    ["tool.response_truncation_policy_violation"],
  ],
  [
    "another profile",
    governed({ claimId: "profile.other", claimed: false }),
    ["governance.claim_id_invalid"],
  ],
  ["a claim without a package", governed({ claimed: true }), ["governance.policy_package_unpinned"]],
  [
    "a package that is not pinned",
    governed({ claimed: true, policyProvenance: { ...provenance, pinned: false } }),
    ["governance.policy_package_unpinned"],
  ],
  [
    "another package",
    governed({ claimed: true, policyProvenance: { ...provenance, boundDigest: "e" } }),
    ["governance.policy_package_mismatch"],
  ],
];

describe("a join", () => {
  it("[RUNTIME-1.1.8] that lacks nothing is closed, and may change issues", () => {
    expect(judged()).toMatchObject({
      ...{ result: "accepted", failureClasses: [], joinClosed: true },
      ...{ mutationReady: true, mutationFailureClasses: [] },
    });
    expect(judged(governed({ claimed: true, policyProvenance: provenance })).joinClosed).toBe(true);
  });

  it.each(defects)("with %s is open", (_what, change, classes) => {
    expect(judged(change)).toMatchObject({
      ...{ result: "rejected", joinClosed: false, failureClasses: classes },
      ...{ mutationReady: false, mutationFailureClasses: ["mutation.join_open"] },
    });
  });

  it("has a defect here for every class there is", () => {
    expect([...new Set(defects.flatMap(([, , classes]) => classes))].sort()).toEqual([...joinClasses]);
  });

  it("context counts only where the model goes on or a result was put before it", () => {
    const without = (disposition: string, continuationAllowed: boolean) =>
      judged(({ evidence }) => {
        for (const use of evidence.toolUse) use.disposition = disposition;
        evidence.protocolState.continuationAllowed = continuationAllowed;
        evidence.stateViews = [];
      }).failureClasses;
    expect(without("observed", false)).toEqual([]);
    expect(without("consumed", false)).toEqual(["context.injection_point_missing"]);
    expect(without("observed", true)).toEqual(["context.injection_point_missing"]);
  });
});

it("a use of what never came back is that, and no use of another result", () => {
  const { failureClasses } = judged(({ evidence }) => {
    evidence.toolUse.push({ toolCallId: "c9", disposition: "observed", resultDigest: "sha256:9" });
  });
  expect(failureClasses).toEqual(["tool.join_incomplete", "tool.use_without_result"]);
});

it("the normal form names sessions and trajectories only where there are some", () => {
  const bare = judged(({ evidence }) => {
    evidence.sessionRefs = [];
    delete evidence.trajectoryRefs;
  });
  expect(bare.normalized).not.toHaveProperty("sessionRefs");
  expect(bare.normalized).not.toHaveProperty("trajectoryRefs");
  expect(judged().normalized).toMatchObject({ sessionRefs: ["s-1"], trajectoryRefs: ["s-1#1"] });
});

it("[RUNTIME-3.2.3] every result is consumed, observed or discarded, and nothing else", () => {
  const using = (disposition: string) => {
    const input = structuredClone(closed) as Closed;
    for (const use of (input as Loose).evidence.toolUse) use.disposition = disposition;
    const answer = joinCheck(input as unknown as JsonValue);
    return isRefusal(answer) ? answer.refused : answer.result;
  };
  for (const known of ["consumed", "observed", "discarded", " Observed "])
    expect(using(known)).toBe("accepted");
  for (const other of ["kept", "consume", "ignored"]) expect(using(other)).toBe("harness_join_check_invalid");
  expect(judged(({ evidence }) => evidence.toolUse.pop()).failureClasses).toContain("tool.use_missing");
});

describe("[RUNTIME-3.2.10] a closed turn may change issues", () => {
  it.each<[string, (input: Loose) => void, string]>([
    ["without a session", (i) => (i.evidence.sessionRefs = [" "]), "mutation.witness_unlinked"],
    ["without a trajectory", (i) => delete i.evidence.trajectoryRefs, "mutation.witness_unlinked"],
  ])("not %s", (_what, change, failureClass) => {
    expect(judged(change)).toMatchObject({
      joinClosed: true,
      mutationReady: false,
      mutationFailureClasses: [failureClass],
    });
  });

  it("not without any use", () => {
    const answer = judged(({ evidence }) => {
      for (const list of ["toolRequests", "toolResults", "toolUse", "toolRender"]) evidence[list] = [];
    });
    expect(answer).toMatchObject({
      joinClosed: true,
      mutationFailureClasses: ["mutation.use_evidence_missing"],
    });
  });

  it("not while the next call lacks its context", () => {
    const answer = judged(({ evidence }) => {
      evidence.protocolState.continuationAllowed = true;
      evidence.reminderQueue = [];
    });
    expect(answer.mutationFailureClasses).toEqual(["mutation.context_not_ready", "mutation.join_open"]);
  });

  it("[RUNTIME-3.2.10] only under the policy that is in force", () => {
    const under = (policyDigest: string) => {
      const answer = joinCheck(closed as unknown as JsonValue, policyDigest);
      return isRefusal(answer) ? answer.refused : answer.mutationFailureClasses;
    };
    expect(under("mutation")).toEqual([]);
    expect(under("another")).toEqual(["mutation.policy_unbound"]);
    expect(mutationClasses).toContain("mutation.policy_unbound");
  });
});

describe("the normal form", () => {
  const refusal = (change: (input: Loose) => void) => {
    const input = structuredClone(closed) as Closed;
    change(input);
    const answer = joinCheck(input as unknown as JsonValue);
    return isRefusal(answer) ? `${answer.refused}: ${answer.message}` : "no refusal";
  };

  it.each<[string, (input: Loose) => void, string]>([
    ["a call without an id", (i) => (i.evidence.callSpec.callId = "  "), "callSpec.callId must be non-empty"],
    ["an unknown disposition", (i) => (i.evidence.toolUse[0].disposition = "kept"), "toolUse[].disposition"],
    ["an unknown status", (i) => (i.evidence.toolResults[0].status = "maybe"), "toolResults[].status"],
    [
      "one id with two contents",
      (i) => i.evidence.toolRequests.push({ toolCallId: "c1", toolName: "other" }),
      "toolRequests contains conflicting duplicate toolCallId: c1",
    ],
    ["a list that is none", (i) => (i.evidence.toolUse = {}), "toolUse must be a list"],
    [
      "a number for a text",
      (i) => (i.evidence.toolUse[0].toolCallId = 7),
      "toolUse[].toolCallId must be a text",
    ],
    ["no evidence", (i) => delete i.evidence, "evidence must be an object"],
    [
      "a claim that is neither",
      (i) => (i.governanceProfile = {}),
      "governanceProfile.claimed must be true or false",
    ],
  ])("[RUNTIME-3.2.3] of %s does not exist", (_what, change, says) => {
    expect(refusal(change)).toContain(`harness_join_check_invalid: ${says}`);
  });

  it("takes what a tool left raw for its code, its word on retrying and its message", () => {
    const typed = judged();
    const raw = judged(({ evidence }) => {
      const { errorCode, retryable, errorMessage, status: _status, ...rest } = evidence.toolResults[1];
      evidence.toolResults[1] = { ...rest, rawError: { code: errorCode, retryable, message: errorMessage } };
    });
    expect(raw.witness.digests).toEqual(typed.witness.digests);
  });

  it.each<[string, (input: Loose) => void, string]>([
    ["a handoff that is none", (i) => (i.evidence.handoff = 7), "handoff must be an object"],
    ["a handoff to nobody", (i) => delete i.evidence.handoff.target, "handoff.target must be non-empty"],
    ["a row that is none", (i) => (i.evidence.toolUse[0] = "c1"), "toolUse[] must be an object"],
    [
      "refs that are no list",
      (i) => (i.evidence.sessionRefs = "s"),
      "evidence.sessionRefs must be a list of texts",
    ],
    [
      "refs that are no texts",
      (i) => (i.evidence.sessionRefs = [7]),
      "evidence.sessionRefs must be a list of texts",
    ],
    ["a queue without an id", (i) => delete i.evidence.reminderQueue[0].queueId, "reminderQueue[].queueId"],
    ["a view without a digest", (i) => delete i.evidence.stateViews[0].viewDigest, "stateViews[].viewDigest"],
    [
      "a rendering without its point",
      (i) => delete i.evidence.toolRender[0].injectionPoint,
      "toolRender[].injectionPoint",
    ],
    [
      "a word on retrying that is none",
      (i) => (i.evidence.toolResults[1].retryable = "no"),
      "toolResults[].retryable",
    ],
  ])("of %s does not exist, and it is named as it is spelled", (_what, change, says) => {
    expect(refusal(change)).toContain(says);
  });

  it("leaves out what is not there: a handoff's refs, a view's sources, a result's digest", () => {
    const { normalized } = judged(({ evidence }) => {
      evidence.handoff = { target: " worker.2 ", requiredArtifactRefs: [" "], returnPathRef: "" };
      evidence.stateViews[0].sourceRefs = [];
      evidence.toolResults[0] = { toolCallId: "c1" };
      delete evidence.toolUse[0].resultDigest;
    }) as Loose;
    expect(normalized.handoff).toEqual({ target: "worker.2" });
    expect(normalized.stateViews).toEqual([{ viewId: "v-1", viewDigest: "d", policyDigest: "view" }]);
    expect(normalized.toolResults[0]).toEqual({ toolCallId: "c1", status: "ok" });
    expect(normalized.toolUse[0]).toEqual({ toolCallId: "c1", disposition: "consumed" });
    const none = judged(({ evidence }) => void delete evidence.handoff).normalized;
    expect(none).not.toHaveProperty("handoff");
  });

  it.each([
    ["a code", { errorCode: "e" }],
    ["a word on retrying", { retryable: false }],
    ["a message", { errorMessage: "m" }],
    ["a raw code", { rawError: { errorCode: "e" } }],
    ["a raw message", { rawError: { errorMessage: "m" } }],
    ["a raw word on retrying", { rawError: { retryable: true } }],
    ["a raw error that says nothing", { rawError: {} }],
    ["a raw error that is a text", { rawError: "it broke" }],
  ])("takes a result with nothing but %s for an error that no program could act on", (_what, error) => {
    const answer = judged(({ evidence }) => {
      evidence.toolResults[1] = { toolCallId: "c2", resultDigest: "sha256:2", ...error };
    });
    expect(answer.failureClasses).toEqual(["tool.schema_invalid"]);
  });

  it("takes what a result says itself before what the tool had said", () => {
    const of = (error: object) =>
      (
        judged(({ evidence }) => {
          evidence.toolResults[1] = { toolCallId: "c2", resultDigest: "sha256:2", ...error };
        }).normalized as Loose
      ).toolResults[1].error;
    const rawError = {
      code: "raw",
      errorCode: "raw.2",
      retryable: true,
      message: "raw",
      errorMessage: "raw 2",
    };
    expect(of({ rawError })).toMatchObject({ errorCode: "raw.2", retryable: true });
    expect(of({ rawError: { ...rawError, errorCode: " " } })).toMatchObject({ errorCode: "raw" });
    const own = { errorCode: "own", retryable: false, errorMessage: "own" };
    expect(of({ rawError, ...own })).toMatchObject({ errorCode: "own", retryable: false });
    expect(of({ rawError, ...own })).toEqual(of(own));
  });

  it("digests a payload where no digest is given", () => {
    const answer = judged(({ evidence }) => {
      evidence.toolResults[0] = { toolCallId: "c1", payload: { b: 1, a: 2 } };
      delete evidence.toolUse[0].resultDigest;
    });
    expect(answer.normalized).toMatchObject({
      toolResults: [
        { resultDigest: "sha256:d3626ac30a87e6f7a6428233b3c68299976865fa5508e4267c5415c76af7a772" },
        {},
      ],
    });
  });

  it("[RUNTIME-3.2.2] is its own normal form, and does not depend on the order of rows, repeats, spaces or letters' case", () => {
    const first = judged();
    const again = joinCheck({ ...closed, evidence: first.normalized } as unknown as JsonValue);
    const { digests } = first.witness;
    // The message of an error is kept as its digest, so what a result set says of it cannot be read back.
    const { resultSetDigest: _r, joinSetDigest: _j, ...others } = digests;
    expect(isRefusal(again) ? again : again.witness.digests).toMatchObject(others);
    const sound = judged(({ evidence }) => {
      for (const list of ["toolRequests", "toolResults", "toolUse"])
        evidence[list] = evidence[list].filter((row: Loose) => row.toolCallId === "c1");
    });
    const same = joinCheck({ ...closed, evidence: sound.normalized } as unknown as JsonValue);
    expect(isRefusal(same) ? same : same.normalized).toEqual(sound.normalized);
    holds(
      fc.property(fc.integer(), fc.boolean(), (seed, padded) => {
        const shuffled = judged((input) => {
          for (const list of ["toolRequests", "toolResults", "toolUse", "toolRender"]) {
            const rows = input.evidence[list] as object[];
            input.evidence[list] = [...rows, rows[Math.abs(seed) % rows.length]].sort((a, b) =>
              JSON.stringify(a).length % 7 < (JSON.stringify(b).length ^ seed) % 7 ? -1 : 1,
            );
          }
          if (padded) input.evidence.callSpec.actionMode = "  json ";
        });
        expect(shuffled.witness.digests).toEqual(digests);
        expect(shuffled.normalized).toEqual(first.normalized);
      }),
    );
  });
});
