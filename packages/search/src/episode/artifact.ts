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

/** Grows whenever the same pack would give other artifacts or other ids. */
export const loaderVersion = "1";

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
export function artifactScope(packId: string, episodeId: string): string {
  return JSON.stringify([loaderVersion, packId, episodeId]).slice(0, -1);
}

export function artifactId(scope: string, viewName: ViewName, key: readonly string[]): string {
  let text = `${scope},"${viewName}"`;
  for (const part of key) text += `,${JSON.stringify(part)}`;
  return `art_${sha256Hex(`${text}]`).slice(0, 16)}`;
}

export function holdArtifact(artifact: Artifact): HeldArtifact {
  return new Held(artifact);
}

/** Most of what is read is not kept, and only what is kept needs a summary. */
class Held implements HeldArtifact {
  readonly text: string;
  readonly digest: string;
  readonly tokens: number;
  private knownDigest: string | undefined;
  private knownSummary: string | undefined;

  constructor(readonly artifact: Artifact) {
    const payload = canonicalJson(artifact.payload);
    this.text = rowText(artifact, payload);
    this.digest = sha256Hex(this.text);
    this.tokens = estimateTokens(payload);
  }

  get payloadDigest(): string {
    return (this.knownDigest ??= sha256Hex(canonicalJson(this.artifact.payload)));
  }

  get summary(): string {
    return (this.knownSummary ??= summarize(this.artifact));
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
function summarize({ view_name, anchor_market, window_id, payload }: Artifact): string {
  let text = `${view_name} ${anchor_market} ${window_id}`;
  let before = ": ";
  for (const name in payload) {
    const said = inWords(payload[name]);
    if (said === undefined) continue;
    text += `${before}${name} ${said}`;
    before = ", ";
  }
  return cut(text, searchLimits.summaryCharsMax);
}

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
