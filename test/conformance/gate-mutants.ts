/** The mutants of what gates decide, as `clause-mutants.ts` explains them. */
import type { Breakage } from "./clause-mutants.js";

const gate = "packages/work/src/gate/mutation-gate.ts";
const standingLane = "packages/work/src/gate/standing-lane.ts";
const issueWitness = "packages/work/src/gate/issue-witness.ts";
const governance = "packages/work/src/gate/governance.ts";
const normalize = "packages/work/src/gate/normalize.ts";
const ready = "packages/work/src/gate/mutation-ready.ts";
const children = "packages/agent/src/children/issues.ts";

const anyLane = {
  file: standingLane,
  find: "const [lane, ...more] = named;",
  replace:
    'const [lane = { name: "any", laneId: "lane1_0", openedAt: "", sessionRef: "s", trajectoryRef: "t" } as Lane, ...more] = named;',
};

export const gateMutants: readonly Breakage[] = [
  {
    clauses: ["TUSK-1.1", "RUNTIME-1.0.2", "RUNTIME-1.0.3"],
    breaks: "an issue is closed on somebody's word",
    changes: [
      {
        file: gate,
        find: 'const verified = needed === "verified-change" ? await verifiedBy(asked) : {};',
        replace: "const verified: { refs?: readonly string[] } = {};",
      },
    ],
  },
  {
    clauses: ["TUSK-1.2"],
    breaks: "a model may do what is a person's",
    changes: [{ file: gate, find: 'if (needed === "person") return personNeeded(asked);', replace: "" }],
  },
  {
    clauses: ["TUSK-1.3"],
    breaks: "a witness that was edited by hand is believed",
    changes: [
      {
        file: issueWitness,
        find: 'if (witness["witnessDigest"] !== ',
        replace: "if (id === ",
      },
    ],
  },
  {
    clauses: ["TUSK-4.4"],
    breaks: "a child that issue memory does not know works all the same",
    changes: [
      {
        file: children,
        find: "throw new Failure(error.failureClass, {",
        replace:
          "if (parent === undefined) return undefined;\n        throw new Failure(error.failureClass, {",
      },
    ],
  },
  {
    clauses: ["TUSK-6.7", "TUSK-11.3", "TUSK-14.0.7", "TUSK-14.2.32", "RUNTIME-1.0.4", "RUNTIME-3.2.20"],
    breaks: "a change needs nobody who allowed it",
    changes: [anyLane],
  },
  {
    clauses: ["TUSK-7.6"],
    breaks: "a witness holds for an instruction that was changed since",
    changes: [
      {
        file: issueWitness,
        find: 'if (instructionDigest(envelope) !== witness["instructionDigest"])',
        replace: 'if (instructionDigest(envelope) === "")',
      },
    ],
  },
  {
    clauses: ["RUNTIME-1.0.1"],
    breaks: "the gate reads the session",
    changes: [
      {
        file: governance,
        find: '"policies/control/capability-registry-v1.json"',
        replace: '".premath/harness_session.json"',
      },
    ],
  },
  {
    clauses: ["RUNTIME-3.2.2"],
    breaks: "the order of rows counts",
    changes: [
      {
        file: normalize,
        find: "return [...known.keys()].sort(compareCodePoints).map(",
        replace: "return [...known.keys()].map(",
      },
    ],
  },
  {
    clauses: ["RUNTIME-3.2.3"],
    breaks: "a disposition can be anything",
    changes: [
      {
        file: normalize,
        find: "const disposition = dispositions.find((known) => known === said);",
        replace: 'const disposition = dispositions.find((known) => known === said) ?? "observed";',
      },
    ],
  },
  {
    clauses: ["RUNTIME-3.2.6"],
    breaks: "a turn with a call that still runs counts as closed",
    changes: [
      {
        file: gate,
        find: "if (first !== undefined)",
        replace: 'if (first !== undefined && !first.startsWith("tool."))',
      },
    ],
  },
  {
    clauses: ["RUNTIME-3.2.7"],
    breaks: "the policy package is not looked at",
    changes: [
      {
        file: governance,
        find: "{ boundDigest: sealedDigest(found) }",
        replace: "{ boundDigest: String(expectedDigest) }",
      },
    ],
  },
  {
    clauses: ["RUNTIME-3.2.8"],
    breaks: "a package that is not pinned will do",
    changes: [{ file: governance, find: "pinned: pinned === true,", replace: "pinned: true," }],
  },
  {
    clauses: ["RUNTIME-3.2.10"],
    breaks: "a turn may have run under any policy",
    changes: [
      {
        file: ready,
        find: "if (policyDigest !== undefined && policyDigest !== evidence.callSpec.mutationPolicyDigest)",
        replace: 'if (policyDigest === "")',
      },
    ],
  },
  {
    clauses: ["RUNTIME-3.2.11"],
    breaks: "a turn in which nothing was looked at will do",
    changes: [
      {
        file: ready,
        find: 'if (evidence.toolUse.length === 0) yield "mutation.use_evidence_missing";',
        replace: "",
      },
    ],
  },
  {
    clauses: ["RUNTIME-3.2.19"],
    breaks: "a claim needs a closed turn",
    changes: [
      {
        file: gate,
        find: 'const proven = needed === "instruction" ? {} : await provenBy(',
        replace: "const proven = await provenBy(",
      },
    ],
  },
];
