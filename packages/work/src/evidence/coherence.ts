/**
 * Coherence: whether the artifacts of a repository belong together, by a contract that the repository
 * itself holds. Each obligation of the contract names a check and what it is about, and gets a result
 * of its own; what none of them names is not judged.
 */
import { join } from "node:path";
import {
  digest,
  type Files,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  refuse,
  type Refusal,
} from "@bridle/record";
import type { Unchanged } from "@bridle/operation";
import * as Type from "typebox";
import { sealedDigest } from "../seal.js";
import { readSmallText } from "../small-file.js";
import { doctrineProblems, type RoutedOperation } from "./doctrine.js";

export const coherenceContractKind = "premath.coherence.contract.v1";

export const ObligationResult = Type.Object({
  obligationId: Type.String(),
  result: Type.Enum(["accepted", "rejected"]),
  failureClasses: Type.Array(Type.String(), { description: "Sorted, each once." }),
  details: Type.Array(Type.String(), { description: "A sentence a problem." }),
});
export type ObligationResult = Unchanged<Type.Static<typeof ObligationResult>>;

export interface CoherenceContract {
  readonly contractId: string;
  readonly contractDigest: string;
  readonly binding: JsonObject;
  readonly obligations: readonly Obligation[];
}

interface Obligation {
  readonly obligationId: string;
  readonly check: CheckName;
  readonly given: JsonObject;
}

interface Problem {
  readonly class: string;
  readonly message: string;
}

/** A repository as the checks see it: its texts by their path. */
export interface Repository {
  text(path: string): Promise<string | undefined>;
  /** Why its issue graph is not in order. */
  issueGraph(path: string): Promise<readonly Problem[]>;
}

const checks = {
  sealed_policy: sealedPolicy,
  operation_routes: operationRoutes,
  task_scripts: taskScripts,
  agreement,
  issue_graph: (given: JsonObject, { issueGraph }: Repository) => issueGraph(pathIn(given, "issues")),
} satisfies Record<string, (given: JsonObject, repository: Repository) => Promise<readonly Problem[]>>;
type CheckName = keyof typeof checks;

/** An empty contract is refused: what cannot fail says nothing. */
export function parseContract(value: JsonValue, shown: string): CoherenceContract | Refusal {
  const no = (message: string) => refuse("coherence_contract_invalid", { message: `${shown}: ${message}` });
  if (!isJsonObject(value) || value["contractKind"] !== coherenceContractKind || value["schema"] !== 1)
    return no(`it is no ${coherenceContractKind}`);
  const { contractId, binding, obligations } = value;
  if (typeof contractId !== "string" || contractId.trim() === "") return no("contractId is missing");
  if (!isJsonObject(binding)) return no("binding is missing");
  if (!Array.isArray(obligations) || obligations.length === 0) return no("it has no obligations");
  const read: Obligation[] = [];
  for (const each of obligations as readonly JsonValue[]) {
    if (!isJsonObject(each)) return no("an obligation is no object");
    const { obligationId, check } = each;
    if (typeof obligationId !== "string" || obligationId.trim() === "") return no("an obligation has no id");
    if (read.some((other) => other.obligationId === obligationId))
      return no(`${obligationId} stands there twice`);
    if (typeof check !== "string" || !Object.hasOwn(checks, check))
      return no(
        `${obligationId} asks for ${JSON.stringify(check)}; there is ${Object.keys(checks).join(", ")}`,
      );
    read.push({ obligationId, check: check as CheckName, given: each });
  }
  return { contractId, binding, obligations: read, contractDigest: digest("pol1_", value) };
}

export async function discharge(
  { obligations }: CoherenceContract,
  repository: Repository,
): Promise<readonly ObligationResult[]> {
  const results: ObligationResult[] = [];
  for (const { obligationId, check, given } of obligations) {
    const problems = await checks[check](given, repository);
    results.push({
      obligationId,
      result: problems.length === 0 ? "accepted" : "rejected",
      failureClasses: [...new Set(problems.map((problem) => problem.class))].sort(),
      details: problems.slice(0, detailsMax).map(({ message }) => message),
    });
  }
  return results;
}

const detailsMax = 20;

/** The texts of a folder; a file that leads out of it, or is too large, is not there. */
export function textsUnder(root: string, files: Files): Repository["text"] {
  return async (path) => {
    const where = join(root, path);
    try {
      const real = await files.realPath(where);
      const inside = real.startsWith(`${await files.realPath(root)}/`);
      const text = inside ? await readSmallText(real, files) : undefined;
      return typeof text === "string" ? text : undefined;
    } catch {
      return undefined;
    }
  };
}

// --- The checks ------------------------------------------------------------------------------------

async function sealedPolicy(given: JsonObject, repository: Repository): Promise<readonly Problem[]> {
  const path = pathIn(given, "path");
  const policy = await jsonAt(path, repository);
  if (!isJsonObject(policy)) return [missing(path)];
  const expected = sealedDigest(policy);
  if (policy["policyDigest"] === expected) return [];
  const message = `${path} says ${String(policy["policyDigest"])}, and is ${expected}`;
  return [{ class: "coherence_policy_unsealed", message }];
}

async function operationRoutes(given: JsonObject, repository: Repository): Promise<readonly Problem[]> {
  const [registryPath, manifestPath] = [pathIn(given, "registry"), pathIn(given, "manifest")];
  const [registry, manifest] = [
    await jsonAt(registryPath, repository),
    await jsonAt(manifestPath, repository),
  ];
  if (!isJsonObject(registry)) return [missing(registryPath)];
  const operations = isJsonObject(manifest) ? manifest["operations"] : undefined;
  if (!Array.isArray(operations)) return [missing(manifestPath)];
  const rows = Array.isArray(registry["operations"]) ? registry["operations"].filter(isJsonObject) : [];
  const sources = new Map<string, string | undefined>();
  for (const { path } of rows) sources.set(String(path), await repository.text(String(path)));
  return doctrineProblems(registry, operations as unknown as RoutedOperation[], (path) => sources.get(path));
}

/** As much of mise.toml as one line a task. */
async function taskScripts(given: JsonObject, repository: Repository): Promise<readonly Problem[]> {
  const [misePath, packagePath] = [pathIn(given, "mise"), pathIn(given, "package")];
  const mise = await repository.text(misePath);
  const manifest = await jsonAt(packagePath, repository);
  if (mise === undefined) return [missing(misePath)];
  const scripts = isJsonObject(manifest) && isJsonObject(manifest["scripts"]) ? manifest["scripts"] : {};
  const tasks = (mise.split(/^\[tasks\]$/m)[1] ?? "").split(/^\[/m)[0]?.matchAll(/^([\w-]+) = /gm) ?? [];
  return [...tasks].flatMap(([, name = ""]) =>
    Object.hasOwn(scripts, name)
      ? []
      : [{ class: "coherence_task_unbound", message: `${misePath} has ${name}, and ${packagePath} has not` }],
  );
}

/** `values`: a list of {path, member}, all of which must be the same. */
async function agreement(given: JsonObject, repository: Repository): Promise<readonly Problem[]> {
  const places = Array.isArray(given["values"]) ? given["values"].filter(isJsonObject) : [];
  const found: { readonly where: string; readonly value: string | undefined }[] = [];
  for (const place of places) {
    const value = await jsonAt(pathIn(place, "path"), repository);
    const member = String(place["member"]);
    const text = isJsonObject(value) ? (JSON.stringify(value[member]) as string | undefined) : undefined;
    found.push({ where: `${pathIn(place, "path")} ${member}`, value: text });
  }
  const [first, ...others] = found;
  if (first?.value === undefined) return [missing(first?.where ?? "nothing to compare")];
  return others
    .filter(({ value }) => value !== first.value)
    .map(({ where, value }) => ({
      class: "coherence_values_differ",
      message: `${where} is ${value ?? "missing"}, and ${first.where} is ${first.value}`,
    }));
}

async function jsonAt(path: string, { text }: Repository): Promise<JsonValue | undefined> {
  try {
    return JSON.parse((await text(path)) ?? "") as JsonValue;
  } catch {
    return undefined;
  }
}

function missing(path: string): Problem {
  return {
    class: "coherence_artifact_missing",
    message: `${path} is not there, or is not what it should be`,
  };
}

function pathIn(given: JsonObject, member: string): string {
  return String(given[member] ?? "");
}
