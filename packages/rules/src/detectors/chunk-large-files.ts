/**
 * R-CHUNK-LARGE-FILES: a write that was cut off goes on in pieces.
 *
 * What a newcomer gets wrong: a large write is fine, and so is a second one. Only
 * the next write of the path that was cut is judged, and only when it is again
 * the whole file and at least as large as what did not get through.
 */
import { pathOf } from "../reading/paths.js";
import type { CallOutcome, Detector, Finding, ProposedCall } from "../types.js";

const kib = 1024;
/** Below this a file is not large: a call that was cut at its beginning is simply made again. */
const largeBytesMin = kib;

export const chunkLargeFiles: Detector = {
  begin() {
    /** Bytes of what was cut, by path. */
    const cut = new Map<string, number>();
    const judge = (path: string, call: ProposedCall, bytes: number): Finding | undefined => {
      const lost = cut.get(path);
      if (lost === undefined || lost < largeBytesMin) return undefined;
      if (call.args["mode"] === "append" || bytes < lost) return undefined;
      return {
        what: `${path} was cut off at ${lost} bytes and is written whole again in one call of ${bytes} bytes.`,
        remedy: `Write a first part of ${path} with mode create and go on with mode append, each part well below ${lost} bytes.`,
      };
    };
    return {
      proposed(call) {
        const path = call.tool === "write_file" ? pathOf(call.args) : undefined;
        return path === undefined ? undefined : judge(path, call, contentBytes(call));
      },
      ran(call, outcome) {
        const path = pathOf(call.args);
        if (path === undefined) return undefined;
        if (call.tool === "edit_file" && outcome.ok) cut.delete(path);
        if (call.tool !== "write_file") return undefined;
        // The content may stand here in short, while the report tells its size.
        const told =
          outcome.ok && contentBytes(call) < (cut.get(path) ?? 0) ? bytesTold(outcome.output) : undefined;
        const finding = told === undefined ? undefined : judge(path, call, told);
        cut.delete(path);
        if (wasCut(outcome)) cut.set(path, bytesTold(outcome.output) ?? contentBytes(call));
        return finding;
      },
    };
  },
};

function contentBytes(call: ProposedCall): number {
  const { content } = call.args;
  return typeof content === "string" ? Buffer.byteLength(content) : 0;
}

function wasCut(outcome: CallOutcome): boolean {
  if (outcome.ok) return false;
  const code = /\[([a-z_-]+)\]/i.exec(outcome.output)?.[1];
  if (code !== undefined && /cut|trunc|incomplete_arg|length/i.test(code)) return true;
  return /\b(?:cut (?:off|short)|ended early|(?:arguments?|content|call|write) (?:was|were|is|are) (?:truncated|incomplete))\b/i.test(
    outcome.output,
  );
}

function bytesTold(output: string): number | undefined {
  const told = /(\d[\d,_]*(?:\.\d+)?)\s*(bytes?|KiB|KB|kB)\b/.exec(output);
  if (told === null) return undefined;
  const amount = Number(told[1]!.replace(/[,_]/g, ""));
  return Math.floor(told[2]!.toLowerCase().startsWith("b") ? amount : amount * kib);
}
