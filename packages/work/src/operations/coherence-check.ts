/** `premath coherence-check`: whether a repository's artifacts belong together, by its own contract. */
import { isAbsolute, join, relative, resolve } from "node:path";
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import {
  coherenceContractKind,
  discharge,
  ObligationResult,
  parseContract,
  type Repository,
  textsUnder,
} from "../evidence/coherence.js";
import { checkIssues } from "../memory/check.js";
import { integrityOf, waitsIn } from "../memory/cycle.js";
import { engineFor } from "../store/open.js";
import { readJsonFile } from "./json-file.js";

export const coherenceContractDefault = "policies/control/coherence-contract-v1.json";
export const coherenceWitnessKind = "premath.coherence.check.v1";
const invalid = "coherence_contract_invalid";

const path = (placeholder: string, description: string) =>
  Type.Optional(Type.String({ minLength: 1, "x-placeholder": placeholder, "x-path": true, description }));

export const coherenceCheck = defineOperation({
  names: {
    id: "op/ci.coherence_check",
    action: "coherence.check",
    command: ["coherence-check"],
    tool: "coherence_check",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "scheme", "http"],
  invalidInput: invalid,
  checker: true,
  summary: "Check that a repository's artifacts belong together.",
  description:
    "The contract lists obligations, each with a check: sealed policies, routed operations, tasks with their scripts, " +
    "values that must agree, the issue graph. Each gets a result; any rejection makes the exit code 1, a contract that " +
    "cannot be read 2. Nothing is changed.",
  examples: [{ command: "premath coherence-check --json", says: "one result an obligation" }],
  input: Type.Object(
    {
      contract: path("path", `The contract, ${coherenceContractDefault} of the repository when left out.`),
      repoRoot: path("folder", "The repository that it is about; the current folder when left out."),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    schema: Type.Literal(1),
    action: Type.Literal("coherence-check"),
    witnessKind: Type.Literal(coherenceWitnessKind),
    contractKind: Type.Literal(coherenceContractKind),
    contractId: Type.String(),
    contractRef: Type.String(),
    contractDigest: Type.String(),
    binding: Type.Object({}),
    result: Type.Enum(["accepted", "rejected"]),
    obligations: Type.Array(ObligationResult),
    failureClasses: Type.Array(Type.String(), { description: "Of all obligations, sorted." }),
  }),
  async run(input, call) {
    const { ports, cwd } = call;
    const root = resolve(cwd, input.repoRoot ?? ".");
    const shown = input.contract ?? shownFrom(cwd, join(root, coherenceContractDefault));
    const read = await readJsonFile(shown, call, invalid);
    if (isRefusal(read)) return read;
    const contract = parseContract(read.value, shown);
    if (isRefusal(contract)) return contract;
    const repository: Repository = {
      text: textsUnder(root, ports.files),
      async issueGraph(issues) {
        const place = join(root, issues);
        const store = await engineFor(ports).issues({ path: place, shown: issues, ports });
        try {
          const graph = await store.graph();
          if (graph === undefined)
            return [{ class: "coherence_artifact_missing", message: `${issues} is not there` }];
          const { errors } = checkIssues(graph, {
            noteWarnThreshold: Number.MAX_SAFE_INTEGER,
            linesWithoutId: [],
          });
          const { cyclePath } = integrityOf(waitsIn(graph, "active"));
          return [
            ...errors.map((error) => ({ class: error.class, message: `${error.issueId}: ${error.message}` })),
            ...(cyclePath === null
              ? []
              : [{ class: "dependency_cycle_active", message: cyclePath.join(" -> ") }]),
          ];
        } finally {
          await store.close();
        }
      },
    };
    const obligations = await discharge(contract, repository);
    const failureClasses = [...new Set(obligations.flatMap((each) => each.failureClasses))].sort();
    return {
      schema: 1 as const,
      action: "coherence-check" as const,
      witnessKind: coherenceWitnessKind as typeof coherenceWitnessKind,
      contractKind: coherenceContractKind as typeof coherenceContractKind,
      contractId: contract.contractId,
      contractRef: shown,
      contractDigest: contract.contractDigest,
      binding: contract.binding,
      result: failureClasses.length === 0 ? ("accepted" as const) : ("rejected" as const),
      obligations,
      failureClasses,
    };
  },
  present: ({ obligations, contractId }, paint) =>
    [
      ...obligations.flatMap(({ obligationId, result, details }) => [
        `  ${result === "accepted" ? paint.good("ok      ") : paint.bad("rejected")}  ${obligationId}`,
        ...details.map((line) => `              ${line}`),
      ]),
      `  ${paint.dim(contractId)}`,
    ].join("\n"),
});

function shownFrom(cwd: string, where: string): string {
  const below = relative(cwd, where);
  return below.startsWith("..") || isAbsolute(below) ? where : below;
}
