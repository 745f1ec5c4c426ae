/**
 * R-CHUNK-LARGE-FILES: a write that was cut off goes on in pieces.
 *
 * What a newcomer gets wrong: a large write is fine, and so is a second one. Only
 * the next write of the path that was cut is judged, and only when it is again
 * the whole file and at least as large as what did not get through.
 */
import { pathOf } from "../paths.js";
import type { CallOutcome, Detector, Finding, ProposedCall } from "../types.js";

/** Below this a file is not large: a call that was cut at its beginning is simply made again. */
const largeBytesMin = 1024;

export const chunkLargeFiles: Detector = {
  begin() {
    /** Bytes of what was cut, by path. */
    const cut = new Map<string, number>();
    return {
      proposed({ tool, args }): Finding | undefined {
        const path = tool === "write_file" && args["mode"] !== "append" ? pathOf(args) : undefined;
        const lost = path === undefined ? undefined : cut.get(path);
        if (lost === undefined || lost < largeBytesMin) return undefined;
        const bytes = contentBytes(args);
        if (bytes < lost) return undefined;
        return {
          what: `${path} was cut off at ${lost} bytes and is written whole again in one call of ${bytes} bytes.`,
          remedy: `Write a first part of ${path} with mode create and go on with mode append, each part well below ${lost} bytes.`,
        };
      },
      ran(call, outcome) {
        const writes = call.tool === "write_file" || call.tool === "edit_file";
        const path = writes ? pathOf(call.args) : undefined;
        if (path === undefined) return undefined;
        if (outcome.ok || call.tool === "write_file") cut.delete(path);
        if (call.tool === "write_file" && wasCut(outcome))
          cut.set(path, bytesTold(outcome.output) ?? contentBytes(call.args));
        return undefined;
      },
    };
  },
};

function contentBytes({ content }: ProposedCall["args"]): number {
  return typeof content === "string" ? Buffer.byteLength(content) : 0;
}

/** By its code. */
function wasCut({ ok, output }: CallOutcome): boolean {
  const code = /\[([a-z_-]+)\]/i.exec(output)?.[1] ?? "";
  return !ok && /cut|trunc/i.test(code);
}

function bytesTold(output: string): number | undefined {
  const told = /(\d+) bytes/.exec(output)?.[1];
  return told === undefined ? undefined : Number(told);
}
