/**
 * `run.json`: what was run, with nothing in it that a second run would not say
 * again. Its id is a digest of the rest, so that no byte of it changes unnoticed.
 */
import { join } from "node:path";
import { sentencesAbout } from "@bridle/operation";
import {
  canonicalJson,
  codeOf,
  Failure,
  failureAt,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Ports,
  sha256Hex,
} from "@bridle/record";
import { readWhole } from "../read-whole.js";
import { loaderOf, loaderVersions } from "../episode/artifact.js";
import type { Pack } from "../pack/types.js";
import type { Policy } from "../policy/types.js";
import { RunManifestSchema } from "./schemas.js";
import { type ForkOrigin, type RunManifest, runSchemaVersion } from "./types.js";

export const manifestName = "run.json";

export interface ManifestOptions {
  readonly pack: Pick<Pack, "manifest">;
  readonly policy: Pick<Policy, "policyId" | "params" | "nondeterministicComponents">;
  readonly episodeIds: readonly string[];
  readonly codeRevision: string;
  readonly forkedFrom?: ForkOrigin;
}

export function manifestOf(options: ManifestOptions): RunManifest {
  const { pack, policy, episodeIds, codeRevision, forkedFrom } = options;
  const components = [...pack.manifest.nondeterministic_components, ...policy.nondeterministicComponents];
  const content: Omit<RunManifest, "run_id"> = {
    code_revision: codeRevision,
    episode_count: episodeIds.length,
    episode_ids_sha256: digestOfIds(episodeIds),
    ...(forkedFrom === undefined ? {} : { forked_from: forkedFrom }),
    loader_version: loaderOf(pack.manifest),
    nondeterministic_components: [...new Set(components)].sort(),
    pack_id: pack.manifest.pack_id,
    pack_schema_version: pack.manifest.schema_version,
    policy_id: policy.policyId,
    policy_params: policy.params,
    schema_version: runSchemaVersion,
  };
  return { ...content, run_id: runIdOf(content) };
}

export function digestOfIds(ids: readonly string[]): string {
  return sha256Hex(JSON.stringify(ids));
}

export function runIdOf(manifest: Omit<RunManifest, "run_id"> & { readonly run_id?: string }): string {
  const { run_id: _itself, ...content } = manifest;
  return `run_${sha256Hex(canonicalJson(content as unknown as JsonObject)).slice(0, 32)}`;
}

export function manifestText(manifest: RunManifest): string {
  return `${canonicalJson(manifest as unknown as JsonObject)}\n`;
}

/** Undefined when there is no such file; whether that is a fault depends on what else is there. */
export async function readRunManifest(folder: string, ports: Ports): Promise<RunManifest | undefined> {
  const path = join(folder, manifestName);
  const text = await readText(path, ports);
  if (text === undefined) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw damaged("it is not JSON", error);
  }
  const version = isJsonObject(value) ? value["schema_version"] : undefined;
  if (version !== runSchemaVersion) {
    throw new Failure("run_version_unknown", {
      message: `${path}: schema_version is ${JSON.stringify(version)}, this program reads ${runSchemaVersion}`,
      hint: "Read it with the program that wrote it, or run the policy again.",
    });
  }
  const loader = isJsonObject(value) ? value["loader_version"] : undefined;
  if (typeof loader === "string" && !(loaderVersions as readonly string[]).includes(loader)) {
    throw new Failure("run_version_unknown", {
      message: `${path}: the run was made with loader ${loader}, this program has ${loaderVersions.join(" and ")}`,
      hint: "Read it with the program that wrote it, or run the policy again.",
    });
  }
  const [problem] = sentencesAbout(RunManifestSchema, value);
  if (problem !== undefined) throw damaged(problem);
  const manifest = value as unknown as RunManifest;
  const expected = runIdOf(manifest);
  if (manifest.run_id !== expected)
    throw damaged(`run_id is ${manifest.run_id}, its content says ${expected}`);
  if (text !== manifestText(manifest)) throw damaged("it is not canonical JSON");
  return manifest;
}

async function readText(path: string, { files }: Ports): Promise<string | undefined> {
  try {
    return await readWhole(path, files);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw failureAt(path, error);
  }
}

function damaged(what: string, cause?: unknown): Failure {
  return runDamaged({ file: manifestName, line: 1 }, what, cause);
}

/** The first fault of a run folder, by file and line. */
export function runDamaged(
  { file, line }: { readonly file: string; readonly line: number },
  what: string,
  cause?: unknown,
): Failure {
  return new Failure("run_damaged", {
    message: `${file}: line ${line}: ${what}`,
    hint: "A run is not repaired: run the policy again into another folder and compare with `hlq diff`.",
    detail: { file, line },
    cause,
  });
}
