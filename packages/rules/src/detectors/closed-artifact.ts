/**
 * R-CLOSED-ARTIFACT: the first write of a page leaves no tag open.
 *
 * What a newcomer gets wrong: a skeleton is whole. What may not be is half a
 * page, for whoever opens it before the second half arrives sees it broken.
 */
import { markupKindOf, openTags } from "../markup.js";
import { pathOf } from "../paths.js";
import type { Detector, Finding } from "../types.js";

export const closedArtifact: Detector = {
  begin() {
    const written = new Set<string>();
    return {
      proposed(call): Finding | undefined {
        if (call.tool !== "write_file" || call.args["mode"] === "append") return undefined;
        const path = pathOf(call.args);
        const { content } = call.args;
        if (path === undefined || typeof content !== "string" || written.has(path)) return undefined;
        const kind = markupKindOf(path);
        const open = kind === undefined ? [] : openTags(content, kind);
        if (open.length === 0) return undefined;
        return {
          what: `The first write of ${path} leaves open: ${open.slice(0, 6).join(", ")}.`,
          remedy: `Write ${path} with every tag closed, a skeleton if it is long, and fill it with edit_file.`,
        };
      },
      ran(call, outcome) {
        const path = call.tool === "write_file" && outcome.ok ? pathOf(call.args) : undefined;
        if (path !== undefined) written.add(path);
        return undefined;
      },
    };
  },
};
