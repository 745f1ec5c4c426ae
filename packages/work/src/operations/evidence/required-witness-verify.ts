/** `premath required-witness-verify`: everything that a witness says, derived again. */
import { join } from "node:path";
import { type Call, defineOperation } from "@bridle/operation";
import { isRefusal, refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { commitOf } from "../../evidence/checks/git-facts.js";
import { judgeChange, scopeOf } from "../../evidence/checks/judge-change.js";
import { checkingOf } from "../../evidence/checks/types.js";
import { issueWitnessPath, mainTreeOf, witnessFolder } from "../../evidence/checks/write-witness.js";
import { Verification, verifyWitness } from "../../evidence/required/verify-witness.js";
import { findIssue } from "../../memory/find.js";
import { memoryMissing } from "../../store/issue-refusals.js";
import { issuesInput, withMemory } from "../../calls/issues.js";
import { mapFor, mapInput } from "./map-input.js";
import { payloadsBelow, witnessQuestion } from "./payloads.js";
import { readJsonObject } from "../json-file.js";
import { inputFile, repositoryOf } from "./repository.js";

const refusedAs = "required_witness_verify_invalid";

const VerifyInput = Type.Object(
  {
    input: Type.Optional(
      inputFile(
        "A JSON file with witness, changedPaths, and witnessRoot or gateWitnessPayloads; everything: true for a run with --all.",
      ),
    ),
    issue: Type.Optional(
      Type.String({
        minLength: 1,
        "x-placeholder": "id",
        description: "A finished issue, instead of a file.",
      }),
    ),
    rerun: Type.Optional(Type.Boolean({ description: "With --issue: run the checks again." })),
    ...mapInput,
    ...issuesInput,
  },
  { additionalProperties: false },
);
type Input = Type.Static<typeof VerifyInput>;

export const requiredWitnessVerify = defineOperation({
  names: {
    id: "op/ci.verify_required_witness",
    action: "required.witness_verify",
    otherActions: ["required.witness.verify"],
    command: ["required-witness-verify"],
    tool: "required_witness_verify",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "scheme", "http"],
  checker: true,
  invalidInput: refusedAs,
  summary: "Derive everything that a witness says again, and say what differs.",
  description:
    "Of a file, or with --issue of the witness that finishing an issue wrote: then the change is looked up in git, the " +
    "map is that of the commit where the work began, and with --rerun the checks run once more. The errors are in the " +
    "answer; the exit code is 2 only where nothing could be judged.",
  examples: [
    { command: "premath required-witness-verify --input witness.json --json", says: "a file" },
    {
      command: "premath required-witness-verify --issue bd-5 --rerun",
      says: "a finished issue, from the beginning",
    },
  ],
  input: VerifyInput,
  output: Verification,
  async run(input, call) {
    if ((input.input === undefined) === (input.issue === undefined))
      return refuse(refusedAs, { message: "name a file with --input, or an issue with --issue" });
    return input.issue === undefined ? ofFile(input, call) : ofIssue(input, input.issue, call);
  },
  present({ errors, derived }, paint) {
    if (errors.length === 0)
      return `  ${paint.good("holds")}: ${derived.requiredChecks.join(", ")} ${derived.expectedVerdict} ${paint.dim(derived.projectionDigest)}`;
    return errors.map((error) => `  ${paint.bad("differs")}: ${error}`).join("\n");
  },
});

async function ofFile(input: Input, call: Call): Promise<Verification | Refusal> {
  const read = await readJsonObject(input.input ?? "", call, refusedAs);
  if (isRefusal(read)) return read;
  const question = await witnessQuestion(read.value, "changedPaths", refusedAs, call);
  if (isRefusal(question)) return question;
  const map = await mapFor(input, call);
  if (isRefusal(map)) return map;
  const { paths: changedPaths = [], ...rest } = question;
  return verifyWitness({ map, changedPaths, ...rest });
}

/** All from git and files: what the witness says is only compared. */
async function ofIssue(input: Input, id: string, call: Call): Promise<Verification | Refusal> {
  const repository = await repositoryOf(input, call);
  if (isRefusal(repository)) return repository;
  const issue = await withMemory(input, call, async (memory, { shown }) => {
    const graph = await memory.graph();
    const found = graph === undefined ? memoryMissing(shown) : findIssue(graph, id);
    return isRefusal(found) ? found : found.issue;
  });
  if (isRefusal(issue)) return issue;
  const folder = mainTreeOf(repository);
  const read = await readJsonObject(join(folder, issueWitnessPath(id)), call, refusedAs);
  if (isRefusal(read)) return read;
  const { startedFrom, verified } = issue;
  const { value: witness } = read;
  const base = startedFrom?.commit ?? "";
  const commit = await commitOf(
    repository.top,
    verified?.commit ?? String(witness["commit"]),
    repository.git,
  );
  if (isRefusal(commit)) return commit;
  const change = { repository, base, commit, declaredTests: startedFrom?.tests ?? [] };
  const scope = await scopeOf(change);
  if (isRefusal(scope)) return scope;
  const payloads = await payloadsBelow(join(folder, witnessFolder), witness, call);
  const { errors, derived } = verifyWitness({
    map: scope.map,
    witness,
    changedPaths: scope.projection.changedPaths,
    payloads,
  });
  const more: string[] = [];
  for (const [name, is, expected] of [
    ["issueId", witness["issueId"], id],
    ["fence", witness["fence"], issue.fence],
    ["commit", witness["commit"], commit],
    ["baseCommit", witness["baseCommit"], base],
  ] as const)
    if (is !== expected)
      more.push(
        `${name} mismatch (expected=${JSON.stringify(expected)}, actual=${JSON.stringify(is ?? null)})`,
      );
  if (input.rerun === true) {
    const again = await judgeChange({ ...change, reuse: false }, checkingOf(call));
    if (isRefusal(again)) return again;
    for (const { command, status, exitCode } of again.checks)
      if (status === "failed") more.push(`${command} fails when it is run again (exit code ${exitCode})`);
  }
  return { errors: [...errors, ...more], derived };
}
