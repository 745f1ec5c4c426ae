/**
 * R-LARGE-READ-DISCIPLINE: a large file is read whole a second time, unchanged.
 *
 * What a newcomer gets wrong: how a file is shown (line numbers) does not make it
 * another one, and the first whole read is always fine, whatever was read in parts.
 */
import type { JsonObject } from "@bridle/record";
import { plainPath } from "../paths.js";
import { changesOf } from "../reading/changes.js";
import { Versions } from "../repeats/versions.js";
import type { Detector } from "../types.js";

const largeBytes = 64 * 1024;

export const largeReadDiscipline: Detector = {
  begin() {
    /** The version of each large file that was read whole. */
    const whole = new Map<string, number>();
    const versions = new Versions();
    return {
      proposed({ tool, args }) {
        const path = wholeRead(tool, args);
        if (path === undefined || whole.get(path) !== versions.of([path])) return undefined;
        return {
          what: `${path} is large, unchanged and was read whole already in this send.`,
          remedy: "Read the range that is needed, or search it with grep_file.",
        };
      },
      ran(call, outcome) {
        const { ok, output, bytes, ran } = outcome;
        if (ran === false) return undefined;
        const changes = changesOf(call, outcome);
        if (changes.length > 0) versions.change(changes);
        if (call.tool === "compress_context" && ok) whole.clear();
        const path = wholeRead(call.tool, call.args);
        if (ok && path !== undefined && (bytes ?? Buffer.byteLength(output)) > largeBytes)
          whole.set(path, versions.of([path]));
        return undefined;
      },
    };
  },
};

function wholeRead(tool: string, args: JsonObject): string | undefined {
  const { path } = args;
  const isWhole = Object.entries(args).every(([name, value]) =>
    /^(?:offset|start)/.test(name)
      ? value === null || value === 0 || value === 1
      : value === null || !/^(?:limit|end|lines$)/.test(name),
  );
  return tool === "read_file" && isWhole && typeof path === "string" ? plainPath(path) : undefined;
}
