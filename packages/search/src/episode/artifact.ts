/**
 * Artifacts: what a read returns, under an id that is the same in every run.
 *
 * The id is derived from where the artifact comes from, not from its payload, so
 * that it survives a correction of the data; a pack that was corrected has
 * another id itself. The digest of an artifact's row is in the step that read it,
 * so a changed payload is noticed all the same.
 */
import { canonicalJson, isJsonObject, type JsonValue, sha256Hex } from "@bridle/record";
import { searchLimits } from "../limits.js";
import type { Artifact, ViewName } from "../types.js";

/**
 * Grows whenever the same pack would give other artifacts, ids or summaries. A
 * pack of the first format is still loaded as it was, so that its runs replay:
 * a summary of version 1 is cut at its last character, one of version 2 ends
 * between two members.
 */
export const loaderVersions = ["1", "2"] as const;
export type LoaderVersion = (typeof loaderVersions)[number];
export const loaderVersion: LoaderVersion = "2";

export function loaderOf({ schema_version }: { readonly schema_version: string }): LoaderVersion {
  return schema_version === "hlq.replay_pack.v1" ? "1" : loaderVersion;
}

/** An artifact with what is worked out once: its row's text and digest, its size, its summary. */
export interface HeldArtifact {
  readonly artifact: Artifact;
  /** The row of `artifacts.jsonl`. */
  readonly text: string;
  readonly digest: string;
  readonly payloadDigest: string;
  readonly tokens: number;
  readonly summary: string;
}

/** What the ids of an episode's artifacts have in common. */
export function artifactScope(packId: string, episodeId: string, loader: LoaderVersion): string {
  return JSON.stringify([loader, packId, episodeId]).slice(0, -1);
}

export function artifactId(scope: string, viewName: ViewName, key: readonly string[]): string {
  let text = `${scope},"${viewName}"`;
  for (const part of key) text += `,${JSON.stringify(part)}`;
  return `art_${sha256Hex(`${text}]`).slice(0, 16)}`;
}

export function holdArtifact(artifact: Artifact, loader: LoaderVersion = loaderVersion): HeldArtifact {
  return new Held(artifact, loader);
}

/** Most of what is read is not kept, and only what is kept needs a summary. */
class Held implements HeldArtifact {
  readonly text: string;
  readonly digest: string;
  readonly tokens: number;
  private knownDigest: string | undefined;
  private knownSummary: string | undefined;

  constructor(
    readonly artifact: Artifact,
    private readonly loader: LoaderVersion,
  ) {
    const payload = canonicalJson(artifact.payload);
    this.text = rowText(artifact, payload);
    this.digest = sha256Hex(this.text);
    this.tokens = estimateTokens(payload);
  }

  get payloadDigest(): string {
    return (this.knownDigest ??= sha256Hex(canonicalJson(this.artifact.payload)));
  }

  get summary(): string {
    return (this.knownSummary ??= summarize(this.artifact, this.loader));
  }
}

/** Put together by hand, members in their order: every artifact that is read goes through here. */
function rowText(artifact: Artifact, payload: string): string {
  const { anchor_market, artifact_id, artifact_type, source_refs, view_name, window_id } = artifact;
  const head = `{"anchor_market":${canonicalJson(anchor_market)},"artifact_id":"${artifact_id}"`;
  const rest = `,"source_refs":${canonicalJson(source_refs)},"view_name":"${view_name}"`;
  return `${head},"artifact_type":"${artifact_type}","payload":${payload}${rest},"window_id":${canonicalJson(window_id)}}`;
}

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / searchLimits.bytesPerToken);
}

/** Where it is from and its plain members, in their order, as many as fit. */
function summarize(
  { view_name, anchor_market, window_id, payload }: Artifact,
  loader: LoaderVersion,
): string {
  const max = searchLimits.summaryCharsMax;
  let text = `${view_name} ${anchor_market} ${window_id}`;
  let before = ": ";
  for (const name in payload) {
    const said = inWords(payload[name]);
    if (said === undefined) continue;
    const longer = `${text}${before}${name} ${said}`;
    if (loader !== "1" && longer.length > max - more.length) return cut(`${text}${more}`, max);
    text = longer;
    before = ", ";
  }
  return cut(text, max);
}

/** Said where members are left out. */
const more = ", …";

function inWords(value: JsonValue | undefined): string | undefined {
  if (Array.isArray(value)) return `(${(value as readonly JsonValue[]).length})`;
  return isJsonObject(value) ? undefined : String(value);
}

/** At most so many characters, none of them cut in half. */
export function cut(text: string, charsMax: number): string {
  const line = /[^\S ]|^ | {2}| $/.test(text) ? text.replaceAll(/\s+/g, " ").trim() : text;
  if (line.length <= charsMax) return line;
  let end = charsMax - 1;
  const code = line.charCodeAt(end - 1);
  if (code >= 0xd800 && code <= 0xdbff) end--;
  return `${line.slice(0, end)}…`;
}
