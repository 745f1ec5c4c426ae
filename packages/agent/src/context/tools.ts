/**
 * The tools of the context: `check_context`, `compress_context`, `read_artifact`.
 *
 * The conversation belongs to whoever runs the turn, so the tools ask it.
 * A compression that had nothing to do says so; it is not reported as done.
 */
import { canonicalJson, type JsonObject } from "@bridle/record";
import * as Type from "typebox";
import { parametersOf } from "../parameters.js";
import type { AgentTool } from "../types.js";
import type { ArtifactStore } from "./artifacts.js";
import { clip } from "./clip.js";
import type { CompactReport } from "./compact.js";
import { contextLimits } from "./limits.js";
import { readContext } from "./meter.js";

export interface ContextAccess {
  /** Of the next request, by estimate, and of the window. */
  status(): { readonly tokens: number; readonly max: number };
  /** Contract: what it reports has happened when it resolves. */
  compress(summary: string): Promise<CompactReport>;
}

export function contextTools(context: ContextAccess, artifacts: ArtifactStore): AgentTool[] {
  return [checkContextTool(context), compressContextTool(context), readArtifactTool(artifacts)];
}

function checkContextTool(context: ContextAccess): AgentTool {
  return {
    name: "check_context",
    family: "context",
    description:
      "How full the context is: tokens, percent, and OK, HIGH (from 60 %) or CRITICAL (from 85 %).",
    parameters: parametersOf({}),
    intent: () => ({
      key: "check_context",
      says: "see how full the context is",
      repeat: "run",
      risk: "safe",
      reads: ["context"],
    }),
    async run() {
      const { tokens, max, percent, status } = readContext(context.status());
      const advice = status === "OK" ? "" : " compress_context makes room.";
      return {
        ok: true,
        text: `${status}: about ${tokens} of ${max} tokens, ${percent} %.${advice}`,
        facts: { tokens, max, percent, status },
      };
    },
  };
}

function compressContextTool(context: ContextAccess): AgentTool {
  return {
    name: "compress_context",
    family: "context",
    description:
      "Replaces older rounds by a summary. Say in `summary` what must not be lost: goals, constraints, decisions, numbers, paths, open questions. Full results stay readable with read_artifact.",
    parameters: parametersOf({
      summary: Type.String({ minLength: 1, maxLength: contextLimits.ownWordsCharsMax }),
    }),
    intent: () => ({
      key: "compress_context",
      says: "replace older rounds by a summary",
      repeat: "run",
      risk: "safe",
      changes: ["context"],
    }),
    async run(args) {
      const report = await context.compress(typeof args["summary"] === "string" ? args["summary"] : "");
      const { left: _left, nothing, ...facts } = report;
      const compressed = nothing === undefined;
      return {
        ok: true,
        text: reportText(report, context.status().max),
        facts: { compressed, ...facts },
      };
    },
  };
}

function reportText(report: CompactReport, max: number): string {
  const { rounds, elided, tokensBefore, tokensAfter, artifacts, nothing } = report;
  const percent = (tokens: number) => `${readContext({ tokens, max }).percent} %`;
  if (nothing !== undefined) {
    return `Nothing was compressed: ${nothing}. The messages are still about ${tokensBefore} tokens (${percent(tokensBefore)}).`;
  }
  const shown = artifacts.slice(-8);
  const more = artifacts.length > shown.length ? ` and ${artifacts.length - shown.length} more` : "";
  return [
    `Compressed ${rounds} rounds`,
    elided === 0 ? "" : ` and shortened ${elided} results`,
    `: the messages were about ${tokensBefore} tokens (${percent(tokensBefore)}) and are ${tokensAfter} (${percent(tokensAfter)}).`,
    ` Full text: ${shown.join(", ")}${more}.`,
  ].join("");
}

function readArtifactTool(artifacts: ArtifactStore): AgentTool {
  const { artifactShownChars, artifactShownCharsMax } = contextLimits;
  const range = (args: JsonObject) => ({
    id: typeof args["id"] === "string" ? args["id"].trim() : "",
    offset: typeof args["offset"] === "number" ? args["offset"] : 0,
    limit: typeof args["limit"] === "number" ? args["limit"] : artifactShownChars,
  });
  return {
    name: "read_artifact",
    family: "context",
    description: "Reads the full text behind an id like art_0123456789abcdef, from `offset` on.",
    // What it shows, and the line above it.
    capChars: artifactShownCharsMax + 500,
    parameters: parametersOf({
      id: Type.String({ minLength: 1, maxLength: 40 }),
      offset: Type.Optional(Type.Integer({ minimum: 0, description: "In characters; 0 if left out." })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: artifactShownCharsMax })),
    }),
    intent(args) {
      const { id, offset, limit } = range(args);
      const key = canonicalJson(["read_artifact", id, offset, limit]);
      // Content that is named by itself never changes.
      return { key, says: `read ${id}`, repeat: "answer", risk: "safe", reads: [] };
    },
    async run(args) {
      const { id, offset, limit } = range(args);
      const text = await artifacts.get(id);
      const facts = { id, offset, characters: text.length };
      if (offset >= text.length && text.length > 0) {
        return { ok: true, text: `${id} has ${text.length} characters; nothing is at ${offset}.`, facts };
      }
      // Half a character is never shown: the piece begins and ends with whole ones.
      const from = isLowSurrogate(text.charCodeAt(offset)) ? offset + 1 : offset;
      const shown = clip(text.slice(from, from + limit + 1), Math.max(limit, 2));
      const to = from + shown.length;
      const next = to < text.length ? ` Go on with offset ${to}.` : "";
      return {
        ok: true,
        text: `[${id}: characters ${from} to ${to} of ${text.length}.${next}]\n${shown}`,
        facts,
      };
    },
  };
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
