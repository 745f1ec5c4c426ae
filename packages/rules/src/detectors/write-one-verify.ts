/**
 * R-WRITE-ONE-VERIFY: what was written intact is read back once at most.
 *
 * What a newcomer gets wrong: parts that do not overlap are one read of a long file,
 * and after anything that may have changed the file the count ends. What a command
 * shows of a file is not counted.
 */
import { pathOf } from "../paths.js";
import { changesOf } from "../reading/changes.js";
import { overlaps, type Part, partOf, wholeFile } from "../reading/ranges.js";
import type { Detector, Finding } from "../types.js";

export const writeOneVerify: Detector = {
  begin() {
    /** Parts read since the intact write, by path. */
    const read = new Map<string, Part[]>();

    const note = (path: string, part: Part): Finding | undefined => {
      const parts = read.get(path);
      if (parts === undefined) return undefined;
      if (parts.some((earlier) => overlaps(earlier, part))) {
        return {
          what: `${path} was written with integrity=ok, read back once, and is read again although nothing changed.`,
          remedy: `Trust the report of the write and the one read of ${path}, and go on.`,
        };
      }
      parts.push(part);
      return undefined;
    };

    return {
      ran(call, outcome) {
        const changes = changesOf(call, outcome);
        if (changes === "anything") read.clear();
        else for (const path of changes) read.delete(path);
        const path = pathOf(call.args);
        if (path === undefined || !outcome.ok) return undefined;
        switch (call.tool) {
          case "write_file":
            if (/\bintegrity\s*[=:]\s*ok\b/.test(outcome.output)) read.set(path, []);
            return undefined;
          case "read_file":
          case "read_file_chunked":
            return note(path, partOf(call.args, outcome.output));
          case "grep_file":
            return note(path, wholeFile);
          default:
            return undefined;
        }
      },
    };
  },
};
