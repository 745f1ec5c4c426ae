/**
 * The map of required checks: which checks a change needs, how they are run, and which files
 * a change may not touch without a person. `policies/control/required-checks-v1.json`, a file
 * that people edit and seal; its digest stands in every projection, witness and decision.
 */
import type { Refusal } from "@bridle/record";
import * as Type from "typebox";
import { parseSealed, type PolicyForm } from "../../sealed-policy.js";
import { patternComplaint } from "./path-pattern.js";

export const checkMapKind = "premath.required_checks.v1";
export const checkMapPath = "policies/control/required-checks-v1.json";

const text = (description: string) => Type.String({ minLength: 1, maxLength: 4_096, description });
const patterns = (description: string) =>
  Type.Array(Type.String({ minLength: 1 }), { maxItems: 1_000, description });
const timeoutSeconds = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 86_400, default: 600, description: "After that it is ended." }),
);
const variable = "^[A-Za-z_][A-Za-z0-9_]*$";
/** How any command of the map is run: a check, and what sets a worktree up. */
const running = {
  timeoutSeconds,
  inherits: Type.Optional(
    Type.Array(Type.String({ pattern: variable }), {
      maxItems: 100,
      description: "Names of variables that it gets as whoever runs the checks has them, where they are set.",
    }),
  ),
  wall: Type.Optional(
    Type.Boolean({ default: true, description: "Whether it runs behind the wall, where there is one." }),
  ),
  note: Type.Optional(text("For people: why it is run as it is.")),
};
const checkIds = Type.Array(text("A check."), { minItems: 1, description: "Ids of checks." });
const reason = Type.String({
  pattern: "^[a-z0-9][a-z0-9_.-]*$",
  maxLength: 128,
  description: "Why, for programs.",
});

export const Check = Type.Object({
  id: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$", maxLength: 64, description: "Its name." }),
  command: text("For bash, at the top of the worktree."),
  ...running,
  env: Type.Optional(
    Type.Record(Type.String({ pattern: variable }), Type.String({ maxLength: 4_096 }), {
      description: "Variables that it gets besides the usual few.",
    }),
  ),
  network: Type.Optional(
    Type.Boolean({ default: true, description: "Whether it has the network behind the wall." }),
  ),
  coversAll: Type.Optional(
    Type.Boolean({ description: "Where it is required, the others need not run: it contains them." }),
  ),
});
export type Check = Type.Static<typeof Check>;

export const Rule = Type.Object({
  paths: patterns("The rule fits a change that touches one of these."),
  checks: checkIds,
  reason,
  when: Type.Optional(
    Type.Enum(["any", "documents_only"], {
      default: "any",
      description: "documents_only: fits only a change in which every path is a document.",
    }),
  ),
  alone: Type.Optional(Type.Boolean({ description: "Where it fits, no other rule is looked at." })),
});
export type Rule = Type.Static<typeof Rule>;

const Otherwise = Type.Object({ checks: checkIds, reason });

export const CheckMap = Type.Object(
  {
    schema: Type.Literal(1),
    policyKind: Type.Literal(checkMapKind),
    policyId: text("Names the map."),
    projectionPolicy: Type.Optional(
      text(
        "What projections call the policy; its digest when left out. For maps that are older than digests.",
      ),
    ),
    setup: Type.Optional(
      Type.Object(
        {
          command: text("Makes a fresh worktree ready, once before the checks."),
          lockfiles: patterns("Files that its result depends on."),
          ...running,
          keeps: Type.Optional(
            patterns(
              "Folders that it makes, kept for the next run with the same lockfiles; read-only for checks behind the wall.",
            ),
          ),
        },
        { description: "What a fresh worktree needs before a check can run." },
      ),
    ),
    checks: Type.Array(Check, { minItems: 1, description: "In the order in which they run." }),
    documents: Type.Optional(patterns("Files that no check but one of a documents_only rule is about.")),
    rules: Type.Array(Rule, { description: "Every rule that fits adds its checks." }),
    fallback: Type.Object(Otherwise.properties, {
      description: "For a path that is no document and that no rule is about.",
    }),
    emptyDelta: Type.Optional(
      Type.Object(Otherwise.properties, {
        description: "For a change of nothing; the fallback's checks when left out.",
      }),
    ),
    tests: Type.Optional(
      patterns(
        "Tests: new ones are welcome, a change of one waits for a person unless the issue declared it.",
      ),
    ),
    protected: patterns(
      "Files that decide how checks judge: any change waits for a person. file#member means one member of a JSON file.",
    ),
    policyDigest: Type.String({
      description: "pol1_ and the SHA-256 of the rest; `required-checks seal` writes it.",
    }),
  },
  { title: "Map of required checks", description: "Which checks a change needs, and how they are run." },
);
export type CheckMap = Type.Static<typeof CheckMap>;

/** What projections, witnesses and decisions call the policy. */
export function policyOf({ projectionPolicy, policyDigest }: CheckMap): string {
  return projectionPolicy ?? policyDigest;
}

export const checkMapForm: PolicyForm = {
  classes: "required_checks",
  schema: CheckMap,
  complaint: (value) => complaintAbout(value as unknown as CheckMap),
  sealedBy: "premath required-checks seal",
};

/** From the text of the file; `shown` is how the file is called. */
export function parseCheckMap(source: string, shown: string): CheckMap | Refusal {
  return parseSealed(checkMapForm, source, shown) as unknown as CheckMap | Refusal;
}

function complaintAbout(map: CheckMap): string | undefined {
  const ids = new Set<string>();
  for (const { id } of map.checks) {
    if (ids.has(id)) return `two checks are called ${id}`;
    ids.add(id);
  }
  const wanted = [...map.rules, map.fallback, ...(map.emptyDelta === undefined ? [] : [map.emptyDelta])];
  const strange = wanted.flatMap(({ checks }) => checks).find((id) => !ids.has(id));
  if (strange !== undefined) return `there is no check ${strange}; there are ${[...ids].join(", ")}`;
  for (const pattern of allPatterns(map)) {
    const wrong = patternComplaint(pattern);
    if (wrong !== undefined) return `the pattern ${JSON.stringify(pattern)} ${wrong}`;
  }
  return undefined;
}

function allPatterns({ rules, documents = [], tests = [], protected: kept, setup }: CheckMap): string[] {
  return [
    ...rules.flatMap(({ paths }) => paths),
    ...documents,
    ...tests,
    ...kept.map((entry) => splitMember(entry).pattern),
    ...(setup?.lockfiles ?? []),
    ...(setup?.keeps ?? []),
  ];
}

/** `package.json#scripts` is one member of one file. */
export function splitMember(entry: string): { readonly pattern: string; readonly member?: string } {
  const at = entry.indexOf("#");
  return at < 0 ? { pattern: entry } : { pattern: entry.slice(0, at), member: entry.slice(at + 1) };
}
