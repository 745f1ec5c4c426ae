import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digest, isRefusal, type JsonValue, nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { discharge, parseContract, type Repository, textsUnder } from "./coherence.js";
import { doctrineProblems } from "./doctrine.js";

/** What has something wrong in it has no type. */
type Loose = ReturnType<typeof JSON.parse>;

const registry = {
  schema: 1,
  registryKind: "premath.doctrine_operation_registry.v1",
  nodes: [{ id: "work" }],
  edges: [{ id: "e", from: "work", to: "work" }],
  worlds: [{ id: "world.work", morphisms: ["dm.identity", "dm.commitment.attest"] }],
  routeFamilies: [{ id: "route.a", worldId: "world.work", nodeId: "work" }],
  operations: [
    { id: "op/a.read", path: "a.ts", routeFamilyId: "route.a", morphisms: ["dm.identity"] },
    { id: "op/a.write", path: "a.ts", routeFamilyId: "route.a", morphisms: ["dm.commitment.attest"] },
  ],
};
const operations = [
  { names: { id: "op/a.read" }, effect: "read" },
  { names: { id: "op/a.write" }, effect: "mutate" },
];

describe("[RUNTIME-8.1] the registry of routes", () => {
  const problems = (change: (value: Loose) => void, offered = operations) => {
    const value = structuredClone(registry) as Loose;
    change(value);
    const source = (path: string) => (path === "a.ts" ? "read and write" : undefined);
    return doctrineProblems(value, offered, source).map((problem) => problem.class);
  };

  it("in which every operation has its route is sound", () => expect(problems(() => {})).toEqual([]));

  it.each<[string, (value: Loose) => void, string]>([
    ["an operation without a row", (v) => v.operations.pop(), "world_route_unbound"],
    ["an operation with two rows", (v) => v.operations.push(v.operations[0]), "world_route_unbound"],
    ["a row without an operation", (v) => (v.operations[0].id = "op/x.y"), "world_route_unbound"],
    ["a world that is not there", (v) => (v.routeFamilies[0].worldId = "x"), "world_route_unknown_world"],
    ["a node that is not there", (v) => (v.routeFamilies[0].nodeId = "x"), "runtime_route_missing"],
    ["an edge to nowhere", (v) => (v.edges[0].to = "x"), "runtime_route_missing"],
    ["a family that is not there", (v) => (v.operations[0].routeFamilyId = "x"), "runtime_route_missing"],
    ["a module that is not there", (v) => (v.operations[0].path = "b.ts"), "runtime_route_missing"],
    ["a morphism of no world", (v) => v.operations[0].morphisms.push("dm.x"), "world_route_unknown_morphism"],
    ["no morphism", (v) => (v.operations[0].morphisms = []), "world_route_unknown_morphism"],
    [
      "a reader that attests",
      (v) => (v.operations[0].morphisms = ["dm.commitment.attest"]),
      "world_route_morphism_drift",
    ],
    [
      "a writer that does not",
      (v) => (v.operations[1].morphisms = ["dm.identity"]),
      "world_route_morphism_drift",
    ],
    ["another kind", (v) => (v.registryKind = "x"), "doctrine_registry_invalid"],
  ])("with %s is not", (_what, change, failureClass) => {
    expect(problems(change)).toContain(failureClass);
  });
});

const obligation = (check: string, given: object) => ({
  schema: 1,
  contractKind: "premath.coherence.contract.v1",
  contractId: "c.1",
  binding: {},
  obligations: [{ obligationId: "one", check, ...given }],
});

async function classesOf(contract: object, files: Record<string, string>): Promise<readonly string[]> {
  const repository: Repository = {
    text: async (path) => files[path],
    issueGraph: async () => [{ class: "dependency_cycle_active", message: "bd-1 -> bd-1" }],
  };
  const parsed = parseContract(contract as JsonValue, "contract.json");
  if (isRefusal(parsed)) throw new Error(parsed.message);
  const [result] = await discharge(parsed, repository);
  expect(result?.result).toBe(result?.failureClasses.length === 0 ? "accepted" : "rejected");
  return result?.failureClasses ?? [];
}

describe("an obligation", () => {
  const policy = { a: 1 };
  const sealed = JSON.stringify({ ...policy, policyDigest: digest("pol1_", policy) });

  it.each<[string, object, Record<string, string>, string[]]>([
    ["of a policy that is sealed", obligation("sealed_policy", { path: "p" }), { p: sealed }, []],
    [
      "of one that was edited",
      obligation("sealed_policy", { path: "p" }),
      { p: sealed.replace("1", "2") },
      ["coherence_policy_unsealed"],
    ],
    [
      "of one that is not there",
      obligation("sealed_policy", { path: "p" }),
      {},
      ["coherence_artifact_missing"],
    ],
    [
      "of tasks that have their scripts",
      obligation("task_scripts", { mise: "m", package: "p" }),
      { m: '[tools]\nx = "1"\n[tasks]\na = "npm run a"\n', p: '{"scripts":{"a":"x"}}' },
      [],
    ],
    [
      "of a task that has none",
      obligation("task_scripts", { mise: "m", package: "p" }),
      { m: '[tasks]\na = "npm run a"\nb-c = "x"\n', p: '{"scripts":{"a":"x"}}' },
      ["coherence_task_unbound"],
    ],
    [
      "of values that agree",
      obligation("agreement", {
        values: [
          { path: "p", member: "v" },
          { path: "q", member: "v" },
        ],
      }),
      { p: '{"v":[1]}', q: '{"v":[1]}' },
      [],
    ],
    [
      "of values that do not",
      obligation("agreement", {
        values: [
          { path: "p", member: "v" },
          { path: "q", member: "v" },
        ],
      }),
      { p: '{"v":1}', q: "{}" },
      ["coherence_values_differ"],
    ],
    ["of no values", obligation("agreement", {}), {}, ["coherence_artifact_missing"]],
    [
      "of values that are nowhere",
      obligation("agreement", {
        values: [
          { path: "p", member: "v" },
          { path: "q", member: "v" },
        ],
      }),
      { p: "{}", q: "[]" },
      ["coherence_artifact_missing"],
    ],
    [
      "of tasks without a list of scripts",
      obligation("task_scripts", { mise: "m", package: "p" }),
      { m: '[tasks]\na = "npm run a"\n', p: "[]" },
      ["coherence_task_unbound"],
    ],
    [
      "of tasks in a package without scripts",
      obligation("task_scripts", { mise: "m", package: "p" }),
      { m: '[tasks]\na = "npm run a"\n[other]\nb = "x"\n', p: "{}" },
      ["coherence_task_unbound"],
    ],
    [
      "of tasks that nobody wrote down",
      obligation("task_scripts", { mise: "m", package: "p" }),
      { p: '{"scripts":{}}' },
      ["coherence_artifact_missing"],
    ],
    [
      "of a policy that is no JSON",
      obligation("sealed_policy", { path: "p" }),
      { p: "{" },
      ["coherence_artifact_missing"],
    ],
    [
      "of routes that are no registry",
      obligation("operation_routes", { registry: "r", manifest: "m" }),
      { r: "[]", m: JSON.stringify({ operations }) },
      ["coherence_artifact_missing"],
    ],
    [
      "of routed operations",
      obligation("operation_routes", { registry: "r", manifest: "m" }),
      { r: JSON.stringify(registry), m: JSON.stringify({ operations }), "a.ts": "read write" },
      [],
    ],
    [
      "of operations without routes",
      obligation("operation_routes", { registry: "r", manifest: "m" }),
      { r: JSON.stringify({ ...registry, operations: [] }), m: JSON.stringify({ operations }) },
      ["world_route_unbound"],
    ],
    [
      "of operations that nobody lists",
      obligation("operation_routes", { registry: "r", manifest: "m" }),
      { r: JSON.stringify(registry), m: "[]" },
      ["coherence_artifact_missing"],
    ],
    ["of the issue graph", obligation("issue_graph", { issues: "i" }), {}, ["dependency_cycle_active"]],
  ])("%s", async (_what, contract, files, classes) => {
    expect(await classesOf(contract, files)).toEqual(classes);
  });
});

it.each<[string, (contract: Loose) => void, string]>([
  ["another kind", (c) => (c.contractKind = "x"), "it is no premath.coherence.contract.v1"],
  ["no id", (c) => delete c.contractId, "contractId"],
  ["no binding", (c) => delete c.binding, "binding"],
  ["nothing that could fail", (c) => (c.obligations = []), "no obligations"],
  ["a blank id", (c) => (c.contractId = " "), "contractId"],
  ["another schema", (c) => (c.schema = 2), "it is no premath.coherence.contract.v1"],
  ["obligations that are no list", (c) => (c.obligations = {}), "no obligations"],
  ["an obligation that is no object", (c) => (c.obligations = [null]), "an obligation is no object"],
  ["an obligation without an id", (c) => (c.obligations[0].obligationId = " "), "an obligation has no id"],
  ["an obligation without a check", (c) => delete c.obligations[0].check, "asks for"],
  ["a check that there is not", (c) => (c.obligations[0].check = "toString"), "toString"],
  ["an obligation twice", (c) => c.obligations.push(c.obligations[0]), "twice"],
])("a contract with %s is refused", (_what, change, says) => {
  const contract = obligation("sealed_policy", { path: "p" });
  change(contract);
  expect(parseContract(contract as JsonValue, "contract.json")).toMatchObject({
    refused: "coherence_contract_invalid",
    message: expect.stringContaining(says) as string,
  });
});

it("a file that leads out of the repository is not there", async () => {
  const [root, outside] = [newFolder(), newFolder()];
  writeFileSync(join(outside, "secret"), "x");
  writeFileSync(join(root, "own"), "y");
  mkdirSync(join(root, "folder"));
  symlinkSync(join(outside, "secret"), join(root, "link"));
  const text = textsUnder(root, nodePorts().files);
  expect(await text("own")).toBe("y");
  for (const path of ["link", "folder", "../x", "absent"]) expect(await text(path)).toBeUndefined();
});
